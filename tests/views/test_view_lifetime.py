"""Data stays alive and locked through every door that leads to it, and is free again when the last of them is shut."""

import copy
import ctypes
import gc
import io
import mmap
import sys
import weakref
from array import array
from contextlib import suppress
from multiprocessing import shared_memory

import numpy as np
import pytest

import mdview as md
from mdview import errors
from mdview.polymorphic import polymorphic_view

COUNT = 64


def doubles(data, *layout):
    """A view of all the data, whatever its items are."""
    return md.MDView(memoryview(data).cast("B").cast("d"), (8, 8), *layout)


def started(walk):
    walk = iter(walk)
    next(walk)
    return walk


def used(view, way=md.MDView.tolist):
    way(view)
    return view


def failed(view):
    with suppress(errors.MDViewError):
        view[0, 0] = "no number"
    return view


class Told:
    def __init__(self, interface):
        self.__array_interface__ = interface


# Each makes something of data by which its elements are reached, and which alone holds it.
OF_DATA = {
    "made": lambda data: md.MDView(data, (5,)),
    "of a mapping": lambda data: md.MDView.from_mapping(data, md.Mapping((2, 2)), origin=3),
    "of a flipped array": lambda data: md.asview(np.frombuffer(data, "d")[::-2]),
    "of an array of dates": lambda data: md.asview(np.frombuffer(data, "M8[s]")),
    "of records": lambda data: md.asview(np.frombuffer(data, "i4, f4")[::-1]),
    "of ctypes": lambda data: md.MDView((ctypes.c_char * 64).from_buffer(data, 8), (9,)),
    "tiles": lambda data: doubles(data, md.LayoutTiled(2, 2))[1:],
    "convert": lambda data: md.conversions.convert(md.MDView(data, (8,)), md.LayoutLeft()),
    "polymorphic": lambda data: polymorphic_view(data, (None,), 5),
}
OF_VIEWS = {
    "a memoryview": lambda v: v,
    "a row": lambda v: v[3],
    "a subview": lambda v: md.subview(v, 3, slice(2, 4)),
    "flip": md.flip,
    "permute_dims": lambda v: md.permute_dims(v, (1, 0)),
    "reshape": lambda v: md.reshape(v[:, 1:], (7, 8)),
    "ravel": md.ravel,
    "broadcast_to": lambda v: md.broadcast_to(v[3], (2, 8)),
    "expand_dims": lambda v: md.expand_dims(v, 0),
    "pad": lambda v: md.pad(v, 1, mode="edge"),
    "bitcast": lambda v: md.operations.bitcast(v, "q"),
    "assume": lambda v: md.assume(v, (8, 8)),
    "readonly": md.readonly,
    "checked": md.checked,
    "unchecked": md.unchecked,
    "scaled": lambda v: md.operations.scaled(2, v),
    "atomic": lambda v: md.atomic(v, process_local=True),
    "a copy": copy.copy,
    "moved": md.MDView.move,
    "iterator": iter,
    "started iterator": started,
    "elements": lambda v: started(md.iteration.elements(v)),
    "runs": lambda v: started(md.iteration.runs(v)),
    "tiles of it": lambda v: started(md.tiles(v, (2, 2))),
    "flat": md.iteration.flat,
    "method": lambda v: v.__getitem__,
    "generator": lambda v: started(x for x in v),
    "array": np.asarray,
    "array of a part": lambda v: np.asarray(md.flip(v[1:, 2:]))[::2],
    "array interface": lambda v: v.__array_interface__,
    "array of an interface": lambda v: np.asarray(Told(v.__array_interface__)),
    "used in tables": lambda v: used(md.permute_dims(v, (1, 0))[2:]),
    "shown": lambda v: used(v, repr),
    "an error of a store": failed,
    "dlpack of a part": lambda v: np.from_dlpack(v[1:, ::2]),
    "dlpack capsule": lambda v: v.__dlpack__(),
    "memoryview method of a part": lambda v: v[1:, ::2].memoryview(),
}
if sys.version_info >= (3, 12):  # exporters in Python
    OF_VIEWS |= {"buffer": memoryview, "view of a view's buffer": lambda v: md.MDView(memoryview(v[1:3]), (2,))}
