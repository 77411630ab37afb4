"""The interface of layouts: `offset`, span, traits and hooks with defaults; checks of strides.

A layout holds parameters and no extents; `Mapping` binds it to extents. It is written once, as integer arithmetic in
`Layout.offset`; scalar access, slicing, checks and pictures derive from it. To make a layout of your own, subclass
`Layout` with a frozen dataclass and define `offset` and `required_span_size`.
"""

from __future__ import annotations

from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeAlias, TypeVar, final

from mdview.base import as_integer, as_text, brief, has_collision, image_bounds, value
from mdview.base.argument_checks import instance_text
from mdview.base.frozen_values import field_types
from mdview.base.strided_sets import image_is_interval
from mdview.errors import LayoutError, LayoutTypeError, StrideError, UndecidedError
from mdview.index.extents import MAX_SIZE, Dim, is_empty, shape_text, size_of
from mdview.index.index_map import IndexMap
from mdview.index.slices import Selection
from mdview.layouts import enumeration
from mdview.layouts.enumeration import ENUMERATION_BUDGET, Box, box_size, check_count, element_box, indices, places

StrideOrder: TypeAlias = Literal["right", "left"]
"""The order of strides: last index fastest (C order, right) or first index fastest (Fortran order, left)."""


@final
@value
class StrideRule:
    """The rule by which strides follow from extents, for a layout whose mappings all have strides.

    With an ``order`` the fastest dimension has stride 1, and each further stride is the one before times the extent
    there. Where ``is_padded``, the first of these extents is rounded up to a multiple of ``padding``; None rounds
    nothing. Without an order the strides are any others: parameters of the layout, say.
    """

    order: StrideOrder | None = None
    is_padded: bool = False
    padding: int | None = None

    @property
    def is_dense(self) -> bool:
        """Whether there is an order and no padding: `LayoutRight` and `LayoutLeft`."""
        return self.order is not None and not self.is_padded

    @property
    def is_static(self) -> bool:
        """Whether extents and static parameters determine the strides: there is an order, and no dynamic padding."""
        return self.order is not None and (self.padding is None or type(self.padding) is Dim)

    def reversed(self) -> StrideRule:
        """Return the rule of the same strides with the dimensions in reverse; without an order the rule itself."""
        if self.order is None:
            return self
        return StrideRule("left" if self.order == "right" else "right", self.is_padded, self.padding)


RIGHT: Final = StrideRule("right")
LEFT: Final = StrideRule("left")
OTHER: Final = StrideRule()


