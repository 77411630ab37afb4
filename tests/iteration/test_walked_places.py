"""A place in a walk over one mapping (view index) or over several operands in step (multi-index), bins among them."""

import re
from copy import copy
from itertools import chain, pairwise

import numpy as np
import pytest
from brute_force import SHARE, binned, dimensions, events, mapping_of, offsets
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.variants import indices_of

import mdview as md

# One mapping.


@settings(max_examples=SHARE)
@given(dimensions(1), st.integers(0, 10**6))
def test_a_view_index_visits_every_index_in_order(dims, seed):
    mapping = mapping_of(dims)
    expected, indices = offsets(mapping), indices_of(mapping.extents)
    place = md.iteration.ViewIndex(mapping)
    assert list(place) == list(mapping.offsets()) == expected
    for k, (offset, index) in enumerate(zip(expected, indices, strict=True)):
        assert (place.memory_index, place.view_index, place.index) == (offset, k, index)
        place.increment()
    assert place.at_end
    assert list(place) == []
    k = seed % (len(expected) + 1)
    place.set_index(k)
    assert list(place) == expected[k:]
    if k < len(expected):
        assert (place[k], place[k - len(expected)], place.memory_index, place.index) == (*[expected[k]] * 3, indices[k])


def test_places_compare_by_view_index_know_how_far_they_are_apart_and_copies_move_alone():
    first, second = (
        md.iteration.ViewIndex(md.Mapping((2, 3))),
        md.iteration.ViewIndex(md.Mapping((6,), md.LayoutStrideRelaxed((7,)))),
    )
    assert first == second
    second.advance(4)
    assert first != second
    assert (first.distance_to(second), second.distance_to(first)) == (4, -4)
    second.decrement()
    other = copy(second)
    other.increment()
    assert (second.view_index, other.view_index, other.memory_index) == (3, 4, 28)
    assert first != "a place"
    assert repr(second).endswith(" at 3 of 6")
    for place in (first, md.iteration.MultiIndex(md.Mapping((2,)))):
        with pytest.raises(TypeError, match="unhashable"):
            hash(place)


# Several operands.


def expanded(walk):
    """All that inner loops visit."""
    steps = walk.inner_strides
    return [
        tuple(start + k * step for start, step in zip(starts, steps, strict=True))
        for starts, length in walk.chunks()
        for k in range(length)
    ]


def stepped(walk):
    place, found = copy(walk), []
    while not place.at_end:
        found.append(place.data_index)
        place.increment()
    return found


@settings(max_examples=SHARE)
@given(dimensions(3), st.integers(0, 10**6))
def test_dense_operands_go_in_step(dims, seed):
    walk = md.iteration.MultiIndex(*[mapping_of(dims, k) for k in range(3)])
    expected = list(zip(*[offsets(mapping_of(dims, k)) for k in range(3)], strict=True))
    assert list(walk) == expanded(walk) == expected
    assert walk.size == len(expected)
    k = seed % (len(expected) + 1)
    walk.set_index(k)
    assert list(walk) == expanded(walk) == stepped(walk) == expected[k:]
    assert walk.at_end == (k == len(expected))


@settings(max_examples=SHARE)
@given(binned(), st.integers(-7, 7), st.integers(0, 10**6))
def test_binned_operands_go_cell_by_cell(bins, stride, seed):
    held = events(bins)
    assert list(bins.offsets()) == [*chain(*held)]
    view = md.MDView.from_mapping(list(range(bins.buffer.required_span_size)), bins.buffer)
    part = md.iteration.Binned(view, bins.ranges, axis=bins.axis, cells=bins.cells)
    assert [list(md.iteration.elements(part[cell])) for cell in indices_of(part.extents)] == held
    table = md.Mapping(bins.extents, md.LayoutStrideRelaxed((stride,) * len(bins.extents), 99))
    expected = [(offset, dense) for dense, found in zip(offsets(table), held, strict=True) for offset in found]
    walk = md.iteration.MultiIndex(bins, table)
    assert list(walk) == expanded(walk) == stepped(walk) == expected
    assert [(o, d) for d, o in md.iteration.MultiIndex(table, bins)] == expected
    assert bins.sizes() == list(map(len, held))
    assert walk.starts == [sum(bins.sizes()[:k]) for k in range(len(held))]
    k = seed % (len(held) + 1)
    walk.set_index(k)
    assert list(walk) == expected[sum(bins.sizes()[:k]) :]


