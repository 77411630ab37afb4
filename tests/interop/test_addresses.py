"""Addresses: what tells of memory by ``__array_interface__`` or ``__array_struct__``, truly or not."""

import gc
import subprocess
import sys
import weakref

import pytest

from mdview import LayoutRight, LayoutRightPadded, LayoutStrideRelaxed, ReadOnlyAccessor, asview
from mdview.errors import BufferFormatError, MDViewError, StrideError

np = pytest.importorskip("numpy")

GRID = np.arange(24.0).reshape(4, 6)


class Told:
    """Tells of an array, and lies where it is told to."""

    def __init__(self, array=GRID, /, **lies):
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, **lies}


class Struct:
    def __init__(self, array, capsule=None):
        self.array, self.capsule = array, capsule

    @property
    def __array_struct__(self):
        return self.capsule or self.array.__array_struct__


PARTS = {
    "whole": GRID,
    "left": GRID.T,
    "padded": GRID[:, :4],
    "flipped": GRID[::-1, ::-2],
    "broadcast": np.broadcast_to(GRID[1], (3, 6)),
    "empty": GRID[:0],
    "rank 0": GRID[1, 2:3].reshape(()),
    "foreign": GRID.astype(">f8")[::2],
    "halves": GRID.astype("f2"),
    "complex": GRID.astype("c8")[1:],
    "texts": np.array(["ab", "c"]),
    "dates": np.arange(3).astype("M8[s]"),
    "records": np.array([(1, 2.0), (3, 4.0)], [("a", "<i4"), ("b", "<f8")])[::-1],
    "parts of records": np.zeros(3, [("a", "<f4", (2, 2))])["a"],
}


@pytest.mark.parametrize("exporter", [Told, Struct])
@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("writeable", [True, False])
def test_what_an_array_tells_is_what_is_viewed(exporter, name, writeable):
    array = PARTS[name].view()
    array.flags.writeable = writeable = writeable and array.flags.writeable
    given = exporter(array)
    if exporter is Struct and name in {"texts", "dates"}:
        with pytest.raises(BufferFormatError, match=r"tells of items of kind '.', which it cannot describe"):
            asview(given)
        return
    if exporter is Struct and array.dtype.names:  # it has no room for fields
        array = array.view("V12")
    view, direct = asview(given), asview(array)
    assert view.data is given
    assert (view.mapping, view.format, str(view.tolist())) == (direct.mapping, direct.format, str(direct.tolist()))
    if exporter is not Struct or name != "records":  # of records NumPy takes each for read-only
        assert isinstance(view.accessor, ReadOnlyAccessor) is not writeable
    assert array.size == 0 or np.shares_memory(np.asarray(view), array)


@pytest.mark.parametrize("exporter", [Told, Struct])
def test_what_tells_of_memory_is_held(exporter):
    given = exporter(GRID.copy())
    gone = weakref.ref(given)
    view = asview(given)[1:]
    del given
    gc.collect()
    assert view.tolist() == GRID[1:].tolist()
    assert gone() is not None
    view.release()
    gc.collect()
    assert gone() is None


def test_the_data_may_be_a_buffer():
    data = bytearray(GRID.tobytes())
    given = Told(data=data)
    view = asview(given)
    view[0, 0] = 9.0
    assert np.frombuffer(data)[0] == 9.0
    with pytest.raises(BufferError):
        data.append(1)
    assert asview(Told(data=data, offset=8, shape=(2, 2), strides=(48, 8))).tolist() == [[1.0, 2.0], [7.0, 8.0]]
    flipped = Told(data=data, offset=23 * 8, shape=(4,), strides=(-48,))
    assert asview(flipped).layout == LayoutStrideRelaxed((-6,), 18)
    assert isinstance(asview(Told(data=bytes(data))).accessor, ReadOnlyAccessor)


def test_strides_and_the_version_may_be_left_out():
    told = {"shape": (2, 3), "typestr": "<f8", "data": (GRID.ctypes.data, False)}
    given = Told()
    given.__array_interface__ = told
    assert asview(given).layout == LayoutRight()
    assert asview(Told(shape=(4, 4), strides=(48, 8))).layout == LayoutRightPadded(6)


def test_records_have_the_fields_that_are_told():
    descr = [("a", "<f8"), ("b", "<f8")]
    records = asview(Told(shape=(2,), typestr="|V16", descr=descr))
    assert records[1]["b"] == 3.0
    assert asview(Told(shape=(2,), typestr="|V16", descr=[("a", "<f8")]))[1].itemsize == 16


class Raising:
    @property
    def __array_interface__(self):
        raise RuntimeError("out of order")


class Copying:
    def __init__(self):
        self.kept = []

    @property
    def __array_interface__(self):
        self.kept.append(GRID.copy())
        return self.kept[-1].__array_interface__


class Bytes:
    """As images of Pillow."""

    @property
    def __array_interface__(self):
        return {"version": 3, "shape": (24,), "typestr": "<f8", "data": GRID.tobytes()}


