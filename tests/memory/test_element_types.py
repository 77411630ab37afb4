"""Elements of each type come back from a file, a pickle, a tensor of DLPack and an array of zarr as they went there."""

import ctypes
import pickle
import struct

import numpy as np
import pytest

import mdview as md
from mdview.dtypes import read_dtype
from mdview.memory.item_formats import LETTERS, NAMED, PACKED

RECORD = "[('a', 'u1'), ('b', 'f8')]"
NAMES = [*LETTERS, ">i4", "M8[s]", "m8[ms]", "S3", "U2", RECORD, *NAMED, *PACKED, *[f">{name}" for name in PACKED]]
CODES = {
    **{f"{'u' * u}int{bits}": (u, bits) for u in (0, 1) for bits in (1, 2, 4)},
    "bfloat16": (4, 16),
    "float8_e3m4": (7, 8),
    "float8_e4m3": (8, 8),
    "float8_e4m3b11fnuz": (9, 8),
    "float8_e4m3fn": (10, 8),
    "float8_e4m3fnuz": (11, 8),
    "float8_e5m2": (12, 8),
    "float8_e5m2fnuz": (13, 8),
    "float8_e8m0fnu": (14, 8),
    "float6_e2m3fn": (15, 6),
    "float6_e3m2fn": (16, 6),
    "float4_e2m1fn": (17, 4),
}
"""The enumeration ``DLDataTypeCode`` of dlpack.h, version 1.1, and the bits of each type."""
NEWEST = (1, 1)


class Producer:
    """What offers the tensor of a view, and nothing else."""

    def __init__(self, view):
        self.view = view

    def __dlpack_device__(self):
        return self.view.__dlpack_device__()

    def __dlpack__(self, **asked):
        return self.view.__dlpack__(**asked)


def through_file(view, folder):
    md.save(view, folder / "a.npy")
    np.load(folder / "a.npy")
    return md.open_view(folder / "a.npy")


def through_zarr(view, folder):
    pytest.importorskip("zarr")
    pytest.importorskip("ml_dtypes")
    md.to_zarr(view, folder / "a.zarr")
    return md.from_zarr(folder / "a.zarr")


def sample(name, layout):
    """A view of elements of a type, not all of them numbers."""
    kind = read_dtype(name)
    step = 37 if name in NAMED or kind.bits % 8 else 128
    raw = bytearray([k * step % 255 for k in range(5 * kind.bits)])
    row = md.MDView(raw, (len(raw),))
    row = md.operations.bitcast(row, name) if kind.dtype is None else md.asview(np.frombuffer(raw, kind.dtype))
    return md.relayout(md.reshape(row, (5, 8)), layout)


def same_format(view):
    return {"l": "q", "L": "Q"}.get(view.format, view.format)


WAYS = {
    "file": through_file,
    "pickle": lambda view, _: pickle.loads(pickle.dumps(view)),  # noqa: S301 - our own
    "tensor": lambda view, _: md.asview(Producer(view)),
    "zarr": through_zarr,
}
REFUSED = {
    "tensor": ["S1", ">i4", "M8[s]", "m8[ms]", "S3", "U2", RECORD, *[f">{name}" for name in PACKED]],
    "zarr": ["S1", "S3", "U2", RECORD, "float4_e2m1fn", ">float4_e2m1fn", *NAMED],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NAMES)
def test_elements_come_back(name, way, tmp_path):
    view = sample(name, "right" if way == "tensor" else "left")
    if name in REFUSED.get(way, ()):
        with pytest.raises(md.errors.MDViewError, match=r"relayout\(view|asarray"):
            WAYS[way](view, tmp_path)
        return
    back = WAYS[way](view, tmp_path)
    if way == "zarr" and name.lstrip(">") in PACKED:  # one in a byte
        assert (back.tolist(), back.itemsize) == (view.tolist(), 1)
    else:
        assert (same_format(back), back.tobytes()) == (same_format(view), view.tobytes())


def test_the_type_of_a_view_is_that_of_its_array():
    pytest.importorskip("ml_dtypes")
    for view in [sample(name, "left") for name in NAMES]:
        assert np.asarray(view).dtype == view.dtype


def tensor_of(capsule):
    """Code, bits, lanes, shape, strides, address and flags of a versioned capsule, as dlpack.h lays them out."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    raw = ctypes.string_at(get(capsule, b"dltensor_versioned"), 80)
    major, minor, _, _, flags, data, _, _, ndim, code, bits, lanes, shape, strides, start = struct.unpack(
        "@IIPPQPiiiBBHPPQ", raw
    )
    assert (major, minor) >= (1, 0)
    both = [tuple((ctypes.c_int64 * ndim).from_address(each)) for each in (shape, strides)]
    return (code, bits, lanes), *both, data + start, flags


@pytest.mark.parametrize("name", CODES)
def test_tensors_have_the_codes_of_the_header(name):
    base = sample(name, "right")
    copied = tensor_of(capsule := base.__dlpack__(max_version=NEWEST, copy=True))
    assert (copied[0], copied[1], copied[2]) == ((*CODES[name], 1), (5, 8), (8, 1))
    assert copied[4] == 2 | 4 * (name[:6] == "float6")
    assert ctypes.string_at(copied[3], base.nbytes) == base.tobytes()
    del capsule
    per = 1 if name[:6] == "float6" else 8 // read_dtype(name).bits or 1
    for part in (base, base.T, base[1:, ::2], base[2:3], base[:0], base[3, 0, ...], md.broadcast_to(base[1], (3, 8))):
        if (part.origin + part.mapping.origin) % per:
            with pytest.raises(md.errors.ExportError, match="begins at bit"):
                part.__dlpack__(max_version=NEWEST)
            continue
        back = md.asview(Producer(part))
        assert (back.format, back.shape, back.tobytes()) == (name, part.shape, part.tobytes())
    kind, shape, strides, address, flags = tensor_of(held := base.T.__dlpack__(max_version=NEWEST))
    assert (kind, shape, strides) == ((*CODES[name], 1), (8, 5), (1, 8))
    assert (address, flags & 1) == (np.frombuffer(base.data, "u1").ctypes.data, 0)
    del held
    assert tensor_of(md.readonly(base).__dlpack__(max_version=NEWEST))[4] & 1
    stored = md.asview(Producer(base))
    stored[1, 2] = stored[4, 5]
    assert base[1, 2] == base[4, 5] or base[1, 2] != base[1, 2]


@pytest.mark.parametrize("name", [f"|{name}" for name in PACKED])
def test_padded_numbers_are_flagged(name):
    view = sample(name, "right")
    kind, *_, flags = tensor_of(view.__dlpack__(max_version=NEWEST))
    assert (kind, flags) == ((*CODES[name[1:]], 1), 4)


@pytest.mark.parametrize("name", CODES)
def test_older_readers_are_refused(name):
    view = sample(name, "right")
    for version in (None, (1, 0)):
        if name == "bfloat16":
            assert view.__dlpack__(max_version=version)
        else:
            with pytest.raises(md.errors.ExportError, match=r"version 1\.1 .*relayout"):
                view.__dlpack__(max_version=version)
    with pytest.raises((BufferError, RuntimeError)):  # the first is ours
        np.from_dlpack(view)
    backwards = sample(name, "right")[::-1]
    with pytest.raises(md.errors.ExportError, match="negative strides"):
        backwards.__dlpack__(max_version=NEWEST)
