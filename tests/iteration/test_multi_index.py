"""Multi-index: a place in a walk of several operands in step."""

import re
from copy import copy
from itertools import chain

import pytest
from brute_force import SHARE, binned, dimensions, events, every, mapping_of, offsets
from hypothesis import given, settings
from hypothesis import strategies as st

from mdview import Bins, LayoutStrideRelaxed, LayoutTiled, Mapping, MultiIndex, errors
from mdview.iteration.merging import merged_in_step


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
    walk = MultiIndex(*[mapping_of(dims, k) for k in range(3)])
    expected = list(zip(*[offsets(mapping_of(dims, k)) for k in range(3)], strict=True))
    assert list(walk) == expected
    assert walk.size == len(expected)
    assert expanded(walk) == expected
    k = seed % (len(expected) + 1)
    walk.set_index(k)
    assert list(walk) == expanded(walk) == stepped(walk) == expected[k:]
    assert walk.at_end == (k == len(expected))


@settings(max_examples=SHARE)
@given(binned(), st.integers(-7, 7), st.integers(0, 10**6))
def test_binned_operands_go_cell_by_cell(bins, stride, seed):
    held = events(bins)
    table = Mapping(bins.extents, LayoutStrideRelaxed((stride,) * len(bins.extents), 99))
    dense = offsets(table)
    expected = [(offset, dense[cell]) for cell, found in enumerate(held) for offset in found]
    walk = MultiIndex(bins, table)
    assert list(walk) == expanded(walk) == stepped(walk) == expected
    assert [(o, d) for d, o in MultiIndex(table, bins)] == expected
    assert walk.sizes == bins.sizes() == list(map(len, held))
    assert walk.starts == [sum(walk.sizes[:k]) for k in range(len(held))]
    k = seed % (len(held) + 1)
    walk.set_index(k)
    assert list(walk) == expected[sum(walk.sizes[:k]) :]


