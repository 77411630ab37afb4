"""Bins: cells that hold ranges of a buffer."""

from itertools import pairwise

import numpy as np
import pytest
from brute_force import SHARE, binned, events, every
from hypothesis import given, settings

from mdview import (
    Binned,
    Bins,
    ExtentSlice,
    LayoutStrideRelaxed,
    Mapping,
    MDView,
    errors,
    pad,
    permute_dims,
    ravel,
    submapping,
)
from mdview.iteration.bins import packed_ranges
from mdview.views.base import parts_of


@settings(max_examples=SHARE // 2)
@given(binned())
def test_offsets_and_parts_are_what_cells_hold(bins):
    held = events(bins)
    assert list(bins.offsets()) == [offset for cell in held for offset in cell]
    assert bins.sizes() == list(map(len, held))
    view = MDView.from_mapping(list(range(bins.buffer.required_span_size)), bins.buffer)
    part = Binned(view, bins.ranges, axis=bins.axis, cells=bins.cells)
    assert part.extents == bins.extents
    for cell, found in zip(every(bins.extents), held, strict=True):
        assert list(parts_of(part[cell]).values()) == found


def test_cells_are_rearranged_by_rearranging_their_mapping():
    ranges = list(pairwise([0, 1, 3, 3, 6]))
    bins = Bins(Mapping((6,)), ranges, cells=permute_dims(Mapping((2, 2)), (1, 0)))
    assert bins.cell_ranges() == [(0, 1), (3, 3), (1, 3), (3, 6)]
    backwards = Bins(Mapping((6,)), ranges, cells=Mapping((4,), LayoutStrideRelaxed((-1,), 3)))
    assert list(backwards.offsets()) == [3, 4, 5, 1, 2, 0]


def test_a_buffer_may_run_backwards_and_repeat_one_element():
    flipped = Bins(Mapping((5,), LayoutStrideRelaxed((-2,), 8)), [(1, 3), (4, 5)])
    assert (list(flipped.offsets()), flipped.stride) == ([6, 4, 0], -2)
    assert list(Bins(Mapping((5,), LayoutStrideRelaxed((0,), 3)), [(1, 3), (2, 2)]).offsets()) == [3, 3]


def test_a_range_must_lie_in_the_buffer():
    for entry in ((2, 1), (-1, 1), (0, 5), (1,), (0, 1, 2)):
        with pytest.raises(errors.BinsError, match=r"entry 1 of the ranges is \(begin, end\) with 0 <= .* <= 4, got"):
            Bins(Mapping((4,)), [(0, 4), entry])
    with pytest.raises(errors.IndexTypeError, match=r"entry 0 of the ranges has integers, got \(0, 1.5\)"):
        Bins(Mapping((4,)), [(0, 1.5)])


def test_every_cell_has_a_range():
    ranges = [(0, 1), (1, 3)]
    cells = ravel(pad(Mapping((1, 2)), ((0, 0), (1, 1))))
    with pytest.raises(errors.HaloError, match=r"index \(0,\) .* is not a cell with a range"):
        Bins(Mapping((4,)), ranges, cells=cells)
    inside, _ = submapping(cells, ExtentSlice(1, 2))
    assert Bins(Mapping((4,)), ranges, cells=inside).sizes() == [1, 2]


def test_a_table_must_reach_all_cells():
    with pytest.raises(errors.BinsError, match=r"take 4 ranges, the table has 3"):
        Bins(Mapping((4,)), [(0, 1)] * 3, cells=Mapping((2, 2)))


def test_bins_cut_one_dimension_of_the_buffer():
    assert Bins(Mapping((2, 3)), [(0, 3)], axis=-1).axis == 1
    for axis in (1, -2):
        with pytest.raises(errors.AxisError, match=f"axis {axis} is out of range for a buffer of rank 1"):
            Bins(Mapping((4,)), [], axis=axis)
    with pytest.raises(errors.NotStridedError, match="padding"):
        Bins(pad(Mapping((4,)), 1), [])


def test_ranges_may_come_from_arrays():
    ranges = np.array([[0, 2], [2, 4]])
    assert Bins(Mapping((4,)), ranges).ranges == [(0, 2), (2, 4)]


def test_bins_of_views_show_what_they_are():
    part = Binned(MDView([1, 2, 3], (3,)), [(0, 1), (1, 3)])
    assert part[1].tolist() == [2, 3]
    assert repr(part) == f"Binned(3 events, {part.bins!r})"
    assert repr(part.bins) == (
        "Bins(Mapping((3,), LayoutRight()), 2 ranges, axis=0, cells=Mapping((2,), LayoutRight()))"
    )
    with pytest.raises(errors.IndexOutOfRangeError):
        part[-1]
    assert packed_ranges([]) == []
