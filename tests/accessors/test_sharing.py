"""Memory that other processes may reach is told from memory of this process, through whatever it is seen."""

import copy
import ctypes
import gc
import mmap
import multiprocessing
import pickle
import subprocess
import sys
from array import array
from collections import defaultdict
from multiprocessing import managers, shared_memory, sharedctypes

import numpy as np
import pytest

from mdview import (
    AlignedAccessor,
    AtomicAccessor,
    AtomicRef,
    CheckedAccessor,
    FillAccessor,
    LayoutLeft,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    RestrictAccessor,
    ScaledAccessor,
    Writable,
    asview,
    atomic,
    bitcast,
    convert,
    flip,
    pad,
    readonly,
    reshape,
    subview,
)
from mdview.accessors import processor
from mdview.accessors.buffers import Storage
from mdview.accessors.sharing import sharing_owner
from mdview.errors import AccessorError, AccessorTypeError, ConversionError
from mdview.polymorphic import polymorphic_view


class Point(ctypes.Structure):
    _fields_ = (("place", ctypes.c_double * 4), ("count", ctypes.c_int * 4))


class Numbers:
    """A sequence over memory that it keeps to itself."""

    def __init__(self, memory):
        self.memory = memory

    def __len__(self):
        return len(self.memory)

    def __getitem__(self, k):
        return self.memory[k]

    def __setitem__(self, k, number):
        self.memory[k] = number


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
    "an array of an MDView": lambda memory: np.asarray(MDView(memoryview(memory).cast("B").cast("d"), (4,))),
    "a sequence": lambda memory: Numbers(memoryview(memory).cast("B").cast("d")),
}

RAW = [multiprocessing.RawArray, sharedctypes.RawArray]


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


def own(data):
    return sharing_owner(Storage(data))


@pytest.mark.parametrize("seen", SEEN.values(), ids=SEEN)
def test_a_map_of_memory_is_shared_through_whatever_it_is_seen(seen, mapped):
    assert own(seen(mapped)) is not None
    assert isinstance(own(seen(mapped)), mmap.mmap)


@pytest.mark.parametrize("seen", SEEN.values(), ids=SEEN)
def test_memory_of_this_process_is_not_shared(seen):
    multiprocessing.RawArray(ctypes.c_double, 4)  # after it, ctypes names the type for multiprocessing
    for memory in (bytearray(64), array("d", [0] * 8), np.zeros(8), (ctypes.c_double * 8)()):
        assert own(seen(memory)) is None


@pytest.mark.parametrize("data", [[1, 2], (1, 2), range(3), b"abc", array("d"), np.zeros((2, 3))], ids=repr)
def test_data_without_owners_is_not_shared(data):
    assert own(data) is None


def test_what_multiprocessing_shares_by_itself_is_shared():
    assert own(multiprocessing.Array("d", 3)) is not None
    assert own(multiprocessing.Array("d", 3).get_obj()) is not None
    assert own(multiprocessing.RawArray(Point, 2)[1].place) is not None
    numbers = shared_memory.ShareableList([1, 2])
    try:
        assert own(numbers) is not None
    finally:
        numbers.shm.close()
        numbers.shm.unlink()


def test_a_proxy_of_a_manager_is_shared():
    class Proxy(managers.ListProxy):
        def __init__(self):
            pass

        def __len__(self):
            return 0

    assert own(Proxy()) is not None


@pytest.mark.skipif(sys.version_info < (3, 12), reason="no exporters written in Python")
@pytest.mark.parametrize(("memory", "kind"), [(mmap.mmap(-1, 64), mmap.mmap), (bytearray(64), type(None))])
def test_an_exporter_written_in_python_has_the_owner_of_what_it_exports(memory, kind):
    class Exporter:
        __slots__ = ("memory",)

        def __buffer__(self, flags):
            return memoryview(self.memory)[8:40]

    exporter = Exporter()
    exporter.memory = memory
    for data in (exporter, memoryview(exporter), memoryview(exporter)[8:16].cast("d")):
        assert isinstance(own(data), kind)


def test_a_buffer_that_was_released_is_no_harm():
    memory = memoryview(bytearray(8))
    numbers = Numbers(memory)
    storage = Storage(numbers)
    memory.release()
    assert sharing_owner(storage) is None


# Views, by the steps of one process.


