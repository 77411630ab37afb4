"""Items: what each format holds and refuses, and what is data at all."""

import ctypes
from array import array
from collections import deque

import numpy as np
import pytest
from samples.data import FORMATS, items_of

from mdview import LayoutLeft, Mapping, MDView, ReadOnlyAccessor, asview
from mdview.errors import AccessorError, BufferFormatError, ElementError, ElementTypeError, LayoutError, ReadOnlyError
from mdview.operations import bitcast, ravel

VALUES = {
    **{letter: [1, 0, 100] for letter in "bBhHiIlLqQ"},
    **{kind: [0.5, -1.0, float("inf"), -0.0, 7] for kind in ("f", "d", "e", ">e", ">f", ">d")},
    **{kind: [0.5 - 0.25j, complex(-0.0, float("inf")), 1j, 2.0, 3] for kind in ("Zf", "Zd", ">Zd")},
    **{kind: [1, -2, 2**14, -(2**15)] for kind in (">h", ">i")},
    ">Q": [0, 2**64 - 1],
    "?": [True, False, 1],
    "c": [b"a", b"\0"],
}
WRONG = {"Z": ["no number", None], "c": [1, b"ab", "a"], "?": []}


def refused(item_format):
    letter = item_format.lstrip(">")
    wide = [2**70, -(2**70)] if letter in "bBhHiIlLqQ" else [1e9] if letter == "e" else [10**400] * (letter in "fd")
    kinds = [1.5, 2j] if letter in "bBhHiIlLqQ" else [1j] if letter in "efd" else []
    return [*WRONG.get(letter[0], ["x", None, [1]]), *wide, *kinds]


@pytest.mark.parametrize("item_format", VALUES)
def test_each_format_holds_its_values_and_refuses_others(item_format):
    def items():
        if item_format == "c":
            return MDView(memoryview(bytearray(4)).cast("c"), (4,))
        size = memoryview(FORMATS[item_format].make(1)).itemsize
        return bitcast(MDView(bytearray(4 * size), (4 * size,)), item_format)

    view, twin = items(), items_of(FORMATS[item_format].make(4))
    for k, value in enumerate(VALUES[item_format]):
        view[k % 4 - 4 * (k % 2)] = value
        twin[k % 4] = value
        assert repr(view[k % 4]) == repr(view.tolist()[k % 4]) == repr(twin[k % 4])
    before = list(map(repr, view.tolist()))
    for value in refused(item_format):
        with pytest.raises((ElementTypeError, ElementError)):
            view[1] = value
        assert [repr(x) for k, x in enumerate(view.tolist()) if k != 1] == [before[0], *before[2:]]
    for offset in (4, -5, 10**9, 2**70):
        with pytest.raises(IndexError):
            view[offset]


@pytest.mark.parametrize(
    "data",
    [
        *(array("d", [1, 2]), bytearray(b"ab"), memoryview(array("h", [1, 2])), (ctypes.c_double * 2)(1, 2)),
        *(np.arange(2), [1, None], deque([1, 2]), b"ab", memoryview(b"ab"), (1, 2), range(2), "ab"),
    ],
    ids=lambda data: type(data).__name__,
)
def test_what_exports_a_buffer_or_is_a_sequence_is_data(data):
    view = MDView(data, (2,), accessor=ReadOnlyAccessor())
    assert view.tolist() == list(data)
    assert view.data is data
    if isinstance(data, bytes | tuple | range | str) or (isinstance(data, memoryview) and data.readonly):
        with pytest.raises((ReadOnlyError, AccessorError)):
            MDView(data, (2,))
    else:
        MDView(data, (2,))[0] = 0
        assert data[0] == 0


@pytest.mark.parametrize(
    "data", [5, None.__class__, {1: 2}, {1, 2}, iter([1]), object(), np.arange(4)[::2], memoryview(np.arange(4))[::2]]
)
def test_what_is_no_row_of_items_is_no_data(data):
    with pytest.raises(BufferFormatError):
        MDView(data, (1,))


def test_items_of_many_dimensions_are_one_row_in_memory_order():
    grid = np.arange(6).reshape(2, 3)
    for data in (grid, grid[:1].T, np.array(7), np.zeros((0, 3))):
        assert MDView(data, (data.size,)).tolist() == data.ravel().tolist()
    columns = np.asfortranarray(grid)
    for data in (columns, memoryview(columns), columns.astype(object), columns.astype("M8[s]"), columns.astype("f2")):
        for extents in ((2, 3), (3, 2), (6,)):
            for make in (MDView, lambda d, e: MDView.from_mapping(d, Mapping(e))):
                with pytest.raises(LayoutError, match=r"shape \(2, 3\).*columns.*asview.*LayoutLeft"):
                    make(data, extents)
            assert ravel(MDView(data, extents, LayoutLeft()).T).tolist() == np.asarray(data).ravel("F").tolist()
        assert asview(np.asarray(data)).tolist() == np.asarray(data).tolist()
    released = memoryview(b"ab")
    released.release()
    with pytest.raises(BufferFormatError):
        MDView(released, (1,))
