"""What NumPy's arrays are asked for and views are, too: ``T``, ``nbytes``, ``dtype``."""

import builtins
import subprocess
import sys
from array import array

import numpy as np
import pytest
from samples import MAPPINGS

from mdview import (
    AlignedAccessor,
    CheckedAccessor,
    DefaultAccessor,
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    MDView,
    ReadOnlyAccessor,
    asview,
    atomic,
    bitcast,
    broadcast_to,
    dim,
    equal,
    pad,
    permute_dims,
    readonly,
    scaled,
    transposed,
)
from mdview.errors import MissingExtraError
from mdview.testing.samples.data import FORMATS


@pytest.fixture(params=MAPPINGS)
def view(request):
    mapping = MAPPINGS[request.param]
    return MDView.from_mapping(array("d", range(mapping.required_span_size + 2)), mapping, origin=2)


def test_the_dimensions_of_the_transpose_are_reversed_on_every_layout(view):
    found = view.T
    assert found.extents == view.extents[::-1]
    assert tuple(map(type, found.extents)) == tuple(map(type, view.extents[::-1]))
    assert np.array_equal(np.asarray(found), np.asarray(view).T)
    assert equal(found, permute_dims(view, range(view.rank)[::-1]))
    assert equal(found.T, view)
    assert found.accessor == view.accessor
    assert found.data is view.data


def test_the_transpose_is_a_view_of_the_same_elements():
    view = MDView(array("d", range(24)), (2, 3, 4))
    view.T[3, 2, 1] = -1.0
    assert view[1, 2, 3] == -1.0
    view.T[...] = 7.0
    assert set(view.data) == {7.0}


def test_the_transpose_of_a_matrix_is_what_transposed_gives():
    for layout in (LayoutRight(), LayoutLeft(), LayoutRightPadded(5), LayoutMorton()):
        view = MDView(array("d", range(40)), (3, dim(4)), layout)
        assert view.T.mapping == transposed(view).mapping
        assert type(view.T.layout) is type(transposed(view).layout)
        assert view.T.T.mapping == view.mapping


@pytest.mark.parametrize("shape", [(), (5,), (0,), (3, 0), (0, 3), (1, 4), (2, 0, 3), (2, 3, 4, 1, 2)])
def test_any_rank_and_empty_views_have_a_transpose(shape):
    data = np.arange(48.0)
    view = MDView(data, shape)
    expected = data[: np.prod(shape, dtype=int)].reshape(shape).T
    assert view.T.shape == expected.shape
    assert np.array_equal(np.asarray(view.T), expected)
    assert repr(view.T)


def test_parts_and_padded_and_broadcast_views_have_a_transpose():
    view = MDView(array("d", range(40)), (4, 5))
    for x in (
        view[::-1, 1::2],
        view[1],
        view[:, 2],
        pad(view, 1),
        pad(view, 1, "edge")[:, 2:],
        broadcast_to(view, (2, 4, 5)),
    ):
        assert np.array_equal(np.asarray(x.T), np.asarray(x).T)


def test_the_transpose_keeps_what_an_access_does():
    view = MDView(array("d", range(6)), (2, 3))
    assert atomic(view).T[2, 1].load() == view[1, 2]
    assert scaled(10, view).T.tolist() == [[0, 30], [10, 40], [20, 50]]
    with pytest.raises(TypeError, match="read-only"):
        readonly(view).T[0, 0] = 1
    with pytest.raises(IndexError):
        MDView(view.data, (2, 3), accessor=CheckedAccessor()).T[-1, 0]
    assert MDView(np.zeros(6), (2, 3), accessor=AlignedAccessor(8)).T.accessor == AlignedAccessor(8)


def test_the_null_view_has_a_transpose():
    assert MDView.null((dim(2), 3, 4)).T.extents == (0, 0, 2)
    assert MDView.null((2, 3)).T.data is None


def test_the_transpose_of_a_released_view_is_a_null_view():
    view = MDView(array("d", range(6)), (2, 3))
    view.release()
    assert view.T.data is None


def test_bytes_are_those_of_the_elements_wherever_they_lie(view):
    assert view.nbytes == view.size * 8 == np.asarray(view).nbytes


@pytest.mark.parametrize("item_format", FORMATS)
def test_the_type_is_numpys_of_the_items(item_format):
    storage = FORMATS[item_format].make(12)
    view = MDView(storage, (3, 4), accessor=ReadOnlyAccessor() if storage.readonly else DefaultAccessor())
    assert view.nbytes == 12 * view.itemsize
    found = view.dtype
    assert isinstance(found, np.dtype)
    assert found.itemsize == view.itemsize
    if isinstance(view.data, list | tuple):
        assert found == np.dtype(object)
    else:
        assert found == np.asarray(view).dtype
    assert view[1:, ::-2].dtype == view.T.dtype == view[:0].dtype == found


STRUCTURED = np.dtype([("a", ">i4"), ("b", "f8", (2,)), ("c", "O")])


@pytest.mark.parametrize("kind", [">f8", "<i2", "c8", ">c16", "?", "S5", "U3", "M8[s]", "m8[ms]", "O", STRUCTURED])
def test_the_type_of_the_view_of_an_array_is_the_arrays(kind):
    array_ = np.zeros((2, 3), kind)
    view = asview(array_)
    assert view.dtype == array_.dtype
    assert view.nbytes == array_.nbytes
    assert view.T.dtype == array_.dtype


def test_null_views_and_lists_have_objects():
    assert MDView([1, 2], (2,)).dtype == np.dtype(object)
    assert MDView.null((2, 3)).dtype == np.dtype(object)
    assert MDView.null((2, 3)).nbytes == 0
    assert MDView([], (0, 3)).nbytes == 0
    assert MDView([1], ()).nbytes == np.array([1], object).nbytes


@pytest.mark.parametrize("item_format", ["=i", "@d", "<i", "!h", ">e"])
def test_a_mark_of_the_byte_order_is_no_obstacle(item_format):
    view = bitcast(MDView(bytearray(range(32)), (32,)), item_format)
    assert view.dtype.itemsize == view.itemsize
    exported = np.asarray(view)
    assert exported.dtype == view.dtype
    assert exported.tolist() == view.tolist()


def test_without_numpy_the_error_names_the_extra(monkeypatch):
    imported = builtins.__import__

    def missing(name, *args, **kwargs):
        if name == "numpy":
            raise ImportError(name)
        return imported(name, *args, **kwargs)

    view = MDView(array("d", [1, 2]), (2,))
    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(MissingExtraError, match=r"mdview-layouts\[numpy\]"):
        _ = view.dtype
    assert view.nbytes == 16
    assert view.T.tolist() == [1, 2]


def test_only_the_type_loads_numpy():
    code = (
        "import sys, mdview; v = mdview.MDView([1, 2], (1, 2)); v.T, v.nbytes, v == None, hash(v)\n"
        "assert 'numpy' not in sys.modules; v.dtype; assert 'numpy' in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
