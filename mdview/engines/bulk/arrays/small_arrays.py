"""Small arrays: the elements of small views as arrays, by places that are known, without a look at layouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mdview.engines.bulk.arrays.gather import positions_of
from mdview.engines.bulk.arrays.items import row_of, type_of
from mdview.engines.bulk.operand import Operand
from mdview.engines.bulk.small_views import Places, places_of

Array = NDArray[Any]  # Any: of whatever format the items are


def small_array(operand: Operand) -> Array | None:
    """New array of the items of a small plain operand of memory, or None."""
    found = _found(operand)
    return None if found is None else np.asarray(_row(operand, found).take(found.index))  # at rank 0, too


def looked_up(items: Any, tables: Sequence[Sequence[int]], start: int) -> Array:
    """New array of the items at positions that tables add up to, all of which are there. Any: memory of any format."""
    total = np.array(tables[0]) + start
    for table in tables[1:]:
        total = total[..., None] + np.array(table)
    return cast("Array", row_of(items)).take(total)


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
    found = places_of(operand, _offsets) if type(operand.items) is memoryview else None
    if found is not None and found.index is None:
        found.index = np.array(found.places, np.intp).reshape(tuple(map(int, operand.mapping.extents)))
    return found


def _offsets(operand: Operand) -> list[int]:
    found = positions_of(operand.mapping, operand.origin, len(operand.items)) - operand.origin
    return cast("list[int]", found.tolist())


def _row(operand: Operand, found: Places) -> Array:
    items = operand.items
    return np.ndarray(found.length, type_of(items), items, found.start(operand) * items.itemsize)
