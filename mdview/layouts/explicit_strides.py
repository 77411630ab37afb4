"""`LayoutStride`, `LayoutStrideRelaxed`, paddings of P0009r00; the narrowest layout for strides, and irregular offsets.

`LayoutStride` takes positive strides that keep the mapping unique. `LayoutStrideRelaxed` takes any strides and an
offset, so it describes every strided NumPy array and DLPack tensor. The narrowest layout for given strides is the first
that has them among right, left, padded, stride and relaxed. `irregularity` returns the reason why a layout has no
strides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice, tee
from math import prod
from operator import mul
from typing import TYPE_CHECKING, Final, SupportsIndex, final

from mdview.base import AffineImage, ValueType, as_integer, as_text, brief, nests, plural, plural_takes, value
from mdview.errors import ExtentsTypeError, RankError, StrideError
from mdview.expressions.simplification import LinearForm, Ranges
from mdview.index.extents import agree, is_empty, left_strides, right_strides, shape_text
from mdview.layouts import offset_analysis
from mdview.layouts.layout import PlainLayout, Strides, check_span
from mdview.layouts.strided_layout import LayoutLeft, LayoutLeftPadded, LayoutRight, LayoutRightPadded, StridedLayout


@final
@value
class LayoutStride(PlainLayout, StridedLayout, metaclass=ValueType):
    """A positive stride for each dimension, such that the mapping is unique (C++ ``std::layout_stride``).

    A stride may be zero only over an empty index space (P3959, LWG 4603). With the dimensions of extent above 1 sorted
    by stride, each stride must exceed the sum of ``(extent - 1) * stride`` over all smaller strides: these are the
    strides that slices of dense layouts have. Negative, zero or interleaved strides need `LayoutStrideRelaxed`.
    ``LayoutStride()`` has the strides of `LayoutRight`.
    """

    if TYPE_CHECKING:  # see `typing_protocols`

        def _as_turned(self) -> LayoutStride: ...

        _as_row = _as_column = _as_middle = _as_span = _as_front = _as_back = _as_whole = _as_turned

    short_name = "stride"
    given: Strides | None

    def __init__(self, strides: Iterable[SupportsIndex] | None = None) -> None:
        """Take one stride for each dimension, in elements; None means the strides of `LayoutRight`."""
        object.__setattr__(self, "given", None if strides is None else as_strides(strides))

    def __repr__(self) -> str:
        """Return ``LayoutStride((4, 1))``."""
        return "LayoutStride()" if self.given is None else f"LayoutStride({as_text(self.given)})"

    def constructor_arguments(self) -> dict[str, object]:
        """Return the strides."""
        return {"strides": self.given}

    def strides(self, extents: Sequence[int]) -> Strides:
        """Return the given strides."""
        return right_strides(extents) if self.given is None else self.given

    def transposed(self, extents: Sequence[int]) -> LayoutStride:
        """Return the layout with the two strides exchanged."""
        return LayoutStride(self.strides(extents)[::-1])

    def check(self, extents: Sequence[int]) -> None:
        """Refuse a wrong number of strides, negative strides, zero strides unless an extent is 0, and interleaving."""
        if self.given is None:
            return
        check_rank(self.given, extents)
        empty = is_empty(extents)
        for r, s in enumerate(self.given):
            if s < 0:
                raise StrideError(
                    f"strides of LayoutStride are positive: stride {as_text(s)} of dimension {r}; use "
                    "LayoutStrideRelaxed"
                )
            if s == 0 and not empty:
                raise StrideError(
                    f"a zero stride needs an empty index space: dimension {r} of extents {shape_text(extents)}; "
                    f"use LayoutStrideRelaxed to broadcast"
                )
        if not empty and not nests(extents, self.given):
            raise StrideError(
                f"strides {as_text(self.given)} over extents {shape_text(extents)} interleave or "
                "collide: sorted by size, each "
                f"must exceed the reach of the smaller ones; use LayoutStrideRelaxed"
            )
        check_span(self, extents)

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell whether the rank is 0 or a static extent is 0."""
        return not static or 0 in static

    @classmethod
    def padded(
        cls, extents: Sequence[int], padding: Sequence[int], inner_stride: int = 1, order: str = "right"
    ) -> LayoutStride:
        """Return the layout of P0009r00's padded layouts, in which every dimension has its own padding.

        ``padding[r]`` is added to the extent of dimension ``r``; the padding of the slowest dimension has no effect.
        ``inner_stride`` is the stride of the fastest dimension, and ``order`` is ``"right"`` (last index fastest) or
        ``"left"``.

        >>> LayoutStride.padded((2, 3, 4), (0, 0, 2))
        LayoutStride((18, 6, 1))
        """
        if order not in {"right", "left"}:
            raise StrideError(f"order must be 'right' or 'left', got {brief(order)}")
        if len(padding) != len(extents):
            raise RankError(
                f"{plural_takes(len(extents), 'extent')} {plural(len(extents), 'padding')}, got {len(padding)}"
            )
        rows = [e + p for e, p in zip(extents, padding, strict=True)]
        return cls((right_strides if order == "right" else left_strides)(rows, inner_stride))

    @classmethod
    def from_byte_strides(cls, byte_strides: Sequence[int], itemsize: int) -> LayoutStride:
        """Return the layout of strides in bytes, as array interfaces have them; each is a multiple of ``itemsize``."""
        return cls(element_strides(byte_strides, itemsize))


