"""The items of a view as one row of a NumPy array, over the same memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdview.base.caches import remember
from mdview.memory.dtypes import typestr
from mdview.memory.items import StructItems

_NUMBERS = "biufc"

Row = NDArray[Any]  # Any: of whatever format the items are


def row_of(items: object) -> Row | None:
    """Array over ``items``, or None where they are Python objects.

    >>> row_of(memoryview(b"ab")), row_of([1, 2])
    (array([97, 98], dtype=uint8), None)
    """
    if isinstance(items, memoryview):
        return np.frombuffer(items, type_of(items))
    if isinstance(items, StructItems):
        return np.frombuffer(items.raw, type_of(items))
    if not isinstance(items, np.ndarray):
        return None
    return None if items.dtype.hasobject or not items.flags.c_contiguous else items


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
    given = row.view(f"V{size}") if row.dtype.kind in "mMV" else row  # no buffer has times, nor records of them
    steps = tuple([s * size if n > 1 else 0 for n, s in zip(shape, strides, strict=True)])  # one of 1 may be anything
    found = np.ndarray(shape, given.dtype, given.data, start * size, steps)
    return found if given is row else found.view(row.dtype)


def as_bytes(array: Row) -> Row:
    """Return the same items; records, text and dates as bytes, so that each of them is copied."""
    return array if array.dtype.kind in _NUMBERS else array.view(f"V{array.itemsize}")
