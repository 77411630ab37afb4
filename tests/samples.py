"""Layouts as a user writes them, one mapping of every kind of layout, and plain Python to hold them against."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import final

from mdview import (
    ALL,
    Accessor,
    ExtentSlice,
    IndexTransform,
    Layout,
    LayoutComposed,
    LayoutLeft,
    LayoutLeftPadded,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
    StridedLayout,
    dim,
    submapping,
)
from mdview.layouts.morton import LayoutMorton
from mdview.layouts.packed import LayoutBlasPacked
from mdview.layouts.swizzled import LayoutSwizzled
from mdview.testing.samples.accessors import CountingAccessor  # noqa: F401 - for the tests
from mdview.testing.samples.layouts import LayoutMortonLike, LayoutSymmetric


@final
@dataclass(frozen=True)
class LayoutBanded(Layout):
    """Columns of a band matrix one after the other: arithmetic on the index alone."""

    lower: int
    upper: int

    def offset(self, extents, index):
        i, j = index
        return (self.upper + i - j) + j * (self.lower + self.upper + 1)

    def required_span_size(self, extents):
        return 0 if 0 in extents else 1 + max(self.offset(extents, index) for index in all_indices(extents))


@final
@dataclass(frozen=True)
class LayoutEveryOther(StridedLayout):
    """Unique and strided, and none of the standard's."""

    def strides(self, extents):
        return tuple([2 * s for s in LayoutRight().strides(extents)])


@final
@dataclass(frozen=True)
class LayoutConstant(StridedLayout):
    """Strided and not unique: every index lies at offset 0."""

    def strides(self, extents):
        return (0,) * len(extents)

    def is_always_unique(self, static):
        return False


@final
@dataclass(frozen=True)
class LayoutOf(Layout):
    """Whatever arithmetic a test asks for."""

    arithmetic: Callable[..., int]

    def offset(self, extents, index):
        return self.arithmetic(*index)

    def required_span_size(self, extents):
        return 10**6


class SquareAccessor(Accessor):
    def load(self, data, offset):
        return data[offset] ** 2


TILED = LayoutTiled(2, dim(3), outer=LayoutLeft(), inner=LayoutRight())

