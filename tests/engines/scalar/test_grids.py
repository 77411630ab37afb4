"""Grids: element access by a memoryview of several dimensions, next to the view's own mapping."""

import gc
import mmap
import subprocess
import sys
import weakref
from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import all_indices

from mdview import (
    AtomicAccessor,
    CheckedAccessor,
    DefaultAccessor,
    LayoutLeft,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    ScaledAccessor,
    UncheckedAccessor,
    asview,
    flip,
)
from mdview.engines.scalar import grids
from mdview.engines.scalar.access import MEMORY, access_of
from mdview.errors import IndexOutOfRangeError, IndexTypeError, NullViewError

LAYOUTS = {
    "right": LayoutRight(),
    "left": LayoutLeft(),
    "padded": LayoutRightPadded(7),
    "stride": LayoutStride((40, 10, 2)),
    "relaxed": LayoutStrideRelaxed((-30, 5, -1), offset=200),
    "broadcast": LayoutStrideRelaxed((0, 5, 1)),
}


@pytest.fixture(autouse=True)
def every_view_has_a_grid(monkeypatch):
    monkeypatch.setattr(grids, "PAYS_FROM", 1)


def has_grid(view):
    return hasattr(view, "_grid")


def sample(layout, extents=(3, 4, 5), item_format="d", origin=0):
    mapping = Mapping(extents, layout)
    length = origin + mapping.required_span_size + 3
    data = array("d", range(length)) if item_format == "d" else memoryview(bytearray(8 * length)).cast(item_format)
    return MDView.from_mapping(data, mapping, origin=origin)


@pytest.mark.parametrize("origin", [0, 11])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=list(LAYOUTS))
def test_an_element_is_the_one_of_the_mapping(layout, origin):
    view = sample(layout, origin=origin)
    for index in all_indices(view.extents):
        assert view[index] == view.data[origin + view.mapping(*index)]
        view[index] = -1.0 - view[index]
        assert view.data[origin + view.mapping(*index)] == view[index] < 0
        view[index] = -1.0 - view[index]
    assert has_grid(view)
    assert list(view.data) == list(range(len(view.data)))  # nothing else was stored to


@given(st.data())
def test_parts_of_parts_are_those_of_numpy(data):
    array_ = np.arange(24.0).reshape(2, 3, 4)
    view = asview(array_)
    for _ in range(data.draw(st.integers(1, 3))):
        key = tuple(
            slice(data.draw(st.integers(-5, 5)), None, data.draw(st.sampled_from([-2, -1, 1, 2])))
            for _ in range(array_.ndim)
        )
        array_, view = array_[key], view[key]
        for index in all_indices(array_.shape):
            assert view[index] == array_[index]


@pytest.mark.parametrize("item_format", sorted(MEMORY - {"d"}))
@pytest.mark.parametrize("layout", [LayoutRight(), LayoutLeft()], ids=["right", "left"])
def test_every_format_of_memory_has_one(layout, item_format):
    view = sample(layout, (3, 4), item_format)
    view[1, 2] = 1
    assert view[1, 2] == 1
    assert [view[i] for i in all_indices((3, 4)) if i != (1, 2)] == [0] * 11
    assert view._grid.format == view.format == item_format
    assert type(view[0, 0]) is type(view.data[0])


def test_a_negative_index_counts_from_the_end_and_others_are_refused():
    view = sample(LayoutLeft(), (3, 4))
    assert view[-1, -4] == view[2, 0]
    assert view[np.int8(-1), True] == view[2, 1]
    for index in [(3, 0), (-4, 0), (0, 4), (0, -5)]:
        with pytest.raises(IndexOutOfRangeError, match="is out of range for extent"):
            view[index]
        with pytest.raises(IndexOutOfRangeError, match="is out of range for extent"):
            view[index] = 0


@pytest.mark.parametrize("key", [[1, 2], b"\x01\x02", np.array([1, 2]), {1: 0, 2: 0}, {1, 2}, "12", 1.0])
def test_what_is_no_index_is_refused_by_name(key):
    view = sample(LayoutRight(), (3, 4))
    view[0, 0]
    with pytest.raises(IndexTypeError):
        view[key]
    with pytest.raises(IndexTypeError):
        view[key] = 0


@pytest.mark.parametrize(
    "key", [slice(1, 3), 1, (slice(None), 2), (..., 1), (), ..., (slice(0, 3, 2), slice(3, 0, -1))]
)
def test_a_part_is_a_view_and_not_a_memoryview(key):
    view = sample(LayoutRight(), (3, 4))
    view[0, 0]
    assert isinstance(view[key], MDView)
    assert view[key].tolist() == np.asarray(view)[key].tolist()
    view[key] = view[key].tolist()
    assert list(view.data) == list(range(15))


def test_a_wrong_value_is_refused_as_ever():
    view = sample(LayoutRight(), (3, 4), "B")
    with pytest.raises(ValueError, match="items of format 'B' take integers from 0 to 255, got int 256"):
        view[0, 0] = 256
    with pytest.raises(TypeError):
        view[0, 0] = "x"
    assert bytes(view.data) == bytes(len(view.data))


