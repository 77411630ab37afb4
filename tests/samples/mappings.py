"""Layouts as a user writes them, one mapping of every kind of layout, and plain Python to hold them against."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import mdview as md

from .accessors import CountingAccessor  # noqa: F401 - for the tests
from .layouts import LayoutMortonLike, LayoutSymmetric
from .variants import indices_of


@final
@dataclass(frozen=True)
class LayoutBanded(md.Layout):
    """Columns of a band matrix one after the other: arithmetic on the index alone."""

    lower: int
    upper: int

    def offset(self, extents, index):
        i, j = index
        return (self.upper + i - j) + j * (self.lower + self.upper + 1)

    def required_span_size(self, extents):
        return 0 if 0 in extents else 1 + max(self.offset(extents, index) for index in indices_of(extents))


@final
@dataclass(frozen=True)
class LayoutEveryOther(md.layouts.StridedLayout):
    """Unique and strided, and none of the standard's."""

    def strides(self, extents):
        return tuple([2 * s for s in md.LayoutRight().strides(extents)])


@final
@dataclass(frozen=True)
class LayoutConstant(md.layouts.StridedLayout):
    """Strided and not unique: every index lies at offset 0."""

    def strides(self, extents):
        return (0,) * len(extents)

    def is_always_unique(self, static):
        return False


@dataclass(frozen=True)
class LayoutOf(md.Layout):
    """Whatever arithmetic on an index a test asks for, a span, which may be a function of the extents, and strides."""

    arithmetic: Callable[..., Any]
    span: Any = 10**6
    stated: Any = None

    def offset(self, extents, index):
        return self.arithmetic(*index)

    def required_span_size(self, extents):
        return self.span(*extents) if callable(self.span) else self.span

    def strides(self, extents):
        return self.stated


class LayoutBy(LayoutOf):
    """Whatever arithmetic on extents and an index a test asks for."""

    def offset(self, extents, index):
        return self.arithmetic(extents, index)


class SquareAccessor(md.Accessor):
    def load(self, data, offset):
        return data[offset] ** 2


TILED = md.LayoutTiled(2, md.dim(3), outer=md.LayoutLeft(), inner=md.LayoutRight())


def part_of(mapping, *slices):
    """Return the part of a mapping, as if its data began with it."""
    return md.mappings.submapping(mapping, *slices)[0]


