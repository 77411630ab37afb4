"""Whoever reads buffers gets the memory of a view: ``memoryview``, and through it files, sockets, hashes, `struct`.

A buffer says shape, byte strides and format, so each strided view of memory has one, and no other view has: values that
an accessor computes lie nowhere. It is a ``memoryview`` of the memory that the view holds, or of an array of NumPy over
it, which both keep the exporter alive and locked. The formats are native letters, as nothing indexes ``'<d'``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from struct import calcsize
from typing import Any, Final, cast

from mdview.accessors.base import Writable
from mdview.base.texts import told
from mdview.engines import positions
from mdview.errors import ExportError, MissingExtraError
from mdview.index.orders import right_strides
from mdview.layouts.stride import agree
from mdview.memory.dtypes import NATIVE
from mdview.memory.items import is_ndarray
from mdview.memory.storage import Storage
from mdview.views.export import AnyArray, import_numpy, shared_array, shared_memory
from mdview.views.parts import Parts

_ARRAY: Final = "np.asarray(view) is an array of them"
_WAY: Final = f"view.tobytes() has the bytes of its values, {_ARRAY}"

# Flags of a request for a buffer: that it can be stored to, and what the request understands.
WRITABLE: Final = 0x1
_FORMAT: Final = 0x4
_STRIDES: Final = 0x18
_C_ORDER: Final = 0x20 | _STRIDES
_F_ORDER: Final = 0x40 | _STRIDES
_ANY_ORDER: Final = 0x80 | _STRIDES

RECORDS: Final = _STRIDES | _FORMAT
"""What readers of numbers in strides ask for, and so does Numba of each argument."""

TELL_APART: Final[list[Callable[[Any, memoryview[Any]], None]]] = []
"""What `mdview.numba`, once loaded, does with a view and the buffer that a reader of `RECORDS` gets. Any: views."""

_LETTERS: Final = {
    signed: next(letter for letter in same if calcsize(letter) == calcsize(signed))
    for signed, same in (("n", "lq"), ("N", "LQ"))
}
"""What stands for the formats that a memoryview reads, and NumPy does not."""


def memory_of(parts: Parts) -> memoryview[Any]:
    """Return the memory of a view as a memoryview with its shape, byte strides and format. Any: items of any type.

    Raises
    ------
    ExportError
        It has none that says its elements, or there is no NumPy to say how they lie.
    """
    is_bytes = parts.storage is None or parts.storage.has_bytes()
    storage = shared_memory(parts, "memoryview", _WAY if is_bytes else _ARRAY)
    found = _row_or_dense(parts, storage)
    if found is None:
        found = _of_array(parts, storage)
    return found if isinstance(parts.accessor, Writable) else found.toreadonly()


def buffer_of(parts: Parts, flags: int) -> memoryview[Any]:
    """Return the memoryview that answers a request for a buffer with these flags; raises as `memory_of` does."""
    found = memory_of(parts)
    if flags & WRITABLE and found.readonly:
        raise ExportError(
            "a writable buffer of a read-only view was asked for; make a view that stores of data that is writable"
        )
    items = parts.items
    if flags & _FORMAT and is_ndarray(items) and not _reads_back(items.dtype):
        raise ExportError(
            f"the format {found.format!r} of a buffer does not say items of type {items.dtype}; np.asarray(view) has "
            "that type, view.memoryview() this format"
        )
    for wanted, order, is_so in (
        (_C_ORDER, "C order", found.c_contiguous),
        (_F_ORDER, "Fortran order", found.f_contiguous),
        (_ANY_ORDER, "one run", found.contiguous),
    ):
        if flags & wanted == wanted and not is_so:
            _refuse_order(order, found)
    if flags & _STRIDES != _STRIDES and not found.c_contiguous:
        _refuse_order("C order", found)
    return found


def records_of(view: Any, parts: Parts, flags: int) -> memoryview[Any]:
    """Return the buffer for a reader of `RECORDS`, who may be Numba; raises as `memory_of` does. Any: a view."""
    found = buffer_of(parts, flags)
    for tell_apart in TELL_APART:
        tell_apart(view, found)
    return found


def _refuse_order(order: str, found: memoryview) -> None:
    raise ExportError(
        f"a buffer in {order} was asked for, and the elements of this view of shape {found.shape} lie at byte strides "
        f"{found.strides}; view.tobytes() has their bytes, relayout(view, LayoutRight()) is a copy in C order"
    )


def _row_or_dense(parts: Parts, storage: Storage) -> memoryview[Any] | None:
    """Return the memory of elements in C order or in one row, for which nobody needs NumPy; None for others."""
    _, origin, mapping, _ = parts
    items, strides = storage.items, cast("Sequence[int]", mapping.found_strides())
    if not isinstance(items, memoryview) or (mapping.size == 0 and mapping.rank != 1):
        return None
    letter: Any = _LETTERS.get(storage.format, storage.format)
    row = items if letter == items.format else items.cast("B").cast(letter)
    shape, start, size = tuple(map(int, mapping.extents)), origin + mapping.origin, mapping.size
    if size == 0:
        return row[:0]
    if agree(shape, strides, right_strides(shape)):
        positions.check(start, start + size - 1, len(row))
        dense = row[start : start + size]
        return dense if mapping.rank == 1 else dense.cast("B").cast(letter, shape)
    if mapping.rank != 1 or strides[0] == 0:
        return None
    last = start + (size - 1) * strides[0]
    positions.check(min(start, last), max(start, last), len(row))
    behind = last + (1 if strides[0] > 0 else -1)
    return row[start : behind if behind >= 0 else None : strides[0]]


def _of_array(parts: Parts, storage: Storage) -> memoryview[Any]:
    """Return the memory of an array of NumPy over that of a view."""
    try:
        array: AnyArray = shared_array(parts.placed(), storage)
    except MissingExtraError as error:
        raise ExportError(
            f"no memoryview says how {told(parts.mapping)} lies in memory but one of NumPy: {error}"
        ) from None
    try:
        letter = _LETTERS.get(storage.format, storage.format)
        return memoryview(array if letter not in NATIVE or letter == array.dtype.char else array.view(letter))
    except (ValueError, BufferError):
        raise ExportError(f"no buffer says items of type {array.dtype}; {_WAY}") from None


def _reads_back(kind: Any) -> bool:  # Any: a type of NumPy's
    """Tell whether NumPy makes of a buffer's format the type that it made the format of: not of all records."""
    np = import_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            told_type = np.asarray(memoryview(np.empty(1, kind))).dtype
        except (TypeError, ValueError, RuntimeError, Warning):
            return False
    return bool(told_type == kind) and told_type.type is kind.type and told_type.metadata == kind.metadata
