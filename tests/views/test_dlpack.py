"""DLPack: another library gets the memory of a view in a capsule, or an error that says why not and what to do."""

import ctypes
import gc
import sys
from array import array

import numpy as np
import pytest

from mdview import (
    LayoutTiled,
    MDView,
    ReadOnlyAccessor,
    ScaledAccessor,
    asview,
    atomic,
    bitcast,
    broadcast_to,
    readonly,
    relayout,
    scaled,
)
from mdview.errors import ExportError

NEWER = (1, 0)
READ_ONLY, COPIED = 1, 2


class Device(ctypes.Structure):
    """DLDevice."""

    _fields_ = (("kind", ctypes.c_int32), ("number", ctypes.c_int32))


class Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class Versioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


def address(capsule, name):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get(capsule, name)


def told(capsule):
    """Shape, strides, address and flags of a versioned capsule."""
    found = Versioned.from_address(address(capsule, b"dltensor_versioned"))
    tensor = found.tensor
    assert (tensor.device.kind, tensor.device.number) == (1, 0)
    dims = range(tensor.ndim)
    assert not tensor.ndim or tensor.strides
    strides = tuple([tensor.strides[r] for r in dims])
    return tuple([tensor.shape[r] for r in dims]), strides, tensor.data + tensor.byte_offset, found.flags


def whole():
    return MDView(array("d", range(24)), (3, 4))


@pytest.mark.parametrize(
    "part",
    [
        lambda v: v,
        lambda v: v.T,
        lambda v: v[::-1, ::2],
        lambda v: v[1],
        lambda v: v[1:2],
        lambda v: v[1, 1, ...],
        lambda v: v[:0],
        lambda v: broadcast_to(v, (2, 3, 4)),
        readonly,
        lambda v: readonly(v).T,
    ],
)
def test_a_capsule_says_where_the_elements_lie(part):
    view = part(whole())
    shape, strides, start, flags = told(view.__dlpack__(max_version=NEWER))
    assert shape == view.shape
    assert flags == (READ_ONLY if isinstance(view.accessor, ReadOnlyAccessor) else 0)
    if view.size:
        moving = [(s, t) for s, t, n in zip(strides, view.strides, shape, strict=True) if n > 1]
        assert all(s == t for s, t in moving)
        assert start == np.asarray(view).ctypes.data
    assert np.from_dlpack(view).tolist() == view.tolist()
    assert np.from_dlpack(view).flags.writeable == (not flags)


def test_the_device_is_the_cpu():
    assert whole().__dlpack_device__() == (1, 0)
    assert MDView(None, (2,)).__dlpack_device__() == (1, 0)
    assert whole().__dlpack__(dl_device=(1, 0)) is not None


@pytest.mark.parametrize(
    "make",
    [
        whole,
        lambda: readonly(whole()),
        lambda: relayout(whole(), LayoutTiled(2, 3)),
        lambda: scaled(2.0, whole()),
        lambda: atomic(whole()),
        lambda: MDView([1, 2, 3], (3,)),
        lambda: MDView(bytes(range(6)), (2, 3), accessor=ReadOnlyAccessor(ScaledAccessor(2))),
    ],
)
@pytest.mark.parametrize("version", [None, NEWER])
def test_a_copy_is_one_of_the_values_and_writable(make, version):
    view = make()
    capsule = view.__dlpack__(copy=True, max_version=version)
    if version:
        assert told(capsule)[3] == COPIED
    copied = np.from_dlpack(view, copy=True)
    assert copied.tolist() == view.tolist()
    assert copied.flags.writeable
    copied[...] = 77
    assert 77 not in np.asarray(view)


@pytest.mark.parametrize("copy", [None, False])
def test_what_is_not_memory_is_never_copied_unasked(copy):
    for view in (relayout(whole(), LayoutTiled(2, 3)), scaled(2.0, whole()), atomic(whole()), MDView([1.5], (1,))):
        with pytest.raises(BufferError, match=r"no DLPack tensor shares the memory .*; copy=True gives a copy"):
            np.from_dlpack(view, copy=copy)