def test_a_released_view_lets_the_buffer_go():
    data = bytearray(96)
    view = MDView(memoryview(data).cast("d"), (3, 4), LayoutLeft())
    view[0, 0] = 1.0
    with pytest.raises(BufferError):
        data.append(0)
    view.release()
    assert not has_grid(view)
    for touch in (lambda: view[0, 0], lambda: view.__setitem__((0, 0), 1.0)):
        with pytest.raises(NullViewError):
            touch()


def test_a_file_can_be_closed_once_its_view_is_gone():
    with mmap.mmap(-1, 4096) as memory:
        view = MDView(memory, (64, 64), LayoutLeft())
        view[1, 1] = 7
        assert memory[65] == 7
        with pytest.raises(BufferError):
            memory.close()
        del view
        gc.collect()
        memory.close()


def test_a_grid_keeps_the_array_alive_and_is_no_cycle():
    class Numbers(array):
        pass

    data = Numbers("d", range(12))
    watcher = weakref.ref(data)
    view = MDView(data, (3, 4), LayoutLeft())
    row = view[1]
    view[0, 0], row[0]
    del data, view
    assert row[1] == 4.0
    gc.disable()
    try:
        del row
        assert watcher() is None
    finally:
        gc.enable()


def test_a_read_only_view_reads_through_a_grid_and_stores_nothing():
    view = MDView(bytes(range(12)), (3, 4), LayoutLeft(), ReadOnlyAccessor())
    assert view[2, 1] == 5
    assert has_grid(view)
    with pytest.raises(TypeError, match="read-only"):
        view[2, 1] = 0


@pytest.mark.parametrize(
    ("accessor", "item_format", "mapping"),
    [
        (ScaledAccessor(2.0), "d", Mapping((40, 40))),
        (AtomicAccessor(), "d", Mapping((40, 40))),
        (DefaultAccessor(), "O", Mapping((40, 40))),
        (DefaultAccessor(), ">d", Mapping((40, 40))),
        (DefaultAccessor(), "d", Mapping((1600,))),
        (DefaultAccessor(), "d", Mapping((40, 40), LayoutTiled(8, 8))),
        (DefaultAccessor(), "d", Mapping((1,) * 33)),
    ],
    ids=["scaled", "atomic", "objects", "foreign order", "rank 1", "tiled", "rank 33"],
)
def test_where_a_grid_would_mean_something_else_there_is_none(accessor, item_format, mapping):
    assert not grids.has_grid(access_of(MDView, accessor, item_format), mapping)


def test_a_checked_view_refuses_every_negative_index_and_an_unchecked_one_trusts_it():
    origin, right = 40, sample(LayoutRight(), (3, 4), origin=40)
    strict = MDView.from_mapping(right.data, right.mapping, CheckedAccessor(), origin=origin)
    trusting = MDView.from_mapping(right.data, right.mapping, UncheckedAccessor(), origin=origin)
    assert strict[2, 3] == trusting[2, 3] == right[2, 3]
    assert has_grid(strict)
    assert has_grid(trusting)
    for index in [(-1, 0), (0, -1), (-3, -4), (-4, 0), (0, -8), (0, -9)]:
        with pytest.raises(IndexOutOfRangeError, match="does not count from the end"):
            strict[index]
        with pytest.raises(IndexOutOfRangeError, match="does not count from the end"):
            strict[index] = 0.0
        assert trusting[index] == right.data[origin + 4 * index[0] + index[1]]
    assert trusting[2, 5] == right.data[origin + 13]


def test_a_small_view_has_none(monkeypatch):
    monkeypatch.setattr(grids, "PAYS_FROM", 1024)
    assert not grids.has_grid(access_of(MDView, DefaultAccessor(), "d"), Mapping((31, 33)))
    assert grids.has_grid(access_of(MDView, DefaultAccessor(), "d"), Mapping((32, 32)))


def test_a_flipped_view_has_its_own():
    view = sample(LayoutRight(), (3, 4))
    assert view[0, 0] == 0
    back = flip(view)
    assert (back[0, 0], view[0, 0], back[2, 3]) == (11, 0, 0)


WITHOUT_NUMPY = """
import sys
from array import array
from mdview import LayoutLeft, MDView

data = array("d", range(1600))
right, left = MDView(data, (40, 40)), MDView(data, (40, 40), LayoutLeft())
assert right[3, 5] == 125 and left[3, 5] == 203 and right[-1, -1] == 1599
assert hasattr(right, "_grid") and not hasattr(left, "_grid")
assert "numpy" not in sys.modules and "ctypes" not in sys.modules
"""


def test_elements_are_read_where_numpy_must_not_be_loaded(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    view = MDView(array("d", range(41 * 43)), (41, 43), LayoutLeft())
    assert [view[3, 5] for _ in range(3)] == [3 + 5 * 41] * 3


def test_rows_need_nothing_but_the_standard_library():
    run = subprocess.run([sys.executable, "-c", WITHOUT_NUMPY], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