LIES = {
    "no dict": (3, "is 3; the protocol wants a dict"),
    "version 2": ({"version": 2}, "has version 2; 3 is the oldest"),
    "version of text": ({"version": "3"}, "has version '3'"),
    "shape of a list": ({"shape": [4, 6]}, r"has shape \[4, 6\]; it must be a tuple of integers of 0 or more"),
    "no shape": ({"shape": None}, "has shape None"),
    "negative shape": ({"shape": (-1, 6)}, r"has shape \(-1, 6\)"),
    "fractions": ({"shape": (2.0,)}, r"has shape \(2.0,\)"),
    "truth values": ({"shape": (True,)}, r"has shape \(True,\)"),
    "long shape": ({"shape": (2**62, 2)}, "no memory is so large"),
    "long repetition": ({"shape": (2**62, 4), "strides": (0, 0)}, "no memory is so large"),
    "long empty shape": ({"shape": (2**62, 2, 0), "strides": None}, "no memory is so large"),
    "no data": ({"data": None}, "has no data"),
    "data of text": ({"data": ("x", True)}, r"has data \('x', True\); it must be a pair of an address"),
    "data without flag": ({"data": (4096,)}, "it must be a pair of an address"),
    "flag of a list": ({"data": (4096, [])}, "it must be a pair of an address"),
    "flag of a number": ({"data": (4096, 7)}, "it must be a pair of an address"),
    "address 0": ({"data": (0, False)}, "has elements at the addresses from 0x0 to 0xc0; nothing lies there"),
    "negative address": ({"data": (-8, False)}, "it must be a pair of an address"),
    "long address": ({"data": (2**64, False)}, "it must be a pair of an address"),
    "address at the end": ({"data": (2**64 - 8, False)}, "nothing lies there"),
    "address below the start": ({"data": (8, False), "strides": (-48, 8)}, "nothing lies there"),
    "long strides": ({"strides": (2**63, 8)}, "nothing lies there"),
    "one stride": ({"strides": (8,)}, "has 1 stride; the shape has 2"),
    "strides of a list": ({"strides": [48, 8]}, "must be a tuple of integers, or None"),
    "strides of text": ({"strides": ("a", 8)}, "must be a tuple of integers, or None"),
    "mask": ({"mask": GRID > 3}, "has a mask; it hides some of its values"),
    "type of a number": ({"typestr": 3}, "has typestr 3; it must be a text"),
    "unknown type": ({"typestr": "x"}, "has typestr 'x'; data type 'x' not understood"),
    "objects": ({"typestr": "|O"}, "has references to objects"),
    "records of objects": ({"typestr": "|V8", "descr": [("a", "|O")]}, "has references to objects"),
    "no fields": ({"typestr": "|V16", "shape": (2,), "descr": [3]}, r"has typestr '\|V16'"),
    "items without bytes": ({"typestr": "<U0"}, "have 0 bytes"),
    "short buffer": ({"data": bytearray(100)}, "tells of no array: buffer is too small"),
    "buffer and offset": ({"data": bytearray(192), "offset": 8}, "tells of no array: buffer is too small"),
    "buffer and strides": ({"data": bytearray(192), "strides": (-48, 8)}, "tells of no array: strides is incompatible"),
    "offset of text": ({"data": bytearray(192), "offset": "x"}, "has offset 'x'"),
    "no buffer": ({"data": 3}, "tells of no array"),
    "strides that do not divide": ({"strides": (49, 8)}, "byte stride 49 of dimension 0 is no multiple"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_refused_by_name(lie):
    told, message = LIES[lie]
    given = Told(**told) if isinstance(told, dict) else Told()
    if not isinstance(told, dict):
        given.__array_interface__ = told
    error = StrideError if "do not divide" in lie else BufferFormatError
    with pytest.raises(error, match=message):
        asview(given)


def test_no_lie_reaches_memory():
    """In a process of its own, as an address that is believed ends it."""
    source = f"""
import sys
sys.path[:0] = {[str(path) for path in sys.path]!r}
from test_addresses import LIES, Told
from mdview import asview
from mdview.errors import MDViewError
for told, _ in LIES.values():
    if isinstance(told, dict):
        try:
            asview(Told(**told)).tolist()
        except MDViewError:
            continue
        raise AssertionError(told)
"""
    subprocess.run([sys.executable, "-c", source], check=True, timeout=60)


def test_an_address_without_elements_means_nothing():
    assert asview(Told(shape=(0, 6), data=(0, False))).tolist() == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Raising(), "Raising gives none: out of order"),
        (Copying(), "its __array_interface__ makes a copy each time; .*write asview"),
        (Bytes(), "its __array_interface__ makes a copy each time"),
        (Struct(GRID, 3), "the __array_struct__ of Struct is 3; the protocol wants a capsule"),
        (Struct(GRID, GRID.__dlpack__()), "the __array_struct__ of Struct tells of no array"),
        (Struct(np.array([None])), "tells of no memory; it has objects"),
    ],
)
def test_what_gives_no_memory_of_its_own_is_refused(given, message):
    with pytest.raises(MDViewError, match=message):
        asview(given)
