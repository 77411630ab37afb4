"""Gather and scatter: items between a row of them and arrays in the shape of a plan.

What is strided is an array of the row itself. Other items are looked up by their positions. Where a plan has longer
runs, these are the items of a row and a plan of their own. Writing is the same backwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import Any, Final, cast, final

import numpy as np
from numpy.typing import NDArray

from mdview.base.caches import cached_property
from mdview.engines.bulk.arrays.plan_positions import (
    Positions,
    falls,
    is_dense_plan,
    is_known,
    keep,
    memory_order,
    plan_positions,
    window,
)
from mdview.engines.bulk.arrays.strided_blocks import copy_array
from mdview.engines.mapping_plan import Plan
from mdview.engines.offset_tables import AxisOffsets, TablePart, in_runs
from mdview.index.dense_strides import right_strides
from mdview.memory.struct_items import PackedItems, ScatteredItems, is_scattered

Array = NDArray[Any]  # Any: of whatever format the items are
SMALL: Final = 3 << 12
"""Elements up to which looking positions up is as fast as anything else."""
SEARCHED: Final = 1 << 15
"""Elements up to which it is as fast as finding runs and blocks, which a plan keeps for later calls."""
LONG: Final = 16
"""How many items follow each other in a strided block that is copied as fast as they are looked up."""
SPARSE: Final = 32
"""How many scattered items are copied, those between included, in the time in which one is looked up."""
WIDE: Final = 16
"""Bytes of an item up to which NumPy has instructions for storing at positions."""


@final
class Runs:
    """The runs in which the items of a plan follow each other, along its last dimension.

    Attributes
    ----------
    length
        How many items each has.
    cut
        How many items of the first one come before those of the plan.
    is_whole
        Whether all items of all of them are the plan's.
    """

    def __init__(self, plan: Plan, length: int) -> None:
        """Make those of a plan whose last axis has runs of a length."""
        *self._others, axis = plan.axes or (0,)
        *self._extents, count = plan.extents
        first, stop = (0, count) if isinstance(axis, int) else (axis.first, axis.first + count)
        self.length: int = length
        self.cut: int = first % length
        self.is_whole: bool = not (self.cut or count % length)
        self._count = -(-stop // length) - first // length
        self._last = axis if isinstance(axis, int) else TablePart(axis.base, first // length, 1, self._count)

    @cached_property
    def plan(self) -> Plan:
        """The plan of the runs that have an item, in runs."""
        found = [
            *[in_runs(other, 1, self.length) for other in self._others],
            in_runs(self._last, self.length, self.length),
        ]
        starts, axes = zip(*found, strict=True)
        return Plan((*self._extents, self._count), sum(starts), axes)


def is_looked_up(plan: Plan) -> bool:
    """Tell whether elements are best found by their positions."""
    size = plan.size
    return size <= SMALL or (size <= SEARCHED and not is_known(plan))


def has_long_runs(plan: Plan) -> bool:
    """Tell whether items are strided, or so many follow each other that a strided block pays."""
    parts = [axis for axis in plan.axes or () if isinstance(axis, TablePart)]
    is_near = [abs(part.step * part.base.step) == 1 and part.base.period >= LONG for part in parts]
    return plan.strides is not None or True in is_near


def lies_in_runs(plan: Plan, origin: int, length: int, *, stores: bool) -> bool:
    """Tell whether items are strided, or looked up by runs in ``length`` items; whole ones where items are stored."""
    runs = None if plan.strides is not None else _runs(plan, origin, length)
    return plan.strides is not None or (runs is not None and (runs.is_whole or not stores))


def read(row: Array | ScatteredItems, plan: Plan, origin: int, out: Array | None = None) -> Array:
    """Return the items of a total plan in its shape: strided ones themselves, or copied, perhaps to ``out``."""
    if type(row) is not np.ndarray and is_scattered(row):
        first, stop = item_range(plan, origin, row)
        if stop - first > SPARSE * plan.size:
            return cast("Array", row.take(plan_positions(plan, origin, len(row))))
        into = None if out is None or plan.strides != right_strides(plan.extents) else out.reshape(-1)
        return read(row.numbers(first, stop, into), plan, origin - first)
    found = window(row, plan, origin)
    if found is not None:
        return found
    row, origin = _from_origin(row, plan, origin)
    runs = None if is_looked_up(plan) else _runs(plan, origin, len(row))
    if runs is None:
        return _gather(row, plan, origin, out)
    rows, first = _rows(row, plan, origin, runs.length)
    if runs.is_whole:
        return _gather(rows, runs.plan, first, None if out is None else out.view(rows.dtype)).view(row.dtype)
    return _gather(rows, runs.plan, first).view(row.dtype)[..., runs.cut : runs.cut + plan.extents[-1]]


def _gather(row: Array, plan: Plan, origin: int, out: Array | None = None) -> Array:
    """Look items up by their positions."""
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
    if into is None or not (items.size == 1 or plan.is_distinct):
        _scatter(row, plan, origin, items)
    elif (
        into.ndim > 1
        and not is_looked_up(plan)
        and items.shape == into.shape
        and falls(into.strides)
        and not items.dtype.hasobject
    ):
        copy_array(items, into)
    else:
        into[...] = items


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


def _scatter(row: Array, plan: Plan, origin: int, items: Array) -> None:
    """Store items in whole runs where there are any, else at their positions.

    They are stored in the order of memory where the plan leaves nothing out, once its positions are kept.
    """
    row, origin = _from_origin(row, plan, origin)
    runs = _runs(plan, origin, len(row)) if items.size == plan.size and not is_looked_up(plan) else None
    if runs is not None and runs.is_whole:
        rows, first = _rows(row, plan, origin, runs.length)
        _scatter(rows, runs.plan, first, np.ascontiguousarray(items, row.dtype).view(rows.dtype))
        return
    span, numbers = memory_order(plan), plan_positions(plan, origin, len(row))
    if span.strides != (1,) or items.size != plan.size or plan.positions is None:
        # In one dimension NumPy stores one item after the other; wide ones are put faster.
        numbers, items = numbers.reshape(-1), items.reshape(-1) if items.ndim else items
        if row.itemsize > WIDE:
            row.put(numbers, items, "clip")
        else:
            row[numbers] = items
        return
    last: Positions | None = plan.inverse  # what is stored last in each place
    if last is None:
        last = np.empty(span.size, np.intp)
        last[numbers.reshape(-1) - numbers.min()] = np.arange(numbers.size)
        keep(plan, "inverse", last, last.nbytes)
    items.reshape(-1).take(last, out=cast("Array", window(row, span, origin)), mode="clip")


def _from_origin(row: Array, plan: Plan, origin: int) -> tuple[Array, int]:
    """Return the items from the origin of a plan on, in which its positions are its offsets, if none is before that."""
    ends = plan.ends
    return (row[origin:], 0) if origin > 0 and ends is not None and ends[0] >= 0 else (row, origin)


def _runs(plan: Plan, origin: int, length: int) -> Runs | None:
    """Return the runs of a plan, which begin at multiples of their length; None where there are none, or some leave."""
    if plan.runs is None:
        *others, axis = plan.axes or (0,)
        run = gcd(*_run_divisors(others, axis)) if _runs_on(axis) else 1
        plan.runs = (Runs(plan, run) if run > 1 else None,)
    runs, ends = cast("Runs | None", plan.runs[0]), plan.ends
    if runs is None or ends is None:
        return None
    phase = (plan.start + origin) % runs.length
    last = length - (length - phase) % runs.length
    return None if ends[0] + origin < phase or ends[1] + origin >= last else runs


def _rows(row: Array, plan: Plan, origin: int, length: int) -> tuple[Array, int]:
    """Return a row of items as runs, of which an item of a plan begins one, and the number of the plan's first one."""
    first, phase = divmod(plan.start + origin, length)
    return row[phase : len(row) - (len(row) - phase) % length].view(f"V{length * row.itemsize}"), first


def _runs_on(axis: AxisOffsets) -> bool:
    """Tell whether an index more leads to the next item, within a run."""
    return axis == 1 if isinstance(axis, int) else axis.step == axis.base.step == 1


def _run_divisors(others: Sequence[AxisOffsets], axis: AxisOffsets) -> list[int]:
    """Return what divides all offsets at which runs along an axis begin, whatever its first index."""
    found = [abs(other) if isinstance(other, int) else other.base.gcd for other in others]
    if isinstance(axis, TablePart):
        group = axis.base.group
        found += [axis.base.period, group if isinstance(group, int) else group.gcd]
    return found
