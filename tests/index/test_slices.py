"""The many spellings of a slice and their one canonical form, static where all that it depends on is."""

import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview import ALL, Dim, ExtentSlice, RangeSlice, StridedSlice, dim
from mdview.errors import ExtentsTypeError, IndexOutOfRangeError, RankError, SliceError, SliceTypeError
from mdview.index.slices import (
    canonical_slice,
    canonical_slices,
    first_index,
    is_full,
    is_unit,
    selected_extents,
    steps,
)

EXTENT = 10


def kept(spec):
    """Indices that a slice keeps, by its canonical form; an int for an int."""
    selection = canonical_slice(EXTENT, spec)
    if selection is ALL:
        return list(range(EXTENT))
    if isinstance(selection, int):
        return selection
    return [int(selection.offset + k * selection.stride) for k in range(selection.extent)]


@pytest.mark.parametrize(
    ("spec", "indices"),
    [
        (ALL, list(range(10))),
        (slice(None), list(range(10))),
        (3, 3),
        (np.int8(3), 3),
        ((2, 5), [2, 3, 4]),
        ((4, 4), []),
        ((10, 10), []),
        (range(1, 8, 3), [1, 4, 7]),
        (range(7, 0, -3), [7, 4, 1]),
        (range(3, 3), []),
        (slice(2, 5), [2, 3, 4]),
        (slice(None, None, 4), [0, 4, 8]),
        (slice(8, 2, -3), [8, 5]),
        (slice(None, None, -4), [9, 5, 1]),
        (slice(4, None, -2), [4, 2, 0]),
        (slice(4, 0, -1), [4, 3, 2, 1]),
        (slice(0, 0), []),
        (ExtentSlice(1, 3, 4), [1, 5, 9]),
        (ExtentSlice(9, 3, -4), [9, 5, 1]),
        (ExtentSlice(2, 1, 0), [2]),
        (ExtentSlice(2, 0, 7), []),
        (RangeSlice(1, 8, 3), [1, 4, 7]),
        (RangeSlice(3, 3), []),
        (StridedSlice(1, 7, 3), [1, 4, 7]),
        (StridedSlice(1, 0, 3), []),
    ],
)
def test_each_spelling_keeps_its_indices(spec, indices):
    assert kept(spec) == indices


@given(st.slices(EXTENT))
def test_a_python_slice_that_needs_no_wrapping_keeps_what_it_keeps_of_a_list(spec):
    start, stop, step = spec.indices(EXTENT)
    expected = list(range(start, stop, step))
    bounds = {spec.start, spec.stop}
    if bounds <= set(range(EXTENT + 1)) and (expected or start <= stop):
        assert kept(spec) == expected


