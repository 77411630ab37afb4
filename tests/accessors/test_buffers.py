"""A storage holds anything that exports a contiguous buffer, and any sequence, as items in one row."""

import ctypes
import gc
import pickle
import struct
import sys
from array import array
from collections import deque

import numpy as np
import pytest

from mdview import MDView, ReadOnlyAccessor
from mdview.accessors.buffers import Storage, address_of
from mdview.accessors.formats import native_format
from mdview.accessors.struct_items import StructItems
from mdview.errors import AccessorError, BufferFormatError, ElementError, ElementTypeError

NATIVE = "bBhHiIlLqQnNfd?"


@pytest.mark.parametrize("letter", [*NATIVE, "c"])
@pytest.mark.parametrize("prefix", ["", "@"])
def test_a_native_format_is_read_in_place(letter, prefix):
    value = b"a" if letter == "c" else True if letter == "?" else 1
    raw = bytearray(struct.pack(f"3{letter}", *[value] * 3))
    storage = Storage(raw, letter)
    assert (storage.format, storage.itemsize, storage.length) == (letter, struct.calcsize(letter), 3)
    assert list(storage.items) == [value] * 3
    assert native_format(prefix + letter, storage.itemsize) == letter


@pytest.mark.parametrize(
    ("text", "itemsize", "letter"),
    [
        ("<d", 8, "d"),
        ("=d", 8, "d"),
        ("<f", 4, "f"),
        ("<i", 4, "i"),
        ("=q", 8, "l"),
        ("<l", 4, "i"),
        ("<L", 4, "I"),
        ("=h", 2, "h"),
        (">b", 1, "b"),
        ("<?", 1, "?"),
        ("e", 2, "e"),
        ("<e", 2, "e"),
        (">e", 2, ">e"),
        (">d", 8, ">d"),
        ("!i", 4, "!i"),
        ("Zd", 16, "Zd"),
        ("<Zf", 8, "Zf"),
        (">Zd", 16, ">Zd"),
        ("=B", 1, "B"),
        ("<Q", 8, "L"),
    ],
)
def test_a_format_of_standard_size_becomes_the_native_letter_of_that_size(text, itemsize, letter):
    found = native_format(text, itemsize)
    if letter in NATIVE:
        assert struct.calcsize(found) == itemsize
        assert found.islower() == letter.islower()
    else:
        assert found == letter


@pytest.mark.parametrize("text", ["T{i:a:d:b:}", "O", "3s", "2x", "", "w"])
def test_a_format_that_is_no_number_is_refused(text):
    with pytest.raises(BufferFormatError, match="cannot be read; wrap a NumPy array with asview"):
        native_format(text, 8)


@pytest.mark.parametrize(
    "dtype", ["i1", "u2", "i4", "u8", "f2", "f4", "f8", "?", "c8", "c16", ">i2", ">f4", ">c8", ">f2"]
)
def test_every_element_type_reads_and_stores_as_numpy_does(dtype):
    values = np.array([1, 0, 1], dtype)
    view = MDView(values, (3,))
    assert view.tolist() == values.tolist()
    assert view.itemsize == values.itemsize
    view[1] = values.tolist()[0]
    view[-1] = values.tolist()[1]
    assert values.tolist() == view.tolist() == [values.tolist()[0]] * 2 + [view[2]]
    assert np.array_equal(np.asarray(view), values)
    assert np.asarray(view).dtype == values.dtype


FOREIGN = {
    "e": [0.5, -1.0, float("inf"), -0.0],
    ">d": [0.1, -1e300, float("inf"), -0.0],
    ">q": [1, -2, 2**62, -(2**63)],
    "Zd": [0.1 - 0.2j, complex(-0.0, float("inf")), 1j, -1j],
    ">Zf": [0.5 - 0.25j, complex(-0.0, float("inf")), 1j, -1j],
    "=Zd": [0.1 - 0.2j, complex(0.0, -0.0), 1j, -1j],
}


