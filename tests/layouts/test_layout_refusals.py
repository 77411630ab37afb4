"""What layouts refuse: the call, the type of the error, and the values that it names."""

from dataclasses import dataclass
from typing import final

import pytest
from samples.layouts import LayoutLooping
from samples.mappings import LayoutSymmetric
from test_users_layouts import LayoutBackwards

import mdview as md
from mdview.errors import (
    AxisError,
    ExtentsError,
    ExtentsTypeError,
    IndexOutOfRangeError,
    LayoutError,
    RankError,
    StrideError,
    UndecidedError,
)


@final
@dataclass(frozen=True)
class LayoutFromTen(md.StridedLayout):
    """A strided layout that begins at offset 10."""

    def strides(self, extents):
        return md.LayoutRight().strides(extents)

    def origin(self, extents):
        return 10


TILES = md.LayoutTiled(2, 2)
FOLDED = md.IndexMap.of_reshape((4, 4), (2, 8))
RADIX = type(FOLDED.radix)
HALO = md.pad(md.Mapping((2, 2)), 1)
BEHIND = md.reshape(md.pad(md.Mapping((2, 3)), 1), (5, 4))
LARGE = 10**9


def composed(extents, *transform, base_extents=(4, 4), box=None):
    return md.Mapping(extents, md.LayoutComposed(TILES, base_extents, md.IndexMap(*transform), box))


def strided(extents, *strides):
    return md.Mapping(extents, md.LayoutStride(strides))


