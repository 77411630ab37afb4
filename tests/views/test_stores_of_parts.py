"""Stores through slices: from views, buffers, sequences, arrays and single values; and views that cannot be made."""

from array import array
from collections import UserList, deque

import numpy as np
import pytest

import mdview as md
from mdview import errors

LAYOUTS = {"right": None, "tiled": md.LayoutTiled(3, 2), "flipped": md.LayoutStrideRelaxed((-4, 1), 8)}
SQUARE = np.array([[1, 2], [3, 4]])
SOURCES = {
    "list": SQUARE.tolist,
    "tuple": lambda: ((1, 2), (3, 4)),
    "deque": lambda: deque([[1, 2], [3, 4]]),
    "UserList": lambda: UserList([[1, 2], (3, 4)]),
    "list of arrays": lambda: [SQUARE[0], SQUARE[1]],
    "list of views": lambda: [md.MDView([1, 2], (2,)), md.MDView([3, 4], (2,))],
    "view": lambda: md.MDView([1, 3, 2, 4], (2, 2), md.LayoutLeft()),
    "array": lambda: SQUARE,
    "array, foreign": lambda: SQUARE.astype(">i2"),
    "array, transposed": lambda: SQUARE.T.copy().T,
    "array of objects": lambda: SQUARE.astype(object),
    "array, stepped": lambda: np.repeat(SQUARE, 2, axis=1)[:, ::2],
    "memoryview": lambda: memoryview(SQUARE),
    "what exports an array": type("Exporter", (), {"__array__": lambda *_, **__: SQUARE}),
}


def matrix(layout=None, **policy):
    return md.MDView(array("q", range(12)), (3, 4), *([layout] if layout else []), **policy)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("source", SOURCES)
def test_values_of_the_shape_are_copied_from_whatever_has_them(source, layout):
    view = matrix(LAYOUTS[layout])
    expected = np.array(view.tolist())
    view[::2, 1:3] = SOURCES[source]()
    expected[::2, 1:3] = SQUARE
    assert view.tolist() == expected.tolist()
    view[1, None, 2:] = [[7, 8]]
    assert view[1].tolist()[2:] == [7, 8]


@pytest.mark.parametrize("row", [array("q", [5, 6]), b"\5\6", bytearray(b"\5\6"), [5, 6], np.array([5, 6], "f2")])
def test_one_dimension_is_a_row(row):
    view = md.MDView([0.0] * 4, (2, 2))
    view[1] = row
    assert view.tolist() == [[0, 0], [5, 6]]
    view[:, None] = md.expand_dims(view[::-1], 1)
    assert view.tolist() == [[5, 6], [0, 0]]


@pytest.mark.parametrize("value", [7, np.array(7), np.int64(7), "ab", None, b"\7", {1: 2}])
def test_one_value_fills(value):
    view = md.MDView([0] * 6, (2, 3))
    if isinstance(value, bytes):  # a buffer
        with pytest.raises(errors.ShapeError, match=r"\(1,\).*\(2,\)"):
            view[:, 1] = value
        return
    view[:, 1] = value
    assert view.tolist() == [[0, value, 0]] * 2
    md.fill(view, [8])  # a value, whatever it is
    assert view.tolist() == [[[8]] * 3] * 2


def test_a_read_only_view_stores_nothing():
    for view in (md.readonly(matrix()), md.MDView(bytes(12), (3, 4), accessor=md.ReadOnlyAccessor())):
        for key in [(0, 0), 0, slice(None), (9, 9), None, (0, None, 0), ..., (..., None)]:
            with pytest.raises(errors.ReadOnlyError, match="ReadOnlyAccessor"):
                view[key] = 1
        assert not any(part.flags.writeable for part in (view[...], view[None], view[..., 1, 2], view.T))


@pytest.mark.parametrize("kind", ["U2", "S2", "S1", "M8[s]", "m8[us]", "i4, f8", "O"])
def test_arrays_of_any_type_are_stored_in_views_of_that_type(kind):
    given = np.arange(48).reshape(6, 8).astype("m8[us]" if kind == "m8[us]" else "i8").astype(kind)
    view = md.relayout(md.asview(np.zeros((6, 8), kind)), md.LayoutTiled(2, 2))
    every = np.s_[:], np.s_[::-1], np.s_[:, 1::2], np.s_[2]
    for part, row in zip(every, (given, given, given[:, ::-2], given[3]), strict=True):
        view[part] = row
        assert np.array_equal(np.asarray(view[part]), row)
    own = given.copy()
    md.asview(own)[::-1] = own
    assert np.array_equal(own, given[::-1])
    md.copy(md.asview(own), md.asview(own)[::-1])
    assert np.array_equal(own, given)
