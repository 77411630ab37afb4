"""Small arrays: the elements of small views as arrays, by places that are known, without a look at layouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdview.accessors.buffers import typestr
from mdview.base.caches import remember
from mdview.engines.bulk.operand import Operand
from mdview.engines.bulk.small_views import Places, places_of

Array = NDArray[Any]  # Any: of whatever format the items are

_types: dict[tuple[str, int], np.dtype[Any]] = {}


def small_array(operand: Operand) -> Array | None:
    """New array of the items of a small plain operand of memory, or None."""
    found = _found(operand)
    return None if found is None else _row(operand, found).take(found.index)


def applied(function: np.ufunc, operands: Sequence[Array]) -> Array:
    """Results of a ufunc."""
    return np.asarray(function(*operands))


def stored(target: Operand, elements: Array) -> bool:
    """Store the elements of an array of the same type in a small plain operand, or return False."""
    found = _found(target)
    if found is None or not found.is_distinct:
        return False
    row = _row(target, found)
    if row.dtype != elements.dtype:
        return False
    row[found.index] = elements
    return True


def _found(operand: Operand) -> Places | None:
    found = places_of(operand) if type(operand.items) is memoryview else None
    if found is not None and found.index is None:
        found.index = np.array(found.places, np.intp).reshape(tuple(map(int, operand.mapping.extents)))
    return found


def _row(operand: Operand, found: Places) -> Array:
    items = operand.items
    key = items.format, items.itemsize
    dtype = _types.get(key) or remember(_types, key, np.dtype(typestr(*key)))
    return np.ndarray(found.length, dtype, items, found.start(operand) * items.itemsize)
