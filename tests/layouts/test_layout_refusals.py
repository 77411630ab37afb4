"""What layouts refuse: the call, the type of the error, and the values that it names."""

import pytest
from samples.layouts import LayoutLooping
from samples.mappings import LayoutOf, LayoutSymmetric

import mdview as md
from mdview.errors import ExtentsTypeError, LayoutError, UndecidedError

TILES = md.LayoutTiled(2, 2)
LARGE = 10**9


BY_HASHES = LayoutOf(lambda *index: 3 * sum(map(hash, index)), lambda *extents: 3 * sum(extents))
"""Linear as far as one looks, by arithmetic that cannot be traced."""

HASHED, LOOPING = md.Mapping((LARGE, 2), BY_HASHES), md.Mapping((LARGE, 3), LayoutLooping())
UNDECIDED = {
    "collision": lambda: md.mappings.collision(md.Mapping((LARGE,), BY_HASHES)),
    "bounds": lambda: md.mappings.bounds(HASHED),
    "unique": lambda: HASHED.is_unique,
    "strided": lambda: HASHED.is_strided,
    "hole": lambda: md.mappings.hole(LOOPING),
    "contiguous": lambda: md.mappings.is_contiguous(md.Mapping((LARGE,), BY_HASHES)) or md.mappings.coalesced(HASHED),
    "overlap": lambda: md.mappings.overlap(LOOPING, md.Mapping((LARGE,), md.LayoutStrideRelaxed((2,), 1))),
    "span of a swizzle": lambda: (
        md.Mapping((3001, 1001), md.LayoutSwizzled(LayoutLooping(), 2, 0, -4)).required_span_size
    ),
}


def rows(span=6, stated=(3, 1)):
    """Rows, with strides and a span as they are stated."""
    return LayoutOf(lambda i, j: 3 * i + j, span, stated)


STATED = {
    # what is stated, and the error and the values that it names
    "no strides": ({"stated": ()}, LayoutError, "rank 2 .*got ()"),
    "too few": ({"stated": (3,)}, LayoutError, r"rank 2 .*got \(3,\)"),
    "too many": ({"stated": (3, 1, 1)}, LayoutError, r"rank 2 .*got \(3, 1, 1\)"),
    "a list that is too short": ({"stated": [3]}, LayoutError, r"rank 2 .*got \[3\]"),
    "a text in them": ({"stated": ("3", 1)}, ExtentsTypeError, "'3'"),
    "fractions": ({"stated": (3.0, 1)}, ExtentsTypeError, "3.0"),
    "beyond the span": ({"stated": (4, 1)}, LayoutError, "0 to 6 .* 6"),
    "below it": ({"stated": (-3, 1)}, LayoutError, "-3 to 2 .* 6"),
    "a short span": ({"span": 5}, LayoutError, "0 to 5 .* 5"),
    "no span": ({"span": None}, ExtentsTypeError, "None"),
}
ASKED = ("strides", "is_strided", "is_unique", "is_exhaustive")


@pytest.mark.parametrize("name", STATED)
def test_what_a_layout_states_is_held_to_its_extents_and_offsets(name):
    stated, error, values = STATED[name]
    mapping = md.Mapping((2, 3), rows(**stated))
    with pytest.raises(error, match=values):
        md.MDView.from_mapping([0.0] * 12, mapping)
    if error is ExtentsTypeError or "rank" in values:
        for ask in ASKED if "stated" in stated else ():
            with pytest.raises(error, match=values):
                getattr(mapping, ask)
    assert md.MDView.from_mapping([0.0] * 12, md.Mapping((2, 3), rows()))[1, 2] == 0.0


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
