"""Data stays alive and locked through every door that leads to it, and is free again when the last of them is shut."""

import copy
import ctypes
import gc
import io
import mmap
import pickle
import subprocess
import sys
import textwrap
import weakref
from array import array
from multiprocessing import shared_memory

import numpy as np
import pytest

from mdview import (
    LayoutLeft,
    LayoutMorton,
    LayoutTiled,
    Mapping,
    MDView,
    assume,
    asview,
    atomic,
    bitcast,
    broadcast_to,
    checked,
    convert,
    elements,
    expand_dims,
    flat,
    flip,
    pad,
    permute_dims,
    ravel,
    readonly,
    reshape,
    runs,
    scaled,
    subview,
    tiles,
    unchecked,
)
from mdview.errors import MDViewError
from mdview.polymorphic import polymorphic_view

pytestmark = pytest.mark.usefixtures("quick_collections")

COUNT = 64


def doubles(data):
    """A view of all the data, whatever its items are."""
    return MDView(memoryview(data).cast("B").cast("d"), (8, 8))


# Each makes something of data by which its elements are reached, and which alone holds it.
DOORS = {
    "made": lambda data: MDView(data, (5,)),
    "of a mapping": lambda data: MDView.from_mapping(data, Mapping((2, 2)), origin=3),
    "of a memoryview": doubles,
    "of an array": lambda data: asview(np.frombuffer(data, "d")),
    "of a flipped array": lambda data: asview(np.frombuffer(data, "d")[::-2]),
    "of an array of dates": lambda data: asview(np.frombuffer(data, "M8[s]")),
    "of an array of halves": lambda data: asview(np.frombuffer(data, ">f2")),
    "of records": lambda data: asview(np.frombuffer(data, "i4, f4")[::-1]),
    "of ctypes": lambda data: MDView((ctypes.c_char * 64).from_buffer(data, 8), (9,)),
    "of bytes to pickle": lambda data: MDView(pickle.PickleBuffer(data), (5,)),
    "tiles": lambda data: MDView(memoryview(data).cast("B").cast("d"), (8, 8), LayoutTiled(2, 2))[1:],
    "Morton": lambda data: MDView(memoryview(data).cast("B").cast("d"), (8, 8), LayoutMorton())[..., 3],
    "a row": lambda data: doubles(data)[3],
    "a window": lambda data: doubles(data)[1:5, ::-2],
    "a subview": lambda data: subview(doubles(data), 3, slice(2, 4)),
    "of rank 0": lambda data: doubles(data)[3, 4, ...],
    "empty": lambda data: doubles(data)[3:3],
    "flip": lambda data: flip(doubles(data)),
    "permute_dims": lambda data: permute_dims(doubles(data), (1, 0)),
    "reshape": lambda data: reshape(doubles(data)[:, 1:], (7, 8)),
    "ravel": lambda data: ravel(doubles(data)),
    "broadcast_to": lambda data: broadcast_to(doubles(data)[3], (2, 8)),
    "expand_dims": lambda data: expand_dims(doubles(data), 0),
    "pad": lambda data: pad(doubles(data), 1, mode="edge"),
    "bitcast": lambda data: bitcast(doubles(data), "q"),
    "convert": lambda data: convert(MDView(data, (8,)), LayoutLeft()),
    "assume": lambda data: assume(doubles(data), (8, 8)),
    "readonly": lambda data: readonly(doubles(data)),
    "checked": lambda data: checked(doubles(data)),
    "unchecked": lambda data: unchecked(doubles(data)),
    "scaled": lambda data: scaled(2, doubles(data)),
    "atomic": lambda data: atomic(doubles(data), process_local=True),
    "an atomic element": lambda data: atomic(doubles(data), process_local=True)[1, 1],
    "a copy": lambda data: copy.copy(doubles(data)),
    "moved": lambda data: doubles(data).move(),
    "polymorphic": lambda data: polymorphic_view(data, (None,), 5),
    "iterator": lambda data: iter(doubles(data)),
    "started iterator": lambda data: started(iter(doubles(data))),
    "row of an iterator": lambda data: next(iter(doubles(data))),
    "elements": lambda data: started(elements(doubles(data))),
    "runs": lambda data: started(runs(doubles(data))),
    "tiles of it": lambda data: started(tiles(doubles(data), (2, 2))),
    "flat": lambda data: flat(doubles(data)),
    "method": lambda data: doubles(data).__getitem__,
    "generator": lambda data: started(x for x in doubles(data)),
    "data of a view": lambda data: MDView(doubles(data).data, (5,)),
    "a memoryview of it": lambda data: doubles(data).data,
    "array": lambda data: np.asarray(doubles(data)),
    "array of a part": lambda data: np.asarray(flip(doubles(data)[1:, 2:]))[::2],
    "read-only array": lambda data: np.asarray(readonly(doubles(data))),
    "array without a copy": lambda data: np.array(doubles(data), copy=False),
    "array interface": lambda data: doubles(data).__array_interface__,
    "array of an interface": lambda data: np.asarray(Told(doubles(data).__array_interface__)),
    "view of an array of a view": lambda data: asview(np.asarray(doubles(data)))[1:],
    "used in tables": lambda data: used(permute_dims(doubles(data), (1, 0))[2:]),
    "shown": lambda data: used(doubles(data), repr),
    "an error of a store": lambda data: failed(doubles(data)),
}
OPTIONAL = {
    "dlpack": ("__dlpack__", lambda data: np.from_dlpack(doubles(data))),
    "dlpack of a part": ("__dlpack__", lambda data: np.from_dlpack(doubles(data)[1:, ::2])),
    "dlpack capsule": ("__dlpack__", lambda data: doubles(data).__dlpack__()),
    "memoryview method": ("memoryview", lambda data: doubles(data).memoryview()),
    "memoryview method of a part": ("memoryview", lambda data: doubles(data)[1:, ::2].memoryview()),
    "ctypes of a memoryview": (
        "memoryview",
        lambda data: (ctypes.c_double * 4).from_buffer(doubles(data).memoryview()),
    ),
    "buffer": ("__buffer__", lambda data: memoryview(doubles(data))),
    "array of a buffer": ("__buffer__", lambda data: np.frombuffer(doubles(data), "d")),
    "view of a view's buffer": ("__buffer__", lambda data: MDView(memoryview(doubles(data)[1:3]), (2,))),
}
DOORS |= {name: door for name, (needed, door) in OPTIONAL.items() if hasattr(MDView, needed)}
if sys.version_info < (3, 12):  # no exporters in Python
    for name in ("buffer", "array of a buffer", "view of a view's buffer"):
        DOORS.pop(name, None)