def test_a_read_only_view_is_told_to_new_consumers_alone():
    view = readonly(whole())
    for version in (None, (0, 8)):
        with pytest.raises(
            ExportError, match=r"read-only, which only DLPack from version 1\.0 on can say, .*copy=True"
        ):
            view.__dlpack__(max_version=version)
    assert told(view.__dlpack__(max_version=(1, 3)))[3] == READ_ONLY
    assert told(view.__dlpack__(max_version=(2, 0)))[3] == READ_ONLY


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"stream": 1}, "stream must be None, got 1"),
        ({"stream": -1}, "stream must be None, got -1"),
        ({"dl_device": (2, 0)}, r"is on the CPU, device \(1, 0\), got dl_device=\(2, 0\)"),
        ({"dl_device": (1, 1)}, r"got dl_device=\(1, 1\)"),
        ({"dl_device": 1}, "got dl_device=1"),
        ({"max_version": 1}, r"a tuple of two integers, \(1, 0\), got 1"),
        ({"max_version": ("1", "0")}, "a tuple of two integers"),
        ({"max_version": (1.0, 0)}, "a tuple of two integers"),
    ],
)
@pytest.mark.parametrize("copy", [None, True])
def test_what_is_asked_and_cannot_be_is_refused(given, message, copy):
    with pytest.raises(BufferError, match=message) as raised:
        whole().__dlpack__(**given, copy=copy)
    assert isinstance(raised.value, ExportError)


def test_integers_of_numpy_are_integers():
    one, zero = np.int64(1), np.uint8(0)
    assert told(whole().__dlpack__(max_version=(one, zero), dl_device=(one, zero)))[3] == 0
    with pytest.raises(ExportError, match="read-only"):
        readonly(whole()).__dlpack__(max_version=(zero, one))
    assert told(readonly(whole()).__dlpack__(max_version=(one, zero)))[3] == READ_ONLY


@pytest.mark.parametrize("copy", ["no", "", b"yes"])
def test_a_text_is_no_answer_to_whether_to_copy(copy):
    for view in (whole(), readonly(whole()), relayout(whole(), LayoutTiled(2, 3)), MDView([1.5], (1,))):
        for export in (view.__dlpack__, view.__array__):
            with pytest.raises(ExportError, match=r"copy is True, False or None, got "):
                export(copy=copy)


@pytest.mark.parametrize("dtype", ["M8[s]", "S3", "U2", "V2", "V3", "g", "G", [("a", "i4"), ("b", "f8")]])
def test_items_that_dlpack_does_not_know_are_refused_with_a_way(dtype):
    for view in (asview(np.zeros(3, dtype)), readonly(asview(np.zeros(3, dtype)))):
        for version in (None, NEWER):
            with pytest.raises(ExportError, match=r"DLPack has no items of type .*np\.asarray\(view\)"):
                view.__dlpack__(max_version=version)


@pytest.mark.parametrize("item_format", [">d", ">h", ">Zd", ">e"])
def test_items_of_another_byte_order_are_refused_with_a_way(item_format):
    if sys.byteorder != "little":
        pytest.skip("that is the order of this machine")
    view = bitcast(MDView(bytearray(range(32)), (32,)), item_format)
    with pytest.raises(ExportError, match=r"only those in the byte order of the machine; np\.asarray\(view\)\.astype"):
        np.from_dlpack(view)
    turned = np.asarray(view).astype(view.dtype.newbyteorder("="))
    assert np.array_equal(np.from_dlpack(asview(turned)), np.asarray(view), equal_nan=True)


@pytest.mark.parametrize(
    "item_format", ["?", "b", "B", "h", "H", "i", "I", "q", "Q", "l", "n", "e", "f", "d", "Zf", "Zd"]
)
def test_numbers_of_the_machine_keep_their_type(item_format):
    view = bitcast(MDView(bytearray(b"\x01\x00" * 32), (64,)), item_format)
    assert np.from_dlpack(view).dtype == view.dtype
    assert np.shares_memory(np.from_dlpack(view), np.asarray(view))


def test_the_null_view_has_no_tensor():
    view = whole()
    view.release()
    for copy in (None, True):
        with pytest.raises(ExportError, match="the null view has no memory for a DLPack tensor"):
            view.__dlpack__(copy=copy)


@pytest.mark.parametrize("version", [None, NEWER])
def test_a_capsule_that_nobody_takes_unlocks_the_data(version):
    data = bytearray(8)
    capsule = MDView(data, (8,)).__dlpack__(max_version=version)
    with pytest.raises(BufferError):
        data.append(1)
    del capsule
    gc.collect()
    data.append(1)


class OldNumPy:
    """NumPy 2.0, whose arrays take a stream alone."""

    __version__ = "2.0.2"


def test_numpy_without_versions_gives_capsules_of_the_first(monkeypatch):
    monkeypatch.setattr("mdview.views.dlpack.import_numpy", OldNumPy)
    view = whole()
    capsule = view.__dlpack__(max_version=NEWER)
    assert Tensor.from_address(address(capsule, b"dltensor")).data == np.asarray(view).ctypes.data
    copied = view.__dlpack__(max_version=NEWER, copy=True)
    assert Tensor.from_address(address(copied, b"dltensor")).data != np.asarray(view).ctypes.data
    with pytest.raises(ExportError, match="NumPy makes no DLPack tensor of this view"):
        readonly(view).__dlpack__(max_version=NEWER)
