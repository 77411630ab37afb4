"""View index: a place in a walk over one strided mapping."""

from copy import copy

import pytest
from brute_force import SHARE, dimensions, every, mapping_of, offsets
from hypothesis import given, settings
from hypothesis import strategies as st

from mdview import LayoutRight, LayoutStrideRelaxed, LayoutTiled, Mapping, ViewIndex, errors, pad
from mdview.iteration.view_index import deltas, digits


@settings(max_examples=SHARE)
@given(dimensions(1), st.integers(0, 10**6))
def test_a_walk_visits_every_index_in_order(dims, seed):
    mapping = mapping_of(dims)
    expected, indices = offsets(mapping), every(mapping.extents)
    place = ViewIndex(mapping)
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
        assert (place[k], place[k - len(expected)], place.memory_index) == (expected[k],) * 3
        assert place.index == indices[k]


def test_each_carry_adds_the_delta_of_one_dimension():
    place = ViewIndex(Mapping((2, 3, 4), LayoutStrideRelaxed((100, 10, 1))))
    assert place.delta == (70, 6, 1) == deltas((2, 3, 4), (100, 10, 1))
    place.set_index(11)
    place.increment()
    assert (place.memory_index, place.coordinates) == (100, (1, 0, 0))


def test_dimensions_merge_where_nothing_is_to_add_and_broadcast_ones_stay():
    assert ViewIndex(Mapping((2, 3, 4))).extents == (24,)
    assert ViewIndex(Mapping((2, 3, 4), LayoutStrideRelaxed((24, 4, 1)))).extents == (2, 12)
    repeated = ViewIndex(Mapping((5, 2, 3), LayoutStrideRelaxed((0, 3, 1))))
    assert (repeated.extents, repeated.strides, repeated.delta) == ((5, 6), (0, 1), (-6, 1))
    assert ViewIndex(Mapping((2, 3), LayoutStrideRelaxed((0, 0)))).extents == (2, 3)


def test_rank_0_has_one_place_and_an_end():
    place = ViewIndex(Mapping((), LayoutStrideRelaxed((), 5)))
    assert (list(place), place.index, place.memory_index, len(place)) == ([5], (), 5, 1)
    place.increment()
    assert place.at_end
    assert place.index == ()


def test_places_compare_by_view_index_and_know_how_far_they_are_apart():
    first, second = ViewIndex(Mapping((2, 3))), ViewIndex(Mapping((6,), LayoutStrideRelaxed((7,))))
    assert first == second
    second.advance(4)
    assert first != second
    assert (first.distance_to(second), second.distance_to(first)) == (4, -4)
    second.decrement()
    assert second.view_index == 3
    assert first != "a place"
    with pytest.raises(TypeError, match="unhashable"):
        hash(first)
    assert repr(second) == "ViewIndex(Mapping((6,), LayoutStrideRelaxed((7,), offset=0))) at 3 of 6"


def test_a_copy_of_a_place_moves_by_itself():
    place = ViewIndex(Mapping((2, 3), LayoutStrideRelaxed((5, 1))))
    place.set_index(2)
    other = copy(place)
    other.increment()
    assert (place.index, place.memory_index, place.coordinates) == ((0, 2), 2, (0, 2))
    assert (other.index, other.memory_index, other.coordinates) == ((1, 0), 5, (1, 0))


@pytest.mark.parametrize("move", [lambda p: p.set_index(7), lambda p: p.set_index(-1), lambda p: p.decrement()])
def test_no_place_lies_beyond_the_walk(move):
    place = ViewIndex(Mapping((2, 3)))
    with pytest.raises(errors.IndexOutOfRangeError, match=r"view index -?\d is out of range for 6 indices; 6 itself"):
        move(place)
    assert place.view_index == 0


def test_the_end_has_no_next_place_and_the_walk_no_seventh_offset():
    place = ViewIndex(Mapping((2, 3)))
    place.set_index(6)
    with pytest.raises(errors.IndexOutOfRangeError, match="view index 7"):
        place.increment()
    assert place.at_end
    for k in (6, -7):
        with pytest.raises(errors.IndexOutOfRangeError, match=f"view index {k} is out of range for 6 indices"):
            place[k]


def test_a_layout_that_is_strided_in_fact_is_walked_and_any_other_refused():
    assert list(ViewIndex(Mapping((2, 3), LayoutTiled(2, 3)))) == list(range(6))
    with pytest.raises(errors.NotStridedError, match="neighbours along dimension 1"):
        ViewIndex(Mapping((2, 4), LayoutTiled(2, 2)))
    with pytest.raises(errors.NotStridedError, match="padding"):
        ViewIndex(pad(Mapping((2,)), 1))


@given(st.lists(st.integers(1, 5), min_size=1, max_size=5), st.integers(0, 10**6))
def test_digits_are_the_index_of_a_number(extents, seed):
    indices = every(extents)
    k = seed % len(indices)
    assert digits(k, extents) == indices[k]


@pytest.mark.parametrize("layout", [LayoutRight(), LayoutStrideRelaxed((), 7)], ids=repr)
def test_at_rank_0_the_state_is_that_of_one_dimension_that_leads_nowhere(layout):
    place = ViewIndex(Mapping((), layout))
    assert (place.extents, place.strides, place.delta) == ((1,), (0,), (0,))
    first = place.coordinates, place.index, place.view_index, place.memory_index, place.at_end
    place.increment()
    last = place.coordinates, place.index, place.view_index, place.memory_index, place.at_end
    origin = place.memory_index
    assert origin == Mapping((), layout).origin
    assert (first, last) == (((0,), (), 0, origin, False), ((1,), (), 1, origin, True))