@final
@value
class Tiling:
    """The tiles of a layout, each stored in one block; those at the edges are cut.

    ``sizes`` has one entry per dimension, and so has ``strides``: the strides within a tile, None where it has none.
    ``first_is_fastest`` tells which dimension of the grid of tiles advances first when tiles are numbered: the first
    or the last.
    """

    sizes: tuple[int, ...]
    strides: tuple[int, ...] | None
    first_is_fastest: bool

    def grid(self, extents: Sequence[int]) -> tuple[int, ...]:
        """Count the tiles along each dimension."""
        return tuple([(e + (n - 1)) // n for e, n in zip(extents, self.sizes, strict=True)])

    def reversed(self) -> Tiling:
        """Return the tiling of the same layout with its dimensions in reverse."""
        strides = None if self.strides is None else self.strides[::-1]
        return Tiling(self.sizes[::-1], strides, not self.first_is_fastest)


__all__ = [
    "ENUMERATION_BUDGET",
    "Box",
    "Composition",
    "Layout",
    "Strides",
    "as_layout",
    "check_span",
    "indices",
    "unless_undecided",
]

T = TypeVar("T")

Strides: TypeAlias = tuple[int, ...]

FEW: Final = 1 << 12
"""The most indices whose offsets are all computed; offsets of more indices are bounded by the layout's arithmetic."""


class Layout(ABC):
    """The rule that maps an index to its place in memory. Subclasses are frozen, hashable, and abstract or final.

    Required: `offset`, `required_span_size`. Everything else has a default that is correct for any layout;
    a layout overrides what it knows better.
    """

    __slots__ = ()

    if TYPE_CHECKING:  # see `typing_protocols`

        def _as_row(self) -> Layout: ...
        def _as_column(self) -> Layout: ...
        def _as_middle(self) -> Layout: ...
        def _as_span(self) -> Layout: ...
        def _as_front(self) -> Layout: ...
        def _as_back(self) -> Layout: ...
        def _as_whole(self) -> Layout: ...
        def _as_part(self) -> Layout: ...
        def _as_turned(self) -> Layout: ...
        def _as_reversed(self) -> Layout: ...
        def _as_dense(self) -> Layout: ...
        def _as_reshaped(self) -> Layout: ...

    short_name: ClassVar[str] = ""
    """The name of a shipped layout in expressions (`mdview.mappings.notation`); others go by module and class."""

    @abstractmethod
    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Offset in elements of ``index``, which lies within ``extents``.

        Use arithmetic only (``+ - * // % & | ^ << >>``): element access runs this text on symbols to compile it.
        """

    @abstractmethod
    def required_span_size(self, extents: Sequence[int]) -> int:
        """One more than the largest offset; 0 for an empty index space."""

    def allocation_size(self, extents: Sequence[int]) -> int:
        """Count the elements of a file that cuts no tile: `required_span_size`, or more where tiles stick out."""
        return self.required_span_size(extents)

    def check(self, extents: Sequence[int]) -> None:
        """Raise `LayoutError` or `RankError` where this layout cannot be bound to ``extents``."""

    def strides(self, extents: Sequence[int]) -> Strides | None:
        """Return the strides if the offset is an origin plus index times strides over all of ``extents``, else None.

        They are found from the arithmetic of `offset`. None is no proof that there are none, see `knows_strides`.
        """
        return enumeration.linear_strides(self, extents) if self.is_total() else None

    def origin(self, extents: Sequence[int]) -> int:
        """Offset of index (0, ..., 0); 0 where that stands for no element."""
        zero = (0,) * len(extents)
        return self.offset(extents, zero) if not is_empty(extents) and self.has_element(extents, zero) else 0

    def is_unique(self, extents: Sequence[int]) -> bool:
        """Tell whether no two indices share an offset: always, by the strides, or else by a look at every index."""
        if self._always_unique(extents):
            return True
        strides = stated_strides(self, extents)
        if strides is not None:
            return not has_collision(extents, strides)
        seen: set[int] = set()
        for offset in self._element_offsets(extents, "unique"):
            if offset in seen:
                return False
            seen.add(offset)
        return True

    def is_exhaustive(self, extents: Sequence[int]) -> bool:
        """Tell whether every offset below the required span size is some index's: by counting, or a look at each."""
        span = self.required_span_size(extents)
        box = element_box(self, extents)
        if box is not None and (box_size(box) < span or (self.is_total() and self._always_unique(extents))):
            return box_size(box) == span
        strides = stated_strides(self, extents) if self.is_total() else None
        bounds = None if strides is None else self.offset_bounds(extents)
        if strides is not None and bounds is not None:
            return bounds[0] == 0 and image_is_interval(extents, strides)
        return len(set(self._element_offsets(extents, "exhaustive"))) == span

    def offset_bounds(self, extents: Sequence[int]) -> tuple[int, int] | None:
        """Lowest and highest offset of an element, None where there is none: from strides, or the arithmetic.

        Raises
        ------
        UndecidedError
            The arithmetic does not tell, and there are more indices than `ENUMERATION_BUDGET`.
        """
        box = element_box(self, extents)
        if is_empty(extents) or (box is not None and not box_size(box)):
            return None
        strides = stated_strides(self, extents) if self.is_total() else None
        ends = None if strides is None else image_bounds(extents, strides)
        if ends is not None:
            return self.origin(extents) + ends[0], self.origin(extents) + ends[1]
        if self.is_total() and self.is_monotone():
            return self.origin(extents), self.offset(extents, [e - 1 for e in extents])
        if box is not None and box_size(box) > FEW:
            part = tuple([(low, high - 1) for low, high in box])
            extremes = enumeration.traced_extremes(self, tuple(map(int, extents)), part)
            if extremes is not None:
                return extremes
        offsets = set(self._element_offsets(extents, "bounded"))
        return (min(offsets), max(offsets)) if offsets else None

    def lowest_offset(self, extents: Sequence[int]) -> int:
        """Return the lowest offset if that is below 0, where no view can have an element; else any offset from 0 on."""
        return 0

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

    def slices_follow_offset(self) -> bool:
        """Tell whether every slice that `sub` returns a layout for puts its elements where `offset` does.

        Engines then reach a part without its layout. It is true if `sub` is not overridden.
        """
        return type(self).sub is Layout.sub

    def permuted(self, extents: Sequence[int], axes: Sequence[int]) -> Layout | None:
        """Layout whose dimension ``r`` is dimension ``axes[r]`` of this one over ``extents``; None where there is none.

        It is asked for where this layout has no strides; without it the result is composed. A matrix is `transposed`.
        """
        return self.transposed(extents) if tuple(axes) == (1, 0) else None

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
        """Return the types of the parameters, for comparison, since 4, 4.0 and ``dim(4)`` are equal.

        It is constant for a layout that keeps plain ints only.
        """
        return field_types(self)

    def constructor_arguments(self) -> dict[str, object] | None:
        """Return what an equal layout is made from, by the names of the parameters that the class is called with.

        None says that each of them is the attribute of that name, as in a dataclass.
        """
        return None

    def tiling(self) -> Tiling | None:
        """Return the tiles that this layout stores in one block each, or None where it has none."""
        return None

    def composition(self, extents: Sequence[int]) -> Composition:
        """Return the base layout, its extents and the transform through which an index within ``extents`` reaches it.

        A layout that is not made from another one is its own base, under the identity transform and without a box.
        """
        return Composition(self, tuple(extents), IndexMap.taking(range(len(extents))))

    def enclosing(self, extents: Sequence[int]) -> tuple[int, ...]:
        """Return extents, none of them less, over which each index has the same offset as over ``extents``.

        All extents with the same result share tables, which takes 0.1 ms instead of 1 ms where they are new.
        """
        return tuple(extents)

    def same_offsets(self, extents: Sequence[int]) -> tuple[Layout, Sequence[int]]:
        """Return a layout and extents that have the same set of offsets, from fewer indices where some are repeated."""
        return self, extents

    def _always_unique(self, extents: Sequence[int]) -> bool:
        """Tell whether the layout is unique over all extents of this rank, or there is at most one index."""
        return size_of(extents) <= 1 or self.is_always_unique((None,) * len(extents))

    def _element_offsets(self, extents: Sequence[int], what: str) -> Iterator[int]:
        """Iterate over the offsets of all elements, for the default traits."""
        define = "offset_bounds" if what == "bounded" else f"is_{what}"
        check_count(self, extents, what, define)
        return (offset for _, offset in places(self, extents, what, define=define))


class PlainLayout(Layout, metaclass=ABCMeta):
    """The layouts whose parameters are plain ints and names, without static parameters."""

    __slots__ = ()

    def static_parameters(self) -> None:
        """Return None: there is no static parameter."""


class MonotoneLayout(Layout, metaclass=ABCMeta):
    """The layouts whose offsets never decrease when one index grows, and whose strides are found where they exist."""

    __slots__ = ()

    def is_monotone(self) -> bool:
        """Tell that offsets never decrease when one index grows: always."""
        return True

    def knows_strides(self) -> bool:
        """Tell that strides are found wherever they exist: always."""
        return True


@final
@value
class Composition:
    """A layout as a base and a transform: the offset of index ``i`` is that of index ``transform(i)`` of ``base``.

    With a ``box`` only the indices inside it have elements, see `mdview.layouts.composed.LayoutComposed`.
    """

    base: Layout
    extents: tuple[int, ...]
    transform: IndexMap
    box: Box | None = None


def as_layout(what: str, given: object) -> Layout:
    """Return a layout, given as such or as its text; refuse other objects, with a message that begins with ``what``.

    Raises
    ------
    LayoutTypeError
        It is neither, such as a class instead of an instance, or one of NumPy's orders.
    NotationError
        The text says no layout, see `mdview.parse`.
    """
    if isinstance(given, str) and given not in _ORDERS:
        from mdview import parse_layout  # noqa: PLC0415 - above this folder

        given = parse_layout(given)
    if not isinstance(given, Layout):
        raise LayoutTypeError(f"{what} an instance of a Layout, got {brief(given)}{_way_to(given)}")
    return given


_INT: Final[frozenset[type]] = frozenset({int})
_ORDERS: Final = {"C": "LayoutRight()", "F": "LayoutLeft()"}
"""Orders as NumPy names them."""


def _way_to(given: object) -> str:
    if isinstance(given, str):
        return f"; write {_ORDERS[given]}"
    if isinstance(given, type) and issubclass(given, Layout) and not getattr(given, "__abstractmethods__", None):
        return f"; write {instance_text(given)}"
    if hasattr(given, "index_rule"):
        return "; write accessor= before it"
    if isinstance(given, tuple | list) and all(isinstance(stride, int) for stride in given):
        return f"; write LayoutStride({as_text(tuple(given))}), with strides in elements"
    way = "; a layout is LayoutRight(), say, or 'right', and empty, zeros and full take dtype= as well"
    return way if isinstance(given, type) else ""


def stated_strides(layout: Layout, extents: Sequence[int]) -> Strides | None:
    """Return the strides that a layout states as plain ints, one per dimension: accesses to memory rely on them."""
    strides = layout.strides(extents)
    if strides is None or (
        type(strides) is tuple and len(strides) == len(extents) and _INT.issuperset(map(type, strides))
    ):
        return strides
    if len(strides) != len(extents):
        raise LayoutError(f"a layout over extents of rank {len(extents)} has as many strides, got {brief(strides)}")
    return tuple([int(as_integer(s, "a stride")) for s in strides])


def check_span(layout: Layout, extents: Sequence[int], error: type[LayoutError] = StrideError, hint: str = "") -> None:
    """Refuse a span above 2**63 - 1, the largest pointer difference; ``hint`` ends the message."""
    span = layout.required_span_size(extents)
    if span > MAX_SIZE:
        raise error(
            f"{brief(layout)} over extents {shape_text(extents)} spans {as_text(span)} elements, more than "
            f"2**63 - 1{hint}"
        )


def unless_undecided(question: Callable[[], T]) -> T | None:
    """Return the answer to a question, or None if it exceeds a budget."""
    try:
        return question()
    except UndecidedError:
        return None
