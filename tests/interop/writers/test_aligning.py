"""aligned: the same elements, divided so that each unit has one writer."""

import pytest

import mdview as md
from mdview import LayoutTiled, MDView, aligned, conflicts, errors


def test_borders_of_chunks_move_to_the_nearest_of_units():
    assert aligned(((3, 4, 3), (5, 5)), ((10, 10), (4, 10))) == ((4, 4, 2), (10,))
    assert aligned(((6, 1, 3),), ((10,), (4,))) == ((4, 4, 2),)
    assert aligned(((3, 3, 4),), ((10,), ((5, 5),))) == ((5, 5),)
    assert aligned(((2, 0, 8), (0,)), ((10, 0), (1, 1))) == ((2, 8), (0,))


def test_borders_count_in_the_region():
    assert aligned(((2, 2, 2, 2),), ((10,), (4,)), region=(slice(1, 9),)) == ((3, 4, 1),)
    assert aligned(((2, 2, 2, 2),), ((10,), (4,)), region=(slice(8, 0, -1),)) == ((1, 4, 3),)


def test_parts_go_to_the_first_writer_of_a_unit():
    made = aligned({"a": slice(0, 5), "b": slice(5, 10), "c": slice(10, 11)}, ((12,), (4,)))
    assert made == {"a": [(slice(0, 8, 1),)], "b": [(slice(8, 11, 1),)], "c": []}


def test_parts_that_do_not_collide_stay():
    parts = [[slice(0, 2), slice(9, None, -2)], (slice(4, 8, 2),)]
    assert aligned(parts[1:], ((10,), (4,))) == [[(slice(4, 7, 2),)]]
    assert aligned([parts[0][:1], parts[1]], ((10,), (4,))) == [[(slice(0, 2, 1),)], [(slice(4, 7, 2),)]]


def test_subviews_are_divided_like_their_indices():
    store = MDView([0] * 80, (8, 10), LayoutTiled(4, 5))
    made = aligned([store[:3], store[3:]], store)
    assert made == [[(slice(0, 4, 1), slice(0, 10, 1))], [(slice(4, 8, 1), slice(0, 10, 1))]]
    with pytest.raises(errors.OperandError, match="lies in the region"):
        aligned([store[:3], store[3:]], store, region=slice(2, 8))


def test_parts_may_be_given_once():
    made = aligned((slice(k, k + 5) for k in range(0, 20, 5)), ((20,), (4,)))
    assert conflicts(made, ((20,), (4,))) is None
    assert [key for keys in made for key in keys] == [
        (slice(0, 8, 1),), (slice(8, 12, 1),), (slice(12, 16, 1),), (slice(16, 20, 1),),
    ]  # fmt: skip


def test_many_parts_are_aligned():
    side, step = 10**9, 10**9 // 30
    starts = range(0, side - step, step)
    parts = [((i, i + step), (j, j + step)) for i in starts for j in starts]
    made = aligned(parts, ((side, side), (1000, 64)))
    assert conflicts(made, ((side, side), (1000, 64))) is None
    kept = [(key[0].stop - key[0].start) * (key[1].stop - key[1].start) for keys in made for key in keys]
    assert sum(kept) == len(parts) * step**2
    assert md.conflicts(parts, ((side, side), (1000, 64))) is not None
