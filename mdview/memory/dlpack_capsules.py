"""Capsules of DLPack for numbers that NumPy has no type for: NumPy makes and takes integers, and owns the memory.

Here the integers get their type, by the numbers of the header of DLPack 1.1, and lose it again where NumPy reads them.
So no function of Python is called when a capsule is deleted, which may be after Python has ended.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final, final

from mdview.memory.item_formats import KINDS, NAMED

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
"""The version of DLPack from which on it has other types than ``bfloat16``."""
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
    if item_format not in NAMED:
        return None
    name = item_format.lstrip("|")
    return _CODES.get(name, _KINDS.get(KINDS[name], 0)), NAMED[item_format].bits


def give_type(capsule: object, item_format: str, *, is_copied: bool) -> None:
    """Make the integers of a new capsule numbers of a format."""
    tensor, managed = _tensor_of(capsule)
    tensor.code, tensor.bits = dlpack_type(item_format) or (1, 8)
    if managed is not None:
        managed.version[1] = max(FIRST[1], managed.version[1])
        managed.flags |= _COPIED * is_copied | _PADDED * (tensor.bits < 8)  # noqa: PLR2004 - bits of a byte


@final
class IntegerTensor:
    """A producer of tensors, of whose capsules NumPy reads numbers that it has no type for as integers.

    Attributes
    ----------
    item_format
        What the integers are, None where NumPy reads the tensor as it is.
    """

    def __init__(self, given: Any) -> None:
        """Take the producer. Any: it is of any type."""
        self._given = given
        self.item_format: str | None = None
        self._before: tuple[_Tensor, bytes] | None = None

    def __dlpack_device__(self) -> Any:
        """Return the device of the producer."""
        return self._given.__dlpack_device__()

    def __dlpack__(self, **asked: Any) -> object:
        """Return a capsule of the producer, in which numbers are integers."""
        if "max_version" in asked:
            asked["max_version"] = _READS
        capsule: object = self._given.__dlpack__(**asked)
        tensor, managed = _tensor_of(capsule)
        found = _format_of(tensor, is_padded=managed is not None and bool(managed.flags & _PADDED))
        if found is not None:
            self._before, self.item_format = (tensor, bytes(tensor)), found
            tensor.code, tensor.bits = _KINDS["u"], 8 * NAMED[found].size
        return capsule

    def give_back(self) -> None:
        """Make the tensor what its producer has made, once NumPy has taken it and while that lives."""
        if self._before is not None:
            tensor, before = self._before
            ctypes.memmove(ctypes.addressof(tensor), before, len(before))


def _format_of(tensor: _Tensor, *, is_padded: bool) -> str | None:
    """Return the format of the numbers of a tensor, None where NumPy may know them."""
    found = next((name for name in NAMED if dlpack_type(name) == (tensor.code, tensor.bits)), None)
    if found is None or tensor.lanes != 1:
        return None
    if not is_padded and tensor.bits % 8:
        raise BufferError(f"its numbers of {tensor.bits} bits share bytes; copy them to bytes of their own")
    return found