@pytest.mark.parametrize("numpy", [True, False])
@pytest.mark.parametrize("item_format", FOREIGN)
@pytest.mark.parametrize("surplus", [0, 1])
def test_items_that_struct_reads_are_read_one_by_one_or_in_a_row(item_format, surplus, numpy, monkeypatch):
    values = FOREIGN[item_format]
    size = StructItems(memoryview(b""), item_format).itemsize
    items = StructItems(memoryview(bytearray(4 * size + surplus)), item_format)
    if not numpy:
        monkeypatch.setitem(sys.modules, "numpy", None)
    assert len(items) == 4
    for k, value in enumerate(values):
        items[k - 4 * (k % 2)] = value  # from either end
    assert repr(list(items)) == repr(values)
    assert repr([items[k - 4] for k in range(4)]) == repr(values)
    for offsets in (range(4), [3, 0, 0, -1], range(3, -1, -2), (2, np.int64(1)), []):
        assert repr(list(items.at(iter(offsets)))) == repr([items[k] for k in offsets])
    waiting = items.at(range(4))
    assert repr(next(waiting)) == repr(values[0])
    items[1] = values[3]
    assert repr(next(waiting)) == repr(values[3])  # read when it is asked for


@pytest.mark.parametrize("item_format", FOREIGN)
def test_an_offset_beyond_items_that_struct_reads_is_refused(item_format):
    size = StructItems(memoryview(b""), item_format).itemsize
    raw = bytearray(3 * size + 1)
    items, value = StructItems(memoryview(raw), item_format), FOREIGN[item_format][0]
    for offset in (3, -4, 10**9, -(10**9), 2**63, 2**70, -(2**70)):
        with pytest.raises(IndexError):
            items[offset]
        with pytest.raises(IndexError):
            items[offset] = value
        some = items.at([1, offset])
        next(some)
        with pytest.raises((IndexError, OverflowError)):
            next(some)
    for offset in (1.0, "1", None, slice(0, 1)):
        with pytest.raises(TypeError):
            items[offset]
        with pytest.raises(TypeError):
            items[offset] = value
    assert raw == bytes(len(raw))


@pytest.mark.parametrize(("item_format", "value"), [(">h", 2**15), (">d", "x"), ("e", 1e9), ("Zd", "no number")])
def test_a_value_that_an_item_does_not_take_changes_nothing(item_format, value):
    raw = bytearray(32)
    with pytest.raises((ElementError, ElementTypeError)):
        StructItems(memoryview(raw), item_format)[1] = value
    assert raw == bytes(32)


def test_items_through_struct_count_from_the_end_and_stay_within():
    items = StructItems(memoryview(bytearray(struct.pack(">3h", 1, 2, 3))), ">h")
    assert (len(items), items.itemsize, items[-1], list(items)) == (3, 2, 3, [1, 2, 3])
    items[-3] = 7
    assert items[0] == 7
    for offset in (3, -4):
        with pytest.raises(IndexError, match="item offset out of range"):
            items[offset]


