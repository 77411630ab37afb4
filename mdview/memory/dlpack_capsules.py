"""DLPack tensors as C structs: checks and an array interface on import, and types that NumPy lacks on export.

An imported tensor is checked, then consumed: its capsule gets the name of a used capsule, and an `Owner` calls the
deleter of the producer once, when no view needs the memory. The tensor is described by an array interface.

For an export, NumPy makes a capsule of bytes, and `give_type` sets the type of its items, by the codes of the header of
DLPack 1.1. So no Python function is called when the capsule is deleted; Python may have ended by then.
"""

from __future__ import annotations

import ctypes
from math import prod
from typing import Any, Final, final

from mdview.memory.item_formats import KINDS, LETTERS, NAMED, NATIVE_ORDER, PACKED
from mdview.memory.narrow_floats import NARROW

_KINDS: Final = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
"""DLPack's codes of types, by NumPy's kinds."""
_FLOATS: Final = (
    *("float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2"),
    *("float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"),
)
_CODES: Final = {"bfloat16": 4} | {name: code for code, name in enumerate(_FLOATS, 7)}
"""DLPack's codes of types, by name; an integer has the code of its kind."""
_TYPES: Final = {name: (_CODES.get(name, _KINDS[KINDS[name]]), code.bits) for name, code in (NARROW | PACKED).items()}
"""Codes and bits of the types that NumPy does not have, by name."""
_NAMED_TYPES: Final = {described: name for name, described in _TYPES.items()} | {
    (code, 8 * int(kind[1:])): kind for kind in LETTERS for letter, code in _KINDS.items() if kind[0] == letter
}
"""Names of types by code and bits; for types that NumPy has, kind and size of an item, such as ``f8``."""
READS: Final = (1, 2)
"""The version of DLPack that is requested."""
FIRST: Final = (1, 1)
"""The first version of DLPack with narrow types other than ``bfloat16``, and with numbers that share bytes."""
ON_HOST: Final = {1, 3, 11, 13}
"""Kinds of devices whose memory the host reads, in DLPack's numbers: the CPU, pinned, and managed memory."""
_MAX_RANK: Final = 64
"""The highest rank of a NumPy array. Imported tensors are read as NumPy arrays."""
_READ_ONLY: Final = 1
_COPIED: Final = 2
_PADDED: Final = 4
_NAMES: Final = {b"dltensor_versioned": b"used_dltensor_versioned", b"dltensor": b"used_dltensor"}
"""The names of capsules; the values are the names after the tensor of the capsule is consumed."""
for _used in _NAMES.values():
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_used))  # a capsule keeps the address, even after Python has ended