@pytest.mark.parametrize(
    ("spec", "static"),
    [
        ((dim(2), dim(5)), (True, True, True)),
        ((2, dim(5)), (False, False, True)),
        ((2, 5), (False, False, True)),
        (slice(dim(2), dim(5)), (True, True, True)),
        (ExtentSlice(dim(1), dim(3), dim(2)), (True, True, True)),
        (ExtentSlice(1, 3, 2), (False, False, False)),
        (RangeSlice(dim(1), dim(7), dim(3)), (True, True, True)),
        (RangeSlice(dim(1), dim(7), 3), (True, False, False)),
        (RangeSlice(dim(3), dim(3), dim(2)), (True, True, True)),
        (RangeSlice(3, 3, dim(2)), (False, False, True)),
        (RangeSlice(3, 3, 2), (False, False, False)),
        (StridedSlice(1, dim(7), dim(3)), (False, True, True)),
        (StridedSlice(1, 7, dim(3)), (False, False, True)),
        (StridedSlice(1, dim(3), 1), (False, False, False)),
        (StridedSlice(1, dim(1), 2), (False, False, False)),
        (StridedSlice(1, dim(0), dim(2)), (False, True, True)),
        (slice(dim(1), dim(7), dim(3)), (True, True, True)),
        (slice(dim(1), dim(7), 3), (True, False, False)),
        (slice(1, dim(7), dim(3)), (False, False, True)),
        (range(1, 4), (False, False, True)),
        (range(1, 7, 2), (False, False, False)),
    ],
)
def test_a_part_is_static_where_all_that_it_depends_on_is(spec, static):
    selection = canonical_slice(EXTENT, spec)
    assert tuple([type(part) is Dim for part in (selection.offset, selection.extent, selection.stride)]) == static


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        (10, IndexOutOfRangeError, "index 10 is out of range for extent 10 of dimension 0"),
        (-1, IndexOutOfRangeError, "index -1 is out of range for extent 10 of dimension 0"),
        ((5, 3), SliceError, r"slice \(5, 3\) of dimension 0 does not fit 0 <= begin <= end <= 10, its extent"),
        ((-1, 3), SliceError, "does not fit 0 <= begin <= end <= 10"),
        ((11, 11), SliceError, "does not fit 0 <= begin <= end <= 10"),
        ((5, 11), SliceError, r"slice \(5, 11\) of dimension 0 reaches index 10, its extent is 10"),
        (slice(1, 5, 0), SliceError, r"the step of slice slice\(1, 5, 0\) of dimension 0 is 0"),
        (
            slice(-3, None),
            SliceError,
            r"slices of subview never wrap: slice\(-3, None, None\) .* brackets, view\[...\], count",
        ),
        (slice(None, -1), SliceError, "slices of subview never wrap"),
        (range(10, 8, -1), SliceError, "reaches index 10, its extent is 10"),
        (ExtentSlice(10, 2, -1), SliceError, "reaches index 10, its extent is 10"),
        (ExtentSlice(10, 1), SliceError, "reaches index 10, its extent is 10"),
        (range(0, 20, 5), SliceError, "reaches index 15, its extent is 10"),
        (range(2, -3, -2), SliceError, "reaches index -2, its extent is 10"),
        (ExtentSlice(0, 3, 0), SliceError, "selects 3 indices and so needs a stride other than 0"),
        (ExtentSlice(0, 2, 0), SliceError, "selects 2 indices and so needs a stride other than 0"),
        (ExtentSlice(8, 3, 1), SliceError, "reaches index 10"),
        (RangeSlice(5, 3), SliceError, "does not fit"),
        (RangeSlice(1, 5, 0), SliceError, "is 0; 4 indices are spanned by steps of at least 1"),
        (RangeSlice(1, 2, 0), SliceError, "is 0; 1 indices are spanned by steps of at least 1"),
        (StridedSlice(1, 5, 0), SliceError, "is 0; 5 indices are spanned by steps of at least 1"),
        (StridedSlice(1, 1, dim(0)), SliceError, "is 0; 1 indices are spanned by steps of at least 1"),
        (
            StridedSlice(7, 4, 2),
            SliceError,
            r"slice StridedSlice\(.*\) of dimension 0 spans .* 7 to 10, .*; ExtentSlice\(7, 2, 2\) counts what",
        ),
        (StridedSlice(9, 2, 5), SliceError, "spans indices 9 to 10, its extent is 10"),
        (RangeSlice(0, 12, 4), SliceError, r"spans indices 0 to 11, .*; ExtentSlice\(0, 3, 4\) counts what it selects"),
        (RangeSlice(1, 3, -1), SliceError, r"the stride of RangeSlice\(.*\) is negative; .* use ExtentSlice"),
        (StridedSlice(4, 4, -2), SliceError, r"the stride of StridedSlice\(.*\) is negative"),
        ((1.5, 3), ExtentsTypeError, r"a slice bound must be an integer, got 1\.5"),
        (slice(0, 3, 1.5), ExtentsTypeError, "a slice step must be an integer"),
        (ExtentSlice("0", 1), ExtentsTypeError, "a number in a slice must be an integer, got '0'"),
        ((1, 2, 3), SliceTypeError, r"a range of dimension 0 is a pair \(begin, end\), got \(1, 2, 3\)"),
        ("all", SliceTypeError, "takes an int, .* or StridedSlice, got 'all'"),
        (None, SliceTypeError, "got None"),
    ],
)
def test_a_slice_that_breaks_its_rule_says_which(spec, error, message):
    with pytest.raises(error, match=message):
        canonical_slice(EXTENT, spec)


