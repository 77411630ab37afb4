"""Memory that other processes may reach is told from memory of this process, through whatever it is seen."""

import copy
import ctypes
import gc
import mmap
import multiprocessing
import pickle
import sys
from array import array
from multiprocessing import shared_memory

import numpy as np
import pytest

import mdview as md
from mdview.errors import AccessorError, ConversionError


class Point(ctypes.Structure):
    _fields_ = (("place", ctypes.c_double * 4), ("count", ctypes.c_int * 4))


def interfaced(memory):
    return np.asarray(type("Exporter", (), {"__array_interface__": np.frombuffer(memory, "d").__array_interface__})())


# Each takes a writable buffer of 64 bytes.
SEEN = {
    "itself": lambda memory: memory,
    "a memoryview": memoryview,
    "a cast": lambda memory: memoryview(memory).cast("B").cast("d"),
    "a part": lambda memory: memoryview(memory).cast("B")[16:48],
    "a part of a part": lambda memory: memoryview(memory).cast("B")[8:][8:40].cast("q"),
    "bytes of a pickle": pickle.PickleBuffer,
    "an object of ctypes": (ctypes.c_double * 4).from_buffer,
    "a later object of ctypes": lambda memory: (ctypes.c_double * 4).from_buffer(memory, 8),
    "a part of a structure": lambda memory: Point.from_buffer(memory).count,
    "a memoryview of a part of a structure": lambda memory: memoryview(Point.from_buffer(memory).place),
    "an array": lambda memory: np.frombuffer(memory, "d"),
    "an array of a cast": lambda memory: np.frombuffer(memoryview(memory).cast("B").cast("d"), "d"),
    "a part of an array": lambda memory: np.frombuffer(memory, "u1")[8:40].view("d"),
    "an array over it": lambda memory: np.ndarray((4,), "i8", memory),
    "an array of ctypes": lambda memory: np.ctypeslib.as_array((ctypes.c_double * 4).from_buffer(memory)),
    "a memoryview of an array": lambda memory: memoryview(np.frombuffer(memory, "d")),
    "a record array": lambda memory: np.frombuffer(memory, "d").view(np.recarray),
    "an array of an MDView": lambda memory: np.asarray(md.MDView(memoryview(memory).cast("B").cast("d"), (4,))),
}


@pytest.fixture
def shared(request):
    memory = shared_memory.SharedMemory(create=True, size=64)
    yield memory
    gc.collect()
    memory.close()
    memory.unlink()


@pytest.fixture(params=["anonymous", "private", "file", "copy", "memmap", "raw array"])
def mapped(request, tmp_path):
    """Maps of memory, and what is made of them."""
    path = tmp_path / "data"
    path.write_bytes(bytes(mmap.PAGESIZE))
    if request.param == "anonymous":
        return mmap.mmap(-1, 64)
    if request.param == "private" and sys.platform != "win32":
        return mmap.mmap(-1, 64, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if request.param == "memmap":
        return np.memmap(path, "d", "r+", shape=(8,))
    if request.param == "raw array":
        return multiprocessing.RawArray("b", 64)
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), 64, access=mmap.ACCESS_COPY if request.param == "copy" else mmap.ACCESS_WRITE)


def pickled(x):
    return pickle.loads(pickle.dumps(x))  # noqa: S301 - of our own making