class Told:
    def __init__(self, interface):
        self.__array_interface__ = interface


def started(walk):
    walk = iter(walk)
    next(walk)
    return walk


def used(view, way=MDView.tolist):
    way(view)
    return view


def failed(view):
    try:
        view[0, 0] = "no number"
    except MDViewError:
        return view


def shared():
    made = shared_memory.SharedMemory(create=True, size=8 * COUNT)
    made.unlink()
    return made


# How to make data, what of it is handed to a door, and what needs that nobody holds it.
EXPORTERS = {
    "bytearray": (lambda: bytearray(8 * COUNT), lambda data: data, lambda data: data.extend(b"x")),
    "array": (lambda: array("d", range(COUNT)), lambda data: data, lambda data: data.append(1.0)),
    "map": (lambda: mmap.mmap(-1, 8 * COUNT), lambda data: data, mmap.mmap.close),
    "BytesIO": (lambda: io.BytesIO(bytes(8 * COUNT)), io.BytesIO.getbuffer, lambda data: data.truncate(3)),
    "shared memory": (shared, lambda data: data.buf, shared_memory.SharedMemory.close),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize("exporter", EXPORTERS.values(), ids=EXPORTERS)
def test_data_is_locked_as_long_as_a_door_to_it_is_open(door, exporter):
    make, given, change = exporter
    data = make()
    held = door(given(data))
    gc.collect()
    with pytest.raises(BufferError):
        change(data)
    del held
    gc.collect()
    change(data)


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_data_is_free_at_once_without_collecting_and_after_a_collection_in_cycles(door):
    gc.collect()
    gc.disable()
    try:
        data = bytearray(8 * COUNT)
        held = [door(data)]
        del held[0]
        data.extend(b"12345678")
        held.append(door(data))
        held.append(held)
        del held
        with pytest.raises(BufferError):
            data.append(1)
        gc.collect()
        data.append(1)
    finally:
        gc.enable()


def test_shared_memory_itself_is_held_and_locked():
    memory = shared()
    parts = [MDView(memory, (8, 9)), MDView(memory, (9,))[2:], bitcast(MDView(memory, (64,)), "d")]
    parts.append(np.asarray(flip(parts[0])))
    alive = weakref.ref(memory)
    del memory
    while parts:
        gc.collect()
        with pytest.raises(BufferError):
            alive().close()
        parts[-1][1] = 7
        del parts[-1]
    gc.collect()
    assert alive() is None


class Interfaced:
    """Data that nothing can lock."""

    def __init__(self):
        self.array = np.arange(8.0)
        self.__array_interface__ = self.array.__array_interface__


class Row(list):
    """A list to which there are weak references."""


@pytest.mark.parametrize(
    "view_of",
    [
        lambda data: asview(np.asarray(data)),
        lambda data: asview(np.asarray(data))[1:],
        lambda data: flip(asview(np.asarray(data)))[::2],
        lambda data: np.asarray(asview(np.asarray(data))[::-1]),
        lambda data: MDView(np.asarray(data), (2, 3)),
        lambda data: iter(MDView(np.asarray(data), (2, 3))),
    ],
)
def test_what_cannot_be_locked_stays_alive(view_of):
    data = Interfaced()
    alive, held = weakref.ref(data), view_of(data)
    del data
    gc.collect()
    assert alive() is not None
    del held
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("part", [lambda v: v, lambda v: v[1:], flip, iter, lambda v: v[0], lambda v: v.__getitem__])
def test_a_list_stays_alive(part):
    data = Row(range(12))
    alive, held = weakref.ref(data), part(MDView(data, (3, 4)))
    del data
    gc.collect()
    assert list(alive()) == [*range(12)]
    del held
    gc.collect()
    assert alive() is None


KERNEL = """
    import gc
    from array import array
    import numba
    from mdview import MDView, numba as _

    @numba.njit
    def part(view):
        return view[1:]

    @numba.njit
    def total(view):
        found = 0.0
        for i in range(view.shape[0]):
            found += view[i, 0]
        return found

    data = array("d", range(64))
    view = MDView(data, (8, 8))
    assert total(view) == sum(range(0, 64, 8))

    def is_locked():
        gc.collect()
        try:
            data.append(1.0)
        except BufferError:
            return True
        return False

    assert is_locked()
    made = part(view)
    del view
    assert is_locked()
    assert made[0, 0] == 8.0
    del made
    assert not is_locked()
    view = MDView(data, (8, 8))
    total(view)
    view.release()
    assert not is_locked()
"""


def test_a_kernel_gives_data_back():
    pytest.importorskip("numba")
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KERNEL)], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