@settings(max_examples=SHARE // 4)
@given(binned(), st.binary(min_size=1, max_size=8), st.booleans())
def test_two_binned_operands_agree_cell_by_cell_or_the_first_that_does_not_is_named(first, drawn, spoilt):
    extent, moved = first.buffer.extents[first.axis], []
    for k, (begin, end) in enumerate(first.ranges):
        start = drawn[k % len(drawn)] % (extent - (end - begin) + 1)
        moved.append((start, start + end - begin))
    if spoilt and moved:
        moved[drawn[0] % len(moved)] = (0, drawn[-1] % (extent + 1))
    second = md.iteration.Bins(first.buffer, moved, axis=first.axis, cells=first.cells)
    lengths = {cell: [b.ranges[b.cells(*cell)] for b in (first, second)] for cell in indices_of(first.extents)}
    wrong = [cell for cell, ((b, e), (f, g)) in lengths.items() if e - b != g - f]
    if wrong:
        with pytest.raises(md.errors.BinsError, match=re.escape(f"cell {wrong[0]} of ")):
            md.iteration.MultiIndex(first, second)
    else:
        pairs = zip(chain(*events(first)), chain(*events(second)), strict=True)
        assert list(md.iteration.MultiIndex(first, second)) == list(pairs)


CELLS = md.Mapping((2, 4), md.LayoutTiled(2, 2))


def bins(*extents, ranges=((0, 2),), **options):
    return md.iteration.Bins(md.Mapping(extents), ranges, **options)


def bins_of_columns():
    return md.iteration.Bins(md.Mapping((4, 2), md.LayoutStrideRelaxed((1, 4))), [(1, 3)])


def test_what_operands_and_cells_stand_for_is_broadcast():
    walk = md.iteration.MultiIndex(md.Mapping((2, 1)), md.Mapping((3,)), md.Mapping(()))
    assert list(walk) == [(i, j, 0) for i in range(2) for j in range(3)]
    two_bins = bins(4, ranges=[(0, 1), (2, 4)])
    walk = md.iteration.MultiIndex(two_bins, md.Mapping((2, 1)))
    assert list(walk) == [(0, 0), (2, 0), (3, 0), (0, 1), (2, 1), (3, 1)]
    assert list(md.iteration.MultiIndex(bins(4, 2), bins_of_columns())) == [
        (0, 1),
        (1, 5),
        (2, 2),
        (3, 6),
    ]


def test_a_walk_of_mappings_needs_strides():
    for mapping in (CELLS, md.Mapping((3, 3), md.LayoutBlasPacked("lower", "row"))):
        with pytest.raises(md.errors.NotStridedError):
            md.iteration.MultiIndex(md.Mapping((mapping.extents[1],)), mapping)


def test_inner_loops_are_known_by_strides_and_distances():
    walk = md.iteration.MultiIndex(
        md.Mapping((3, 4), md.LayoutStrideRelaxed((8, 1))), md.Mapping((3, 4), md.LayoutStrideRelaxed((1, 3)))
    )
    assert walk.inner_strides == (1, 3)
    walk.increment_by(3)
    other = copy(walk)
    assert (walk.inner_distance_to_end, walk == other, walk.in_same_chunk(other)) == (1, True, True)
    other.increment()
    assert other.data_index == (8, 1)
    assert (walk != other, walk.in_same_chunk(other), walk.in_same_chunk(other, 2)) == (True, False, True)
    assert walk != (0, 3)
    walk.set_index(4)
    other.increment_by(2)
    assert (walk.inner_distance_to(other), other.inner_distance_to(walk)) == (2, -2)
    ends = md.iteration.MultiIndex(md.iteration.Bins(md.Mapping((3,)), [(0, 0), (1, 3), (2, 2)]))
    assert (ends.cell, ends.data_index, repr(ends)[-14:]) == (1, (1,), "at cell 1, (0,)"[-14:])
    ends.increment_by(2)
    assert (ends.at_end, ends.inner_distance_to_end, repr(ends)[-10:]) == (True, 0, "at the end")


def test_cells_are_rearranged_by_rearranging_their_mapping():
    ranges = list(pairwise([0, 1, 3, 3, 6]))
    bins = md.iteration.Bins(md.Mapping((6,)), np.array(ranges), cells=md.permute_dims(md.Mapping((2, 2)), (1, 0)))
    assert (bins.sizes(), list(bins.offsets())) == ([1, 0, 2, 3], [0, 1, 2, 3, 4, 5])
    cells = md.ravel(md.pad(md.Mapping((1, 2)), ((0, 0), (1, 1))))
    inside, _ = md.mappings.submapping(cells, md.ExtentSlice(1, 2))
    assert md.iteration.Bins(md.Mapping((4,)), [(0, 1), (1, 3)], cells=inside).sizes() == [1, 2]
    flipped = md.iteration.Bins(md.Mapping((5,), md.LayoutStrideRelaxed((-2,), 8)), [(1, 3), (4, 5)])
    assert (list(flipped.offsets()), flipped.stride) == ([6, 4, 0], -2)
    assert md.iteration.Bins(md.Mapping((2, 3)), [(0, 3)], axis=-1).axis == 1
    part = md.iteration.Binned(md.MDView([1, 2, 3], (3,)), [(0, 1), (1, 3)])
    assert (repr(part), repr(part.bins)) == (
        f"Binned(3 events, {part.bins!r})",
        "Bins(Mapping((3,), LayoutRight()), 2 ranges, axis=0, cells=Mapping((2,), LayoutRight()))",
    )


def test_a_place_stays_where_it_is_when_a_step_is_refused():
    mapping = md.Mapping((2, 3), md.LayoutStrideRelaxed((5, 1)))
    one, several = md.iteration.ViewIndex(mapping), md.iteration.MultiIndex(mapping)
    for step in (lambda: one.set_index(7), one.decrement, lambda: several.increment_by(4)):
        with pytest.raises(md.errors.IndexOutOfRangeError):
            step()
    assert (one.view_index, several.data_index, several.coordinates) == (0, (0,), (0, 0))
