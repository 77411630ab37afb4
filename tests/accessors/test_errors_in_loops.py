"""An error that a user's accessor, layout or function raises within a loop leaves it, also StopIteration."""

import operator
from array import array
from dataclasses import dataclass
from typing import final

import numpy as np
import pytest

import mdview as md
from mdview import errors, iteration


@final
class RaisingLoad(md.Accessor):
    def load(self, data, offset):
        if offset == 5:
            raise StopIteration
        return data[offset]


@final
class RaisingDecode(md.accessors.ElementwiseWritable):
    def decode(self, item):
        if item == 5:
            raise StopIteration
        return item

    def encode(self, value):
        if value == 5:
            raise StopIteration
        return value


@final
@dataclass(frozen=True)
class RaisingLayout(md.Layout):
    raises: list

    def offset(self, extents, index):
        if index[0] in self.raises:
            raise StopIteration
        return index[0] * extents[1] + index[1]

    def required_span_size(self, extents):
        return extents[0] * extents[1]

    def __hash__(self):
        return 1


@final
class RaisingItems(list):
    def __getitem__(self, place):
        if place == 5:
            raise StopIteration
        return super().__getitem__(place)


def other(view, kind=list):
    return md.MDView(kind([-1] * view.size), view.extents)


READS = {
    "tolist": lambda v: v.tolist(),
    "iter": lambda v: [row.tolist() for row in v],
    "in": lambda v: 99 in v,
    "elements": lambda v: list(iteration.elements(v)),
    "elements in memory order": lambda v: list(iteration.elements(v, order="memory")),
    "ravel": lambda v: md.ravel(v).tolist(),
    "runs": lambda v: [list(run) for run in iteration.runs(v)],
    "tiles": lambda v: [tile.tolist() for tile in iteration.tiles(v, (2, 2))],
    "reduce": lambda v: md.reduce(operator.add, v),
    "reduce by a ufunc": lambda v: md.reduce(np.add, v),
    "transform": lambda v: md.transform(lambda x: x, v),
    "transform by a ufunc": lambda v: md.transform(np.positive, v),
    "equal": lambda v: md.equal(v, v),
    "asarray": np.asarray,
    "relayout": lambda v: md.relayout(v, md.LayoutLeft()),
}
STORES = {
    "copy": md.copy,
    "brackets": lambda v, out: operator.setitem(out, slice(None), v),
    "transform out": lambda v, out: md.transform(lambda x: x, v, out=out),
}
LAYOUTS = {"rows": md.LayoutRight(), "tiles": md.LayoutTiled(2, 2)}


@pytest.mark.parametrize("data", [list, lambda r: array("i", r)], ids=["list", "array"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("accessor", [RaisingLoad, RaisingDecode])
class TestAccessors:
    def view(self, accessor, layout, data):
        return md.MDView(data(range(16)), (4, 4), LAYOUTS[layout], accessor())

    @pytest.mark.parametrize("read", READS)
    def test_stop_iteration_of_a_load_leaves_a_read(self, read, accessor, layout, data):
        with pytest.raises((StopIteration, RuntimeError)):
            READS[read](self.view(accessor, layout, data))

    @pytest.mark.parametrize("store", STORES)
    @pytest.mark.parametrize("target", [list, lambda r: array("i", r)], ids=["into a list", "into an array"])
    def test_stop_iteration_of_a_load_leaves_a_store_and_the_target_as_it_was(
        self, store, target, accessor, layout, data
    ):
        view = self.view(accessor, layout, data)
        out = other(view, target)
        with pytest.raises((StopIteration, RuntimeError)):
            STORES[store](view, out)
        assert out.tolist() == other(view).tolist()


@pytest.mark.parametrize("use", READS | STORES)
def test_stop_iteration_of_items_leaves_every_use(use):
    view = md.MDView(RaisingItems(range(16)), (4, 4), md.LayoutTiled(2, 2))
    with pytest.raises((StopIteration, RuntimeError)):
        READS[use](view) if use in READS else STORES[use](view, other(view))


def test_stop_iteration_of_numbers_and_arrays_shortens_no_sequence():
    class Number:
        def __index__(self):
            raise StopIteration

    class Exported:
        def __array__(self, *_, **__):
            raise StopIteration

    class Interface:
        __array_interface__ = np.zeros(6).__array_interface__ | {"shape": (2, 3, Number())}

    target = md.MDView([0] * 6, (2, 3))
    for use in (lambda: operator.setitem(target, ..., [[1] * 3, [2] * 3, Exported()]), lambda: md.asview(Interface())):
        with pytest.raises((StopIteration, RuntimeError, errors.MDViewError)):
            use()
    assert target.tolist() == [[0] * 3] * 2


def test_an_error_of_an_accessor_leaves_good_data_in_a_file(tmp_path):
    pytest.importorskip("zarr")
    good = md.MDView(array("i", range(16)), (4, 4))
    for accessor in (RaisingLoad(), RaisingDecode()):
        view = md.MDView(array("i", range(16)), (4, 4), accessor=accessor)
        for write, path, read in (
            (md.save, tmp_path / "a.npy", np.load),
            (lambda v, p: md.to_zarr(v, p, overwrite=True), tmp_path / "a", md.from_zarr),
        ):
            write(good, path)
            with pytest.raises((StopIteration, RuntimeError)):
                write(view, path)
            assert np.asarray(read(path)).tolist() == good.tolist()


@pytest.mark.parametrize("data", [list, lambda r: array("i", r)], ids=["list", "array"])
@pytest.mark.parametrize("store", STORES)
def test_stop_iteration_of_encode_leaves_a_store(store, data):
    source = md.MDView(list(range(16)), (4, 4))
    out = md.MDView(data([0] * 16), (4, 4), accessor=RaisingDecode())
    with pytest.raises((StopIteration, RuntimeError)):
        STORES[store](source, out)
    assert out.tolist() == [[0] * 4] * 4


@pytest.mark.parametrize("read", [name for name in READS if name not in ("equal", "transform", "relayout")])
def test_stop_iteration_of_a_layout_leaves_a_read(read):
    layout = RaisingLayout([])
    view = md.MDView(list(range(40 * 41)), (40, 41), layout)[1:, ::-2]
    layout.raises.append(33)
    try:
        answer = READS[read](view)
    except (StopIteration, RuntimeError):
        return  # the positions are computed anew, and the error leaves
    layout.raises.clear()  # or they were known before, and then the answer is whole
    again = READS[read](view)
    assert np.array_equal(answer, again) if read in ("asarray", "transform by a ufunc") else answer == again


def test_stop_iteration_of_a_function_leaves_transform_and_reduce():
    def raising(*values):
        if 5 in values:
            raise StopIteration
        return values[0]

    view = md.MDView(list(range(16)), (4, 4))
    for call in (lambda: md.transform(raising, view), lambda: md.reduce(raising, view)):
        with pytest.raises((StopIteration, RuntimeError)):
            call()
