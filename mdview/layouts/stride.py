"""Layout stride: any positive strides that keep the mapping unique."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import SupportsIndex, final

from mdview.base.integers import as_integer
from mdview.base.strided_sets import nests
from mdview.base.texts import counted, shown, takes, told
from mdview.base.values import value
from mdview.errors import ExtentsTypeError, RankError, StrideError
from mdview.index.extents import is_empty, shape_text
from mdview.index.orders import left_strides, right_strides
from mdview.layouts.base import Strides, check_span
from mdview.layouts.strided import StridedLayout


@final
@value
class LayoutStride(StridedLayout):
    """One stride per dimension, positive and unique (C++ ``std::layout_stride``).

    Strides are zero only over an empty index space (P3959, LWG 4603). With the dimensions of extent above 1 sorted
    by stride, each stride exceeds the reach of all smaller ones: exactly what slicing can produce. What does not fit
    (negative, zero or interleaved strides) is `LayoutStrideRelaxed`. Without strides: those of `LayoutRight`.
    """

    short_name = "stride"
    given: Strides | None

    def __init__(self, strides: Iterable[SupportsIndex] | None = None) -> None:
        """Take one stride per dimension, in elements; None for those of `LayoutRight`."""
        object.__setattr__(self, "given", None if strides is None else as_strides(strides))

    def __repr__(self) -> str:
        """``LayoutStride((4, 1))``."""
        return "LayoutStride()" if self.given is None else f"LayoutStride({shown(self.given)})"

    def constructor_arguments(self) -> dict[str, object]:
        """Return the strides."""
        return {"strides": self.given}

    def static_parameters(self) -> Hashable:
        """Tell of nothing: parameters are plain ints and names."""
        return None

    def strides(self, extents: Sequence[int]) -> Strides:
        """Return the given strides."""
        return right_strides(extents) if self.given is None else self.given

    def transposed(self, extents: Sequence[int]) -> LayoutStride:
        """Return the layout with the two strides exchanged."""
        return LayoutStride(self.strides(extents)[::-1])

    def check(self, extents: Sequence[int]) -> None:
        """Refuse a wrong number of strides, a negative one, a zero one over indices, and strides not unique."""
        if self.given is None:
            return
        check_rank(self.given, extents)
        empty = is_empty(extents)
        for r, s in enumerate(self.given):
            if s < 0:
                message = (
                    f"strides of LayoutStride are positive: stride {shown(s)} of dimension {r}; use LayoutStrideRelaxed"
                )
                raise StrideError(message)
            if s == 0 and not empty:
                message = (
                    f"a zero stride needs an empty index space: dimension {r} of extents {shape_text(extents)}; "
                    f"use LayoutStrideRelaxed to broadcast"
                )
                raise StrideError(message)
        if not empty and not nests(extents, self.given):
            message = (
                f"strides {shown(self.given)} over extents {shape_text(extents)} interleave or "
                "collide: sorted by size, each "
                f"must exceed the reach of the smaller ones; use LayoutStrideRelaxed"
            )
            raise StrideError(message)
        check_span(self, extents)

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell whether the rank is 0 or a static extent is 0."""
        return not static or 0 in static

    @classmethod
    def padded(
        cls, extents: Sequence[int], padding: Sequence[int], inner_stride: int = 1, order: str = "right"
    ) -> LayoutStride:
        """Strides of P0009r00's padded layouts: every dimension has its own padding, the fastest one a stride.

        ``padding[r]`` elements follow dimension ``r``; ``order`` is ``"right"`` (last index fastest) or ``"left"``.
        The padding of the slowest dimension has no effect.

        >>> LayoutStride.padded((2, 3, 4), (0, 0, 2))
        LayoutStride((18, 6, 1))
        """
        if order not in {"right", "left"}:
            message = f"order must be 'right' or 'left', got {told(order)}"
            raise StrideError(message)
        if len(padding) != len(extents):
            message = f"{takes(len(extents), 'extent')} {counted(len(extents), 'padding')}, got {len(padding)}"
            raise RankError(message)
        rows = [e + p for e, p in zip(extents, padding, strict=True)]
        return cls((right_strides if order == "right" else left_strides)(rows, inner_stride))

    @classmethod
    def from_byte_strides(cls, byte_strides: Sequence[int], itemsize: int) -> LayoutStride:
        """Strides of an array interface, which counts bytes; each must be a multiple of ``itemsize``."""
        return cls(element_strides(byte_strides, itemsize))


def as_strides(strides: Iterable[SupportsIndex]) -> Strides:
    """Check that strides are integers and return them as a tuple."""
    try:
        if isinstance(strides, str | AbstractSet | Mapping):  # a text, or without an order of its own
            raise TypeError
        return tuple([int(as_integer(s, "a stride")) for s in strides])
    except ExtentsTypeError:
        raise
    except TypeError:
        message = f"strides are a tuple of integers, got {told(strides)}"
        raise ExtentsTypeError(message) from None


def check_rank(strides: Sequence[int], extents: Sequence[int]) -> None:
    """Refuse a number of strides that is not the rank."""
    if len(strides) != len(extents):
        rule = f"{takes(len(extents), 'extent')} {counted(len(extents), 'stride')}"
        message = f"{rule}, got {len(strides)}: {told(tuple(strides))}"
        raise RankError(message)


def element_strides(byte_strides: Sequence[int], itemsize: int) -> Strides:
    """Strides in elements from strides in bytes.

    Raises
    ------
    StrideError
        The item size is not positive or does not divide a stride.
    """
    if itemsize <= 0:
        message = f"strides in elements need an item size of at least 1 byte, got {shown(itemsize)}"
        raise StrideError(message)
    for r, s in enumerate(byte_strides):
        if s % itemsize:
            message = (
                f"byte stride {shown(s)} of dimension {r} is no multiple of the item size "
                f"{shown(itemsize)}; copy the array first"
            )
            raise StrideError(message)
    return tuple([s // itemsize for s in byte_strides])
