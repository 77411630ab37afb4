"""DLPack: another library gets the memory of a view in a capsule, or an error that says why not."""

import gc
from array import array

import numpy as np
import pytest
from tensors import Versioned, address

import mdview as md
from mdview import errors

NEWER = (1, 0)
READ_ONLY, COPIED = 1, 2


def told(capsule):
    """Shape, strides, address and flags of a versioned capsule."""
    found = Versioned.from_address(address(capsule, b"dltensor_versioned"))
    tensor = found.tensor
    assert tuple(tensor.device) == (1, 0)
    shape, strides = [tuple([each[r] for r in range(tensor.ndim)]) for each in (tensor.shape, tensor.strides)]
    return shape, strides, tensor.data + tensor.byte_offset, found.flags


def whole():
    return md.MDView(array("d", range(24)), (4, 6))


NEGATIVE = {
    "flipped": (md.flip, "0.*-6"),
    "steps": (lambda v: v[1:, ::-2], "1.*-2"),
    "read-only": (lambda v: md.readonly(v[::-1]), "0.*-6"),
    "broadcast, flipped": (lambda v: md.broadcast_to(v[0, ::-1], (2, 6)), "1.*-1"),
    "of an array": (lambda v: md.asview(np.arange(24, dtype="i2").reshape(4, 6)[:, ::-3]), "1.*-3"),
}
"""Views with a negative stride, and the dimension and the stride that the error names."""
HARMLESS = {
    "plain": lambda v: v,
    "transposed": lambda v: v.T,
    "broadcast": lambda v: md.broadcast_to(v[0], (3, 6)),
    "one row backwards": lambda v: v[2:3][::-1],
    "empty backwards": lambda v: v[:0, ::-1],
    "rank 0": lambda v: v[1, 1, ...],
    "read-only, transposed": lambda v: md.readonly(v).T,
}
HIDDEN = {
    "tiles": lambda: md.relayout(whole(), md.LayoutTiled(2, 3)),
    "scaled": lambda: md.operations.scaled(2.0, whole()),
    "atomic": lambda: md.atomic(whole()),
    "list": lambda: md.MDView([1, 2, 3], (3,)),
}


@pytest.mark.parametrize("part", HARMLESS.values(), ids=HARMLESS)
def test_a_capsule_says_where_the_elements_lie(part):
    view = part(whole())
    shape, strides, start, flags = told(view.__dlpack__(max_version=NEWER))
    assert (shape, flags) == (view.shape, 0 if view.flags.writeable else READ_ONLY)
    if view.size:
        assert all(s == t for s, t, n in zip(strides, view.strides, shape, strict=True) if n > 1)
        assert start == np.asarray(view).ctypes.data
    assert np.from_dlpack(view).tolist() == view.tolist()
    assert np.from_dlpack(view).flags.writeable == view.flags.writeable


@pytest.mark.parametrize("version", [None, NEWER])
def test_a_copy_is_one_of_the_values_and_writable(version):
    for view in (whole(), md.readonly(whole()), *[make() for make in HIDDEN.values()]):
        capsule = view.__dlpack__(copy=True, max_version=version)
        assert version is None or told(capsule)[3] == COPIED
        copied = np.from_dlpack(view, copy=True)
        assert (copied.tolist(), copied.flags.writeable) == (view.tolist(), True)
        copied[...] = 77
        assert 77 not in np.asarray(view)


def test_a_read_only_view_is_told_to_new_consumers_alone():
    one, zero, view = np.int64(1), np.uint8(0), md.readonly(whole())
    for version in (None, (0, 8), (zero, one)):
        with pytest.raises(errors.ExportError, match="readonly"):
            view.__dlpack__(max_version=version)
    for version in ((1, 3), (2, 0), (one, zero)):
        assert told(view.__dlpack__(max_version=version))[3] == READ_ONLY
    assert told(whole().__dlpack__(max_version=(one, zero), dl_device=(one, zero)))[3] == 0
    assert whole().__dlpack_device__() == md.MDView(None, (2,)).__dlpack_device__() == (1, 0)


@pytest.mark.parametrize("copy", [None, True])
def test_what_is_asked_and_cannot_be_is_refused(copy):
    for given, told_ in [
        *[({"stream": stream}, "stream") for stream in (1, -1)],
        *[({"dl_device": device}, "device") for device in ((2, 0), (1, 1), "1")],
        *[({"max_version": version}, "") for version in (("1", "0"), (1.0, 0), "1")],
        ({"copy": "no"}, "'no'"),
    ]:
        with pytest.raises(errors.ExportError, match=told_ or None):
            whole().__dlpack__(**({"copy": copy} | given))


@pytest.mark.parametrize("kind", ["M8[s]", "S3", "U2", "V2", "V3", "g", "G", [("a", "i4")], ">f8", ">i2", ">c16"])
def test_items_that_dlpack_does_not_know_are_refused(kind):
    for view in (md.asview(np.zeros(3, kind)), md.readonly(md.asview(np.zeros(3, kind)))):
        for arguments in ({}, {"max_version": NEWER}, {"copy": True}):
            with pytest.raises(errors.ExportError):
                view.__dlpack__(**arguments)


@pytest.mark.parametrize("item_format", [*"?bBhHiIqQlnefd", "Zf", "Zd"])
def test_numbers_of_the_machine_keep_their_type(item_format):
    view = md.operations.bitcast(md.MDView(bytearray(b"\x01\x00" * 32), (64,)), item_format)
    assert np.from_dlpack(view).dtype == view.dtype
    assert np.shares_memory(np.from_dlpack(view), np.asarray(view))


@pytest.mark.parametrize("version", [None, NEWER])
def test_a_capsule_that_nobody_takes_unlocks_the_data(version):
    data = bytearray(8)
    capsule = md.MDView(data, (8,)).__dlpack__(max_version=version)
    with pytest.raises(BufferError):
        data.append(1)
    del capsule
    gc.collect()
    data.append(1)


@pytest.mark.parametrize("name", NEGATIVE)
def test_negative_strides_are_exported_to_nobody(name):
    part, values = NEGATIVE[name]
    view = part(whole())
    with pytest.raises(errors.ExportError, match=f"{values}.*flip a copy"):
        view.__dlpack__(max_version=NEWER)
    for copy in (np.from_dlpack(md.relayout(view, md.LayoutRight())), np.from_dlpack(view, copy=True)):
        assert copy.tolist() == view.tolist()
