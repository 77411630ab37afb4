"""What layouts refuse: the call, the type of the error, and the values that it names."""

from dataclasses import dataclass
from typing import final

import pytest
from samples.layouts import LayoutLooping
from samples.mappings import LayoutSymmetric

import mdview as md
from mdview.errors import UndecidedError

TILES = md.LayoutTiled(2, 2)
LARGE = 10**9


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
    "collision": lambda: md.mappings.collision(md.Mapping((LARGE,), LayoutHashed())),
    "bounds": lambda: md.mappings.bounds(HASHED),
    "unique": lambda: HASHED.is_unique,
    "strided": lambda: HASHED.is_strided,
    "hole": lambda: md.mappings.hole(LOOPING),
    "contiguous": lambda: (
        md.mappings.is_contiguous(md.Mapping((LARGE,), LayoutHashed())) or md.mappings.coalesced(HASHED)
    ),
    "overlap": lambda: md.mappings.overlap(LOOPING, md.Mapping((LARGE,), md.LayoutStrideRelaxed((2,), 1))),
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
    assert md.mappings.collision(md.Mapping((2000, 2000), LayoutSymmetric())) == ((0, 1), (1, 0))
    assert (md.mappings.collision(md.Mapping((LARGE, 9), TILES)), md.mappings.hole(md.Mapping((LARGE, 8), TILES))) == (
        None,
        None,
    )
    assert md.mappings.bounds(md.Mapping((LARGE, 9), TILES)) == (0, md.Mapping((LARGE, 9), TILES)(LARGE - 1, 8))
    assert not md.Mapping((8, 8, 8), md.LayoutStrideRelaxed((11, 13, 17))).is_unique
