"""What whole-view functions load, show, and take of threads."""

import operator
import sys
import tracemalloc
from array import array

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


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
@pytest.mark.parametrize("extent", [4, 120])
def test_an_array_of_a_padded_view_is_written_to(mode, extent):
    inner = md.MDView(array("d", range(extent * extent)), (extent, extent))
    view = md.MDView.from_mapping(inner.data, md.pad(inner.mapping, 1), md.accessors.FillAccessor(mode))
    found = np.asarray(view)
    found += 1
    assert found.shape == view.extents
