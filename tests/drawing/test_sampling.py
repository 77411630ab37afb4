"""Sampling: which indices a picture shows, of few all, of many both ends."""

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview.drawing.sampling import ENDS, WHOLE, axes, shown


@pytest.mark.parametrize("extent", range(8))
@pytest.mark.parametrize("limit", range(1, 8))
def test_a_dimension_is_whole_or_both_of_its_ends(extent, limit):
    entries = shown(extent, limit)
    drawn = [i for i in entries if i is not None]
    assert drawn == sorted(set(drawn))
    assert len(drawn) == min(extent, limit)
    assert (None in entries) == (extent > limit)
    if extent:
        assert drawn[0] == 0
    if extent > 1 and limit > 1:
        assert drawn[-1] == extent - 1


@given(st.lists(st.integers(0, 10**12), max_size=12), st.integers(1, 700))
def test_no_more_is_drawn_than_was_asked_for(extents, most):
    found = axes(extents, most)
    counts = [len([i for i in axis if i is not None]) for axis in found]
    assert prod(counts) <= most
    assert all(bool(count) == bool(extent) for count, extent in zip(counts, extents, strict=True)) or 0 in extents


def test_long_dimensions_are_cut_even_where_there_is_room():
    assert [len(axis) for axis in axes((WHOLE, 1), 600)] == [WHOLE, 1]
    assert [len(axis) for axis in axes((WHOLE + 1, 1), 600)] == [ENDS + 1, 1]
