"""The many spellings of a slice and their one canonical form, static where all that it depends on is."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview import ALL, Dim, ExtentSlice, dim, subview, zeros
from mdview.errors import RankError, SliceError
from mdview.index import IndexMap
from mdview.index.slices import (
    canonical_slice,
    canonical_slices,
    is_full,
    is_unit,
    selected_extents,
)

EXTENT = 10


def kept(spec, extent=EXTENT):
    """Indices that a slice keeps, by its canonical form; an int for an int."""
    selection = canonical_slice(extent, spec)
    if selection is ALL:
        return list(range(extent))
    if isinstance(selection, int):
        return selection
    return [int(selection.offset + k * selection.stride) for k in range(selection.extent)]


@pytest.mark.parametrize(
    ("spec", "indices"),
    [
        (ALL, list(range(10))),
        (slice(None), list(range(10))),
        (np.int8(3), 3),
        ((10, 10), []),
        (range(7, 0, -3), [7, 4, 1]),
        (range(3, 3), []),
        (slice(8, 2, -3), [8, 5]),
        (slice(None, None, -4), [9, 5, 1]),
        (slice(4, None, -2), [4, 2, 0]),
        (ExtentSlice(2, 1, 0), [2]),
    ],
)
def test_each_spelling_keeps_its_indices(spec, indices):
    assert kept(spec) == indices


@given(st.slices(EXTENT))
def test_a_python_slice_that_needs_no_wrapping_keeps_what_it_keeps_of_a_list(spec):
    start, stop, step = spec.indices(EXTENT)
    expected = list(range(start, stop, step))
    if {spec.start, spec.stop} <= set(range(EXTENT + 1)) and (expected or start <= stop):
        assert kept(spec) == expected


def test_nothing_can_be_kept_of_nothing():
    for spec in (slice(None, None, -1), slice(0, 0), (0, 0), range(0), slice(None, None, 2), slice(None)):
        assert kept(spec, 0) == []
        part = subview(zeros((0, 3)), spec, ALL)
        assert (part.extents, part.origin) == ((0, 3), 0)
    with pytest.raises(SliceError):
        canonical_slice(0, slice(-1, None))


def test_what_slices_keep_where_they_begin_and_how_far_they_step():
    slices = canonical_slices((4, dim(5), 6, 7), (1, ALL, ExtentSlice(5, 3, -2), ExtentSlice(2, 1, 3)))
    assert selected_extents((4, dim(5), 6, 7), slices) == (5, 3, 1)
    way = IndexMap.from_slices(slices)
    assert (way.offset, way.stride) == ((1, 0, 5, 2), (0, 1, -2, 3))
    assert [is_full(s) for s in slices] == [False, True, False, False]
    assert (repr(ALL), pickle.loads(pickle.dumps(ALL)) is ALL) == ("ALL", True)  # noqa: S301 - of our own making
    spellings = canonical_slices((4,) * 4, (ALL, (0, 2), range(2), ExtentSlice(0, 2, 1)))
    assert [is_unit(s) for s in spellings] == [True, True, True, False]
    with pytest.raises(RankError, match="2 takes 2 slices, got 1"):
        canonical_slices((4, 4), (1,))


@pytest.mark.parametrize(
    ("spec", "static"),
    [
        (slice(dim(1), dim(7), dim(3)), (True, True, True)),
        (slice(dim(1), dim(7), 3), (True, False, False)),
        (slice(1, dim(7), dim(3)), (False, False, True)),
        (range(1, 4), (False, False, True)),
        (range(1, 7, 2), (False, False, False)),
    ],
)
def test_a_part_of_a_python_slice_is_static_where_all_that_it_depends_on_is(spec, static):
    selection = canonical_slice(EXTENT, spec)
    assert tuple([type(part) is Dim for part in (selection.offset, selection.extent, selection.stride)]) == static
