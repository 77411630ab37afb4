"""What has no memory to share, or lies of it, is refused by name, and nothing of it is read."""

import ctypes
import sys
from io import BytesIO
from itertools import product
from multiprocessing import Array, Value
from types import SimpleNamespace

import numpy as np
import pytest
from processes import output_of
from test_asview import GRID, Making, Struct, Tensor, Told

from mdview import Mapping, MDView, asview
from mdview.errors import BufferFormatError, MDViewError, StrideError

LIES = {
    # what is told instead, values that the error names
    "shape of a list": ({"shape": [4, 6]}, "shape must be a tuple"),
    "no shape": ({"shape": None}, "shape"),
    "negative shape": ({"shape": (-1, 6)}, "negative"),
    "fractions": ({"shape": (2.0,)}, "float"),
    "long shape": ({"shape": (2**62, 2)}, ""),
    "long repetition": ({"shape": (2**62, 4), "strides": (0, 0)}, ""),
    "long empty shape": ({"shape": (2**62, 2, 0), "strides": None}, ""),
    "no data": ({"data": None}, ""),
    "data of text": ({"data": ("x", True)}, "integer"),
    "data without flag": ({"data": (4096,)}, "data"),
    "address 0": ({"data": (0, False)}, "NULL"),
    "negative address": ({"data": (-8, False)}, "0xf{15}8"),
    "long address": ({"data": (2**64, False)}, ""),
    "address at the end": ({"data": (2**64 - 8, False)}, ""),
    "address below the start": ({"data": (8, False), "strides": (-48, 8)}, ""),
    "long strides": ({"strides": (2**63, 8)}, ""),
    "one stride": ({"strides": (8,)}, "strides"),
    "strides of a list": ({"strides": [48, 8]}, ""),
    "strides of text": ({"strides": ("a", 8)}, ""),
    "mask": ({"mask": GRID > 3}, "mask"),
    "type of a number": ({"typestr": 3}, "3"),
    "unknown type": ({"typestr": "x"}, "'x'"),
    "objects": ({"typestr": "|O"}, "objects"),
    "records of objects": ({"typestr": "|V8", "descr": [("a", "|O")]}, "objects"),
    "no fields": ({"typestr": "|V16", "shape": (2,), "descr": [3]}, "Field"),
    "items without bytes": ({"typestr": "<U0"}, "0"),
    "short buffer": ({"data": bytearray(100)}, ""),
    "buffer and offset": ({"data": bytearray(192), "offset": 8}, ""),
    "buffer and strides": ({"data": bytearray(192), "strides": (-48, 8)}, ""),
    "offset of text": ({"data": bytearray(192), "offset": "x"}, "'str'"),
    "no buffer": ({"data": 3}, ""),
    "strides that do not divide": ({"strides": (49, 8)}, "49 .* 0 .* 8"),
}


def test_a_lie_is_refused_by_name():
    for told, values in LIES.values():
        with pytest.raises((BufferFormatError, StrideError), match=values or None):
            asview(Told(**told))


def test_no_lie_reaches_memory():
    """In a process of its own, as an address that is believed ends it."""
    source = f"""
import sys
sys.path[:0] = {[str(path) for path in sys.path]!r}
from test_asview_refusals import LIES, Told
from mdview import asview
from mdview.errors import MDViewError
for told, _ in LIES.values():
    try:
        asview(Told(**told)).tolist()
    except MDViewError:
        continue
    raise AssertionError(told)
"""
    output_of(source)


def made(name, **members):
    """An object of a new class."""
    return type(name, (), members)()


def raising(*_, **__):
    raise RuntimeError("it is computed\nlater")


class CopyingInterface:
    def __init__(self):
        self.kept = []

    @property
    def __array_interface__(self):
        self.kept.append(GRID.copy())
        return self.kept[-1].__array_interface__


class CopyingTensor(Tensor):
    def __dlpack__(self, **_):
        return self.array.copy().__dlpack__(max_version=(1, 0))


class RaisingTensor(Tensor):
    __dlpack__ = raising


class DeviceTensor(Tensor):
    def __dlpack__(self, **_):
        raise AssertionError("not to be asked")

    def __dlpack_device__(self):
        return (2, 0)


class NoTensor(Tensor):
    def __dlpack__(self, **_):
        return 3


def computes(module, name):
    """Named as what computes, so that nothing of it is called."""

    def asked(*_, **__):
        raise AssertionError

    return type(name, (), {"__module__": module, "__array__": asked, "__dlpack__": asked})()


def released():
    given = memoryview(bytearray(12))
    given.release()
    return given