class _Tensor(ctypes.Structure):
    """The C struct ``DLTensor``."""

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
    """The C struct ``DLManagedTensorVersioned``."""

    _fields_ = (
        ("version", ctypes.c_uint32 * 2),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


class _Older(ctypes.Structure):
    """The C struct ``DLManagedTensor``, which has no version and no flags."""

    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


_DELETER: Final = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
"""The type of a deleter; a call holds the lock of the interpreter, as NumPy's calls of a deleter do."""


@final
class Owner:
    """The owner of a consumed tensor; views of its memory keep it alive."""

    __slots__ = ("_address", "_delete")

    def __init__(self, managed: _Managed | _Older) -> None:
        self._address = ctypes.addressof(managed)
        self._delete = _DELETER(managed.deleter) if managed.deleter else None

    def __del__(self) -> None:
        if self._delete is not None:
            self._delete(self._address)


def _managed_of(capsule: object) -> tuple[bytes, _Managed | _Older]:
    """Return the name and the tensor of a capsule; the tensor is valid as long as the capsule exists."""
    api = ctypes.pythonapi
    is_valid, get = api.PyCapsule_IsValid, api.PyCapsule_GetPointer
    is_valid.argtypes = get.argtypes = ctypes.py_object, ctypes.c_char_p
    get.restype = ctypes.c_void_p
    name = next((name for name in _NAMES if is_valid(capsule, name)), None)
    if name is None:
        is_used = any(is_valid(capsule, used) for used in _NAMES.values())
        raise BufferError(f"its capsule {'is used: its tensor has been taken' if is_used else 'holds no tensor'}")
    kind = _Older if name == b"dltensor" else _Managed
    managed = kind.from_address(get(capsule, name))
    if isinstance(managed, _Managed) and managed.version[0] != READS[0]:
        raise BufferError(f"its tensor is of version {managed.version[0]} of DLPack, and {READS[0]} is read")
    return name, managed


_TAKING: Final[dict[int, object]] = {}
"""The capsules that threads are consuming, by ``id``: of several threads, the first to enter a capsule consumes it."""


def take_tensor(capsule: object) -> tuple[Any, ...]:  # Any: arguments of `array_view`
    """Consume the tensor of a capsule; return the owner of the memory, and the description of the tensor.

    Raises
    ------
    BufferError
        ``capsule`` holds no tensor, is used, or holds a tensor that cannot be read. The capsule is left unchanged.
    """
    if _TAKING.setdefault(id(capsule), thread := object()) is not thread:
        raise BufferError("another thread takes its tensor")
    try:
        name, managed = _managed_of(capsule)
        described = _described(managed.tensor, managed.flags if isinstance(managed, _Managed) else _READ_ONLY)
        rename = ctypes.pythonapi.PyCapsule_SetName
        rename.argtypes = ctypes.py_object, ctypes.c_char_p
        rename(capsule, _NAMES[name])
        return Owner(managed), *described
    finally:
        del _TAKING[id(capsule)]


def give_type(
    capsule: object, item_format: str, shape: tuple[int, ...], strides: tuple[int, ...] | None, *, is_copied: bool
) -> None:
    """Set the item type of a new capsule of bytes; if ``strides`` is not None, also set its shape and strides.

    The rank of the capsule's tensor is the length of ``shape``.
    """
    _, managed = _managed_of(capsule)
    tensor = managed.tensor
    tensor.code, tensor.bits = _TYPES[item_format.lstrip("|")]
    for r, step in enumerate(strides or ()):
        tensor.shape[r], tensor.strides[r] = shape[r], step
    if isinstance(managed, _Managed):
        managed.version[1] = max(FIRST[1], managed.version[1])
        is_padded = item_format in NAMED and tensor.bits < 8  # noqa: PLR2004 - bits of a byte
        managed.flags |= _COPIED * is_copied | _PADDED * is_padded


def _described(tensor: _Tensor, flags: int) -> tuple[Any, ...]:  # Any: arguments of `array_view`
    """Return a tuple of the array interface of a tensor and, if NumPy has no type for its numbers, their format.

    If numbers share bytes, the interface describes the bytes, and the extents and strides of the numbers follow their
    format in the tuple. A tensor without a version has no flags, so the caller passes the flag for read-only.
    """
    rank, (kind, number) = tensor.ndim, tensor.device
    if kind not in ON_HOST:
        raise BufferError(f"its tensor lies on the device ({kind}, {number}) of DLPack")
    if not 0 <= rank <= _MAX_RANK or (rank and not tensor.shape):
        raise BufferError(f"its tensor has rank {rank}{', and no shape' * (0 <= rank <= _MAX_RANK)}")
    shape = tuple(tensor.shape[:rank]) if rank else ()
    strides = tuple(tensor.strides[:rank]) if rank and tensor.strides else None
    if min(shape, default=0) < 0 or not (tensor.data or 0 in shape):
        raise BufferError(f"its tensor has shape {shape}{' and no memory' * (not tensor.data)}")
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
    """Return the name of the item type of a tensor (kind and size if NumPy has the type), and the bytes of an item."""
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
    """Return the number of bytes of a tensor whose numbers share bytes."""
    moving = [(n - 1) * step for n, step in zip(shape, strides or (), strict=strides is not None)]
    if 0 not in shape and min(moving, default=0) < 0:
        raise BufferError("its numbers share bytes and have a negative stride; copy them")
    return -(-bits * (prod(shape) if strides is None or 0 in shape else 1 + sum(moving)) // 8)