REFUSED = [
    (lambda: md.Mapping((3, 4), md.LayoutStride((1,))), RankError, "2.*1"),
    (lambda: strided((3, 4), 4, -1), StrideError, "-1 of dimension 1"),
    (lambda: strided((3, 4), 0, 1), StrideError, r"dimension 0.*\(3, 4\)"),
    (lambda: strided((4, 2), 2, 3), StrideError, r"\(2, 3\).*\(4, 2\)"),
    (lambda: strided((2,), 2**63), StrideError, str(2**63 + 1)),
    (lambda: md.LayoutStride((1.5,)), ExtentsTypeError, r"1\.5 of type float"),
    (lambda: md.LayoutStrideRelaxed((1.5,)), ExtentsTypeError, r"1\.5 of type float"),
    (lambda: md.LayoutStrideRelaxed((1,), "0"), ExtentsTypeError, "'0'"),
    (lambda: md.Mapping((4,), md.LayoutStrideRelaxed((-1,), 2)), StrideError, "-1.*at least 3"),
    (lambda: md.Mapping((4,), md.LayoutStrideRelaxed((1,), -1)), StrideError, "-1.*at least 0"),
    (lambda: md.Mapping((2, 2), md.LayoutStrideRelaxed((1,))), RankError, "2.*1"),
    (lambda: md.Mapping((2,), md.LayoutStrideRelaxed((2**63,))), StrideError, r"2\*\*63"),
    (lambda: md.LayoutStride.padded((2,), (0,), order="up"), StrideError, "'up'"),
    (lambda: md.LayoutStride.padded((2, 2), (0,)), RankError, "2.*1"),
    (lambda: md.LayoutStride.from_byte_strides((8, 12), 8), StrideError, "12 of dimension 1.*8"),
    (lambda: md.LayoutStride.from_byte_strides((8,), 0), StrideError, "got 0"),
    *[
        (lambda layout=layout, padding=padding: layout(padding), error, f"{layout.__name__}.*{value}")
        for layout in (md.LayoutRightPadded, md.LayoutLeftPadded)
        for padding, error, value in [
            (0, LayoutError, "got 0"),
            (md.dim(-2), LayoutError, "got -2"),
            (1.5, ExtentsTypeError, r"1\.5"),
        ]
    ],
    (lambda: md.LayoutTiled(4, 0), LayoutError, "0 of dimension 1"),
    (lambda: md.LayoutTiled(1.5), ExtentsTypeError, r"1\.5"),
    (lambda: md.LayoutTiled(2, outer=md.LayoutRight), LayoutError, "outer.*LayoutRight"),
    (lambda: md.LayoutTiled(2, outer=md.LayoutTiled(2)), LayoutError, "outer.*LayoutTiled"),
    (lambda: md.LayoutTiled(2, outer=md.LayoutStrideRelaxed((1,))), LayoutError, "LayoutStrideRelaxed"),
    (lambda: md.LayoutTiled(2, inner="left"), LayoutError, "inner.*'left'"),
    (lambda: md.LayoutTiled(2, inner=LayoutFromTen()), LayoutError, "inner.*LayoutFromTen"),
    (lambda: md.LayoutTiled(2, inner=md.LayoutStride((1, 1))), RankError, r"\(2,\).*1"),
    (lambda: md.LayoutTiled(2, 2, inner=md.LayoutStride((1, 1))), StrideError, r"\(2, 2\)"),
    (lambda: md.LayoutTiled(2, 2, inner=md.LayoutTiled(2)), RankError, r"\(2, 2\).*1"),
    (lambda: md.Mapping((4, 4), md.LayoutTiled(2, 2, outer=md.LayoutStride((1, 1)))), StrideError, "outer"),
    (lambda: md.Mapping((2**30, 2**30), md.LayoutTiled(1, 2**40)), LayoutError, r"2\*\*63"),
    (lambda: md.Mapping((3, 4), md.LayoutTiled(2)), RankError, r"1.*\(3, 4\).*2"),
    (lambda: TILES.permuted((4, 4), (0, 0)), AxisError, r"\(0, 0\).*2"),
    (lambda: md.Mapping((2**50, 2), md.LayoutMorton()), LayoutError, r"\d+ elements.*2\*\*63"),
    (lambda: md.Mapping((2**61 + 1, 3), md.LayoutMorton(compact=True)), LayoutError, r"2\*\*63 - 1$"),
    (lambda: md.LayoutMorton(fastest=0), LayoutError, "got 0"),
    (lambda: md.LayoutBlasPacked("middle", "row"), LayoutError, "'middle'"),
    (lambda: md.LayoutBlasPacked("upper", "right"), LayoutError, "'right'"),
    (lambda: md.Mapping((3,), md.LayoutBlasPacked("upper", "row")), RankError, "2.*1"),
    (lambda: md.Mapping((3, 4), md.LayoutBlasPacked("upper", "row")), LayoutError, r"\(3, 4\)"),
    (lambda: md.Mapping((2, 3), LayoutBackwards(md.LayoutBlasPacked("upper", "row"))), LayoutError, r"\(3, 2\)"),
    (lambda: md.LayoutSwizzled("right", 1, 0, 1), LayoutError, "'right'"),
    (lambda: md.LayoutSwizzled(HALO.layout, 1, 0, 1), LayoutError, "pad"),
    (lambda: md.LayoutSwizzled(md.LayoutRight(), 1, 0.5, 1), ExtentsTypeError, r"base.*0\.5"),
    (lambda: md.LayoutSwizzled(md.LayoutRight(), -1, 0, 1), LayoutError, "bits=-1, base=0"),
    (lambda: md.LayoutSwizzled(md.LayoutRight(), 3, 0, -2), LayoutError, "3.*-2"),
    (lambda: md.LayoutSwizzled(md.LayoutRight(), 3, 50, 12), LayoutError, "63.*bits=3"),
    (lambda: md.Mapping((2,), md.LayoutSwizzled(TILES, 1, 0, 1)), RankError, "2"),
    (lambda: md.Mapping((2, 2, 2), md.LayoutTranspose(md.LayoutLeft())), RankError, "2.*3"),
    (lambda: md.Mapping((2, 2), md.LayoutTranspose(md.LayoutStrideRelaxed((-1, 1), 0))), StrideError, "-1"),
    (lambda: composed((4,), (1, 0), (1, 1), (0, 0)), LayoutError, r"\(4,\).*4 of dimension 0.*4"),
    (lambda: composed((4,), (0, 2), (1, -1), (0, 0)), LayoutError, r"\(4,\).*-1 of dimension 1"),
    (lambda: composed((), (0, 0), (1, 1), (0, 0)), RankError, r"1.*\(\).*0"),
    (lambda: md.Mapping((16,), md.LayoutComposed(TILES, (4, 4), FOLDED)), RankError, r"2.*\(16,\).*1"),
    (lambda: composed((3,), (0, 0), (1, 1), (0, 1), RADIX(0, (8,), (4, 4))), LayoutError, r"\(3,\).*4 of dimension 0"),
    (lambda: composed((4,), (0, 0), (1, 1), (0, 0), base_extents=4), ExtentsTypeError, "4"),
    (lambda: composed((4,), (0, 0), (1, 1), (0, 0), base_extents=(4, 0.5)), ExtentsTypeError, r"0\.5"),
    (lambda: composed((4,), (0, 0), (1, 1), (0, 0), base_extents=[4, -1]), ExtentsError, "-1 of dimension 1"),
    (lambda: composed((4, 4), (0, 0), (1, 1), (0, 1), box=((0, 2), (0, 5))), LayoutError, "4 of dimension 1"),
    (lambda: composed((4, 4), (0, 0), (1, 1), (0, 1), box=((-1, 2), (0, 4))), LayoutError, "-1"),
    (lambda: composed((4, 4), (0, 0), (1, 1), (0, 1), box=((0, 2),)), RankError, r"\(\(0, 2\),\)"),
    (lambda: composed((4, 4), (1.0, 0), (1, 1), (0, 1)), ExtentsTypeError, r"1\.0"),
    (lambda: composed((4, 4), (0, 0), (1.0, 1), (0, 1)), ExtentsTypeError, r"1\.0"),
    (lambda: BEHIND.valid_box, LayoutError, "is_valid"),
    (lambda: BEHIND(0, 0), IndexOutOfRangeError, r"\(0, 0\)"),
    (lambda: HALO(0, 1), IndexOutOfRangeError, r"\(0, 1\).*\(\(1, 3\)"),
    (lambda: md.Mapping((3,), md.LayoutRight), TypeError, r"LayoutRight\(\)"),
    (lambda: md.Mapping((3,), "right"), TypeError, "'right'"),
]


