"""Capsules of DLPack for numbers that NumPy has no type for: NumPy makes and takes them as bytes, and owns the memory.

Here the bytes get their type, by the numbers of the header of DLPack 1.1, and lose it again where NumPy reads them. So
no function of Python is called when a capsule is deleted, which may be after Python has ended.
"""

from __future__ import annotations

import ctypes
from math import prod
from typing import Any, Final, NamedTuple, final

from mdview.memory.item_formats import KINDS, NAMED, PACKED

_CODES: Final = {
    "bfloat16": 4,
    "float8_e3m4": 7,
    "float8_e4m3": 8,
    "float8_e4m3b11fnuz": 9,
    "float8_e4m3fn": 10,
    "float8_e4m3fnuz": 11,
    "float8_e5m2": 12,
    "float8_e5m2fnuz": 13,
    "float8_e8m0fnu": 14,
    "float6_e2m3fn": 15,
    "float6_e3m2fn": 16,
    "float4_e2m1fn": 17,
}
"""Codes of types by name; integers have those of their kind."""
_KINDS: Final = {"i": 0, "u": 1}
_READS: Final = (1, 2)
"""The version of DLPack that is asked for."""
FIRST: Final = (1, 1)
"""The version of DLPack from which on it has other types than ``bfloat16``, and numbers that share bytes."""
_COPIED: Final = 2
_PADDED: Final = 4
_NAMES: Final = b"dltensor_versioned", b"dltensor"


class _Tensor(ctypes.Structure):
    """A ``DLTensor``."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    """A ``DLManagedTensorVersioned``."""

    _fields_ = (
        ("version", ctypes.c_uint32 * 2),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


def _tensor_of(capsule: object) -> tuple[_Tensor, _Managed | None]:
    """Return the tensor of a capsule, and what a versioned one says of it; they are valid while the capsule is."""
    api = ctypes.pythonapi
    is_valid, get = api.PyCapsule_IsValid, api.PyCapsule_GetPointer
    is_valid.argtypes = get.argtypes = ctypes.py_object, ctypes.c_char_p
    get.restype = ctypes.c_void_p
    name = next((name for name in _NAMES if is_valid(capsule, name)), None)
    if name is None:
        raise BufferError("its __dlpack__ gives no capsule of a tensor")
    address = get(capsule, name)
    if name == _NAMES[1]:
        return _Tensor.from_address(address), None
    managed = _Managed.from_address(address)
    return managed.tensor, managed


def dlpack_type(item_format: str) -> tuple[int, int] | None:
    """Return code and bits of a type that NumPy does not have, None of any other."""
    name = item_format.lstrip("|")
    if name not in PACKED and item_format not in NAMED:
        return None
    return _CODES.get(name, _KINDS.get(KINDS[name], 0)), (PACKED.get(name) or NAMED[item_format]).bits


def give_type(
    capsule: object, item_format: str, shape: tuple[int, ...], strides: tuple[int, ...] | None, *, is_copied: bool
) -> None:
    """Make the bytes of a new capsule, in as many dimensions, numbers of a format; with ``strides``, they lie so."""
    tensor, managed = _tensor_of(capsule)
    tensor.code, tensor.bits = dlpack_type(item_format) or (1, 8)
    for r, step in enumerate(strides or ()):
        tensor.shape[r], tensor.strides[r] = shape[r], step
    if managed is not None:
        managed.version[1] = max(FIRST[1], managed.version[1])
        is_padded = item_format in NAMED and tensor.bits < 8  # noqa: PLR2004 - bits of a byte
        managed.flags |= _COPIED * is_copied | _PADDED * is_padded


@final
class Numbers(NamedTuple):
    """The numbers of a tensor that NumPy reads as bytes: their format and shape, and strides other than of C order."""

    item_format: str
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None


@final
class ByteTensor:
    """A producer of tensors, of whose capsules NumPy reads numbers that it has no type for as bytes.

    Attributes
    ----------
    numbers
        What the bytes are, None where NumPy reads the tensor as it is. Any: a producer is of any type.
    """

    def __init__(self, given: Any) -> None:
        """Take the producer."""
        self._given = given
        self.numbers: Numbers | None = None
        self._before: tuple[_Tensor, bytes] | None = None

    def __dlpack_device__(self) -> Any:
        """Return the device of the producer."""
        return self._given.__dlpack_device__()

    def __dlpack__(self, **asked: Any) -> object:
        """Return a capsule of the producer, in which numbers are bytes."""
        if "max_version" in asked:
            asked["max_version"] = _READS
        capsule: object = self._given.__dlpack__(**asked)
        tensor, managed = _tensor_of(capsule)
        found = _format_of(tensor, is_padded=managed is not None and bool(managed.flags & _PADDED))
        if found is not None:
            self._before = tensor, bytes(tensor)
            self.numbers = _as_bytes(tensor, found)
        return capsule

    def give_back(self) -> None:
        """Make the tensor what its producer has made, once NumPy has taken it and while that lives."""
        if self._before is not None:
            tensor, before = self._before
            ctypes.memmove(ctypes.addressof(tensor), before, len(before))


def _format_of(tensor: _Tensor, *, is_padded: bool) -> str | None:
    """Return the format of the numbers of a tensor, None where NumPy may know them."""
    found = tensor.code, tensor.bits
    name = next((name for name in (*NAMED, *PACKED) if dlpack_type(name) == found and name[0] != "|"), None)
    if name is None or tensor.lanes != 1:
        return None
    if name in PACKED:
        return f"|{name}" if is_padded else name
    if not is_padded and tensor.bits % 8:
        raise BufferError(f"its numbers of {tensor.bits} bits share bytes; copy them to bytes of their own")
    return name


def _as_bytes(tensor: _Tensor, item_format: str) -> Numbers:
    """Make the numbers of a tensor bytes, or words of several, and return what they are."""
    shape = tuple(tensor.shape[: tensor.ndim]) if tensor.ndim else ()
    strides = tuple(tensor.strides[: tensor.ndim]) if tensor.ndim and tensor.strides else None
    tensor.code = _KINDS["u"]
    if item_format in NAMED:
        tensor.bits = 8 * NAMED[item_format].size
        return Numbers(item_format, shape, strides)
    moving = [(n - 1) * step for n, step in zip(shape, strides or (), strict=strides is not None)]
    if 0 not in shape and min(moving, default=0) < 0:
        raise BufferError("its numbers share bytes and have a negative stride; copy them")
    span = prod(shape) if strides is None or 0 in shape else 1 + sum(moving)
    tensor.bits = 8
    if shape:
        nbytes, one = (ctypes.c_int64 * 1)(-(-span * PACKED[item_format].bits // 8)), (ctypes.c_int64 * 1)(1)
        tensor.ndim, tensor.shape, tensor.strides = 1, nbytes, one
    return Numbers(item_format, shape, strides)
