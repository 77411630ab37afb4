"""A wrapper is a layout around another one: it changes one thing and leaves every other question to what it wraps.

The transpose exchanges the two dimensions (P1673 ``layout_transpose``).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from typing import TypeVar, final

from mdview.base.values import value
from mdview.errors import RankError
from mdview.index.transforms import IndexMap
from mdview.layouts.base import Box, Composition, Layout, Strides, Tiling, check_layout_kind
from mdview.layouts.strided import layout_of

V = TypeVar("V")


class LayoutWrapper(Layout):
    """A layout around one other layout, whose answers are its own except where a subclass overrides them.

    Required: `wrapped` and `keeps_offsets`. A wrapper that changes the order of the dimensions overrides `to_wrapped`
    and `from_wrapped`. A wrapper that moves elements overrides `offset` and `required_span_size`, and its
    `keeps_offsets` is False: what else depends on offsets then has the defaults of `Layout`. It may not move two
    elements to one offset, since `is_unique` is that of the wrapped layout.
    """

    __slots__ = ()

    @abstractmethod
    def wrapped(self) -> Layout:
        """Return the layout inside."""

    @abstractmethod
    def keeps_offsets(self) -> bool:
        """Tell whether every element has the offset that it has in the wrapped layout."""

    def to_wrapped(self, values: Sequence[V]) -> Sequence[V]:
        """Return ``values``, one per dimension, in the order of the dimensions of the wrapped layout."""
        return values

    def from_wrapped(self, values: Sequence[V]) -> Sequence[V]:
        """Undo `to_wrapped`."""
        return values

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Offset in the wrapped layout."""
        return self.wrapped().offset(self.to_wrapped(extents), self.to_wrapped(index))

    def required_span_size(self, extents: Sequence[int]) -> int:
        """Span of the wrapped layout."""
        return self.wrapped().required_span_size(self.to_wrapped(extents))

    def allocation_size(self, extents: Sequence[int]) -> int:
        """Count the elements that the wrapped layout allocates, where offsets are kept."""
        if not self.keeps_offsets():
            return super().allocation_size(extents)
        return self.wrapped().allocation_size(self.to_wrapped(extents))

    def offset_bounds(self, extents: Sequence[int]) -> tuple[int, int] | None:
        """Lowest and highest offset in the wrapped layout, where offsets are kept."""
        if not self.keeps_offsets():
            return super().offset_bounds(extents)
        return self.wrapped().offset_bounds(self.to_wrapped(extents))

    def check(self, extents: Sequence[int]) -> None:
        """Refuse what the wrapped layout refuses."""
        self.wrapped().check(self.to_wrapped(extents))

    def static_parameters(self) -> Hashable:
        """Tell of which types the parameters are, here and in the wrapped layout."""
        return super().static_parameters(), self.wrapped().static_parameters()

    def strides(self, extents: Sequence[int]) -> Strides | None:
        """Return the strides of the wrapped layout where offsets are kept, else those that the arithmetic has."""
        if not self.keeps_offsets():
            return super().strides(extents)
        strides = self.wrapped().strides(self.to_wrapped(extents))
        return None if strides is None else tuple(self.from_wrapped(strides))

    def origin(self, extents: Sequence[int]) -> int:
        """Offset of index (0, ..., 0)."""
        return self.wrapped().origin(self.to_wrapped(extents)) if self.keeps_offsets() else super().origin(extents)

    def is_unique(self, extents: Sequence[int]) -> bool:
        """Tell whether the wrapped layout is unique."""
        return self.wrapped().is_unique(self.to_wrapped(extents))

    def is_exhaustive(self, extents: Sequence[int]) -> bool:
        """Tell whether every offset below the span is some index's."""
        if not self.keeps_offsets():
            return super().is_exhaustive(extents)
        return self.wrapped().is_exhaustive(self.to_wrapped(extents))

    def is_always_unique(self, static: Sequence[int | None]) -> bool:
        """Tell whether the wrapped layout always is unique."""
        return self.wrapped().is_always_unique(self.to_wrapped(static))

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell whether offsets are kept and the wrapped layout always is exhaustive."""
        return self.keeps_offsets() and self.wrapped().is_always_exhaustive(self.to_wrapped(static))

    def is_always_strided(self, static: Sequence[int | None]) -> bool:
        """Tell whether offsets are kept and the wrapped layout always is strided."""
        return self.keeps_offsets() and self.wrapped().is_always_strided(self.to_wrapped(static))

    def is_monotone(self) -> bool:
        """Tell whether offsets are kept and the wrapped layout is monotone."""
        return self.keeps_offsets() and self.wrapped().is_monotone()

    def knows_strides(self) -> bool:
        """Tell whether offsets are kept and the wrapped layout finds its strides wherever they exist."""
        return self.keeps_offsets() and self.wrapped().knows_strides()

    def is_total(self) -> bool:
        """Tell whether every index stands for an element in the wrapped layout."""
        return self.wrapped().is_total()

    def has_element(self, extents: Sequence[int], index: Sequence[int]) -> bool:
        """Tell whether the index stands for an element in the wrapped layout."""
        return self.wrapped().has_element(self.to_wrapped(extents), self.to_wrapped(index))

    def composition(self, extents: Sequence[int]) -> Composition:
        """Return that of the wrapped layout where it has padding: what fills padding depends on what it surrounds."""
        if self.is_total() or not self.keeps_offsets():
            return super().composition(extents)
        found = self.wrapped().composition(self.to_wrapped(extents))
        transform = found.transform.after(IndexMap.taking(self.to_wrapped(range(len(extents)))))
        box = None if found.box is None else tuple(self.from_wrapped(found.box))
        return Composition(found.base, found.extents, transform, box)

    def valid_box(self, extents: Sequence[int]) -> Box:
        """Return the box of indices that stand for an element in the wrapped layout."""
        return tuple(self.from_wrapped(self.wrapped().valid_box(self.to_wrapped(extents))))


@final
@value
class LayoutTranspose(LayoutWrapper):
    """Rank 2 only: index (i, j) lies where ``nested`` puts (j, i)."""

    short_name = "transpose"
    nested: Layout

    def __post_init__(self) -> None:
        """Check that a layout is transposed."""
        check_layout_kind("LayoutTranspose transposes", self.nested)

    def static_parameters(self) -> Hashable:
        """Tell what is static in the layout inside."""
        return self.nested.static_parameters()

    def wrapped(self) -> Layout:
        """Return the nested layout."""
        return self.nested

    def keeps_offsets(self) -> bool:
        """Tell that offsets stay as they are: always."""
        return True

    def to_wrapped(self, values: Sequence[V]) -> Sequence[V]:
        """Exchange the two dimensions."""
        return values[::-1]

    def from_wrapped(self, values: Sequence[V]) -> Sequence[V]:
        """Exchange the two dimensions."""
        return values[::-1]

    def check(self, extents: Sequence[int]) -> None:
        """Refuse any rank but 2, and what the nested layout refuses."""
        if len(extents) != 2:  # noqa: PLR2004
            raise RankError(f"LayoutTranspose needs rank 2, got rank {len(extents)}; use permute_dims")
        self.nested.check(extents[::-1])

    def transposed(self, extents: Sequence[int]) -> Layout:
        """Return the nested layout."""
        return self.nested

    def same_offsets(self, extents: Sequence[int]) -> tuple[Layout, Sequence[int]]:
        """Return what the nested layout gives."""
        return self.nested.same_offsets(extents[::-1])

    def tiling(self) -> Tiling | None:
        """Return the tiling of the nested layout, exchanged."""
        found = self.nested.tiling()
        return None if found is None else found.reversed()


def transpose_of(layout: Layout, extents: Sequence[int]) -> Layout:
    """Return the layout that puts (j, i) where ``layout`` over the two ``extents`` puts (i, j).

    It is what the layout itself returns from `Layout.transposed`, else the same order read backwards where the strides
    follow one, else `LayoutTranspose`.
    """
    own = layout.transposed(extents)
    if own is not None:
        return own
    rule = layout.stride_rule()
    return LayoutTranspose(layout) if rule is None or rule.order is None else layout_of(rule.reversed())