@pytest.fixture
def _lock(monkeypatch):
    """Steps are made under a lock, as without the extra."""
    monkeypatch.setattr(processor, "KNOWN", defaultdict(dict))


REFUSED = r"which is memory of mmap\.mmap; where only this process stores to it, say atomic\(view, process_local=True\)"
WRAPPED = {
    "itself": lambda accessor: accessor,
    "read-only": ReadOnlyAccessor,
    "restricted": RestrictAccessor,
    "scaled": lambda accessor: ScaledAccessor(2, accessor),
    "filled": lambda accessor: FillAccessor(inner=accessor),
    "twice": AtomicAccessor,
    "aligned": lambda accessor: AlignedAccessor(8, accessor),
}


@pytest.mark.usefixtures("_lock")
@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED)
def test_no_way_to_make_a_view_lets_shared_memory_be_atomic(wrap, shared):
    accessor, row = wrap(AtomicAccessor()), shared.buf.cast("d")
    ways = [
        lambda: MDView(row, (4,), accessor=accessor),
        lambda: MDView(row, (4,), LayoutLeft(), accessor),
        lambda: MDView.from_mapping(row, Mapping((2, 2), LayoutTiled(2, 2)), accessor),
        lambda: MDView(row, (0,), accessor=accessor),
        lambda: MDView.from_mapping(asview(np.frombuffer(row)).data, Mapping((4,)), accessor),
    ]
    for way in ways:
        with pytest.raises(AccessorError, match=REFUSED):
            way()


@pytest.mark.usefixtures("_lock")
@pytest.mark.parametrize(
    "make",
    [
        lambda v: v,
        lambda v: v[1:3],
        lambda v: subview(v, slice(1, 3)),
        flip,
        lambda v: reshape(v, (2, 4)),
        lambda v: bitcast(v, "q"),
        lambda v: asview(np.asarray(v)),
        lambda v: pad(v, 1),
        lambda v: MDView(np.asarray(v), (8,), accessor=CheckedAccessor()),
        copy.copy,
        lambda v: v[:0],
    ],
)
def test_atomic_refuses_a_view_of_shared_memory_unless_it_is_told(make, shared):
    view = make(MDView(shared.buf.cast("d"), (8,)))
    with pytest.raises(AccessorError, match=REFUSED):
        atomic(view)
    told = atomic(view, process_local=True)
    assert told.accessor == AtomicAccessor(view.accessor, process_local=True)
    assert atomic(told).accessor == told.accessor
    for part in (told[...], readonly(told), copy.copy(told), flip(told)):
        core = part.accessor.inner if isinstance(part.accessor, ReadOnlyAccessor) else part.accessor
        assert core == told.accessor
    if told.size and view.rank == 1 and not isinstance(view.accessor, FillAccessor):
        assert isinstance(told[0], AtomicRef)
        told[0] += 2
        assert told[0] == 2


def test_a_view_may_be_told_later(shared):
    view = atomic(MDView(bytearray(8), (8,)))
    assert atomic(view, process_local=True).accessor == AtomicAccessor(process_local=True)
    assert atomic(MDView.null((2,)), process_local=True).data is None


@pytest.mark.usefixtures("_lock")
def test_other_ways_to_an_accessor_ask_as_well(shared):
    view = MDView(shared.buf.cast("d"), (8,))
    told = atomic(view, process_local=True)
    assert convert(view, AtomicAccessor(process_local=True)).accessor == told.accessor
    assert convert(atomic(MDView(bytearray(8), (8,))), AtomicAccessor(process_local=True)).size == 8
    for source in (view, told):
        with pytest.raises(AccessorError, match=REFUSED):
            convert(source, AtomicAccessor())
    with pytest.raises(AccessorError, match=REFUSED):
        polymorphic_view(shared.buf, (None,), 4, properties=(AtomicAccessor,))
    with pytest.raises(ConversionError):
        convert(told, ScaledAccessor(2))


def test_a_deep_copy_of_shared_memory_is_a_processs_own_and_what_was_pickled_is_shared(shared):
    told = atomic(MDView(shared.buf.cast("d"), (8,)), process_local=True)
    told[3] = 5.0
    sent, copied = pickled(told), copy.deepcopy(told)
    for again in (sent, copied):
        assert again.accessor == told.accessor
        assert [x.load() for x in again] == [x.load() for x in told]
    assert own(copied.data) is None
    assert atomic(MDView(copied.data, (8,))).accessor == AtomicAccessor()
    assert isinstance(own(sent.data), mmap.mmap)


