"""The interface of layouts, the class `Layout`: offset, span, traits, and methods with defaults.

A layout has parameters but no extents; a `Mapping` binds it to extents. The integer arithmetic in `Layout.offset` is
its only definition: scalar access, slices, checks and pictures follow from it. To define a layout, derive a frozen
dataclass from `Layout` with the methods `offset` and `required_span_size`.
"""

from __future__ import annotations

from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeAlias, TypeVar, final

from mdview.base import as_integer, as_text, brief, has_collision, image_bounds, value
from mdview.base.frozen_values import field_types
from mdview.base.message_texts import instance_text
from mdview.base.strided_sets import image_is_interval
from mdview.errors import LayoutError, LayoutTypeError, StrideError, UndecidedError
from mdview.index.extents import MAX_SIZE, Dim, is_empty, shape_text, size_of
from mdview.index.index_map import IndexMap
from mdview.index.padding import Box, whole
from mdview.index.slices import Selection
from mdview.layouts import offset_analysis
from mdview.layouts.offset_analysis import ENUMERATION_BUDGET, box_size, check_count, element_box, indices, places

StrideOrder: TypeAlias = Literal["right", "left"]
"""The order of strides: ``"right"`` is C order (last index fastest), ``"left"`` Fortran order (first index fastest)."""


@final
@value
class StrideRule:
    """The rule by which strides follow from extents, for a layout whose mappings all have strides.

    With an ``order``, the fastest dimension has stride 1, and each slower dimension the stride of the next faster one
    times its extent. If ``is_padded``, the extent of the fastest dimension is first rounded up to a multiple of
    ``padding``, unless that is None. Without an order, strides are arbitrary, for example parameters of the layout.
    """

    order: StrideOrder | None = None
    is_padded: bool = False
    padding: int | None = None

    @property
    def is_dense(self) -> bool:
        """Whether the rule has an order and no padding, as for `LayoutRight` and `LayoutLeft`."""
        return self.order is not None and not self.is_padded

    @property
    def is_static(self) -> bool:
        """Whether the rule has an order and no dynamic padding: static extents then have static strides."""
        return self.order is not None and (self.padding is None or type(self.padding) is Dim)

    def reversed(self) -> StrideRule:
        """Return the rule for the same strides with reversed dimensions; a rule without an order does not change."""
        if self.order is None:
            return self
        return StrideRule("left" if self.order == "right" else "right", self.is_padded, self.padding)


RIGHT: Final = StrideRule("right")
LEFT: Final = StrideRule("left")
OTHER: Final = StrideRule()