DOORS = OF_DATA | {name: lambda data, make=make: make(doubles(data)) for name, make in OF_VIEWS.items()}


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


def is_done(change, data):
    try:
        change(data)
    except BufferError:
        return False
    return True


def is_locked(data):
    return not is_done(lambda data: data.append(data.pop()), data)


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_data_is_locked_as_long_as_a_door_to_it_is_open(exporter):
    make, given, change = EXPORTERS[exporter]
    for name, door in DOORS.items():
        data = make()
        held = door(given(data))
        assert not is_done(change, data), name
        del held
        assert is_done(change, data), name


def test_data_is_free_at_once_without_collecting_and_after_a_collection_in_cycles():
    gc.collect()
    gc.disable()
    try:
        for name, door in DOORS.items():
            data = bytearray(8 * COUNT)
            held = [door(data)]
            del held[0]
            assert not is_locked(data), name
            held.append(door(data))
            held.append(held)
            del held
            assert is_locked(data), name
            gc.collect(0)
            assert not is_locked(data), name
    finally:
        gc.enable()


OF_THE_VIEW = {"a memoryview", "method", "used in tables", "shown", "an error of a store", "runs", "tiles of it"}
OF_THE_VIEW |= {"generator", "iterator", "started iterator"}
"""What is the view itself, or asks it each time."""


@pytest.mark.parametrize("name", OF_VIEWS)
def test_what_was_made_of_a_view_outlives_its_release(name):
    data = bytearray(8 * COUNT)
    view = doubles(data)
    held = OF_VIEWS[name](view)
    if name not in OF_THE_VIEW:
        view.release()
        assert is_locked(data)
    del held, view
    assert not is_locked(data)


class Row(list):
    """A list to which there are weak references."""


class Interfaced:
    """Data that nothing can lock."""

    def __init__(self):
        self.array = np.arange(12.0)
        self.__array_interface__ = self.array.__array_interface__


ALIVE = [
    *[
        (
            make,
            lambda data, part=part: part(md.MDView(np.asarray(data) if isinstance(data, Interfaced) else data, (3, 4))),
        )
        for make in (Interfaced, lambda: Row(range(12)))
        for part in (lambda v: v, lambda v: v[1:], iter, lambda v: v.__getitem__)
    ],
    (Interfaced, lambda data: md.asview(np.asarray(data))[1:]),
    (shared, lambda data: md.MDView(data, (9,))[2:]),
    (shared, lambda data: md.flip(md.operations.bitcast(md.MDView(data, (64,)), "d"))),
]


@pytest.mark.parametrize(("make", "view_of"), ALIVE)
def test_what_cannot_be_locked_stays_alive(make, view_of):
    data = make()
    alive, held = weakref.ref(data), view_of(data)
    del data
    gc.collect()
    assert alive() is not None
    del held
    gc.collect()
    assert alive() is None


FAILURES = {
    "too short": lambda data: md.MDView(data, (1000,)),
    "too far on": lambda data: md.MDView.from_mapping(data, md.Mapping((5,)), origin=10**6),
    "a negative extent": lambda data: md.MDView(data, (-1,)),
    "no accessor": lambda data: md.MDView(data, (9,), accessor=3),
    "no byte stride of items": lambda data: md.asview(np.ndarray((3,), "i4", data, 0, (3,))),
    "element": lambda data: doubles(data).__setitem__((1, 1), "x"),
    "row": lambda data: doubles(data).__setitem__(1, ["x"] * 8),
    "slice": lambda data: doubles(data).__setitem__(slice(1, 3), "x"),
    "date": lambda data: md.asview(np.frombuffer(data, "M8[s]")).__setitem__(1, "x"),
    "too large": lambda data: md.operations.bitcast(doubles(data), "q").__setitem__((0, 0), 2**70),
    "atomic": lambda data: md.atomic(doubles(data), process_local=True).__setitem__((0, 0), "x"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_what_failed_holds_nothing_where_the_error_is_handled(name):
    data = bytearray(8 * COUNT)
    try:
        FAILURES[name](data)
    except errors.MDViewError:
        if name in [*FAILURES][:5]:
            assert not is_locked(data)
    else:
        pytest.fail("it was made")
    assert not is_locked(data)