FAILURES = {
    "too short": lambda data: MDView(data, (1000,)),
    "too short for a mapping": lambda data: MDView.from_mapping(data, Mapping((1000,))),
    "too far on": lambda data: MDView.from_mapping(data, Mapping((5,)), origin=10**6),
    "a negative extent": lambda data: MDView(data, (-1,)),
    "another rank": lambda data: MDView(data, (9,), LayoutTiled(2, 2)),
    "no accessor": lambda data: MDView(data, (9,), accessor=3),
    "no byte stride of items": lambda data: asview(np.ndarray((3,), "i4", data, 0, (6,))),
}


@pytest.mark.parametrize("fails", FAILURES.values(), ids=FAILURES)
def test_data_of_which_no_view_could_be_made_is_free_where_the_error_is_handled(fails):
    data = bytearray(8 * COUNT)
    try:
        fails(data)
    except MDViewError:
        data.extend(b"x")
    else:
        pytest.fail("it was made")


STORES = {
    "element": lambda view: view.__setitem__((1, 1), "x"),
    "row": lambda view: view.__setitem__(1, ["x"] * 8),
    "slice": lambda view: view.__setitem__(slice(1, 3), "x"),
    "of an array": lambda view: asview(np.asarray(view).view("M8[s]")).__setitem__((1, 1), "x"),
    "halves": lambda view: asview(np.asarray(view).view("f2")).__setitem__((1, 1), "x"),
    "too large": lambda view: bitcast(view, "q").__setitem__((0, 0), 2**70),
    "atomic": lambda view: atomic(view, process_local=True).__setitem__((0, 0), "x"),
}


@pytest.mark.parametrize("fails", STORES.values(), ids=STORES)
def test_a_store_that_failed_holds_nothing(fails):
    data = array("d", range(COUNT))
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(MDViewError):
            fails(MDView(data, (8, 8)))
        data.append(1.0)
    finally:
        gc.enable()