def test_every_small_slice_keeps_the_indices_of_its_definition_or_is_refused():
    for first, last, stride in product(range(-1, 7), range(-1, 7), range(1, 5)):
        span = last - first
        spellings = {
            RangeSlice(first, last, stride): range(first, last, stride) if span >= 0 and last <= 5 else None,
            StridedSlice(first, span, stride): range(first, last, stride) if span >= 0 and last <= 5 else None,
            ExtentSlice(first, last, stride): range(first, first + last * stride, stride) if last >= 0 else None,
            ExtentSlice(first, last, -stride): range(first, first - last * stride, -stride) if last >= 0 else None,
        }
        for spec, indices in spellings.items():
            fits = indices is not None and 0 <= first <= 5 and all(0 <= i < 5 for i in indices)
            try:
                selection = canonical_slice(5, spec)
            except SliceError:
                assert not fits, spec
                continue
            assert fits, spec
            assert [selection.offset + k * selection.stride for k in range(selection.extent)] == list(indices), spec


def test_a_bound_from_the_end_is_refused_of_nothing_too():
    with pytest.raises(SliceError, match="slices of subview never wrap"):
        canonical_slice(0, slice(-1, None))


def test_one_slice_a_dimension_is_needed():
    assert canonical_slices((4, 4), (1, ALL)) == (1, ALL)
    with pytest.raises(RankError, match="rank 2 takes 2 slices, got 1; use ALL to keep a dimension"):
        canonical_slices((4, 4), (1,))


def test_nothing_can_be_kept_of_nothing():
    for spec in (slice(None, None, -1), slice(0, 0), (0, 0), range(0), slice(None, None, 2)):
        assert canonical_slice(0, spec).extent == 0
    assert canonical_slice(0, slice(None)) is ALL


def test_what_slices_keep_where_they_begin_and_how_far_they_step():
    slices = canonical_slices((4, dim(5), 6, 7), (1, ALL, ExtentSlice(5, 3, -2), ExtentSlice(2, 1, 3)))
    assert selected_extents((4, dim(5), 6, 7), slices) == (5, 3, 1)
    assert first_index(slices) == (1, 0, 5, 2)
    assert steps(slices) == (1, -2, 1)
    assert [is_full(s) for s in slices] == [False, True, False, False]
    assert [is_unit(s) for s in (ALL, *canonical_slices((4,) * 3, ((0, 2), range(2), ExtentSlice(0, 2, 1))))] == [
        True,
        True,
        True,
        False,
    ]


def test_all_shows_itself_and_is_one_wherever_it_travels():
    assert repr(ALL) == "ALL"
    assert pickle.loads(pickle.dumps(ALL)) is ALL  # noqa: S301 - of our own making


# The draft's rules, [mdspan.sub.canonical], on pairs of a value and whether it is a constant; None is a broken rule.

ONE = (1, True)


def drafted_range(first, last, stride, extent):
    if not 0 <= first[0] <= last[0] <= extent or (stride[0] <= 0 and first[0] != last[0]):
        return None
    span = (last[0] - first[0], first[1] and last[1])
    if span == (0, True) or stride == ONE:
        return first, span, ONE
    if span[0] == 0:
        return first, (0, False), stride if stride[1] else (1, False)
    return first, (-(-span[0] // stride[0]), span[1] and stride[1]), stride


def drafted_extent(offset, count, stride, extent):
    inside = offset[0] <= extent if count[0] == 0 else offset[0] + (count[0] - 1) * stride[0] < extent
    return (offset, count, stride) if inside and offset[0] <= extent and (count[0] < 2 or stride[0]) else None


def drafted_strided(offset, span, stride, extent):
    """C++23: every ``stride``-th of ``span`` source indices from ``offset`` on, all of which there must be."""
    if offset[0] + span[0] > extent or (stride[0] <= 0 and span[0]):
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
    ],
    ids=["range", "extent", "strided", "pair"],
)
@pytest.mark.parametrize("extent", [0, 1, 4, dim(0), dim(1), dim(4)])
def test_every_small_slice_is_what_the_draft_says_or_refused_where_it_breaks_a_rule(spelling, drafted, extent):
    for numbers in product(range(6), range(6), range(5)):
        for constant in product([False, True], repeat=3):
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