MATRICES = {
    "right": lambda: md.Mapping((3, 4)),
    "right, empty": lambda: md.Mapping((3, 0)),
    "right, static": lambda: md.Mapping((md.dim(3), md.dim(4))),
    "stride": lambda: md.Mapping((3, 4), md.LayoutStride((2, 7))),
    "stride by default": lambda: md.Mapping((3, 4), md.LayoutStride()),
    "relaxed, flipped": lambda: md.Mapping((3, 4), md.LayoutStrideRelaxed((-4, 1), 9)),
    "relaxed, broadcast": lambda: md.Mapping((3, 4), md.LayoutStrideRelaxed((0, 1), 2)),
    "relaxed, interleaved": lambda: md.Mapping((4, 2), md.LayoutStrideRelaxed((2, 3))),
    "right padded, static": lambda: md.Mapping((2, md.dim(3)), md.LayoutRightPadded(md.dim(4))),
    "right padded, absent": lambda: md.Mapping((2, 3), md.LayoutRightPadded()),
    "tiled": lambda: md.Mapping((4, 6), md.LayoutTiled(2, 3)),
    "tiled, ragged": lambda: md.Mapping((5, 4), TILED),
    "tiled, empty": lambda: md.Mapping((0, 4), TILED),
    "transposed": lambda: md.Mapping((4, 3), md.layouts.LayoutTranspose(md.LayoutRightPadded(5))),
    "transposed, tiled": lambda: md.Mapping((4, 5), md.layouts.LayoutTranspose(TILED)),
    "banded": lambda: md.Mapping((4, 4), LayoutBanded(3, 3)),
    "symmetric": lambda: md.Mapping((4, 4), LayoutSymmetric()),
    "morton": lambda: md.Mapping((3, 5), LayoutMortonLike()),
    "composed, tiled": lambda: part_of(md.Mapping((7, 8), TILED), md.ExtentSlice(5, 3, -2), md.ALL),
    "composed, morton": lambda: part_of(md.Mapping((5, 6), LayoutMortonLike()), (1, 4), md.ExtentSlice(5, 3, -2)),
    "composed, broadcast": lambda: md.Mapping(
        (2, 4), md.LayoutComposed(TILED, (3, 4), md.index.IndexMap((1, 0), (0, 1), (None, 1)))
    ),
    "nested": lambda: md.Mapping((4, 6), md.LayoutNested(((2, 2), (3, 2)), ((3, 12), (1, 6)))),
    "nested, backwards": lambda: md.Mapping((4, md.dim(3)), md.LayoutNested(((2, 2), (3,)), ((-1, 9), (0,)), 4)),
    "nested, empty": lambda: md.Mapping((0, 4), md.LayoutNested((0, (2, 2)), (1, (1, 5)))),
    "linear": lambda: md.Mapping((4, md.dim(2)), md.layouts.LayoutLinear(((3, 4), (1,)), 8)),
    "linear, shared": lambda: md.Mapping((2, 4), md.layouts.LayoutLinear(((6,), (2, 6)))),
    "packed, upper by columns": lambda: md.Mapping((4, 4), md.LayoutBlasPacked("upper", "column")),
    "packed, upper by rows": lambda: md.Mapping((md.dim(3), 3), md.LayoutBlasPacked("upper", "row")),
    "packed, lower by columns": lambda: md.Mapping((5, 5), md.LayoutBlasPacked("lower", "column")),
    "packed, 2 by 2": lambda: md.Mapping((2, 2), md.LayoutBlasPacked("lower", "row")),
    "packed, 1 by 1": lambda: md.Mapping((md.dim(1), md.dim(1)), md.LayoutBlasPacked("lower", "row")),
    "morton, plain": lambda: md.Mapping((3, 5), md.LayoutMorton()),
    "morton, empty": lambda: md.Mapping((3, 0), md.LayoutMorton(compact=True)),
    "swizzled": lambda: md.Mapping((4, 8), md.LayoutSwizzled(md.LayoutRight(), 2, 0, 3)),
    "swizzled upwards, padded": lambda: md.Mapping(
        (md.dim(3), 5), md.LayoutSwizzled(md.LayoutRightPadded(8), 1, 1, -2)
    ),
    "swizzled, shared": lambda: md.Mapping((3, 4), md.LayoutSwizzled(md.LayoutStrideRelaxed((1, 2), 3), 1, 0, 2)),
    "swizzled, tiled": lambda: md.Mapping((4, 5), md.LayoutSwizzled(md.LayoutTiled(2, 2), 1, 0, 2)),
    "swizzled, empty": lambda: md.Mapping((0, 4), md.LayoutSwizzled(md.LayoutRight(), 2, 0, 3)),
    "tiles in tiles": lambda: md.Mapping(
        (5, 7), md.LayoutTiled(4, md.dim(4), inner=md.LayoutTiled(2, 3, inner=md.LayoutLeft()))
    ),
    "tiled, strided outside and inside": lambda: md.Mapping(
        (4, 5), md.LayoutTiled(2, 3, outer=md.LayoutStride((2, 5)), inner=md.LayoutRightPadded(4))
    ),
    "composed, packed": lambda: part_of(md.Mapping((5, 5), md.LayoutBlasPacked("upper", "row")), (1, 5), (0, 4)),
    "composed, swizzled": lambda: part_of(
        md.Mapping((6, 8), md.LayoutSwizzled(md.LayoutLeft(), 2, 0, 2)), (1, 6), (2, 7)
    ),
}
"""Of rank 2; those without elements say so."""
OTHERS = {
    "right of rank 0": lambda: md.Mapping(()),
    "left": lambda: md.Mapping((3, 2, 2), md.LayoutLeft()),
    "left, partly static": lambda: md.Mapping((md.dim(3), 2, md.dim(2)), md.LayoutLeft()),
    "relaxed of rank 0": lambda: md.Mapping((), md.LayoutStrideRelaxed((), 3)),
    "right padded": lambda: md.Mapping((2, 3, 3), md.LayoutRightPadded(4)),
    "left padded": lambda: md.Mapping((3, 2, 2), md.LayoutLeftPadded(4)),
    "left padded of rank 1": lambda: md.Mapping((5,), md.LayoutLeftPadded(4)),
    "tiled of rank 0": lambda: md.Mapping((), md.LayoutTiled()),
    "tiled of rank 3": lambda: md.Mapping((3, 3, 3), md.LayoutTiled(2, 2, 2, inner=md.LayoutLeft())),
    "morton of rank 3": lambda: md.Mapping((2, 3, md.dim(4)), LayoutMortonLike()),
    "composed, symmetric": lambda: part_of(md.Mapping((5, 5), LayoutSymmetric()), (1, 4), 2),
    "composed, diagonal": lambda: md.Mapping(
        (4,), md.LayoutComposed(TILED, (4, 4), md.index.IndexMap((0, 0), (1, 1), (0, 0)))
    ),
    "morton, compact, of rank 3": lambda: md.Mapping((2, md.dim(3), 4), md.LayoutMorton(compact=True, fastest="first")),
    "morton of rank 1": lambda: md.Mapping((5,), md.LayoutMorton()),
}
MAPPINGS = MATRICES | OTHERS
"""One or more of every kind of layout, by name."""


def name_of(layout):
    """Representation without addresses, so that tests have one name in all processes."""
    return re.sub(r" at 0x\w+", "", repr(layout))


def nested(extents, value, index=()):
    """Nested lists of ``value(index)``, the plain way."""
    if len(index) == len(extents):
        return value(index)
    return [nested(extents, value, (*index, i)) for i in range(extents[len(index)])]