@pytest.mark.usefixtures("_lock")
def test_shared_memory_itself_is_shared(shared):
    with pytest.raises(AccessorError, match=REFUSED):
        atomic(MDView(shared, (64,)))


def test_the_accessor_says_what_it_was_told():
    plain, told = AtomicAccessor(), AtomicAccessor(process_local=True)
    assert (repr(plain), repr(told)) == (
        "AtomicAccessor(inner=DefaultAccessor())",
        "AtomicAccessor(inner=DefaultAccessor(), process_local=True)",
    )
    assert (told == plain, hash(told) == hash(AtomicAccessor(process_local=True))) == (False, True)
    assert pickled(told) == copy.copy(told) == copy.deepcopy(told) == told
    assert AtomicAccessor(AlignedAccessor(8), process_local=True).offset_policy() == told
    for wrong in (1, None, "yes", 0):
        with pytest.raises(AccessorTypeError, match=r"process_local is True or False, got"):
            AtomicAccessor(process_local=wrong)
        with pytest.raises(AccessorTypeError, match=r"process_local is True or False, got"):
            atomic(MDView([1], (1,)), process_local=wrong)


def test_nothing_is_loaded_to_look_for_owners():
    code = """
import sys
before = set(sys.modules)
from array import array
from mdview import MDView, atomic
atomic(MDView(array("d", [1]), (1,)))[0] += 1
assert not {"mmap", "numpy", "multiprocessing"} & (set(sys.modules) - before)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# Views, by instructions.


@pytest.mark.parametrize("wrap", [name for name in WRAPPED if name not in {"scaled", "filled"}])
def test_memory_that_processes_share_is_atomic_by_instructions(wrap, mapped):
    pytest.importorskip("llvmlite")
    row = memoryview(mapped).cast("B").cast("q")
    view = MDView(row, (8,), accessor=WRAPPED[wrap](AtomicAccessor(order="acq_rel")))
    if wrap != "read-only":
        view[2] += 5
        view[2] *= 2
    assert view[2] == row[2] == (0 if wrap == "read-only" else 10)


class Own(Writable):
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
        lambda row: MDView(row, (8,), accessor=Own()),
        lambda row: bitcast(MDView(row, (8,)), ">i"),
        lambda row: bitcast(MDView(row, (8,)), "Zd"),
        lambda row: bitcast(MDView(row, (8,)), "e"),
        lambda row: asview(np.frombuffer(row, "i4, f4")),
    ],
)
def test_items_without_instructions_and_accessors_of_others_stay_with_one_process(make, mapped):
    view = make(memoryview(mapped).cast("B").cast("q"))
    with pytest.raises(AccessorError, match=r"AtomicAccessor\(process_local=True\)$"):
        atomic(view)
    assert atomic(view, process_local=True).size


@pytest.mark.usefixtures("_lock")
def test_a_refusal_names_the_extra_where_it_helps(mapped):
    with pytest.raises(AccessorError, match=r"install mdview-layouts\[atomic\]"):
        atomic(MDView(memoryview(mapped).cast("B"), (64,)))


@pytest.mark.parametrize("item_format", [">i", "Zd", "e"])
def test_a_bitcast_of_an_atomic_view_is_refused_what_an_atomic_view_of_it_is(item_format, mapped):
    pytest.importorskip("llvmlite")
    view = atomic(MDView(memoryview(mapped).cast("B").cast("q"), (8,)))
    for made in (view, readonly(view), view[2:6]):
        with pytest.raises(AccessorError, match="those of one process"):
            bitcast(made, item_format)
    local = bitcast(atomic(view, process_local=True), item_format)
    assert local.accessor == AtomicAccessor(process_local=True)


class Slotted:
    """What has an array interface, and keeps its memory in a slot."""

    __slots__ = ("_array", "_unset")

    def __init__(self, memory):
        self._array = np.frombuffer(memory, "q")

    @property
    def __array_interface__(self):
        return self._array.__array_interface__


def test_memory_is_found_in_a_slot(mapped):
    with pytest.raises(AccessorError, match=r"which is memory of mmap\.mmap"):
        atomic(bitcast(asview(Slotted(mapped)), "Zd"))
    assert atomic(bitcast(asview(Slotted(bytearray(64))), "Zd")).size
