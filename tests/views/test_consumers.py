"""Whoever looks at all of a view sees the same: flipped, broadcast, padded, shifted, empty or of rank 0."""

import pickle
from array import array

import numpy as np
import pytest
from samples import LayoutSymmetric

from mdview import (
    LayoutLeftPadded,
    LayoutRightPadded,
    LayoutStrideRelaxed,
    LayoutTiled,
    MDView,
    asview,
    copy,
    equal,
    fill,
)

MAKE = {
    "flipped": lambda data: MDView(data, (4, 5))[::-1, ::-2],
    "flipped by its layout": lambda data: MDView(data, (3, 2), LayoutStrideRelaxed((-2, -1), 9)),
    "broadcast": lambda data: MDView(data, (3, 4), LayoutStrideRelaxed((0, 1), 2)),
    "broadcast, then cut": lambda data: MDView(data, (3, 4), LayoutStrideRelaxed((0, 1), 2))[1:, ::2],
    "padded": lambda data: MDView(data, (3, 4), LayoutRightPadded(6)),
    "padded, then cut": lambda data: MDView(data, (3, 4), LayoutLeftPadded(4))[1:, 2:],
    "shifted": lambda data: MDView(data, (24,))[7:],
    "shifted and tiled": lambda data: MDView(data, (5, 4), LayoutTiled(2, 3))[2:, 1:],
    "one row of tiles": lambda data: MDView(data, (5, 4), LayoutTiled(2, 4))[3],
    "symmetric": lambda data: MDView(data, (4, 4), LayoutSymmetric())[1:, ::-1],
    "empty": lambda data: MDView(data, (3, 0, 2)),
    "empty, by cutting": lambda data: MDView(data, (4, 4), LayoutTiled(2, 2))[4:, 1:],
    "of rank 0": lambda data: MDView(data, ()),
    "of rank 0, by cutting": lambda data: MDView(data, (4, 5))[2, 3, ...],
    "of rank 0, out of tiles": lambda data: MDView(data, (4, 5), LayoutTiled(2, 2))[3, 4, ...],
}


@pytest.fixture(params=MAKE)
def view(request):
    return MAKE[request.param](array("d", range(40)))


@pytest.fixture
def places(view):
    """Array of the place in the data that each element has."""
    return np.array([view.origin + offset for offset in view.offsets()], dtype=int).reshape(view.shape)


def test_lists_arrays_and_iteration_show_the_elements(view, places):
    assert view.tolist() == places.tolist()
    assert np.array_equal(np.asarray(view), places)
    if view.rank:
        assert [np.asarray(row).tolist() for row in view] == places.tolist()


def test_a_repr_shows_the_elements(view, places):
    shown = repr(view).split("\n", 1)[1]
    assert "".join(shown.split()) == "".join(repr(places.astype(float).tolist()).split()) or "..." in shown
    assert all(repr(float(place)) in shown for place in places.ravel()[:3])


def test_a_view_equals_itself_its_copy_and_what_it_becomes_on_its_travels(view):
    target = MDView([0.0] * view.size, view.extents)
    copy(view, target)
    assert equal(view, view)
    assert equal(view, target)
    assert equal(view, pickle.loads(pickle.dumps(view)))  # noqa: S301 - of our own making


def test_a_fill_reaches_each_element_and_no_other(view, places):
    fill(view, -1.0)
    reached = set(places.ravel().tolist())
    assert view.data.tolist() == [-1.0 if k in reached else k for k in range(40)]


def test_a_store_through_a_slice_of_it_reaches_that_slice(view, places):
    if not view.rank:
        view[...] = -1.0
        reached = {int(places)}
    else:
        view[::-2] = -1.0
        reached = set(places[::-2].ravel().tolist())
    assert view.data.tolist() == [-1.0 if k in reached else k for k in range(40)]


def test_an_array_of_its_memory_is_a_view_of_the_same_elements(view):
    exported = np.asarray(view)
    again = asview(exported)
    assert equal(again, view)
    fill(again, -1.0)
    assert exported.tolist() == np.full(view.shape, -1.0).tolist()
    assert equal(again, view) == (view.is_strided or not view.size)


@pytest.fixture
def axes():
    """Axes of Matplotlib, which draw into memory."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    figure = pytest.importorskip("matplotlib.figure").Figure()
    yield figure.subplots()
    figure.canvas.draw()


@pytest.mark.parametrize(
    "layout", [LayoutRightPadded(6), LayoutTiled(2, 2), LayoutStrideRelaxed((-4, 1), 12)], ids=repr
)
@pytest.mark.parametrize("data", [array("d", range(40)), list(range(40))], ids=["buffer", "list"])
def test_matplotlib_draws_a_view_as_it_draws_an_array(axes, layout, data):
    view = MDView(data, (4, 4), layout)
    row, column = view[1], view[:, 2]
    values = np.array(view.tolist())
    (line,) = axes.plot(row)
    assert line.get_ydata().tolist() == values[1].tolist()
    (line,) = axes.plot(row, column)
    assert line.get_xydata().tolist() == np.stack([values[1], values[:, 2]], axis=1).tolist()
    assert [line.get_ydata().tolist() for line in axes.plot(view)] == values.T.tolist()
    assert axes.imshow(view).get_array().tolist() == values.tolist()
    points = axes.scatter(row, column, c=view[2], s=view[3])
    assert points.get_offsets().tolist() == np.stack([values[1], values[:, 2]], axis=1).tolist()
    assert [bar.get_height() for bar in axes.bar(row, column)] == values[:, 2].tolist()
