"""A layout says where an index lies: it turns a multidimensional index into one offset, counted in elements.

A layout holds layout parameters only, never extents; `Mapping` binds it to extents. It is written once, as
integer arithmetic in `Layout.offset`; scalar access, slicing, checks and pictures derive from that text. To make
a layout of your own, subclass `Layout` with a frozen dataclass and define `offset` and `required_span_size`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import Final, TypeAlias, final

from mdview.base.strided_sets import each_index, has_collision
from mdview.base.texts import shown
from mdview.base.values import field_types, value
from mdview.errors import LayoutError, LayoutTypeError, StrideError, UndecidedError
from mdview.index.extents import MAX_SIZE, is_empty, shape_text, size_of
from mdview.index.slices import Selection
from mdview.index.transforms import IndexTransform
from mdview.layouts.linear import linear_strides
from mdview.layouts.structure import StrideRule, Tiling

Strides: TypeAlias = tuple[int, ...]
Box: TypeAlias = tuple[tuple[int, int], ...]
"""For each dimension a half-open range of indices."""

ENUMERATION_BUDGET: Final = 1_000_000
"""How many indices a default trait visits before it gives up with `UndecidedError`."""


LONG: Final = 100_000
"""Extents above this are walked one index at a time; ``itertools.product``, faster, keeps them all in memory."""


class Layout(ABC):
    """Where an index lies. Subclasses are frozen and hashable, and either abstract or final.

    Required: `offset`, `required_span_size`. Everything else has a default that is correct for any layout;
    a layout overrides what it knows better.
    """

    __slots__ = ()

    @abstractmethod
    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Offset in elements of ``index``, which lies within ``extents``.

        Use arithmetic only (``+ - * // % & | ^ << >>``): the scalar engine runs this text on symbols to compile it.
        """

    @abstractmethod
    def required_span_size(self, extents: Sequence[int]) -> int:
        """One more than the largest offset; 0 for an empty index space."""

    def check(self, extents: Sequence[int]) -> None:
        """Raise `LayoutError` or `RankError` where this layout cannot be bound to ``extents``."""

    def strides(self, extents: Sequence[int]) -> Strides | None:
        """Return the strides if the offset is an origin plus index times strides over all of ``extents``, else None.

        They are found from the arithmetic of `offset`. None is no proof that there are none, see `knows_strides`.
        """
        return linear_strides(self, extents) if self.is_total() else None

    def origin(self, extents: Sequence[int]) -> int:
        """Offset of index (0, ..., 0); 0 for an empty index space."""
        return 0 if is_empty(extents) else self.offset(extents, (0,) * len(extents))

    def is_unique(self, extents: Sequence[int]) -> bool:
        """Tell whether no two indices share an offset: always, by the strides, or else by a look at every index."""
        if self._always_unique(extents):
            return True
        strides = self.strides(extents)
        if strides is not None:
            return not has_collision(extents, strides)
        offsets = self._element_offsets(extents, "unique")
        return len(set(offsets)) == len(offsets)

    def is_exhaustive(self, extents: Sequence[int]) -> bool:
        """Tell whether every offset below the required span size is some index's: by counting, or a look at each."""
        if self.is_total() and self._always_unique(extents):
            return self.required_span_size(extents) == size_of(extents)
        return len(set(self._element_offsets(extents, "exhaustive"))) == self.required_span_size(extents)

    def is_always_unique(self, static: Sequence[int | None]) -> bool:
        """Tell whether every mapping of this kind is unique, whatever its dynamic extents."""
        return False

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell whether every mapping of this kind is exhaustive, whatever its dynamic extents."""
        return False

    def is_always_strided(self, static: Sequence[int | None]) -> bool:
        """Tell whether every mapping of this kind is strided, whatever its dynamic extents."""
        return False

    def is_monotone(self) -> bool:
        """Tell whether the offset never decreases when one index grows."""
        return False

    def is_total(self) -> bool:
        """Tell whether every index stands for an element: all layouts but padded views, see `LayoutComposed`."""
        return True

    def has_element(self, extents: Sequence[int], index: Sequence[int]) -> bool:
        """Tell whether ``index``, which lies within ``extents``, stands for an element."""
        return True

    def valid_box(self, extents: Sequence[int]) -> Box:
        """For each dimension the half-open range of indices that stand for an element."""
        return tuple([(0, int(e)) for e in extents])

    def knows_strides(self) -> bool:
        """Tell whether `strides` finds them wherever they exist, so that None means that there are none."""
        return False

    def sub(self, extents: Sequence[int], slices: Sequence[Selection]) -> tuple[Layout, int] | None:
        """Layout over the part that canonical ``slices`` select, and where its data begins; None where there is none.

        A layout that keeps its own type under some slices says so here. Otherwise the part is strided where
        `stride_rule` or the arithmetic of `offset` gives strides, and composed elsewhere.
        """
        return None

    def permuted(self, extents: Sequence[int], axes: Sequence[int]) -> Layout | None:
        """Layout whose dimension ``r`` is dimension ``axes[r]`` of this one over ``extents``; None where there is none.

        It is asked for where this layout has no strides; without it the result is composed.
        """
        return None

    def transposed(self, extents: Sequence[int]) -> Layout | None:
        """Layout that puts (j, i) where this one over the two ``extents`` puts (i, j); None where there is none.

        Without it, and without an order in `stride_rule`, the transpose is a `LayoutTranspose`.
        """
        return None

    def stride_rule(self) -> StrideRule | None:
        """How strides follow from the extents if all mappings have strides, else None.

        It decides what a slice is: right, left or padded where the rule has an order and neighbours stay neighbours,
        `LayoutStride` or `LayoutStrideRelaxed` otherwise. A mapping that is linear without a rule has that of the
        narrowest layout with its strides.
        """
        return None

    def static_parameters(self) -> Hashable:
        """Tell of which types the parameters are, as something to compare: 4, 4.0 and ``dim(4)`` are equal.

        A layout that keeps plain ints only has nothing to tell.
        """
        return field_types(self)

    def tiling(self) -> Tiling | None:
        """Return the tiles that this layout stores in one block each, or None where it has none."""
        return None

    def composition(self, extents: Sequence[int]) -> Composition:
        """Return the base layout, its extents and the transform through which an index within ``extents`` reaches it.

        A layout that is not made from another one is its own base, under the identity transform and without a box.
        """
        return Composition(self, tuple(extents), _identity(len(extents)))

    def _always_unique(self, extents: Sequence[int]) -> bool:
        """Tell whether the layout is unique over any extents of this rank; one index shares its offset with none."""
        return size_of(extents) <= 1 or self.is_always_unique((None,) * len(extents))

    def _element_offsets(self, extents: Sequence[int], what: str) -> list[int]:
        """Offset of each index that stands for an element, for the traits of layouts that do not define their own."""
        size = size_of(extents)
        if size > ENUMERATION_BUDGET:
            message = (
                f"whether {shown(self, repr)} over extents {shape_text(extents)} is {what} takes a "
                f"look at {size} indices, more "
                f"than {ENUMERATION_BUDGET}; define is_{what} in the layout"
            )
            raise UndecidedError(message)
        return [self.offset(extents, index) for index in indices(extents) if self.has_element(extents, index)]


@lru_cache(maxsize=64)
def _identity(rank: int) -> IndexTransform:
    return IndexTransform.taking(range(rank))


@final
@value
class Composition:
    """A layout taken apart: index ``i`` lies where ``base`` over ``extents`` puts index ``transform(i)``.

    With a ``box`` only the indices inside it stand for elements, see `mdview.layouts.composed.LayoutComposed`.
    """

    base: Layout
    extents: tuple[int, ...]
    transform: IndexTransform
    box: Box | None = None


def check_layout_kind(what: str, layout: object) -> None:
    """Refuse what is no layout, a class instead of an instance above all; ``what`` begins the message."""
    if not isinstance(layout, Layout):
        hint = f"; write {layout.__name__}()" if isinstance(layout, type) else ""
        message = f"{what} an instance of a Layout, got {shown(layout, repr)}{hint}"
        raise LayoutTypeError(message)


def check_span(layout: Layout, extents: Sequence[int], error: type[LayoutError] = StrideError, hint: str = "") -> None:
    """Refuse offsets that no pointer difference could hold; ``hint`` ends the message."""
    span = layout.required_span_size(extents)
    if span > MAX_SIZE:
        message = (
            f"{shown(layout, repr)} over extents {shape_text(extents)} spans {shown(span)} "
            f"elements, more than 2**63 - 1{hint}"
        )
        raise error(message)


def indices(extents: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All indices within ``extents``, last index fastest."""
    if max(extents, default=0) > LONG:
        return each_index(extents)
    return product(*[range(e) for e in extents])
