"""Memory that other processes may reach is told from memory of this process, through whatever it is seen."""

import copy
import ctypes
import mmap
import multiprocessing
from array import array
from pickle import PickleBuffer

import numpy as np
import pytest
from samples.accessors import CountingAccessor
from travels import pickled

import mdview as md
from mdview.errors import AccessorError


class Point(ctypes.Structure):
    _fields_ = (("place", ctypes.c_double * 4), ("count", ctypes.c_int * 4))


# Each takes a writable buffer of 64 bytes.
SEEN = {
    "itself": lambda memory: memory,
    "a memoryview": memoryview,
    "a part of a part": lambda memory: memoryview(memory).cast("B")[8:][8:40].cast("q"),
    "bytes of a pickle": PickleBuffer,
    "a later object of ctypes": lambda memory: (ctypes.c_double * 4).from_buffer(memory, 8),
    "a part of a structure": lambda memory: Point.from_buffer(memory).count,
    "a part of an array": lambda memory: np.frombuffer(memory, "u1")[8:40].view("d"),
    "an array of ctypes": lambda memory: np.ctypeslib.as_array((ctypes.c_double * 4).from_buffer(memory)),
    "a memoryview of an array": lambda memory: memoryview(np.frombuffer(memory, "d")),
    "an array of an MDView": lambda memory: np.asarray(md.MDView(memoryview(memory).cast("B").cast("d"), (4,))),
}


@pytest.fixture(params=["anonymous", "memmap", "raw array"])
def mapped(request, tmp_path):
    """Maps of memory, and what is made of them."""
    if request.param == "anonymous":
        return mmap.mmap(-1, 64)
    if request.param == "memmap":
        return np.memmap(tmp_path / "data", "d", "w+", shape=(8,))
    return multiprocessing.RawArray("b", 64)


def is_shared(data):
    """Tell whether steps of one process on complex numbers, which no instruction makes, are refused over data."""
    seen = memoryview(data)
    try:
        md.atomic(md.operations.bitcast(md.MDView(data, (seen.nbytes // seen.itemsize,)), "Zd"))
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
    assert md.AtomicAccessor(md.accessors.AlignedAccessor(8), process_local=True).offset_policy() == told


WRAPPED = {
    "itself": lambda accessor: accessor,
    "restricted": md.accessors.RestrictAccessor,
    "twice": md.AtomicAccessor,
    "aligned": lambda accessor: md.accessors.AlignedAccessor(8, accessor),
}


@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED)
def test_memory_that_processes_share_is_atomic_by_instructions(wrap, mapped):
    pytest.importorskip("llvmlite")
    row = memoryview(mapped).cast("B").cast("q")
    view = md.MDView(row, (8,), accessor=wrap(md.AtomicAccessor(order="acq_rel")))
    view[2] += 5
    view[2] *= 2
    assert view[2] == row[2] == 10
    with pytest.raises(AccessorError):
        md.operations.bitcast(view, "e")


@pytest.mark.parametrize(
    "make",
    [
        lambda row: md.MDView(row, (8,), accessor=CountingAccessor()),
        lambda row: md.operations.bitcast(md.MDView(row, (8,)), ">i"),
        lambda row: md.asview(np.frombuffer(row, "i4, f4")),
    ],
)
def test_items_without_instructions_and_accessors_of_others_stay_with_one_process(make, mapped):
    view = make(memoryview(mapped).cast("B").cast("q"))
    with pytest.raises(AccessorError):
        md.atomic(view)
    assert md.atomic(view, process_local=True).size
