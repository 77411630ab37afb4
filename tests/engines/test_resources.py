"""What whole-view functions load, show, and take of threads."""

import gc
import io
import mmap
import operator
import os
import socket
import sys
import tracemalloc
import weakref
from array import array
from dataclasses import dataclass

import numpy as np
import pytest

import mdview as md
from mdview import LayoutMorton, LayoutRight, LayoutTiled, MDView, copy, equal, fill, reduce
from mdview.errors import MissingExtraError, ThreadsError


def view(layout=None, item_format="d", side=8):
    return MDView(array(item_format, range(side * side)), (side, side), layout)


@pytest.mark.parametrize("layout", [LayoutTiled(4, 4), LayoutMorton(), LayoutRight()])
@pytest.mark.parametrize("side", [8, 64])
def test_all_elements_are_reported_by_every_operation(layout, side, capsys):
    for act in (
        lambda **say: copy(view(layout, "d", side), view(None, "d", side), **say),
        lambda **say: copy(view(layout, "q", side), view(None, "d", side), **say),
        lambda **say: fill(view(layout, "d", side), 1.5, **say),
        lambda **say: equal(view(layout, "d", side), view(layout, "d", side), **say),
        lambda **say: reduce(operator.add, view(layout, "d", side), **say),
    ):
        told = []
        act()
        assert capsys.readouterr() == ("", "")
        act(progress=lambda *now, told=told: told.append(now))
        assert told == sorted(told)
        assert told[-1] == (side**2, side**2)


def test_a_bar_is_shown_or_its_extra_named(capsys, monkeypatch):
    copy(view(), view(LayoutTiled(2, 2)), progress=True)
    assert "64" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm", None)
    target = view()
    with pytest.raises(MissingExtraError, match="progress"):
        fill(target, 0.0, progress=True)
    assert target[0, 1] == 1.0


@pytest.mark.parametrize("threads", [0, -1, 1.5, None, "2"])
def test_threads_are_a_positive_number(threads):
    data = [0, 0]
    with pytest.raises(ThreadsError):
        copy(MDView([1, 2], (2,)), MDView(data, (2,)), threads=threads)
    assert data == [0, 0]
    copy(MDView([1, 2], (2,)), MDView(data, (2,)), threads=4)
    assert data == [1, 2]


def test_positions_are_kept_within_a_budget_of_bytes():
    side, each, most = 256, 1 << 19, 1 << 24
    data = array("d", range(side * side))
    views = [md.MDView(data, (side, side - k), md.LayoutSwizzled(LayoutRight(), 2, 0, 3)) for k in range(64)]
    assert most < len(views) * each / 1.5
    tracemalloc.start()
    try:
        for _ in range(3):
            for view in views:
                assert np.asarray(view)[-1].tolist() == view[-1].tolist()
        assert each < tracemalloc.get_traced_memory()[0] < most + 2 * each
    finally:
        tracemalloc.stop()


def test_a_copy_keeps_a_million_positions_of_both_operands_together():
    layouts = md.LayoutTiled(16, 16, inner=md.LayoutLeft()), md.LayoutSwizzled(LayoutRight(), 3, 3, 3)
    mappings = [md.Mapping((1023, 1025), layout) for layout in layouts]
    source, target = [md.MDView.from_mapping(bytearray(m.required_span_size), m) for m in mappings]
    copy(source[:2], target[:2])  # what a layout keeps of itself is no memory of a copy
    tracemalloc.start()
    try:
        copy(source, target)
        assert tracemalloc.get_traced_memory()[0] < 9 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
@pytest.mark.parametrize("extent", [4, 120])
def test_an_array_of_a_padded_view_is_written_to(mode, extent):
    inner = md.MDView(array("d", range(extent * extent)), (extent, extent))
    view = md.MDView.from_mapping(inner.data, md.pad(inner.mapping, 1), md.accessors.FillAccessor(mode))
    found = np.asarray(view)
    found += 1
    assert found.shape == view.extents


@dataclass(frozen=True, eq=False)
class Holding(md.Layout):
    """Rows of a user's layout that holds something."""

    held: object

    def offset(self, extents, index):
        return index[0] * extents[1] + index[1]

    def required_span_size(self, extents):
        return extents[0] * extents[1]


@dataclass(frozen=True, eq=False)
class HoldingAccessor(md.ElementwiseWritable):
    """Items plus 1 of a user's accessor that holds something."""

    held: object

    def decode(self, item):
        return item + 1

    def encode(self, value):
        return value - 1


class Large:
    """What holds a MiB."""

    def __init__(self):
        self.data = bytearray(1 << 20)


def closure_of(held):
    return lambda: held


HELD = {
    "map": lambda file: mmap.mmap(file.fileno(), 4096),
    "file": lambda file: io.FileIO(os.devnull),
    "socket": lambda file: socket.socket(),
    "memory": lambda file: np.memmap(file, mode="r", shape=4),
    "array": lambda file: np.zeros(1 << 16),
    "object": lambda file: Large(),
}
HOLDERS = {
    "layout": lambda held: md.MDView(array("d", range(16)), (4, 4), Holding(held)),
    "layout with a function": lambda held: md.MDView(array("d", range(16)), (4, 4), Holding(closure_of(held))),
    "layout within": lambda held: md.MDView(array("d", range(16)), (4, 4), md.LayoutSwizzled(Holding(held), 1, 0, 1)),
    "accessor": lambda held: md.MDView(array("d", range(16)), (4, 4), accessor=HoldingAccessor(held)),
}


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("held", HELD)
def test_what_is_remembered_keeps_nothing_open_and_nothing_large(held, holder, tmp_path):
    left = []
    (tmp_path / "data").write_bytes(bytes(4096))
    with (tmp_path / "data").open("rb+") as file:
        for _ in range(3):
            thing = HELD[held](file)
            left.append(weakref.ref(thing))
            view = HOLDERS[holder](thing)
            assert view[1, 1] == view[1:].tolist()[0][1] == np.asarray(view[::-1])[2, 1]
            copy(view, md.zeros((4, 4)))
            assert equal(md.flip(md.pad(view, 1, "edge"))[1:-1, 1:-1], view[::-1, ::-1])
            assert md.reshape(view, (16,))[5] == view[1, 1]
            assert len(list(md.tiles(view, (2, 2)))) == 4
            del view, thing
    gc.collect()
    assert [thing() for thing in left] == [None, None, None]
