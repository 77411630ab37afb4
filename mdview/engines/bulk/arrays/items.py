"""The items of a view as one row of a NumPy array, over the same memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdview.accessors.formats import typestr
from mdview.accessors.struct_items import StructItems
from mdview.base.caches import remember

_NUMBERS = "biufc"

Row = NDArray[Any]  # Any: of whatever format the items are


def row_of(items: object) -> Row | None:
    """Array over ``items``, or None where they are Python objects.

    >>> row_of(memoryview(b"ab")), row_of([1, 2])
    (array([97, 98], dtype=uint8), None)
    """
    if isinstance(items, np.ndarray):
        return None if items.dtype.hasobject or not items.flags.c_contiguous else items
    if isinstance(items, StructItems):
        return np.frombuffer(items.raw, type_of(items))
    return np.frombuffer(items, type_of(items)) if isinstance(items, memoryview) else None


_types: dict[tuple[str, int], np.dtype[Any]] = {}


def type_of(items: Any) -> np.dtype[Any]:
    """NumPy's type of items in memory. Any: a memoryview, or what `struct` reads."""
    key = items.format, items.itemsize
    return _types.get(key) or remember(_types, key, np.dtype(typestr(*key)))


def strided(row: Row, shape: tuple[int, ...], start: int, strides: tuple[int, ...]) -> Row:
    """Array over a row, from item ``start`` on; NumPy checks that it stays within it.

    >>> strided(np.arange(6), (2, 2), 1, (3, 1))
    array([[1, 2],
           [4, 5]])
    """
    size = row.itemsize
    given = row.view(f"V{size}") if row.dtype.kind in "mM" else row  # no buffer has times
    found = np.ndarray(shape, given.dtype, given.data, start * size, tuple([s * size for s in strides]))
    return found if given is row else found.view(row.dtype)


def as_bytes(array: Row) -> Row:
    """Return the same items; records, text and dates as bytes, so that each of them is copied."""
    return array if array.dtype.kind in _NUMBERS else array.view(f"V{array.itemsize}")
