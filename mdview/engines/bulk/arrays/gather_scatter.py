"""Gather and scatter: items between a row of them and arrays in the shape of a plan.

What is strided is an array of the row itself. Other items are looked up by their positions. Writing is the same
backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, cast, final

import numpy as np
from numpy.typing import NDArray

from mdview.engines.bulk.arrays.cost_model import CACHE, lookup_box
from mdview.engines.bulk.arrays.plan_positions import (
    MOST_LOOKED_UP,
    PositionBoxes,
    is_dense_plan,
    plan_positions,
    window,
)
from mdview.engines.bulk.arrays.strided_blocks import IndexBox, aligned_boxes, boxes
from mdview.engines.mapping_plan import Plan
from mdview.index.dense_strides import right_strides
from mdview.memory.struct_items import PackedItems, ScatteredItems, is_scattered

Array = NDArray[Any]  # Any: of whatever format the items are
SPARSE: Final = 32
"""How many scattered items are copied, those between included, in the time in which one is looked up."""
WIDE: Final = 16
"""Bytes of an item up to which NumPy has instructions for storing at positions."""


def read(row: Array | ScatteredItems, plan: Plan, origin: int, out: Array | None = None) -> Array:
    """Return the items of a total plan in its shape: strided ones themselves, or copied, perhaps to ``out``."""
    if type(row) is not np.ndarray and is_scattered(row):
        first, stop = item_range(plan, origin, row)
        if stop - first > SPARSE * plan.size:
            return cast("Array", row.take(plan_positions(plan, origin, len(row))))
        into = None if out is None or plan.strides != right_strides(plan.extents) else out.reshape(-1)
        return read(row.numbers(first, stop, into), plan, origin - first)
    found = window(row, plan, origin)
    return gather(row, plan, origin, out) if found is None else found


def gather(row: Array, plan: Plan, origin: int, out: Array | None = None) -> Array:
    """Look items up by their positions."""
    row, origin = _from_origin(row, plan, origin)
    places = plan_positions(plan, origin, len(row))
    if out is not None:
        return row.take(places, out=out, mode="clip")
    found = row.take(places)
    # Without dimensions NumPy takes a scalar, in the byte order of the machine.
    return found if places.ndim else np.asarray(found, row.dtype)


def scatter_items(row: Array | ScatteredItems, plan: Plan, origin: int, items: Array) -> None:
    """Store items, of the shape of a plan or broadcast to it; of several for one position the last one stays."""
    if not plan.size:
        return
    if type(row) is not np.ndarray and is_scattered(row):
        _scatter_apart(row, plan, origin, items)
        return
    into = window(row, plan, origin)
    if into is not None and (items.size == 1 or plan.is_distinct):
        into[...] = items
        return
    row, origin = _from_origin(row, plan, origin)
    put(row, plan_positions(plan, origin, len(row)), items)


def put(row: Array, places: NDArray[np.intp], items: Array) -> None:
    """Store items at positions, one after the other, which NumPy does in one dimension; wide ones are put faster."""
    places, items = places.reshape(-1), items.reshape(-1) if items.ndim else items
    if row.itemsize > WIDE:
        row.put(places, items, "clip")
    else:
        row[places] = items


@final
class LookedUpSide:
    """One side of a copy by positions: a row of items, and a plan of them.

    A target that has an element for several indices has no array, so that they are stored one after the other.
    """

    def __init__(self, row: Array, plan: Plan, origin: int, *, is_array: bool) -> None:
        """Find the array of a strided plan, where that is asked for."""
        self.row: Array = row
        self.plan: Plan = plan
        self.origin: int = origin
        self.array: Array | None = window(row, plan, origin) if is_array else None
        is_many = self.array is None and plan.size > MOST_LOOKED_UP
        self._boxes = PositionBoxes(plan, origin, len(row)) if is_many else None

    def positions(self, box: IndexBox) -> NDArray[np.intp]:
        """Return the positions of a box; those of few are kept with their plan."""
        if self._boxes is not None:
            return self._boxes.at(*box)
        found = plan_positions(self.plan, self.origin, len(self.row))
        return found if box.counts == self.plan.extents else found[box.key]


def look_up(target: LookedUpSide, source: LookedUpSide) -> Iterator[Callable[[], int]]:
    """Copy items of which those of one side at least are looked up, in boxes that are near each other on both sides.

    Few positions are read in their order, and all at once if the other side is one run. Where a target has one element
    for several indices, boxes are in index order, so that the last one stays.
    """
    plan, array = target.plan, source.array if target.array is None else target.array
    if plan.size > MOST_LOOKED_UP and plan.is_distinct:
        found = boxes(plan.extents, lookup_box((plan, source.plan), CACHE // 4))
    else:
        is_run = array is None or array.flags.c_contiguous
        found = aligned_boxes(plan.extents, MOST_LOOKED_UP if is_run else CACHE // 4)
    return (partial(_copy_at, target, source, box) for box in found)


def _copy_at(target: LookedUpSide, source: LookedUpSide, box: IndexBox) -> int:
    """Copy the items of a box."""
    into = target.array if target.array is None or box.counts == target.plan.extents else target.array[box.key]
    if into is None:
        items = source.row.take(source.positions(box)) if source.array is None else source.array[box.key]
        put(target.row, target.positions(box), items)
    elif into.flags.carray:
        source.row.take(source.positions(box), out=into, mode="clip")
    else:
        into[...] = source.row.take(source.positions(box))
    return box.size


def item_range(plan: Plan, origin: int, items: ScatteredItems) -> tuple[int, int]:
    """Return between which items those of a plan lie, as narrow as costs little to tell."""
    low, high = plan.ends or (-origin, len(items) - 1 - origin)
    return max(low + origin, 0), min(high + origin + 1, len(items))


def _scatter_apart(items: ScatteredItems, plan: Plan, origin: int, numbers: Array) -> None:
    """Store numbers to items of which no array has one after the other."""
    first, stop = item_range(plan, origin, items)
    if plan.strides == right_strides(plan.extents):
        items.store(first, np.ascontiguousarray(np.broadcast_to(numbers, plan.extents)).reshape(-1))
    elif is_dense_plan(plan):
        row = np.empty(plan.size, numbers.dtype)
        scatter_items(row, plan, origin - first, numbers)
        items.store(first, row)
    elif isinstance(items, PackedItems) and (not plan.is_distinct or stop - first <= SPARSE * plan.size):
        numbers = numbers.view(items.dtype)  # which may be truth values
        items.edit(first, stop, lambda row: scatter_items(row, plan, origin - first, numbers))
    else:
        items.put(plan_positions(plan, origin, len(items)).reshape(-1), numbers.reshape(-1))


def _from_origin(row: Array, plan: Plan, origin: int) -> tuple[Array, int]:
    """Return the items from the origin of a plan on, in which its positions are its offsets, if none is before that."""
    ends = plan.ends
    return (row[origin:], 0) if origin > 0 and ends is not None and ends[0] >= 0 else (row, origin)