@pytest.mark.parametrize(
    ("source", "readonly"),
    [
        (array("d", [1, 2]), False),
        (bytearray(b"ab"), False),
        (b"ab", True),
        (memoryview(b"ab"), True),
        (memoryview(array("h", [1, 2])), False),
        ((ctypes.c_double * 2)(1, 2), False),
        (np.arange(2), False),
        ([1, 2], False),
        (deque([1, 2]), False),
        ((1, 2), True),
        (range(2), True),
        ("ab", True),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_storage_knows_whether_its_source_can_be_changed(source, readonly):
    storage = Storage(source)
    assert storage.readonly == readonly
    assert storage.length == 2
    assert list(storage.items) == list(source)
    assert storage.source is source


def test_a_sequence_holds_objects():
    storage = Storage(["a", None])
    assert (storage.format, storage.itemsize) == ("O", struct.calcsize("P"))


@pytest.mark.parametrize(
    "source", [5, None, {1: 2}, {1, 2}, iter([1]), object()], ids=lambda value: type(value).__name__
)
def test_what_is_neither_a_buffer_nor_a_sequence_is_refused(source):
    with pytest.raises(
        BufferFormatError, match=r"data must be a buffer \(array.array, .*\) or a sequence \(list, \.\.\.\), got"
    ):
        Storage(source)


def test_a_buffer_in_several_runs_is_refused_with_the_way_out():
    message = r"has shape \(2,\) and byte strides \(16,\): it is not one run of memory; wrap a NumPy array with asview"
    with pytest.raises(BufferFormatError, match=message):
        Storage(np.arange(4)[::2])
    with pytest.raises(BufferFormatError, match="it is not one run of memory"):
        Storage(memoryview(np.arange(4))[::2])


def test_a_buffer_of_many_dimensions_is_one_row_in_memory_order():
    grid = np.arange(6).reshape(2, 3)
    assert list(Storage(grid).items) == [0, 1, 2, 3, 4, 5]
    assert list(Storage(np.asfortranarray(grid)).items) == [0, 3, 1, 4, 2, 5]
    assert list(Storage(memoryview(np.asfortranarray(grid))).items) == [0, 3, 1, 4, 2, 5]
    assert list(Storage(np.array(7)).items) == [7]
    assert list(Storage(np.zeros((0, 3))).items) == []


def test_a_part_of_a_foreign_buffer_is_that_part():
    whole = np.arange(6, dtype=">i4")
    storage = Storage(memoryview(whole)[2:5])
    assert list(storage.items) == [2, 3, 4]
    storage.items[0] = 9
    assert whole.tolist() == [0, 1, 9, 3, 4, 5]
    assert Storage(memoryview(whole).toreadonly()[1:3]).readonly
    with pytest.raises(TypeError, match="read-write"):
        Storage(memoryview(whole).toreadonly()).items[0] = 1


def test_a_buffer_that_cannot_be_exported_now_is_refused():
    released = memoryview(b"ab")
    released.release()
    with pytest.raises(
        BufferFormatError, match="the buffer of memoryview cannot be read: operation forbidden on released"
    ):
        Storage(released)


def test_addresses_are_those_of_the_first_byte():
    values = np.arange(4.0)
    assert Storage(values).address() == values.ctypes.data
    assert Storage(values.astype(">f8")).address() % 8 == 0
    assert address_of(memoryview(values)[2:]) == values.ctypes.data + 16
    with pytest.raises(AccessorError, match="a tuple has no address; alignment needs a buffer"):
        Storage((1, 2)).address()


@pytest.mark.parametrize(
    "source",
    [
        array("h", [1, 2, 3]),
        bytearray(b"abc"),
        b"abc",
        memoryview(b"abc"),
        memoryview(array("h", [1, 2, 3])),
        np.arange(3.0),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(3, dtype=">f4"),
        [1, "b", None],
    ],
    ids=lambda source: type(source).__name__,
)
def test_a_storage_travels_with_its_items(source):
    storage = Storage(source)
    again = pickle.loads(pickle.dumps(storage))  # noqa: S301 - of our own making
    assert list(again.items) == list(storage.items)
    assert (again.itemsize, again.readonly) == (
        storage.itemsize,
        storage.readonly,
    )  # NumPy travels in native byte order


SOURCES = {
    "array": lambda: array("d", [1, 2]),
    "bytes": lambda: b"ab",
    "memoryview": lambda: memoryview(array("d", [1, 2])),
    "Fortran": lambda: np.zeros((2, 3), order="F"),
    "memoryview, Fortran": lambda: memoryview(np.zeros((2, 3), order="F")),
    "memoryview, foreign": lambda: memoryview(np.zeros(2, ">f8")),
    "memoryview, empty": lambda: memoryview(array("d")),
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_view_in_a_reference_cycle_is_collected(name):
    data = SOURCES[name]()
    before = sys.getrefcount(data)
    for _ in range(20):
        cycle = [MDView(data, (0,), accessor=ReadOnlyAccessor())]
        cycle.append(cycle)
    del cycle
    gc.collect()
    assert sys.getrefcount(data) == before
