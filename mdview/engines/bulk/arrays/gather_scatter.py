"""Gather and scatter: items between a row of them and arrays in the shape of a plan.

What is strided is an array of the row itself. Other items are looked up by their positions, or where a plan has longer
runs a run at a time. Writing is the same backwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import Any, Final, NamedTuple, cast, final

import numpy as np
from numpy.typing import NDArray

from mdview.engines.bulk.arrays.plan_positions import (
    LARGE,
    Positions,
    along,
    falls,
    is_dense_plan,
    keep,
    memory_order,
    plan_positions,
    table_of,
    window,
)
from mdview.engines.bulk.arrays.strided_blocks import copy_array
from mdview.engines.mapping_plan import Plan
from mdview.engines.offset_tables import AxisOffsets, TablePart
from mdview.index.dense_strides import right_strides
from mdview.memory.struct_items import PackedItems, ScatteredItems, is_scattered

Array = NDArray[Any]  # Any: of whatever format the items are
SMALL: Final = 1 << 13
"""Elements up to which looking positions up is as fast as anything else."""
SPARSE: Final = 32
"""How many scattered items are copied, those between included, in the time in which one is looked up."""


@final
class Runs(NamedTuple):
    """The runs in which the items of a plan follow each other.

    Attributes
    ----------
    length, phase
        How many items each has, and where the first one in the items begins.
    numbers
        Those of the plan, in index order; those along the last dimension come last.
    cut, is_whole
        How many items of the first run do not belong to it, and whether all items of all runs do.
    """

    length: int
    phase: int
    numbers: Positions
    cut: int
    is_whole: bool


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
    runs = _runs(plan, origin, len(row)) if plan.size > SMALL else None
    if runs is None:
        places = plan_positions(plan, origin, len(row))
        return row.take(places) if out is None else row.take(places, out=out, mode="clip")
    if out is not None and runs.is_whole:
        return _rows(row, runs).take(runs.numbers, 0, out.reshape(*runs.numbers.shape, -1), "clip").reshape(out.shape)
    taken = _rows(row, runs).take(runs.numbers, axis=0).reshape(*runs.numbers.shape[:-1], -1)
    return taken[..., runs.cut : runs.cut + plan.extents[-1]]


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
        and plan.size > SMALL
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
    """Store items at their positions; in the order of memory where the plan leaves nothing out, once that is kept."""
    row, origin = _from_origin(row, plan, origin)
    span = memory_order(plan)
    is_ordered = span.strides == (1,) and items.size == plan.size
    runs = _runs(plan, origin, len(row)) if is_ordered and plan.size > SMALL else None
    if runs is not None and runs.is_whole:
        length, numbers = runs.length, runs.numbers
    else:
        length, numbers = 1, plan_positions(plan, origin, len(row))
        is_ordered = is_ordered and plan.positions is not None
    if not is_ordered:  # in one dimension NumPy stores one item after the other
        row[numbers.reshape(-1)] = items.reshape(-1) if items.ndim else items
        return
    known = plan.inverse  # how long runs are, and what is stored last in each
    if known is None or known[0] != length:
        known = length, np.empty(span.size // length, np.intp)
        known[1][numbers.reshape(-1) - numbers.min()] = np.arange(numbers.size)
        keep(plan, "inverse", known, known[1].nbytes)
    into = cast("Array", window(row, span, origin)).reshape(-1, length)
    items.reshape(-1, length).take(known[1], axis=0, out=into, mode="clip")


def transfer(
    source: Array | ScatteredItems, its: Plan, its_origin: int, target: Array, mine: Plan, origin: int
) -> None:
    """Copy items of one format, which share no memory, in index order."""
    into = window(target, mine, origin)
    out = into if into is not None and into.flags.c_contiguous else None
    items = read(source, its, its_origin, out)
    if out is None or not np.may_share_memory(items, out):
        scatter_items(target, mine, origin, items)


def _from_origin(row: Array, plan: Plan, origin: int) -> tuple[Array, int]:
    """Return the items from the origin of a plan on, in which its positions are its offsets, if none is before that."""
    ends = plan.ends
    return (row[origin:], 0) if origin > 0 and ends is not None and ends[0] >= 0 else (row, origin)


def _runs(plan: Plan, origin: int, length: int) -> Runs | None:
    """Return the runs of a plan, which are kept when it is asked a second time; None where some leave the items."""
    known, ends = plan.lookup, plan.ends
    if known is None or known[0] != origin:
        known = origin, _found_runs(plan, origin)
        if known[1] is not None and plan.size <= LARGE and plan.is_asked_again():
            keep(plan, "lookup", known, known[1].numbers.nbytes)
    runs: Runs | None = known[1]
    if runs is None or ends is None or ends[0] + origin < runs.phase:
        return None
    return runs if ends[1] + origin < length - (length - runs.phase) % runs.length else None


def _found_runs(plan: Plan, origin: int) -> Runs | None:
    """Return the runs along the last dimension that begin at multiples of their length; None where that is one item."""
    *others, axis = plan.axes or (0,)
    run = gcd(*_run_divisors(others, axis)) if _runs_on(axis) else 1
    if run < 2:  # noqa: PLR2004 - one item is no run
        return None
    count, first = plan.extents[-1], 0 if isinstance(axis, int) else axis.first
    low, high = first // run, (first + count - 1) // run + 1
    begins = np.arange(low, high) if isinstance(axis, int) else table_of(axis.base)[low * run : high * run : run] // run
    total: Any = np.asarray((plan.start + origin) // run)
    for other, n in zip(others, plan.extents, strict=False):
        total = total[..., None] + along(other, n) // run
    cut = first - low * run
    return Runs(run, (plan.start + origin) % run, total[..., None] + begins, cut, not cut and not count % run)


def _rows(row: Array, runs: Runs) -> Array:
    """Return a row of items as rows of runs."""
    return row[runs.phase : len(row) - (len(row) - runs.phase) % runs.length].reshape(-1, runs.length)


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