@final
@value
class Tiling:
    """The tiles of a layout, each of which is a block of memory; tiles at the edges are cut.

    ``sizes`` are the extents of a tile and ``strides`` the strides within a tile, or None if a tile has no strides.
    Tiles are numbered in Fortran order of the grid if ``first_is_fastest``, else in C order.
    """

    sizes: tuple[int, ...]
    strides: tuple[int, ...] | None
    first_is_fastest: bool

    def grid(self, extents: Sequence[int]) -> tuple[int, ...]:
        """Return the number of tiles along each dimension."""
        return tuple([(e + (n - 1)) // n for e, n in zip(extents, self.sizes, strict=True)])

    def reversed(self) -> Tiling:
        """Return the tiling of the same layout with its dimensions reversed."""
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
"""The largest number of indices whose offsets are all computed; for more, bounds follow from the arithmetic."""


class Layout(ABC):
    """The rule that maps an index to an offset in memory. Subclasses are frozen, hashable, and abstract or final.

    `offset` and `required_span_size` are required. All other methods have defaults that are correct for any layout; a
    layout overrides a method to answer faster or in more cases.
    """

    __slots__ = ()

    if TYPE_CHECKING:  # see `typing_protocols`

        def _as_part(self) -> Layout: ...

        _as_row = _as_column = _as_middle = _as_span = _as_front = _as_back = _as_whole = _as_part
        _as_turned = _as_reversed = _as_dense = _as_reshaped = _as_part

    short_name: ClassVar[str] = ""
    """The name of a shipped layout in `mdview.mappings.notation`; other layouts have module and class as their name."""

    @abstractmethod
    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Return the offset, in elements, of ``index``, which lies within ``extents``.

        Use only arithmetic (``+ - * // % & | ^ << >>``): the method is called with symbols in order to compile it.
        """

    @abstractmethod
    def required_span_size(self, extents: Sequence[int]) -> int:
        """Return the largest offset plus 1; 0 for an empty index space."""

    def allocation_size(self, extents: Sequence[int]) -> int:
        """Return the number of elements of storage with whole tiles; without tiles, `required_span_size`."""
        return self.required_span_size(extents)

    def check(self, extents: Sequence[int]) -> None:
        """Raise `LayoutError` or `RankError` if the layout cannot be bound to ``extents``."""

    def strides(self, extents: Sequence[int]) -> Strides | None:
        """Return the strides if the offset is found to be an origin plus index times strides, else None.

        By default the arithmetic of `offset` decides. None may mean that strides exist, see `knows_strides`.
        """
        return offset_analysis.linear_strides(self, extents) if self.is_total() else None

    def origin(self, extents: Sequence[int]) -> int:
        """Return the offset of index (0, ..., 0); 0 if that index has no element."""
        zero = (0,) * len(extents)
        return self.offset(extents, zero) if not is_empty(extents) and self.has_element(extents, zero) else 0

    def is_unique(self, extents: Sequence[int]) -> bool:
        """Tell whether no two indices share an offset; without strides, every index is visited."""
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
        """Tell whether every offset below the span is the offset of an index; if needed, every index is visited."""
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
        """Return the lowest and highest offset of an element; None if there is no element.

        Raises
        ------
        UndecidedError
            The arithmetic does not decide, and there are more indices than `ENUMERATION_BUDGET`.
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
            extremes = offset_analysis.traced_extremes(self, tuple(map(int, extents)), part)
            if extremes is not None:
                return extremes
        offsets = set(self._element_offsets(extents, "bounded"))
        return (min(offsets), max(offsets)) if offsets else None

    def lowest_offset(self, extents: Sequence[int]) -> int:
        """Return the lowest offset if it is negative, else any number from 0 on; a view refuses negative offsets."""
        return 0

    def is_always_unique(self, static: Sequence[int | None]) -> bool:
        """Tell whether mappings over these static extents are unique for all values of the dynamic extents (None)."""
        return False

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell whether mappings over these static extents are exhaustive for all values of the dynamic extents."""
        return False

    def is_always_strided(self, static: Sequence[int | None]) -> bool:
        """Tell whether mappings over these static extents are strided for all values of the dynamic extents."""
        return False

    def is_monotone(self) -> bool:
        """Tell whether the offset never decreases when an index increases."""
        return False

    def is_total(self) -> bool:
        """Tell whether every index has an element: False only for layouts with padding, see `LayoutComposed`."""
        return True

    def has_element(self, extents: Sequence[int], index: Sequence[int]) -> bool:
        """Tell whether ``index``, which lies within ``extents``, has an element."""
        return True

    def valid_box(self, extents: Sequence[int]) -> Box:
        """Return the half-open range of the indices with elements in each dimension."""
        return whole(extents)

    def knows_strides(self) -> bool:
        """Tell whether `strides` returns strides whenever they exist; None then means that there are none."""
        return False

    def sub(self, extents: Sequence[int], slices: Sequence[Selection]) -> tuple[Layout, int] | None:
        """Return the layout of the part that canonical ``slices`` select, and the offset at which its data begins.

        None by default: the part has strides if `stride_rule` or the arithmetic of `offset` gives strides, and is
        composed otherwise. A layout overrides the method to keep its own type under some slices.
        """
        return None

    def slices_follow_offset(self) -> bool:
        """Tell whether each layout that `sub` returns computes the offsets of `offset`; True if `sub` is inherited.

        Engines can then access the elements of a part without its layout.
        """
        return type(self).sub is Layout.sub

    def permuted(self, extents: Sequence[int], axes: Sequence[int]) -> Layout | None:
        """Return the layout whose dimension ``r`` is dimension ``axes[r]`` of this layout over ``extents``.

        It is called if this layout has no strides. If it returns None, the result of a permutation is composed.
        """
        return self.transposed(extents) if tuple(axes) == (1, 0) else None

    def transposed(self, extents: Sequence[int]) -> Layout | None:
        """Return the layout in which index (j, i) has the offset that (i, j) has in this layout over ``extents``.

        If it returns None, the transpose is the reversed `stride_rule`, or a `LayoutTranspose` if that has no order.
        """
        return None

    def stride_rule(self) -> StrideRule | None:
        """Return the rule by which strides follow from extents, if all mappings have strides; else None.

        The rule determines the layout of a slice: right, left or padded if it has an order that the slice keeps, else
        `LayoutStride` or `LayoutStrideRelaxed`. If the layout has no rule, a strided mapping of it uses the rule of the
        narrowest layout that has its strides.
        """
        return None

    def static_parameters(self) -> Hashable:
        """Return the types of the parameters, which distinguish the equal numbers 4, 4.0 and ``dim(4)``.

        A layout with plain ints only may return a constant.
        """
        return field_types(self)

    def constructor_arguments(self) -> dict[str, object] | None:
        """Return the arguments that make an equal layout, by the names of the parameters of the class.

        None means that each argument is the attribute of the same name, as in a dataclass.
        """
        return None

    def tiling(self) -> Tiling | None:
        """Return the tiles, each of which is a block of memory; None if the layout has no tiles."""
        return None

    def composition(self, extents: Sequence[int]) -> Composition:
        """Return the base layout with its extents, and the transform from an index within ``extents`` to a base index.

        By default the layout is its own base, with the identity as transform and without a box.
        """
        return Composition(self, tuple(extents), IndexMap.taking(range(len(extents))))

    def enclosing(self, extents: Sequence[int]) -> tuple[int, ...]:
        """Return extents that are not smaller than ``extents`` and that leave the offset of each index unchanged.

        Extents with the same result share their tables: a view of new extents then takes 0.1 ms instead of 1 ms.
        """
        return tuple(extents)

    def same_offsets(self, extents: Sequence[int]) -> tuple[Layout, Sequence[int]]:
        """Return a layout and extents with the same set of offsets, with fewer repetitions; by default this layout."""
        return self, extents

    def _always_unique(self, extents: Sequence[int]) -> bool:
        """Tell whether this layout is unique over all extents of this rank, or ``extents`` have at most one index."""
        return size_of(extents) <= 1 or self.is_always_unique((None,) * len(extents))

    def _element_offsets(self, extents: Sequence[int], what: str) -> Iterator[int]:
        """Iterate over the offsets of all elements for a default trait, or raise `UndecidedError` if too many."""
        define = "offset_bounds" if what == "bounded" else f"is_{what}"
        check_count(self, extents, what, define)
        return (offset for _, offset in places(self, extents, what, define=define))


class PlainLayout(Layout, metaclass=ABCMeta):
    """The abstract class of layouts without static parameters: all parameters are plain ints and names."""

    __slots__ = ()

    def static_parameters(self) -> None:
        """Return None: the layout has no static parameter."""


class MonotoneLayout(Layout, metaclass=ABCMeta):
    """The abstract class of layouts with monotone offsets and exact `strides`; by default they are unique."""

    __slots__ = ()

    def required_span_size(self, extents: Sequence[int]) -> int:
        """Return the offset of the last index plus 1; 0 for an empty index space."""
        return 0 if is_empty(extents) else 1 + self.offset(extents, [e - 1 for e in extents])

    def is_always_unique(self, static: Sequence[int | None]) -> bool:
        """Return True: no two indices share an offset."""
        return True

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell whether all extents are static and leave no hole."""
        return None not in static and self.is_exhaustive([e for e in static if e is not None])

    def is_monotone(self) -> bool:
        """Return True: the offset never decreases when an index increases."""
        return True

    def knows_strides(self) -> bool:
        """Return True: `strides` returns strides whenever they exist."""
        return True


@final
@value
class Composition:
    """A layout as a base and a transform: index ``i`` has the offset that index ``transform(i)`` has in ``base``.

    ``extents`` are those of the base. Unless ``box`` is None, only the indices inside it have elements.
    """

    base: Layout
    extents: tuple[int, ...]
    transform: IndexMap
    box: Box | None = None


def as_layout(what: str, given: object) -> Layout:
    """Return a layout that is given as an instance or as text; ``what`` begins the message for other objects.

    Raises
    ------
    LayoutTypeError
        ``given`` is neither a layout nor a string, for example a class of layouts; or it is NumPy's order "C" or "F".
    NotationError
        The text does not denote a layout, see `mdview.parse`.
    """
    if isinstance(given, str) and given not in _ORDERS:
        from mdview import parse_layout  # noqa: PLC0415 - above this folder

        given = parse_layout(given)
    if not isinstance(given, Layout):
        raise LayoutTypeError(f"{what} an instance of a Layout, got {brief(given)}{_way_to(given)}")
    return given


_INT: Final[frozenset[type]] = frozenset({int})
_ORDERS: Final = {"C": "LayoutRight()", "F": "LayoutLeft()"}
"""NumPy's names of orders, with the layouts of the same order."""


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
    """Return the strides of a layout, checked to be a plain int for each dimension; None if it has no strides."""
    strides = layout.strides(extents)
    if strides is None or (
        type(strides) is tuple and len(strides) == len(extents) and _INT.issuperset(map(type, strides))
    ):
        return strides
    if len(strides) != len(extents):
        raise LayoutError(f"a layout over extents of rank {len(extents)} has as many strides, got {brief(strides)}")
    return tuple([int(as_integer(s, "a stride")) for s in strides])


def check_span(layout: Layout, extents: Sequence[int], error: type[LayoutError] = StrideError, hint: str = "") -> None:
    """Check that the span is at most 2**63 - 1, the largest pointer difference; ``hint`` ends the message."""
    span = layout.required_span_size(extents)
    if span > MAX_SIZE:
        raise error(
            f"{brief(layout)} over extents {shape_text(extents)} spans {as_text(span)} elements, more than "
            f"2**63 - 1{hint}"
        )


def unless_undecided(question: Callable[[], T]) -> T | None:
    """Return the result of ``question``; None if it raises `UndecidedError`."""
    try:
        return question()
    except UndecidedError:
        return None