@pytest.mark.parametrize("group", range(5))
def test_what_is_refused_and_the_values_that_are_named(group):
    for make, error, values in REFUSED[group::5]:
        with pytest.raises(error, match=values):
            make()


@final
@dataclass(frozen=True)
class LayoutHashed(md.Layout):
    """Linear as far as one looks, by arithmetic that cannot be traced."""

    def offset(self, extents, index):
        return 3 * sum(map(hash, index))

    def required_span_size(self, extents):
        return 3 * sum(extents)


HASHED, LOOPING = md.Mapping((LARGE, 2), LayoutHashed()), md.Mapping((LARGE, 3), LayoutLooping())
UNDECIDED = {
    "collision": lambda: md.collision(LOOPING),
    "bounds": lambda: md.bounds(HASHED),
    "unique": lambda: HASHED.is_unique,
    "strided": lambda: HASHED.is_strided,
    "hole": lambda: md.hole(LOOPING),
    "contiguous": lambda: md.is_contiguous(md.Mapping((LARGE,), LayoutHashed())) or md.coalesced(HASHED),
    "overlap": lambda: md.overlap(LOOPING, md.Mapping((LARGE,), md.LayoutStrideRelaxed((2,), 1))),
    "span of a swizzle": lambda: (
        md.Mapping((3001, 1001), md.LayoutSwizzled(LayoutLooping(), 2, 0, -4)).required_span_size
    ),
}


SLOW = {"collision", "strided", "contiguous"}


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.deep] * (n in SLOW)) for n in UNDECIDED])
def test_what_takes_too_long_is_not_guessed(name):
    with pytest.raises(UndecidedError, match=r"more than \d+"):
        UNDECIDED[name]()


def test_a_witness_that_is_near_is_an_answer_however_much_there_is_to_see():
    assert md.collision(md.Mapping((2000, 2000), LayoutSymmetric())) == ((0, 1), (1, 0))
    assert (md.collision(md.Mapping((LARGE, 9), TILES)), md.hole(md.Mapping((LARGE, 8), TILES))) == (None, None)
    assert md.bounds(md.Mapping((LARGE, 9), TILES)) == (0, md.Mapping((LARGE, 9), TILES)(LARGE - 1, 8))
    assert not md.Mapping((8, 8, 8), md.LayoutStrideRelaxed((11, 13, 17))).is_unique