PACKED = np.zeros(4, [("a", "i1"), ("b", "i4")])["b"]
TEXTS = np.array(["a", "bc"], dtype=np.dtypes.StringDType())
REFUSED = [
    # what, values and ways that the error names
    (made("Raising", __array_interface__=property(raising)), "Raising .*it is computed"),
    (made("None_", __array_interface__=3), "3"),
    (CopyingInterface(), "__array_interface__ .*asview"),
    (made("Bytes", __array_interface__={**GRID.__array_interface__, "data": 3}), ""),
    (Struct(GRID, 3), "Struct .* 3"),
    (Struct(GRID, GRID.__dlpack__()), "Struct"),
    (Struct(np.array([None])), "objects"),
    (Struct(np.array(["ab"])), "'U'"),
    (Struct(np.arange(3).astype("M8[s]")), "'M'"),
    (made("Forgetful", __array__=lambda self, dtype=None, copy=None: GRID.copy()), "__array__ .*asview"),
    (made("Older", __array__=lambda self, dtype=None: GRID), "copy.*asview"),
    (made("Masking", __array__=lambda self, dtype=None, copy=None: np.ma.masked_array(GRID, GRID > 3)), "mask"),
    (made("Listing", __array__=lambda self, dtype=None, copy=None: [1, 2]), r"\[1, 2\]"),
    (CopyingTensor(GRID), "__dlpack__"),
    (RaisingTensor(GRID), "RaisingTensor .*it is computed; "),
    (DeviceTensor(GRID), r"\(2, 0\)"),
    (NoTensor(GRID), "NoTensor"),
    (Tensor(np.array(["a"])), "Tensor"),
    (Tensor(GRID.astype(">f8")), "Tensor"),
    (Making(TEXTS), ""),
    (np.float64(1), ""),
    (np.datetime64("2020"), ""),
    (np.ma.masked_array([1, 2], [True, False]), r"array.filled\(value\)"),
    (np.ndarray, "ndarray"),
    ([1, 2], "list.*MDView"),
    ((1, 2), "tuple.*MDView"),
    (range(3), "range.*MDView"),
    (3, "int 3"),
    (None, "None"),
    ({}, "dict"),
    ("text", r"'text'.*encode"),
    (MDView([1], (1,)), "MDView"),
    (Mapping((2,)), ""),
    (BytesIO(b"abc"), r"getbuffer\(\)"),
    (Array("d", 3), r"get_obj\(\)"),
    (Value("d", 3.0), r"get_obj\(\)"),
    (ctypes.pointer(ctypes.c_int(3)), "contents"),
    ((ctypes.c_wchar * 2)(), "'<u'"),
    ((ctypes.c_void_p * 2)(), "'<P'"),
    *[(given, "objects") for given in ((ctypes.py_object * 2)(1, "x"), ctypes.py_object("x"))],
    (memoryview((ctypes.py_object * 2 * 2)()), "objects"),
    (released(), "released"),
    (np.zeros(2, dtype="V0"), "0"),
    (PACKED, "5 .* 0 .* 4"),
    (memoryview(PACKED), "5 .* 0 .* 4"),
    *[(given, "astype") for given in (TEXTS, TEXTS[::-1], TEXTS[:0], TEXTS[:1].reshape(()))],
    (computes("h5py._hl.dataset", "Dataset"), r"dataset\[...\]"),
    (computes("netCDF4._netCDF4", "Variable"), r"variable\[...\]"),
    (computes("zarr.core.array", "Array"), ""),
    (computes("dask.array.core", "Array"), r"compute\(\)"),
]


@pytest.mark.parametrize("place", range(2))
def test_what_has_no_memory_to_share_is_refused_with_the_way(place):
    for given, values in REFUSED[place::2]:
        with pytest.raises(MDViewError, match=values or None):
            asview(given)
        assert asview(Tensor(GRID)).tolist() == GRID.tolist()  # an error leaves nothing behind


def test_rows_behind_pointers_are_refused():
    buffers = pytest.importorskip("_testbuffer")
    given = buffers.ndarray([1, 2, 3, 4], shape=[2, 2], format="B", flags=buffers.ND_PIL)
    with pytest.raises(BufferFormatError, match="suboffsets"):
        asview(given)


HUGE = [2**31, 2**62, 2**63 - 8, 2**63 - 1, 2**63, 2**64, 10**30, -(2**62), -(2**63), -(2**63) - 8, -(10**30)]
TOLD = {
    "interface": lambda told: Told(**told),
    "device": lambda told: SimpleNamespace(__cuda_array_interface__=told),
}
"""What tells of extents and strides in words of its own; the other protocols tell of those of an array."""


@pytest.mark.parametrize("exporter", [*TOLD, memoryview, Struct, Tensor, Making, lambda array: array])
def test_what_reaches_beyond_all_memory_is_refused_by_name(exporter):
    kinds = [GRID, GRID.astype("O"), GRID.astype(">f4"), np.zeros(2, "U3")]
    for array, extents, stride in product(kinds, [(2,), (1,), (0,), (2, 2), (3, 0), (2**40, 2**40)], HUGE):
        for strides in ((stride,), (8, stride), (stride, -8), (stride, stride)):
            told = {"version": 3, "shape": extents, "strides": strides, "typestr": "<i2", "data": (2**47, False)}
            try:
                view_of = np.lib.stride_tricks.as_strided
                given = TOLD[exporter](told) if exporter in TOLD else exporter(view_of(array, extents, strides))
            except (ValueError, OverflowError, TypeError, BufferError):  # no such array
                continue
            try:
                assert asview(given).extents == extents
            except (BufferFormatError, StrideError) as error:
                assert len(str(error)) > 40  # noqa: PT017 - where there is one


TENSORS = {
    # what is said by a tensor whose memory no protocol gives
    "cpu()": {"device": SimpleNamespace(type="cuda")},
    "detach()": {"requires_grad": True},
    "resolve_conj()": {"is_conj": lambda self: True},
    "resolve_neg()": {"is_neg": lambda self: True},
    "to_dense()": {"layout": "torch.sparse_coo"},
    "int_repr()": {"is_quantized": True},
    "view(torch.int16)": {},
}


@pytest.mark.parametrize("way", TENSORS)
def test_a_tensor_that_gives_no_memory_is_told_the_way(way):
    says = dict.fromkeys(("requires_grad", "is_quantized"), False) | dict.fromkeys(
        ("is_conj", "is_neg"), lambda self: False
    )
    says |= {"layout": "torch.strided", "device": SimpleNamespace(type="cpu"), "element_size": lambda self: 2}
    tensor = type("Tensor", (), {"__module__": "torch", **says, **TENSORS[way]})()
    with pytest.raises(BufferFormatError) as caught:
        asview(tensor)
    assert f"asview(tensor.{way})" in str(caught.value)
