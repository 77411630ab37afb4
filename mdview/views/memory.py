"""Readers of buffers get the memory of a view: ``memoryview``, and through it files, sockets, hashes, `struct`.

A buffer says shape, byte strides and format, so each strided view of memory has one, and no other view has: values that
an accessor computes lie nowhere. It is a ``memoryview`` of the memory that the view holds, or of an array of NumPy over
it, which both keep the exporter alive and locked. The formats are native letters, as nothing indexes ``'<d'``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import prod
from struct import calcsize
from typing import Any, Final, cast

from mdview.accessors.base import Writable
from mdview.base.partners import import_numpy
from mdview.base.texts import told
from mdview.errors import ExportError, MissingExtraError
from mdview.memory.dtypes import NATIVE
from mdview.memory.items import is_ndarray
from mdview.memory.storage import Storage
from mdview.views.export import AnyArray, shared_array, shared_memory
from mdview.views.parts import Parts

_WAY: Final = "view.tobytes() has the bytes of its values, np.asarray(view) is an array of them"

# Flags of a request for a buffer: that it can be stored to, and that the request understands formats and strides.
WRITABLE: Final = 0x1
_FORMAT: Final = 0x4
_STRIDES: Final = 0x18

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
    block = shared_memory(parts.placed(), "memoryview", _WAY)
    item_format = cast("Storage", parts.storage).format
    letter = _LETTERS.get(item_format, item_format)
    found = _sliced(block, letter) if letter in NATIVE else None
    return _of_array(parts, block, letter) if found is None else found


def buffer_of(parts: Parts, flags: int) -> memoryview[Any]:
    """Return the memoryview that answers a request for a buffer with these flags; raises as `memory_of` does.

    Whether it can be stored to, and lies in the order asked for, Python tests of any memoryview.
    """
    found, items = memory_of(parts), parts.items
    if flags & _FORMAT and is_ndarray(items) and not _reads_back(items.dtype):
        raise ExportError(
            f"the format {found.format!r} of a buffer does not say items of type {items.dtype}; np.asarray(view) has "
            "that type, view.memoryview() this format"
        )
    return found


def records_of(view: Any, parts: Parts, flags: int) -> memoryview[Any]:
    """Return the buffer for a reader of `RECORDS`, who may be Numba; raises as `memory_of` does. Any: a view."""
    found = buffer_of(parts, flags)
    for tell_apart in TELL_APART:
        tell_apart(view, found)
    return found


def _sliced(block: dict[str, Any], letter: Any) -> memoryview[Any] | None:  # Any: a letter of `struct`
    """Return the memory of elements in C order or in one row, which takes no NumPy; None for others."""
    shape, strides, row, size = block["shape"], block["strides"], block["data"], prod(block["shape"])
    if len(shape) != 1 and (strides or not size):
        return None
    row = row if row.format == letter else row.cast("B").cast(letter)
    step = strides[0] // row.itemsize if strides else 1
    if step == 0:
        return None
    first = block["offset"] // row.itemsize
    behind = first + size * step
    found: memoryview[Any] = row[first : behind if behind >= 0 else None : step]
    return found if len(shape) == 1 else found.cast("B").cast(letter, shape)


def _of_array(parts: Parts, block: dict[str, Any], letter: Any) -> memoryview[Any]:  # Any: a letter of `struct`
    """Return the memory of an array of NumPy over that of a view."""
    try:
        array: AnyArray = shared_array(block, stores=isinstance(parts.accessor, Writable))
    except MissingExtraError as error:
        raise ExportError(
            f"no memoryview says how {told(parts.mapping)} lies in memory but one of NumPy: {error}"
        ) from None
    try:
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