def is_shared(data):
    """Tell whether steps of one process on complex numbers, which no instruction makes, are refused over data."""
    seen = memoryview(data)
    try:
        md.atomic(md.bitcast(md.MDView(data, (seen.nbytes // seen.itemsize,)), "Zd"))
    except AccessorError as error:
        assert "process_local" in str(error)  # noqa: PT017 - the way out
        return True
    return False


@pytest.mark.parametrize("seen", SEEN.values(), ids=SEEN)
def test_a_map_of_memory_is_shared_through_whatever_it_is_seen(seen, mapped):
    assert is_shared(seen(mapped))


@pytest.mark.parametrize("seen", SEEN.values(), ids=SEEN)
def test_memory_of_this_process_is_not_shared(seen):
    multiprocessing.RawArray(ctypes.c_double, 4)  # after it, ctypes names the type for multiprocessing
    for memory in (bytearray(64), array("d", [0] * 8), np.zeros(8), (ctypes.c_double * 8)()):
        assert not is_shared(seen(memory))


def test_the_accessor_says_what_it_was_told():
    plain, told = md.AtomicAccessor(), md.AtomicAccessor(process_local=True)
    assert told != plain
    assert ("process_local" in repr(told), "process_local" in repr(plain)) == (True, False)
    assert pickled(told) == copy.copy(told) == copy.deepcopy(told) == told
    assert md.AtomicAccessor(md.AlignedAccessor(8), process_local=True).offset_policy() == told


def test_what_is_made_of_shared_memory_is_refused_unless_it_is_told(shared):
    view = md.bitcast(md.MDView(shared, (64,)), "Zd")
    for made in (
        view,
        view[1:3],
        md.flip(view),
        md.reshape(view, (2, 2)),
        md.asview(np.asarray(view)),
        md.pad(view, 1),
        copy.copy(view),
        view[:0],
    ):
        with pytest.raises(AccessorError):
            md.atomic(made)
        told = md.atomic(made, process_local=True)
        assert told.accessor == md.AtomicAccessor(made.accessor, process_local=True)
        assert md.atomic(told).accessor == md.readonly(told).accessor.inner == told.accessor
    told = md.atomic(view, process_local=True)
    assert md.convert(view, md.AtomicAccessor(process_local=True)).accessor == told.accessor
    for source in (view, told):
        with pytest.raises(AccessorError):
            md.convert(source, md.AtomicAccessor())
    with pytest.raises(ConversionError):
        md.convert(told, md.ScaledAccessor(2))
    copied = copy.deepcopy(told)
    assert md.atomic(md.bitcast(md.MDView(copied.data, (64,)), "Zd")).accessor == md.AtomicAccessor()


WRAPPED = {
    "itself": lambda accessor: accessor,
    "read-only": md.ReadOnlyAccessor,
    "restricted": md.RestrictAccessor,
    "scaled": lambda accessor: md.ScaledAccessor(2, accessor),
    "filled": lambda accessor: md.FillAccessor(inner=accessor),
    "twice": md.AtomicAccessor,
    "aligned": lambda accessor: md.AlignedAccessor(8, accessor),
}


@pytest.mark.parametrize("wrap", [name for name in WRAPPED if name not in {"scaled", "filled"}])
def test_memory_that_processes_share_is_atomic_by_instructions(wrap, mapped):
    pytest.importorskip("llvmlite")
    row = memoryview(mapped).cast("B").cast("q")
    view = md.MDView(row, (8,), accessor=WRAPPED[wrap](md.AtomicAccessor(order="acq_rel")))
    if wrap != "read-only":
        view[2] += 5
        view[2] *= 2
    assert view[2] == row[2] == (0 if wrap == "read-only" else 10)


class Own(md.Writable):
    """Somebody's own access to an item."""

    @property
    def is_local(self):
        return True

    def load(self, data, offset):
        return -data[offset]

    def store(self, data, offset, value):
        data[offset] = -value


@pytest.mark.parametrize(
    "make",
    [
        lambda row: md.MDView(row, (8,), accessor=Own()),
        lambda row: md.bitcast(md.MDView(row, (8,)), ">i"),
        lambda row: md.bitcast(md.MDView(row, (8,)), "Zd"),
        lambda row: md.bitcast(md.MDView(row, (8,)), "e"),
        lambda row: md.asview(np.frombuffer(row, "i4, f4")),
    ],
)
def test_items_without_instructions_and_accessors_of_others_stay_with_one_process(make, mapped):
    view = make(memoryview(mapped).cast("B").cast("q"))
    with pytest.raises(AccessorError):
        md.atomic(view)
    assert md.atomic(view, process_local=True).size


@pytest.mark.parametrize("item_format", [">i", "Zd", "e"])
def test_a_bitcast_of_an_atomic_view_is_refused_what_an_atomic_view_of_it_is(item_format, mapped):
    pytest.importorskip("llvmlite")
    view = md.atomic(md.MDView(memoryview(mapped).cast("B").cast("q"), (8,)))
    for made in (view, md.readonly(view), view[2:6]):
        with pytest.raises(AccessorError):
            md.bitcast(made, item_format)
    local = md.bitcast(md.atomic(view, process_local=True), item_format)
    assert local.accessor == md.AtomicAccessor(process_local=True)
