"""Protocols: which of them an object is asked by, and what says no."""

import copy
import ctypes
import gc
import pickle
import weakref
from io import BytesIO
from multiprocessing import Array, Value
from multiprocessing.shared_memory import SharedMemory

import pytest

from mdview import LayoutRight, LayoutStrideRelaxed, Mapping, MDView, ReadOnlyAccessor, asview, equal
from mdview.errors import BufferFormatError, MDViewError

np = pytest.importorskip("numpy")

GRID = np.arange(24.0).reshape(4, 6)


class Tensor:
    """Gives a tensor as libraries do that know DLPack 1."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **wanted):
        return self.array.__dlpack__(**wanted)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OldTensor(Tensor):
    """Knows neither versions nor flags."""

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


class Array0(Tensor):
    """Makes an array, without a copy if that is asked for."""

    def __init__(self, array):
        self.array = array

    __dlpack__ = None
    __dlpack_device__ = None

    def __array__(self, dtype=None, copy=None):
        return self.array if copy is False else self.array.copy()


class Forgetful:
    """Makes an array, and copies whatever is asked."""

    def __array__(self, dtype=None, copy=None):
        return GRID.copy()


class Older:
    """Does not know of `copy`."""

    def __array__(self, dtype=None):
        return GRID


class Masking:
    def __array__(self, dtype=None, copy=None):
        return np.ma.masked_array(GRID, GRID > 3)


class Listing:
    def __array__(self, dtype=None, copy=None):
        return [1, 2]


class CopyingTensor(Tensor):
    def __dlpack__(self, **_):
        return self.array.copy().__dlpack__(max_version=(1, 0))


class RaisingTensor(Tensor):
    def __dlpack__(self, **_):
        raise RuntimeError("it is computed\nlater")


class DeviceTensor(Tensor):
    def __dlpack__(self, **_):
        raise AssertionError("not to be asked")

    def __dlpack_device__(self):
        return (2, 0)


class NoTensor(Tensor):
    def __dlpack__(self, **_):
        return 3


PARTS = {
    "whole": GRID,
    "left": GRID.T,
    "flipped": GRID[::-1, ::-2],
    "broadcast": np.broadcast_to(GRID[1], (3, 6)),
    "empty": GRID[:0],
    "rank 0": GRID[1, 2:3].reshape(()),
    "complex": GRID.astype("c8")[1:],
    "truth": GRID > 3,
}


@pytest.mark.parametrize("exporter", [Tensor, OldTensor, Array0])
@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("writeable", [True, False])
def test_a_tensor_is_viewed_where_it_lies(exporter, name, writeable):
    array = PARTS[name].view()
    array.flags.writeable = writeable = writeable and array.flags.writeable
    if exporter is OldTensor and not writeable:
        pytest.skip("NumPy does not export it")
    given = exporter(array)
    view = asview(given)
    assert view.data is given
    assert view.tolist() == array.tolist()
    assert view.layout == asview(array).layout
    # Who does not say whether it is read-only may be.
    assert isinstance(view.accessor, ReadOnlyAccessor) is (not writeable or exporter is OldTensor)
    assert array.size == 0 or np.shares_memory(np.asarray(view), array)


@pytest.mark.parametrize("exporter", [Tensor, OldTensor, Array0])
def test_what_gives_memory_is_held(exporter):
    given = exporter(GRID.copy())
    gone, array = weakref.ref(given), weakref.ref(given.array)
    view = asview(given)[::2]
    del given
    gc.collect()
    assert view.tolist() == GRID[::2].tolist()
    assert gone() is not None
    assert array() is not None
    view.release()
    gc.collect()
    assert gone() is None
    assert array() is None


@pytest.mark.parametrize("travel", ["pickle", "copy"])
@pytest.mark.parametrize("exporter", [Tensor, Array0])
def test_a_view_of_a_tensor_travels(exporter, travel):
    view = asview(exporter(GRID.copy()))
    pair = [view, view[1:]]
    again, part = pickle.loads(pickle.dumps(pair)) if travel == "pickle" else copy.deepcopy(pair)  # noqa: S301
    assert equal(again, view)
    again[1, 0] = -5.0
    assert part[0, 0] == -5.0
    assert view[1, 0] == 6.0


class Everything(Tensor):
    """Knows all protocols; tells which one was asked."""

    def __init__(self, *known):
        self.asked = []
        self.known = known

    def _ask(self, name):
        if name not in self.known:
            raise AttributeError(name)
        self.asked.append(name)

    @property
    def __array_interface__(self):
        self._ask("interface")
        return GRID.__array_interface__

    @property
    def __array_struct__(self):
        self._ask("struct")
        return GRID.__array_struct__

    @property
    def __dlpack__(self):
        self._ask("dlpack")
        return GRID.__dlpack__

    @property
    def __cuda_array_interface__(self):
        self._ask("device")
        return {"shape": (4, 6), "typestr": "<f8", "data": (4096, False), "version": 3}

    def __dlpack_device__(self):
        return (1, 0)

    def __array__(self, dtype=None, copy=None):
        self._ask("array")
        return GRID


ORDER = ["interface", "struct", "dlpack", "device", "array"]


@pytest.mark.parametrize("first", range(5))
def test_protocols_are_asked_in_order(first):
    given = Everything(*ORDER[first:])
    assert asview(given).extents == (4, 6)
    assert set(given.asked) == {ORDER[first]}


def test_a_buffer_comes_first():
    class Both(bytearray):
        @property
        def __array_interface__(self):
            raise AssertionError

    assert asview(Both(b"ab")).tolist() == [97, 98]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Forgetful(), "its __array__ makes a copy each time; if a copy will do, write asview"),
        (Older(), "unexpected keyword argument 'copy'; if a copy will do, write asview"),
        (Masking(), "the __array__ of Masking gives .*without a mask"),
        (Listing(), r"the __array__ of Listing gives \[1, 2\]"),
        (CopyingTensor(GRID), "its __dlpack__ makes a copy each time"),
        (RaisingTensor(GRID), "RaisingTensor gives none: it is computed; "),
        (DeviceTensor(GRID), r"it lies on the device \(2, 0\) of DLPack"),
        (NoTensor(GRID), "NoTensor gives none"),
        (Tensor(np.array(["a"])), "Tensor gives none"),
        (Tensor(GRID.astype(">f8")), "Tensor gives none"),
        (np.float64(1), "a single value is no memory of its own"),
        (np.datetime64("2020"), "a single value is no memory of its own"),
        (np.ma.masked_array([1]), r"say what they are: array.filled\(value\)"),
        (np.ndarray, "got the class ndarray; give an object of the class"),
        ([1, 2], r"got list; use MDView for a sequence: MDView\(data, extents\)"),
        ((1, 2), "got tuple; use MDView for a sequence"),
        (range(3), "got range; use MDView for a sequence"),
        (3, "got int 3; use MDView for other data"),
        (None, "got None"),
        ({}, "got dict"),
        ("text", r"got str 'text'; encode it: asview\(text.encode\(\)\)"),
        (MDView([1], (1,)), "got MDView; it is a view already"),
        (MDView(GRID, (4, 6)), "got MDView; it is a view already"),
        (Mapping((2,)), "a mapping has no data"),
        (BytesIO(b"abc"), r"write asview\(stream.getbuffer\(\)\)"),
        (Array("d", 3), r"write asview\(array.get_obj\(\)\)"),
        (Value("d", 3.0), r"write asview\(value.get_obj\(\)\)"),
    ],
    ids=lambda given: type(given).__name__,
)
def test_what_has_no_memory_to_share_is_refused_with_the_way(given, message):
    with pytest.raises(BufferFormatError, match=message):
        asview(given)


def test_the_ways_lead_to_views():
    assert asview(BytesIO(b"ab").getbuffer()).tolist() == [97, 98]
    assert asview(Array("d", 3).get_obj()).tolist() == [0, 0, 0]
    assert asview(Value("d", 3.0).get_obj()).tolist() == 3.0
    assert asview(np.asarray(Forgetful())).tolist() == GRID.tolist()


@pytest.mark.parametrize("part", [lambda shared: shared, lambda shared: shared.buf], ids=["itself", "its buffer"])
def test_shared_memory_is_locked_while_it_is_viewed(part):
    shared = SharedMemory(create=True, size=8)
    try:
        given, size = part(shared), len(shared.buf)
        whole = asview(given)
        assert (whole.data, whole.extents, whole.layout, whole.format) == (given, (size,), LayoutRight(), "B")
        whole[0] = 7
        assert shared.buf[0] == 7
        view = whole[::-1]
        assert (view.layout, view[-1]) == (LayoutStrideRelaxed((-1,), size - 1), 7)
        whole.release()
        with pytest.raises(BufferError):
            shared.close()
        view.release()
    finally:
        shared.close()
        shared.unlink()
    for _ in range(2):
        with pytest.raises(BufferFormatError, match=r"the shared memory '.*' has been closed"):
            asview(shared)


def test_a_pointer_is_refused_with_the_way():
    number = ctypes.c_int(3)
    for given in (ctypes.pointer(number), ctypes.pointer((ctypes.c_int * 2)(1, 2))):
        with pytest.raises(BufferFormatError, match=r"what it points to: asview\(pointer.contents\)"):
            asview(given)
    assert asview(ctypes.pointer(number).contents)[()] == 3


def test_errors_of_a_failed_call_leave_nothing_behind():
    given = Tensor(GRID.copy())
    for _ in range(2):
        with pytest.raises(MDViewError):
            asview(RaisingTensor(GRID))
        assert asview(given).tolist() == GRID.tolist()