def as_strides(strides: Iterable[SupportsIndex]) -> Strides:
    """Check that strides are integers and return them as a tuple."""
    try:
        if isinstance(strides, str | AbstractSet | Mapping):  # a string, or a collection without an order
            raise TypeError
        return tuple([int(as_integer(s, "a stride")) for s in strides])
    except ExtentsTypeError:
        raise
    except TypeError:
        raise ExtentsTypeError(f"strides are a tuple of integers, got {brief(strides)}") from None


def check_rank(strides: Sequence[int], extents: Sequence[int]) -> None:
    """Check that the number of strides is the rank."""
    if len(strides) != len(extents):
        rule = f"{plural_takes(len(extents), 'extent')} {plural(len(extents), 'stride')}"
        raise RankError(f"{rule}, got {len(strides)}: {brief(tuple(strides))}")


def element_strides(byte_strides: Sequence[int], itemsize: int) -> Strides:
    """Return strides in elements from strides in bytes.

    Raises
    ------
    StrideError
        The item size is not positive or does not divide a stride.
    """
    if itemsize <= 0:
        raise StrideError(f"strides in elements need an item size of at least 1 byte, got {as_text(itemsize)}")
    for r, s in enumerate(byte_strides):
        if s % itemsize:
            raise StrideError(
                f"byte stride {as_text(s)} of dimension {r} is no multiple of the item size "
                f"{as_text(itemsize)}; copy the array first"
            )
    return tuple([s // itemsize for s in byte_strides])


@final
@value
class LayoutStrideRelaxed(PlainLayout, StridedLayout, metaclass=ValueType):
    """Any strides, also negative, zero or interleaved ones, and the offset of index (0, ..., 0).

    This is CCCL's ``cuda::layout_stride_relaxed``. No index may have a negative offset, so with negative strides
    ``offset`` must be large enough. Uniqueness and exhaustiveness are exact, while CCCL always returns false.
    """

    short_name = "relaxed"
    given: Strides
    first: int

    def __init__(self, strides: Iterable[SupportsIndex], offset: int = 0) -> None:
        """Take one stride for each dimension and the offset of index (0, ..., 0), in elements."""
        object.__setattr__(self, "given", as_strides(strides))
        object.__setattr__(self, "first", int(as_integer(offset, "an offset")))

    def __repr__(self) -> str:
        """Return ``LayoutStrideRelaxed((-1,), offset=3)``."""
        return f"LayoutStrideRelaxed({as_text(self.given)}, offset={as_text(self.first)})"

    def constructor_arguments(self) -> dict[str, object]:
        """Return the strides and the offset."""
        return {"strides": self.given, "offset": self.first}

    def strides(self, extents: Sequence[int]) -> Strides:
        """Return the given strides."""
        return self.given

    def origin(self, extents: Sequence[int]) -> int:
        """Return the given offset."""
        return self.first

    def transposed(self, extents: Sequence[int]) -> LayoutStrideRelaxed:
        """Return the layout with the two strides exchanged."""
        return LayoutStrideRelaxed(self.given[::-1], self.first)

    def check(self, extents: Sequence[int]) -> None:
        """Refuse a wrong number of strides and offsets below 0."""
        check_rank(self.given, extents)
        lowest = self.first + negative_reach(extents, self.given)
        if self.first < 0 or (lowest < 0 and not is_empty(extents)):
            raise StrideError(
                f"{brief(self)} over extents {shape_text(extents)} reaches offset {as_text(min(lowest, self.first))}; "
                f"offsets start at 0: make the offset at least {as_text(-negative_reach(extents, self.given))}"
            )
        check_span(self, extents)

    def is_always_unique(self, static: Sequence[int | None]) -> bool:
        """Return False: whether a mapping is unique depends on the strides and the extents."""
        return False

    def is_monotone(self) -> bool:
        """Tell whether no stride is negative."""
        return all(s >= 0 for s in self.given)


def negative_reach(extents: Sequence[int], strides: Sequence[int]) -> int:
    """Return the lowest offset minus the offset of index (0, ..., 0); it is at most 0."""
    return sum([(e - 1) * s for e, s in zip(extents, strides, strict=True) if s < 0 and e > 0])


RIGHT: Final = LayoutRight()
LEFT: Final = LayoutLeft()


def strided_layout(extents: Sequence[int], strides: Sequence[int]) -> tuple[StridedLayout, int]:
    """Return `LayoutStride` if it accepts ``strides``, else `LayoutStrideRelaxed`; and the offset of index (0, ..., 0).

    The offset is the least possible: it is 0 unless a stride is negative.
    """
    if is_empty(extents):
        return LayoutStride([abs(s) for s in strides]), 0
    if all(s > 0 for s in strides) and nests(extents, strides):
        return LayoutStride(strides), 0
    origin = -negative_reach(extents, strides)
    return LayoutStrideRelaxed(strides, origin), origin


def narrowest_layout(extents: Sequence[int], strides: Sequence[int]) -> tuple[StridedLayout, int]:
    """Return a right, left or padded layout with these strides, else the `strided_layout`; and the offset of index 0.

    Strides of dimensions of extent 1 are ignored, and all strides if the index space is empty.
    """
    if is_empty(extents) or agree(extents, strides, right_strides(extents)):
        return RIGHT, 0
    if agree(extents, strides, left_strides(extents)):
        return LEFT, 0
    if len(extents) > 1:
        for padded_layout, padded in ((LayoutRightPadded, strides[-2]), (LayoutLeftPadded, strides[1])):
            if padded > 0:
                layout = padded_layout(padded)
                if agree(extents, strides, layout.strides(extents)):
                    return layout, 0
    return strided_layout(extents, strides)


def first_steps(layout: offset_analysis.Places, extents: tuple[int, ...]) -> AffineImage:
    """Return the strided image whose strides are the differences of the offsets of index 0 and its neighbours."""
    if is_empty(extents):
        return AffineImage(extents, right_strides(extents), 0)
    zero = (0,) * len(extents)
    origin = offset_analysis.offset_of(layout, extents, zero)
    steps = [
        offset_analysis.offset_of(layout, extents, (*zero[:r], 1, *zero[r + 1 :])) - origin if e > 1 else 0
        for r, e in enumerate(extents)
    ]
    return AffineImage(extents, tuple(steps), origin)


def irregularity(layout: offset_analysis.Places, extents: tuple[int, ...]) -> str | None:
    """Return the reason why a layout has no strides, as text; None if it has strides.

    The reason is the first index, in index order, whose offset differs from that of `first_steps`, or that has none.

    Raises
    ------
    UndecidedError
        No index differs within `ENUMERATION_BUDGET` indices, and the arithmetic does not decide the others.
    """
    if is_empty(extents):
        return None
    missing = offset_analysis.first_missing(layout, extents)
    if missing is not None:
        return f"index {missing} lies in the padding and has no offset"
    line, left = first_steps(layout, extents), offset_analysis.ENUMERATION_BUDGET
    for part, form in offset_analysis.linear_parts(layout, extents):
        difference = _off_line(layout, line, part, form, max(left, 0))
        if difference is not None:  # all indices before it agree
            index, beyond = difference
            r = max([r for r, i in enumerate(index) if i])
            before, step = (*index[:r], index[r] - 1, *index[r + 1 :]), line.strides[r]
            return (
                f"neighbours along dimension {r} are {as_text(step)} apart at index {(0,) * len(index)} and "
                f"{as_text(step + beyond)} apart at index {before}"
            )
        left -= prod([high - low + 1 for low, high in part]) if form is None else offset_analysis.SHORT
        if left < 0:
            raise offset_analysis.undecided_error(layout, extents, "strided", "strides")
    return None


def _off_line(
    layout: offset_analysis.Places, line: AffineImage, part: Ranges, form: LinearForm | None, most: int
) -> tuple[tuple[int, ...], int] | None:
    """Return the first index of a box whose offset differs from that of a strided image, and the difference; else None.

    ``form`` is the linear form of the box. If it is None, at most ``most`` indices of the box are tested.
    """
    if form is not None:  # the first index differs, or a neighbour of it differs, or no index does
        turns = [r for r, (low, high) in enumerate(part) if low < high and form[1][r] != line.strides[r]]
        part = tuple([(low, low + (r in turns[-1:])) for r, (low, _) in enumerate(part)])
    inside = islice(offset_analysis.indices_within(tuple([(low, high + 1) for low, high in part])), max(most, 2))
    here, there = tee(inside)
    for index, offset in zip(here, offset_analysis.offsets_at(layout, line.extents, there), strict=True):
        expected = line.origin + sum(map(mul, index, line.strides))
        if offset != expected:
            return index, offset - expected
    return None
