"""Extremes that are found by a search are those of all numbers, and a search that gives up says nothing."""

import pytest
from expression_trees import EXPRESSIONS, I, J, numbers_over
from hypothesis import given
from hypothesis import strategies as st

from mdview.expressions import extremes as module
from mdview.expressions.extremes import extremes, halves
from mdview.expressions.nodes import Const, Op
from mdview.expressions.separability import separated
from mdview.expressions.tracing import trace
from mdview.layouts.morton import LayoutMorton
from mdview.layouts.tiled import LayoutTiled

RANGES = st.tuples(st.integers(0, 6), st.integers(0, 6)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(root=EXPRESSIONS, box=st.tuples(RANGES, RANGES))
def test_extremes_are_those_of_all_numbers(root, box):
    found = extremes(root, box)
    numbers = numbers_over(root, [(low, high - low + 1, 1) for low, high in box])
    if found is not None and numbers is not None:
        assert found == (min(numbers.values()), max(numbers.values()))


@pytest.mark.parametrize("layout", [LayoutTiled(7, 9), LayoutMorton(), LayoutMorton(compact=True)], ids=repr)
def test_a_box_of_a_huge_index_space_has_extremes(layout):
    extents = (1 << 30, 1 << 30)
    box = ((5, (1 << 30) - 4), (1 << 20, (1 << 29) + 3))
    low, high = [layout.offset(extents, [pair[k] for pair in box]) for k in (0, 1)]
    assert extremes(trace(layout, extents).root, box) == (low, high)  # these layouts are monotone


def test_a_search_that_takes_too_long_ends(monkeypatch):
    root = (I * 5 ^ J * 3) & 255
    assert extremes(root, ((0, 99), (0, 99))) == (0, 255)
    monkeypatch.setattr(module, "MOST_LOOKS", 1)
    assert extremes(root, ((0, 99), (0, 99))) is None


def test_what_may_be_no_number_has_no_extremes():
    assert extremes(Op("floordiv", I, J), ((0, 3), (0, 3))) is None
    assert extremes(Op("floordiv", I, J), ((0, 3), (1, 3))) == (0, 3)


def test_parts_of_different_indices_are_apart():
    assert len(separated(I // 4 * 8 - (J % 4) * 2)) == 2
    assert len(separated((I & J) + I)) == 1
    assert sum(part == Const(3) for part in separated(Const(3))) == 1


@pytest.mark.parametrize(("low", "high"), [(0, 1), (3, 4), (5, 5 + 9), (1 << 40, 1 << 41)])
def test_halves_are_cut_at_the_highest_bit_that_differs(low, high):
    (first, middle), (following, last) = [part[0] for part in halves(((low, high),), 0)]
    assert (first, middle + 1, last) == (low, following, high)
    assert low < following <= high
    assert following & ((1 << ((low ^ high).bit_length() - 1)) - 1) == 0
