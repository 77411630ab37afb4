"""The many spellings of a slice and their one canonical form, static where all that it depends on is."""

import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview import ALL, Dim, ExtentSlice, RangeSlice, StridedSlice, dim, subview, zeros
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


# The draft's rules, [mdspan.sub.canonical], on pairs of a value and whether it is a constant; None is a broken rule.

ONE = (1, True)


def drafted_range(first, last, stride, extent):
    if not 0 <= first[0] <= last[0] <= extent or stride[0] < 0 or (stride[0] == 0 and first[0] != last[0]):
        return None
    span = (last[0] - first[0], first[1] and last[1])
    if span == (0, True) or stride == ONE:
        return first, span, ONE
    if span[0] == 0:
        return first, (0, False), stride if stride[1] else (1, False)
    return first, (-(-span[0] // stride[0]), span[1] and stride[1]), stride


def drafted_extent(offset, count, stride, extent):
    """Also backwards, which the draft does not have."""
    last = offset[0] + (count[0] - 1) * stride[0]
    inside = count[0] == 0 or (offset[0] < extent and 0 <= last < extent)
    return (offset, count, stride) if inside and offset[0] <= extent and (count[0] < 2 or stride[0]) else None


def drafted_strided(offset, span, stride, extent):
    """C++23: every ``stride``-th of ``span`` source indices from ``offset`` on, all of which there must be."""
    if offset[0] + span[0] > extent or stride[0] < 0 or (stride[0] == 0 and span[0]):
        return None
    return offset, (-(-span[0] // stride[0]) if span[0] else 0, span[1] and stride[1]), stride


def drafted_pair(first, last, _, extent):
    return drafted_range(first, last, ONE, extent)


@pytest.mark.parametrize(
    ("spelling", "drafted"),
    [
        (RangeSlice, drafted_range),
        (ExtentSlice, drafted_extent),
        (StridedSlice, drafted_strided),
        (lambda first, last, _: (first, last), drafted_pair),
        (lambda first, last, _: slice(first, last), drafted_pair),
    ],
    ids=["range", "extent", "strided", "pair", "slice"],
)
@pytest.mark.parametrize("extent", [0, 1, 4, dim(0), dim(1), dim(4)])
def test_every_small_slice_is_what_the_draft_says_or_refused_where_it_breaks_a_rule(spelling, drafted, extent):
    for numbers in product(range(6), range(6), range(-2, 5)):
        for constant in product([False, True], repeat=3):
            if numbers[2] < 0 and constant[2]:
                continue
            given = [dim(n) if is_constant else n for n, is_constant in zip(numbers, constant, strict=True)]
            expected = drafted(*zip(numbers, constant, strict=True), int(extent))
            spec = spelling(*given)
            if expected is None:
                with pytest.raises(SliceError):
                    canonical_slice(extent, spec)
                continue
            found = canonical_slice(extent, spec)
            told = [(int(n), type(n) is Dim) for n in (found.offset, found.extent, found.stride)]
            assert told == list(expected), (spec, extent)


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
