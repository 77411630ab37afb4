"""Tensors of DLPack: what a capsule tells of memory, and capsules of numbers that NumPy has no type for.

A tensor that is imported is described as an array interface describes it; its capsule, which owns the memory, stays as
its producer has made it. Of a capsule that is exported NumPy makes one of bytes, which get their type here, by the
numbers of the header of DLPack 1.1. So no function of Python is called when a capsule is deleted, which may be after
Python has ended.
"""

from __future__ import annotations

import ctypes
from math import prod
from typing import Any, Final

from mdview.memory.item_formats import KINDS, LETTERS, NAMED, NATIVE_ORDER, PACKED
from mdview.memory.narrow_floats import NARROW

_KINDS: Final = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
"""Codes of types by NumPy's kinds."""
_FLOATS: Final = (
    *("float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2"),
    *("float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"),
)
_CODES: Final = {"bfloat16": 4} | {name: code for code, name in enumerate(_FLOATS, 7)}
"""Codes of types by name; integers have those of their kind."""
_TYPES: Final = {name: (_CODES.get(name, _KINDS[KINDS[name]]), code.bits) for name, code in (NARROW | PACKED).items()}
"""Codes and bits of the types that NumPy does not have, by name."""
_NAMED_TYPES: Final = {described: name for name, described in _TYPES.items()} | {
    (code, 8 * int(kind[1:])): kind for kind in LETTERS for letter, code in _KINDS.items() if kind[0] == letter
}
"""Names of types, and NumPy's kinds of items and their bytes, by codes and bits."""
READS: Final = (1, 2)
"""The version of DLPack that is asked for."""
FIRST: Final = (1, 1)
"""The version of DLPack from which on it has other types than ``bfloat16``, and numbers that share bytes."""
_READ_ONLY: Final = 1
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
    if managed.version[0] > READS[0]:
        raise BufferError(f"its tensor is of version {managed.version[0]} of DLPack, and {READS[0]} is read")
    return managed.tensor, managed


def give_type(
    capsule: object, item_format: str, shape: tuple[int, ...], strides: tuple[int, ...] | None, *, is_copied: bool
) -> None:
    """Make the bytes of a new capsule, in as many dimensions, numbers of a format; with ``strides``, they lie so."""
    tensor, managed = _tensor_of(capsule)
    tensor.code, tensor.bits = _TYPES[item_format.lstrip("|")]
    for r, step in enumerate(strides or ()):
        tensor.shape[r], tensor.strides[r] = shape[r], step
    if managed is not None:
        managed.version[1] = max(FIRST[1], managed.version[1])
        is_padded = item_format in NAMED and tensor.bits < 8  # noqa: PLR2004 - bits of a byte
        managed.flags |= _COPIED * is_copied | _PADDED * is_padded


def describe_tensor(capsule: object) -> tuple[Any, ...]:  # Any: what `array_view` takes
    """Return the array interface of a tensor; and of numbers that NumPy has no type for their format.

    Numbers that share bytes are described as these, with the extents and strides of the numbers.
    """
    tensor, managed = _tensor_of(capsule)
    flags = _READ_ONLY if managed is None else managed.flags  # an older tensor cannot say that it is to be read only
    rank = tensor.ndim
    shape = tuple(tensor.shape[:rank]) if rank else ()
    strides = tuple(tensor.strides[:rank]) if rank and tensor.strides else None
    name, size = _item_of(tensor, is_padded=bool(flags & _PADDED))
    form: tuple[Any, ...] = () if name in LETTERS else (name,)
    if name in PACKED:
        form = name, shape, strides
        shape, strides = (_bytes_of(shape, strides, tensor.bits),), None
    return {
        "version": 3,
        "shape": shape,
        "typestr": f"{NATIVE_ORDER}{name}" if name in LETTERS else f"|u{size}",
        "data": ((tensor.data or 0) + tensor.byte_offset, bool(flags & _READ_ONLY)),
        "strides": strides and tuple([step * size for step in strides]),
    }, *form


def _item_of(tensor: _Tensor, *, is_padded: bool) -> tuple[str, int]:
    """Return the name of the numbers of a tensor, or NumPy's kind, and the bytes of what is in memory."""
    bits = tensor.bits
    name = _NAMED_TYPES.get((tensor.code, bits)) if tensor.lanes == 1 else None
    if name is None:
        raise BufferError(f"its items have code {tensor.code}, {bits} bits and {tensor.lanes} lanes in DLPack")
    if name in PACKED and is_padded:
        name = f"|{name}"
    if name not in PACKED and not is_padded and bits % 8:
        raise BufferError(f"its numbers of {bits} bits share bytes; copy them to bytes of their own")
    return name, -(-bits // 8)


def _bytes_of(shape: tuple[int, ...], strides: tuple[int, ...] | None, bits: int) -> int:
    """Return how many bytes numbers of some bits take that share them."""
    moving = [(n - 1) * step for n, step in zip(shape, strides or (), strict=strides is not None)]
    if 0 not in shape and min(moving, default=0) < 0:
        raise BufferError("its numbers share bytes and have a negative stride; copy them")
    return -(-bits * (prod(shape) if strides is None or 0 in shape else 1 + sum(moving)) // 8)