@settings(max_examples=SHARE // 4)
@given(binned(), st.binary(min_size=1, max_size=8), st.booleans())
def test_two_binned_operands_agree_cell_by_cell_or_the_first_that_does_not_is_named(first, drawn, spoilt):
    extent, moved = first.buffer.extents[first.axis], []
    for k, (begin, end) in enumerate(first.ranges):
        start = drawn[k % len(drawn)] % (extent - (end - begin) + 1)
        moved.append((start, start + end - begin))
    if spoilt and moved:
        moved[drawn[0] % len(moved)] = (0, drawn[-1] % (extent + 1))
    second = Bins(first.buffer, moved, axis=first.axis, cells=first.cells)
    length = {cell: [b.ranges[b.cells(*cell)] for b in (first, second)] for cell in every(first.extents)}
    wrong = [cell for cell, ((b, e), (f, g)) in length.items() if e - b != g - f]
    if wrong:
        with pytest.raises(errors.BinsError, match=re.escape(f"cell {wrong[0]} of ")):
            MultiIndex(first, second)
    else:
        pairs = zip(chain(*events(first)), chain(*events(second)), strict=True)
        assert list(MultiIndex(first, second)) == list(pairs)


def test_operands_are_broadcast_as_numpy_does():
    walk = MultiIndex(Mapping((2, 1)), Mapping((3,)), Mapping(()))
    assert list(walk) == [(i, j, 0) for i in range(2) for j in range(3)]
    with pytest.raises(errors.BroadcastError, match=r"operand 1 of extents \(4,\) does not go with \(2, 3\): .*has 4"):
        MultiIndex(Mapping((2, 3)), Mapping((4,)))
    with pytest.raises(errors.RankError, match="at least one operand"):
        MultiIndex()


def test_dimensions_merge_only_if_all_operands_merge_them_whatever_is_repeated():
    right, column = Mapping((2, 3, 4)), Mapping((2, 1, 1))
    assert MultiIndex(right, right).extents == (24,)
    assert MultiIndex(right, column).extents == (2, 12)
    assert MultiIndex(column, right).strides == ((1, 0), (12, 1))
    repeated = Mapping((2, 3, 4), LayoutStrideRelaxed((1, 0, 7)))
    assert MultiIndex(repeated).extents == (2, 3, 4)
    assert list(MultiIndex(repeated)) == [(i + 7 * k,) for i, _, k in every((2, 3, 4))]


def test_what_a_cell_holds_is_merged_too():
    """Dimensions faster than the one that is cut join it; slower ones cannot, as cells differ in length."""
    bins = Bins(Mapping((2, 5, 3)), [(0, 2), (2, 5)], axis=1)
    walk = MultiIndex(bins)
    assert walk.extents == (2, 6)
    walk.set_index(1)
    assert walk.extents == (2, 9)
    assert merged_in_step((1, 1, 1), [(5, 5, 5)], axis=1).extents == (1,)


def test_inner_loops_are_known_by_strides_and_distances():
    walk = MultiIndex(Mapping((3, 4), LayoutStrideRelaxed((8, 1))), Mapping((3, 4), LayoutStrideRelaxed((1, 3))))
    assert walk.inner_strides == (1, 3)
    walk.increment_by(3)
    other = copy(walk)
    assert (walk.inner_distance_to_end, walk == other, walk.in_same_chunk(other)) == (1, True, True)
    other.increment()
    assert other.data_index == (8, 1)
    assert walk != other
    assert not walk.in_same_chunk(other)
    assert walk.in_same_chunk(other, 2)
    assert walk != (0, 3)
    walk.set_index(4)
    other.increment_by(2)
    assert (walk.inner_distance_to(other), other.inner_distance_to(walk)) == (2, -2)
    other.set_index(0)
    with pytest.raises(errors.IndexOutOfRangeError, match="is not in the inner loop of"):
        walk.inner_distance_to(other)
    with pytest.raises(TypeError, match="unhashable"):
        hash(walk)


@pytest.mark.parametrize("steps", [-1, 4])
def test_a_step_leaves_the_inner_loop_by_its_end_alone(steps):
    walk = MultiIndex(Mapping((2, 3), LayoutStrideRelaxed((5, 1))))
    with pytest.raises(errors.IndexOutOfRangeError, match=f"{steps} steps do not lie within .* of which 3 are left"):
        walk.increment_by(steps)
    walk.increment_by(0)
    assert (walk.data_index, walk.coordinates) == ((0,), (0, 0))


def test_the_end_has_no_offsets():
    walk = MultiIndex(Bins(Mapping((3,)), [(0, 0), (1, 3), (2, 2)]))
    assert (walk.cell, walk.data_index) == (1, (1,))
    assert repr(walk).endswith("at cell 1, (0,)")
    walk.increment_by(2)
    assert walk.at_end
    assert walk.inner_distance_to_end == 0
    assert repr(walk).endswith("at the end")
    with pytest.raises(errors.IndexOutOfRangeError, match="the end of a walk has no offsets"):
        _ = walk.data_index
    with pytest.raises(errors.IndexOutOfRangeError, match="1 steps"):
        walk.increment()
    with pytest.raises(errors.IndexOutOfRangeError, match="cell 4 is out of range: there are 3; 3 itself is the end"):
        walk.set_index(4)
    with pytest.raises(errors.IndexOutOfRangeError, match="index -1 is out of range: there are 4"):
        MultiIndex(Mapping((4,))).set_index(-1)


@pytest.mark.parametrize(
    ("operands", "repeats"),
    [
        ((Mapping((2, 3)),), False),
        ((Mapping((1, 3)), Mapping((2, 3))), True),
        ((Mapping((2, 3)), Mapping((1, 3))), False),
        ((Mapping((1,)), Bins(Mapping((4,)), [(0, 2)])), True),
        ((Mapping((2,)), Bins(Mapping((4,)), [(0, 1), (2, 3)])), False),
        ((Bins(Mapping((4,)), [(0, 2)]), Mapping((5,))), True),
        ((Bins(Mapping((4, 2)), [(0, 2), (3, 4)]), Mapping((2,))), False),
        ((Bins(Mapping((4,)), []), Mapping((0,))), False),
    ],
)
def test_an_output_that_repeats_is_known(operands, repeats):
    assert MultiIndex(*operands).has_stride_zero == repeats


def test_cells_need_no_strides_and_buffers_do():
    cells = Mapping((2, 4), LayoutTiled(2, 2))
    ranges = [(k, k + 1) for k in range(8)]
    bins = Bins(Mapping((8,)), ranges, cells=cells)
    assert [offset for (offset,) in MultiIndex(bins)] == list(cells.offsets())
    assert not MultiIndex(bins).has_stride_zero
    with pytest.raises(errors.NotStridedError):
        Bins(cells, ranges)
    with pytest.raises(errors.NotStridedError):
        MultiIndex(cells)
    assert list(MultiIndex(Mapping((2, 3), LayoutTiled(2, 3)))) == [(k,) for k in range(6)]


def test_what_cells_hold_has_the_same_extents_in_all_operands():
    first = Bins(Mapping((4, 2)), [(0, 2)])
    for other in (
        Bins(Mapping((4, 3)), [(0, 2)]),
        Bins(Mapping((4,)), [(0, 2)]),
        Bins(Mapping((2, 4)), [(0, 2)], axis=1),
    ):
        with pytest.raises(errors.BinsError, match=r"cut along dimension 0 and .* differ"):
            MultiIndex(first, other)
    left = Bins(Mapping((4, 2), LayoutStrideRelaxed((1, 4))), [(1, 3)])
    assert list(MultiIndex(first, left)) == [(0, 1), (1, 5), (2, 2), (3, 6)]


def test_cells_are_broadcast():
    bins = Bins(Mapping((4,)), [(0, 1), (2, 4)])
    assert list(MultiIndex(bins, Mapping((2, 1)))) == [(0, 0), (2, 0), (3, 0), (0, 1), (2, 1), (3, 1)]
