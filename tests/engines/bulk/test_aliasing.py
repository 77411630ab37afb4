"""May what is written be what is read? Exactly where that is cheap, yes where nobody knows."""

import mmap
import pickle
import sys
from array import array

import numpy as np
import pytest

from mdview import LayoutMorton, LayoutStride, LayoutStrideRelaxed, LayoutTiled, Mapping, MDView, asview, bitcast, copy
from mdview.engines.bulk import aliasing
from mdview.engines.bulk.aliasing import may_overlap
from mdview.errors import UndecidedError
from mdview.views.base import parts_of

DATA = array("d", range(64))


def operand(data, layout, extents=(4,), origin=0):
    return parts_of(MDView.from_mapping(data, Mapping(extents, layout), origin=origin)).operand()


def test_strided_views_of_one_memory_are_decided_exactly():
    even, odd = operand(DATA, LayoutStride((2,))), operand(DATA, LayoutStride((2,)), origin=1)
    assert not may_overlap(even, odd)
    assert may_overlap(even, operand(DATA, LayoutStrideRelaxed((3,)), origin=1))
    assert not may_overlap(even, operand(memoryview(DATA)[8:], LayoutStride((2,))))
    assert may_overlap(even, operand(memoryview(DATA)[4:], LayoutStride((2,))))


def test_memory_that_belongs_to_different_owners_is_apart():
    assert not may_overlap(operand(DATA, LayoutStride((1,))), operand(array("d", DATA), LayoutStride((1,))))
    assert not may_overlap(operand([1] * 4, LayoutStride((1,))), operand([1] * 4, LayoutStride((1,))))
    row = np.arange(8.0)
    assert not may_overlap(parts_of(asview(row[:4])).operand(), parts_of(asview(row[4:])).operand())
    assert may_overlap(parts_of(asview(row[:5])).operand(), parts_of(asview(row[4:])).operand())


def test_two_maps_of_one_file_are_the_same_memory(tmp_path):
    path = tmp_path / "data"
    np.arange(1024.0).tofile(path)

    def mapped(first, last, start=0, mode="r+"):
        return parts_of(asview(np.memmap(path, "f8", mode, 8 * start, (1024 - start,))[first:last])).operand()

    row = mapped(100, 200)
    assert may_overlap(row, mapped(199, 300))
    assert not may_overlap(row, mapped(200, 300))
    assert may_overlap(row, mapped(86, 90, start=13, mode="r"))
    assert not may_overlap(row, mapped(87, 90, start=113, mode="r"))
    assert not may_overlap(row, mapped(100, 200, mode="c"))
    (tmp_path / "other").write_bytes(path.read_bytes())
    assert not may_overlap(row, parts_of(asview(np.memmap(tmp_path / "other", "f8")[100:200])).operand())
    assert not may_overlap(row, parts_of(asview(np.zeros(9))).operand())
    anonymous = [parts_of(MDView(mmap.mmap(-1, 64), (8,))).operand() for _ in "ab"]
    assert not may_overlap(*anonymous)
    assert not may_overlap(row, anonymous[0])


@pytest.mark.skipif(sys.platform != "linux", reason="plain maps do not tell their file")
def test_a_view_that_was_pickled_here_shares_memory_with_the_one_that_was_sent(tmp_path):
    array = np.memmap(tmp_path / "data", "f8", "w+", shape=(1000,))
    array[:] = np.arange(1000)
    view = asview(array)
    again = pickle.loads(pickle.dumps(view))  # noqa: S301 - our own
    copy(view[:-1], again[1:])
    assert view.tolist() == again.tolist() == [0.0, *range(999)]
    with (tmp_path / "data").open("r+b") as file:
        plain = MDView(mmap.mmap(file.fileno(), 0), (8000,))
    copy(bitcast(plain, "d")[:-1], again[1:])
    assert view.tolist() == [0.0, 0.0, *range(998)]


def test_views_that_are_not_strided_are_apart_where_their_bounds_are():
    first = operand(DATA, LayoutTiled(2, 2), (4, 4))
    assert not may_overlap(first, operand(DATA, LayoutMorton(), (4, 4), 16))
    assert may_overlap(first, operand(DATA, LayoutMorton(), (4, 4), 15))


def test_items_of_other_sizes_over_one_memory_may_overlap():
    raw = bytearray(64)
    first = operand(memoryview(raw).cast("d"), LayoutStride((1,)))
    assert may_overlap(first, operand(memoryview(raw).cast("i"), LayoutStride((1,))))
    assert may_overlap(first, operand(memoryview(raw)[4:60].cast("d"), LayoutStride((1,))))


def test_what_cannot_be_decided_counts_as_an_overlap(monkeypatch):
    def undecided(*_, **__):
        raise UndecidedError

    monkeypatch.setattr(aliasing, "overlap", undecided)
    assert may_overlap(operand(DATA, LayoutStride((2,))), operand(DATA, LayoutStride((2,)), origin=1))


def test_dates_of_one_array_are_found():
    dates = np.arange(8).astype("M8[D]")
    assert may_overlap(parts_of(asview(dates[:5])).operand(), parts_of(asview(dates[4:])).operand())
    assert not may_overlap(parts_of(asview(dates[:4])).operand(), parts_of(asview(dates[4:])).operand())


@pytest.mark.parametrize("extents", [(0, 4), (4, 0)])
def test_an_empty_view_overlaps_nothing(extents):
    assert not may_overlap(operand(DATA, LayoutTiled(2, 2), extents), operand(DATA, LayoutTiled(2, 2), extents))
