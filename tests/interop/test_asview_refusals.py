"""What has no memory to share, or lies of it, is refused by name, and nothing of it is read."""

import ctypes

import numpy as np
import pytest
from test_asview import GRID, Tensor, Told

from mdview import Mapping, MDView, asview
from mdview.errors import BufferFormatError, MDViewError, StrideError

LIES = {
    # what is told instead, values that the error names
    "shape of a list": ({"shape": [4, 6]}, "shape must be a tuple"),
    "no shape": ({"shape": None}, "shape"),
    "negative shape": ({"shape": (-1, 6)}, "negative"),
    "fractions": ({"shape": (2.0,)}, "float"),
    "long shape": ({"shape": (2**62, 2)}, ""),
    "no data": ({"data": None}, ""),
    "data of text": ({"data": ("x", True)}, "integer"),
    "address 0": ({"data": (0, False)}, "0x0"),
    "negative address": ({"data": (-8, False)}, "-0x8"),
    "long address": ({"data": (2**64, False)}, ""),
    "address at the end": ({"data": (2**64 - 8, False)}, ""),
    "address below the start": ({"data": (8, False), "strides": (-48, 8)}, ""),
    "long strides": ({"strides": (2**63, 8)}, ""),
    "one stride": ({"strides": (8,)}, "strides"),
    "strides of a list": ({"strides": [48, 8]}, ""),
    "mask": ({"mask": GRID > 3}, "mask"),
    "unknown type": ({"typestr": "x"}, "'x'"),
    "objects": ({"typestr": "|O"}, "objects"),
    "no fields": ({"typestr": "|V16", "shape": (2,), "descr": [3]}, "Field"),
    "items without bytes": ({"typestr": "<U0"}, "0"),
    "short buffer": ({"data": bytearray(100)}, ""),
    "buffer and strides": ({"data": bytearray(192), "strides": (-48, 8)}, ""),
    "no buffer": ({"data": 3}, ""),
    "strides that do not divide": ({"strides": (49, 8)}, "49 .* 0 .* 8"),
}


def test_a_lie_is_refused_by_name():
    for told, values in LIES.values():
        with pytest.raises((BufferFormatError, StrideError), match=values or None):
            asview(Told(**told))


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


def computes(module, name):
    """Named as what computes, so that nothing of it is called."""

    def asked(*_, **__):
        raise AssertionError

    return type(name, (), {"__module__": module, "__array__": asked, "__dlpack__": asked})()


def released():
    given = memoryview(bytearray(12))
    given.release()
    return given


OVERLAPPING = np.lib.stride_tricks.as_strided(np.zeros(4), (3,), (4,))
TEXTS = np.array(["a", "bc"], dtype=np.dtypes.StringDType())


def refused():
    return [
        # what, values and ways that the error names
        (made("Raising", __array_interface__=property(raising)), "Raising .*it is computed"),
        (made("None_", __array_interface__=3), "3"),
        (CopyingInterface(), "__array_interface__ .*asview"),
        (made("Forgetful", __array__=lambda self, dtype=None, copy=None: GRID.copy()), "__array__ .*asview"),
        (made("Masking", __array__=lambda self, dtype=None, copy=None: np.ma.masked_array(GRID, GRID > 3)), "mask"),
        (CopyingTensor(GRID), "__dlpack__"),
        (RaisingTensor(GRID), "RaisingTensor .*it is computed; "),
        (DeviceTensor(GRID), r"\(2, 0\)"),
        (made("OnGPU", __cuda_array_interface__={}), r"device; copy it to the host"),
        (Tensor(GRID.astype(">f8")), "Tensor"),
        (np.datetime64("2020"), ""),
        (np.ndarray, "ndarray"),
        ([1, 2], "list.*MDView"),
        ((1, 2), "tuple.*MDView"),
        (range(3), "range.*MDView"),
        (None, "None"),
        ("text", r"'text'.*encode"),
        (MDView([1], (1,)), "MDView"),
        (Mapping((2,)), ""),
        ((ctypes.c_wchar * 2)(), "'<u'"),
        (ctypes.py_object("x"), "objects"),
        (released(), "released"),
        (np.zeros(2, dtype="V0"), "0"),
        (OVERLAPPING, "4 .* 0 .* 8"),
        (memoryview(OVERLAPPING), "4 .* 0 .* 8"),
        (TEXTS, "astype"),
        (computes("h5py._hl.dataset", "Dataset"), r"dataset\[...\]"),
        (computes("netCDF4._netCDF4", "Variable"), r"variable\[...\]"),
        (computes("zarr.core.array", "Array"), ""),
        (computes("dask.array.core", "Array"), r"compute\(\)"),
    ]


def test_what_has_no_memory_to_share_is_refused_with_the_way():
    for given, values in refused():
        with pytest.raises(MDViewError, match=values or None):
            asview(given)
        assert asview(Tensor(GRID)).tolist() == GRID.tolist()  # an error leaves nothing behind


def test_rows_behind_pointers_are_refused():
    buffers = pytest.importorskip("_testbuffer")
    given = buffers.ndarray([1, 2, 3, 4], shape=[2, 2], format="B", flags=buffers.ND_PIL)
    with pytest.raises(BufferFormatError, match="suboffsets"):
        asview(given)


@pytest.mark.parametrize("exporter", [np.asarray, memoryview, Tensor, Told], ids=lambda each: each.__name__)
@pytest.mark.parametrize("extents", [(2,), (1,), (0,)], ids=str)
@pytest.mark.parametrize("stride", [2**31, 2**62, 2**63 - 8, -(2**62), -(2**63)])
def test_strides_beyond_all_memory_are_refused_or_reach_no_element(exporter, extents, stride):
    array = np.lib.stride_tricks.as_strided(GRID, extents, (stride,))
    try:
        assert asview(exporter(array)).extents == extents
    except MDViewError as error:
        assert len(str(error)) > 40  # noqa: PT017 - where there is one


def test_a_tensor_that_gives_no_memory_is_told_the_way():
    tensor = made("Tensor", __module__="torch")
    with pytest.raises(BufferFormatError, match=r"asview\(tensor.detach\(\).cpu\(\)\)"):
        asview(tensor)