MAPPINGS: dict[str, Mapping] = {
    "right": Mapping((3, 4)),
    "right of rank 0": Mapping(()),
    "right, empty": Mapping((3, 0)),
    "right, static": Mapping((dim(3), dim(4))),
    "left": Mapping((3, 2, 2), LayoutLeft()),
    "left, partly static": Mapping((dim(3), 2, dim(2)), LayoutLeft()),
    "stride": Mapping((3, 4), LayoutStride((2, 7))),
    "stride by default": Mapping((3, 4), LayoutStride()),
    "relaxed, flipped": Mapping((3, 4), LayoutStrideRelaxed((-4, 1), 9)),
    "relaxed, broadcast": Mapping((3, 4), LayoutStrideRelaxed((0, 1), 2)),
    "relaxed, interleaved": Mapping((4, 2), LayoutStrideRelaxed((2, 3))),
    "relaxed of rank 0": Mapping((), LayoutStrideRelaxed((), 3)),
    "right padded": Mapping((2, 3, 3), LayoutRightPadded(4)),
    "right padded, static": Mapping((2, dim(3)), LayoutRightPadded(dim(4))),
    "right padded, absent": Mapping((2, 3), LayoutRightPadded()),
    "left padded": Mapping((3, 2, 2), LayoutLeftPadded(4)),
    "left padded of rank 1": Mapping((5,), LayoutLeftPadded(4)),
    "tiled": Mapping((4, 6), LayoutTiled(2, 3)),
    "tiled, ragged": Mapping((5, 4), TILED),
    "tiled, empty": Mapping((0, 4), TILED),
    "tiled of rank 0": Mapping((), LayoutTiled()),
    "tiled of rank 3": Mapping((3, 3, 3), LayoutTiled(2, 2, 2, inner=LayoutLeft())),
    "transposed": Mapping((4, 3), LayoutTranspose(LayoutRightPadded(5))),
    "transposed, tiled": Mapping((4, 5), LayoutTranspose(TILED)),
    "banded": Mapping((4, 4), LayoutBanded(3, 3)),
    "symmetric": Mapping((4, 4), LayoutSymmetric()),
    "morton": Mapping((3, 5), LayoutMortonLike()),
    "morton of rank 3": Mapping((2, 3, dim(4)), LayoutMortonLike()),
    "composed, tiled": submapping(Mapping((7, 8), TILED), ExtentSlice(5, 3, -2), ALL)[0],
    "composed, morton": submapping(Mapping((5, 6), LayoutMortonLike()), (1, 4), ExtentSlice(5, 3, -2))[0],
    "composed, symmetric": submapping(Mapping((5, 5), LayoutSymmetric()), (1, 4), 2)[0],
    "composed, diagonal": Mapping((4,), LayoutComposed(TILED, (4, 4), IndexTransform((0, 0), (1, 1), (0, 0)))),
    "composed, broadcast": Mapping((2, 4), LayoutComposed(TILED, (3, 4), IndexTransform((1, 0), (0, 1), (None, 1)))),
    "packed, upper by columns": Mapping((4, 4), LayoutBlasPacked("upper", "column")),
    "packed, upper by rows": Mapping((dim(3), 3), LayoutBlasPacked("upper", "row")),
    "packed, lower by columns": Mapping((5, 5), LayoutBlasPacked("lower", "column")),
    "packed, 2 by 2": Mapping((2, 2), LayoutBlasPacked("lower", "row")),
    "packed, 1 by 1": Mapping((dim(1), dim(1)), LayoutBlasPacked("lower", "row")),
    "morton, plain": Mapping((3, 5), LayoutMorton()),
    "morton, compact, of rank 3": Mapping((2, dim(3), 4), LayoutMorton(compact=True, fastest="first")),
    "morton of rank 1": Mapping((5,), LayoutMorton()),
    "morton, empty": Mapping((3, 0), LayoutMorton(compact=True)),
    "swizzled": Mapping((4, 8), LayoutSwizzled(LayoutRight(), 2, 0, 3)),
    "swizzled upwards, padded": Mapping((dim(3), 5), LayoutSwizzled(LayoutRightPadded(8), 1, 1, -2)),
    "swizzled, shared": Mapping((3, 4), LayoutSwizzled(LayoutStrideRelaxed((1, 2), 3), 1, 0, 2)),
    "swizzled, tiled": Mapping((4, 5), LayoutSwizzled(LayoutTiled(2, 2), 1, 0, 2)),
    "swizzled, empty": Mapping((0, 4), LayoutSwizzled(LayoutRight(), 2, 0, 3)),
    "tiles in tiles": Mapping((5, 7), LayoutTiled(4, dim(4), inner=LayoutTiled(2, 3, inner=LayoutLeft()))),
    "tiled, strided outside and inside": Mapping(
        (4, 5), LayoutTiled(2, 3, outer=LayoutStride((2, 5)), inner=LayoutRightPadded(4))
    ),
    "composed, packed": submapping(Mapping((5, 5), LayoutBlasPacked("upper", "row")), (1, 5), (0, 4))[0],
    "composed, swizzled": submapping(Mapping((6, 8), LayoutSwizzled(LayoutLeft(), 2, 0, 2)), (1, 6), (2, 7))[0],
}


def name_of(layout):
    """Representation without addresses, so that tests have one name in all processes."""
    return re.sub(r" at 0x\w+", "", repr(layout))


def all_indices(extents: Sequence[int]) -> list[tuple[int, ...]]:
    """All indices, last one fastest."""
    return list(product(*map(range, extents)))


def nested(extents: Sequence[int], value, index: tuple[int, ...] = ()):
    """Nested lists of ``value(index)``, the plain way."""
    if len(index) == len(extents):
        return value(index)
    return [nested(extents, value, (*index, i)) for i in range(extents[len(index)])]
