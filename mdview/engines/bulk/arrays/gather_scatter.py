"""Gather and scatter: items are read and stored at the positions of a plan, or as strided arrays.

Items of a strided plan are an array over the row itself. Other items are looked up by their positions. Stores are done
likewise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import gcd
from typing import Any, Final, NamedTuple, cast, final

import numpy as np
from numpy.typing import NDArray

from mdview.engines.bulk.arrays.item_arrays import UNITS, WORDS
from mdview.engines.bulk.arrays.plan_positions import (
    MOST_LOOKED_UP,
    PositionArray,
    is_dense_plan,
    kept_runs,
    plan_positions,
    window,
)
from mdview.engines.bulk.arrays.position_boxes import Segments
from mdview.engines.bulk.arrays.strided_blocks import IndexBox, boxes
from mdview.engines.mapping_plan import Plan
from mdview.engines.plan_parts import part_of
from mdview.index.dense_strides import right_strides
from mdview.memory.struct_items import PackedItems, ScatteredItems, is_scattered

Array = NDArray[Any]  # Any: items of any format
SPARSE: Final = 32
"""The number of scattered items that are copied as a range in the time of one look-up."""
WIDE: Final = 16
"""The largest item, in bytes, that NumPy stores at positions by an instruction."""


def read(row: Array | ScatteredItems, plan: Plan, origin: int, out: Array | None = None) -> Array:
    """Return the items of a plan without padding in its shape: an array over strided items, or a copy, as ``out``."""
    if type(row) is not np.ndarray and is_scattered(row):
        first, stop = item_range(plan, origin, row)
        if stop - first > SPARSE * plan.size:
            return cast("Array", row.take(plan_positions(plan, origin, len(row))))
        into = None if out is None or plan.strides != right_strides(plan.extents) else out.reshape(-1)
        return read(row.numbers(first, stop, into), plan, origin - first)
    found = window(row, plan, origin)
    return gather(row, plan, origin, out=out) if found is None else found


def gather(row: Array, plan: Plan, origin: int, box: IndexBox | None = None, out: Array | None = None) -> Array:
    """Look items up by the positions of all indices or of a box, perhaps into the contiguous array ``out``."""
    if out is None:
        out = np.empty(plan.extents if box is None else box.counts, row.dtype)
    row, places, runs = _in_runs(row, plan, origin, box, out, 2 * WIDE)
    row.take(places, out=runs, mode="clip")
    return out


def _in_runs(
    row: Array, plan: Plan, origin: int, box: IndexBox | None, array: Array, widest: int
) -> tuple[Array, PositionArray, Array]:
    """Return items, the positions of the indices of a box, and the array that these items move to or from.

    If kept positions show them, all three are in runs of up to ``widest`` bytes.
    """
    row, origin = _from_origin(row, plan, origin)
    places, size, unit = plan_positions(plan, origin, len(row)), row.itemsize, 1
    starts = places
    key = () if box is None else box.key
    if places is plan.positions.offsets and size in UNITS and array.strides[-1:] == (size,):
        unit, starts = kept_runs(plan, gcd(max(1, widest // size), plan.extents[-1], array.shape[-1]))
    if unit > 1:
        kind = WORDS.get(unit * size) or f"V{unit * size}"
        row, places, array = row[: len(row) // unit * unit].view(kind), starts, array.view(kind)
        key = (*key[:-1], slice(key[-1].start // unit, key[-1].stop // unit)) if key else key
    return row, places[key] if key else places, array


def scatter_items(row: Array | ScatteredItems, plan: Plan, origin: int, items: Array) -> None:
    """Store items, of the shape of a plan or broadcast to it; the last of several for one position stays."""
    if not plan.size:
        return
    if type(row) is not np.ndarray and is_scattered(row):
        _scatter_apart(row, plan, origin, items)
        return
    into = window(row, plan, origin)
    if into is not None and (items.size == 1 or plan.is_distinct):
        into[...] = items
        return
    scatter(row, plan, origin, items)


def scatter(row: Array, plan: Plan, origin: int, items: Array, box: IndexBox | None = None) -> None:
    """Store items at the positions of all indices or of a box, in index order, which NumPy keeps only in one dimension.

    For wide items ``put`` is faster.
    """
    row, places, items = _in_runs(row, plan, origin, box, items, WIDE)
    places, items = places.reshape(-1), items.reshape(-1) if items.ndim else items
    if row.itemsize > WIDE:
        row.put(places, items, "clip")
    else:
        row[places] = items


@final
class LookedUpSide(NamedTuple):
    """One side of a copy by positions.

    Attributes
    ----------
    row, plan, origin
        Items, and their positions.
    array
        The array of a strided side; None for a target that is not injective, so that items are stored in index order.
    alike
        The boxes of the plan that have equal steps.
    """

    row: Array
    plan: Plan
    origin: int
    array: Array | None
    alike: list[Segments] | None

    def at(self, box: IndexBox, counts: tuple[int, ...]) -> tuple[Array, Plan, int, IndexBox | None]:
        """Return items, plan, origin and box of the elements of ``box``; no box is returned if the plan is its own."""
        row, plan, origin, _, alike = self
        if box.counts == plan.extents:
            return row, plan, origin, None
        if alike is None:
            return (row, plan.cut(*box), origin, None) if plan.size > MOST_LOOKED_UP else (row, plan, origin, box)
        found = [each[low // count] for low, count, each in zip(box.first, counts, alike, strict=True)]
        rows, shift = tuple([(first, 1, r) for r, (first, _) in enumerate(found)]), sum([far for _, far in found])
        part, further = part_of(plan, (rows, box.counts, ()))
        return row[shift:], part, origin + further, None


def look_up(target: LookedUpSide, source: LookedUpSide, counts: tuple[int, ...]) -> Iterator[Callable[[], int]]:
    """Copy items in boxes of some extents, with items of at least one side looked up."""
    return (partial(_copy_at, target, source, box, counts) for box in boxes(target.plan.extents, counts))


def _copy_at(target: LookedUpSide, source: LookedUpSide, box: IndexBox, counts: tuple[int, ...]) -> int:
    """Copy the items of a box."""
    is_all = box.counts == target.plan.extents
    into, out = [side.array if side.array is None or is_all else side.array[box.key] for side in (target, source)]
    is_last = into is not None and into.flags.c_contiguous
    items = gather(*source.at(box, counts), into if is_last else None) if out is None else out
    if into is None:
        row, plan, origin, part = target.at(box, counts)
        scatter(row, plan, origin, items, part)
    elif not is_last or out is not None:
        into[...] = items
    return box.size


def item_range(plan: Plan, origin: int, items: ScatteredItems) -> tuple[int, int]:
    """Return a cheap range of items, first and stop, that has all items of a plan."""
    low, high = plan.ends or (-origin, len(items) - 1 - origin)
    return max(low + origin, 0), min(high + origin + 1, len(items))


def _scatter_apart(items: ScatteredItems, plan: Plan, origin: int, numbers: Array) -> None:
    """Store numbers to scattered items."""
    first, stop = item_range(plan, origin, items)
    if plan.strides == right_strides(plan.extents):
        items.store(first, np.ascontiguousarray(np.broadcast_to(numbers, plan.extents)).reshape(-1))
    elif is_dense_plan(plan):
        row = np.empty(plan.size, numbers.dtype)
        scatter_items(row, plan, origin - first, numbers)
        items.store(first, row)
    elif isinstance(items, PackedItems) and (not plan.is_distinct or stop - first <= SPARSE * plan.size):
        numbers = numbers.view(items.dtype)  # from truth values, perhaps
        items.edit(first, stop, lambda row: scatter_items(row, plan, origin - first, numbers))
    else:
        items.put(plan_positions(plan, origin, len(items)).reshape(-1), numbers.reshape(-1))


def _from_origin(row: Array, plan: Plan, origin: int) -> tuple[Array, int]:
    """Return the items from the origin of a plan on, so that positions are offsets, if none is before the origin."""
    ends = plan.ends
    return (row[origin:], 0) if origin > 0 and ends is not None and ends[0] >= 0 else (row, origin)
