"""Gather and scatter: reads and stores of items at the positions of a plan, or as strided arrays.

The items of a strided plan are read and stored through an array over the memory; other items are looked up, and stored,
at their positions. A run of consecutive positions that begins at a multiple of its length is one look-up of a wider
item.
"""

from __future__ import annotations

from math import gcd
from typing import Any, Final, NamedTuple, cast, final

import numpy as np
from numpy.typing import NDArray

from mdview.engines.bounds_check import check
from mdview.engines.bulk.arrays.item_arrays import LARGEST, UNITS, row_array
from mdview.engines.bulk.arrays.plan_positions import (
    COMPUTED,
    LOOK,
    MOST_LOOKED_UP,
    PositionArray,
    count_kept,
    is_dense_plan,
    offsets_of,
    plan_positions,
)
from mdview.engines.mapping_plan import Plan
from mdview.index.extents import right_strides
from mdview.memory.struct_items import PackedItems, ScatteredItems, is_scattered

Array = NDArray[Any]  # Any: items of any format
SPARSE: Final = 32
"""The number of scattered items whose copy as a range takes as long as the look-up of one item."""


@final
class PositionRun(NamedTuple):
    """An ordered set of positions, as runs of consecutive positions.

    Attributes
    ----------
    low, high
        The lowest and the highest position.
    unit, places
        The length of a run, and the first position of each run relative to ``low``, divided by ``unit``. ``places`` is
        None if all positions are one run.
    """

    low: int
    high: int
    unit: int
    places: PositionArray | None

    @classmethod
    def of(cls, positions: PositionArray, itemsize: int, widest: int) -> PositionRun:
        """Return positions as runs of at most ``widest`` bytes."""
        size = positions.size
        low, high = (int(positions.min()), int(positions.max())) if size else (0, -1)
        places = positions - low if low else positions
        if not size or (high - low + 1 == size and are_runs(places, size)):
            return cls(low, high, 1, None)
        unit = gcd(max(1, widest // itemsize), size) if itemsize in UNITS else 1
        while unit > 1 and not are_runs(places, unit):
            unit //= 2
        return cls(low, high, unit, places[::unit] // unit if unit > 1 else places)

    @property
    def is_whole(self) -> bool:
        """Whether all positions are one run."""
        return self.places is None

    @property
    def size(self) -> int:
        """The number of positions."""
        return self.high - self.low + 1 if self.places is None else len(self.places) * self.unit

    def of_items(self, row: Array, origin: int) -> Array:
        """Return the items from the lowest position to the highest."""
        if self.low + origin < 0 or self.high + origin >= len(row):
            check(self.low + origin, self.high + origin, len(row))
        return row[self.low + origin : self.high + origin + 1]

    def wide(self, row: Array) -> Array:
        """Return an array over the memory of ``row`` whose items have the size of a run."""
        if self.unit == 1:
            return row
        return row[: len(row) // self.unit * self.unit].view(f"V{self.unit * row.itemsize}")

    def take(self, items: Array, out: Array) -> Array:
        """Copy the items at the positions, in order, into ``out``; return ``out``."""
        if self.places is None:
            out[...] = items
        else:
            self.wide(items).take(self.places, out=self.wide(out), mode="clip")
        return out

    def store(self, out: Array, items: Array) -> None:
        """Store items at the positions, in order; wide items are stored by ``put``, which is faster."""
        if self.places is None:
            out[...] = items
        elif out.itemsize > LARGEST:
            out.put(self.places, items, "clip")
        else:
            self.wide(out)[self.places] = self.wide(items)


def are_runs(offsets: PositionArray, unit: int) -> bool:
    """Tell whether offsets are runs of ``unit`` consecutive offsets that begin at multiples of ``unit``.

    ``unit`` is a power of two, or the number of offsets. The offsets are compared in parts, which bounds the memory; in
    most cases the first part decides.
    """
    begin, stop, size = 0, offsets.size // unit * unit, LOOK
    while begin < stop:
        part = offsets[begin : min(begin + size, stop)]
        rows = part.reshape(-1, min(unit, part.size))
        is_next = begin and unit > LOOK
        if part[0] != offsets[begin - 1] + 1 if is_next else (rows[:, 0] % unit).any():
            return False
        if (rows != np.arange(rows.shape[1]) + rows[:, :1]).any():
            return False
        begin, size = begin + part.size, COMPUTED
    return True


def run_of(plan: Plan, itemsize: int, widest: int) -> PositionRun | None:
    """Return the cached offsets of a plan as runs of at most ``widest`` bytes.

    The result is None at the first use of the plan, when a search for runs takes longer than it saves.
    """
    most, runs = widest // itemsize, plan.positions.runs
    run: PositionRun | None = runs.get(most)
    if run is None:
        if plan.positions.offsets is None:
            return None
        run = PositionRun.of(offsets_of(plan), itemsize, widest)
        if plan.size <= MOST_LOOKED_UP:
            runs[most] = run
            count_kept(plan, 0 if run.places is None else run.places.nbytes)
    return run


def read(row: Array | ScatteredItems, plan: Plan, origin: int, out: Array | None = None) -> Array:
    """Return the items of a plan without padding, in its shape: an array over strided items, else a copy.

    The copy may be written to ``out``.
    """
    if type(row) is not np.ndarray and is_scattered(row):
        first, stop = item_range(plan, origin, row)
        if stop - first > SPARSE * plan.size:
            return cast("Array", row.take(plan_positions(plan, origin, len(row))))
        into = None if out is None or plan.strides != right_strides(plan.extents) else out.reshape(-1)
        return read(row.numbers(first, stop, into), plan, origin - first)
    found = window(row, plan, origin)
    return gather(row, plan, origin, out=out) if found is None else found


def gather(row: Array, plan: Plan, origin: int, out: Array | None = None) -> Array:
    """Return a copy of the items at the positions of all indices, in the contiguous array ``out`` if given."""
    if out is None:
        out = np.empty(plan.extents, row.dtype)
    run = run_of(plan, row.itemsize, 2 * LARGEST)
    if run is None:
        row.take(plan_positions(plan, origin, len(row)), out=out, mode="clip")
    else:
        run.take(run.of_items(row, origin), out.reshape(-1))
    return out


def scatter_items(row: Array | ScatteredItems, plan: Plan, origin: int, items: Array) -> None:
    """Store items in the shape of a plan, or broadcast to it; the last of several items for a position is kept."""
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


def scatter(row: Array, plan: Plan, origin: int, items: Array) -> None:
    """Store items at the positions of all indices; the arrays are of rank 1, for which NumPy stores in index order."""
    run = run_of(plan, row.itemsize, LARGEST)
    if run is None:
        row[plan_positions(plan, origin, len(row)).reshape(-1)] = items.reshape(-1) if items.ndim else items
        return
    if items.size == 1:
        items = np.full(run.unit, items, row.dtype)
    elif items.shape != plan.extents:
        items = np.broadcast_to(items, plan.extents)
    run.store(run.of_items(row, origin), np.ascontiguousarray(items, row.dtype).reshape(-1))


def window(row: Array, plan: Plan, origin: int) -> Array | None:
    """Return an array over the items of a plan; None if the plan is not strided."""
    strides = plan.strides
    if strides is None:
        return None
    if not plan.size:
        return np.empty(plan.extents, row.dtype)
    size, start = row.itemsize, (plan.start + origin) * row.itemsize
    try:
        return row_array(row, plan.extents, start, tuple([step * size for step in strides]))
    except (ValueError, OverflowError):
        low, high = plan.ends or (0, -1)
        check(low + origin, high + origin, len(row))
        return row_array(row, plan.extents, start, plan.byte_steps(size))


def item_range(plan: Plan, origin: int, items: ScatteredItems) -> tuple[int, int]:
    """Return the start and the stop of a range of positions that contains all positions of a plan, and perhaps more."""
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
        numbers = numbers.view(items.dtype)  # the numbers may be truth values
        items.edit(first, stop, lambda row: scatter_items(row, plan, origin - first, numbers))
    else:
        items.put(plan_positions(plan, origin, len(items)).reshape(-1), numbers.reshape(-1))
