"""What whole-view functions load, show, and take of threads."""

import operator
import sys
from array import array
from collections import deque

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


def test_positions_are_kept_within_a_budget_of_bytes(monkeypatch):
    locating = pytest.importorskip("mdview.engines.bulk.arrays.gather_scatter")
    monkeypatch.setattr(locating, "MOST_KEPT", 1 << 14)
    monkeypatch.setattr(locating, "_kept", deque())
    monkeypatch.setattr(locating._PositionMemory, "kept", 0)
    views = [
        md.MDView(array("d", range(400)), (n, n), md.LayoutSwizzled(md.LayoutRight(), 2, 0, 3)) for n in range(2, 21)
    ]
    for _ in range(3):
        for view in views:
            found = np.asarray(view[1:, 1:])
            assert found.tolist() == [[view[i, j] for j in range(1, len(view))] for i in range(1, len(view))]
            assert sum(size for *_, size in locating._kept) == locating._PositionMemory.kept <= 1 << 14


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
@pytest.mark.parametrize("extent", [4, 120])
def test_an_array_of_a_padded_view_is_written_to(mode, extent):
    inner = md.MDView(array("d", range(extent * extent)), (extent, extent))
    view = md.MDView.from_mapping(inner.data, md.pad(inner.mapping, 1), md.accessors.FillAccessor(mode))
    found = np.asarray(view)
    found += 1
    assert found.shape == view.extents
