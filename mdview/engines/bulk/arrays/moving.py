"""Moving: items between a row of them and arrays in the shape of a plan.

What is strided is an array of the row itself. Other items are looked up one by one, or where a plan has longer runs a
run at a time. Writing is the same backwards.
"""

from __future__ import annotations

from math import gcd, prod
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from mdview.engines.bases import Axis, Part
from mdview.engines.bulk.arrays.cache_order import copy_array
from mdview.engines.bulk.arrays.items import strided
from mdview.engines.bulk.arrays.locating import SMALL, Positions, keep, offsets_along, positions, table_of
from mdview.engines.plan import Plan
from mdview.engines.positions import check
from mdview.index.boundary import inside_indices

Array = NDArray[Any]  # Any: of whatever format the items are


def window(row: Array, plan: Plan, origin: int) -> Array | None:
    """Return the array of a plan over its items; None where it is not strided."""
    strides = plan.strides
    if strides is None:
        return None
    if 0 in plan.extents:
        return np.empty(plan.extents, row.dtype)
    low, high = plan.ends or (0, -1)
    check(low + origin, high + origin, len(row))
    return strided(row, plan.extents, plan.start + origin, strides)


def read(row: Array, plan: Plan, origin: int) -> Array:
    """Return the items of a total plan in its shape: strided ones themselves, or copied."""
    found = window(row, plan, origin)
    if found is not None:
        return found
    if plan.size > SMALL and plan.axes is not None:
        found = _read_runs(row, plan, plan.axes, origin)
        if found is not None:
            return found
    return np.asarray(row.take(positions(plan, origin, len(row))))


def read_led(row: Array, plan: Plan, origin: int, mode: str) -> Array | None:
    """Return the items of a plan whose padding is led inside: what it reaches is read, and taken along each dimension.

    None where that would read more than twice as much, or an index leads to two dimensions.
    """
    base, transform = plan.base, plan.transform
    if plan.domain is None or base is None or not base.is_total or transform is None or not transform.is_affine:
        return None
    kept = [r for r in transform.source if r is not None]
    if len(kept) > len(set(kept)) or 0 in plan.extents:
        return None
    places: list[Array] = []
    for n, first, step, r in zip(base.extents, transform.offset, transform.stride, transform.source, strict=True):
        places.append(inside_indices(mode, first + step * np.arange(1 if r is None else plan.extents[r]), n))
    low = [int(along.min()) for along in places]
    counts = tuple([int(along.max()) + 1 - begin for along, begin in zip(places, low, strict=True)])
    if prod(counts) > 2 * plan.size:
        return None
    found = read(row, base.cut(low, counts), origin)
    for d, (along, begin) in enumerate(zip(places, low, strict=True)):
        found = found.take(along - begin, axis=d)
    found = found.reshape([n for n, r in zip(found.shape, transform.source, strict=True) if r is not None])
    found = found.transpose(np.argsort(kept)) if kept else found
    found = found.reshape([n if r in kept else 1 for r, n in enumerate(plan.extents)])
    return found if found.shape == plan.extents else np.broadcast_to(found, plan.extents)


def write(row: Array, plan: Plan, origin: int, items: Array) -> None:
    """Store items in the shape of a plan; of several for one position the last one stays."""
    if not items.size:
        return
    into = window(row, plan, origin)
    if into is None or not plan.is_distinct:
        _scatter(row, positions(plan, origin, len(row)), items, distinct=plan.is_distinct)
        return
    steps = into.strides
    if (
        plan.size > SMALL
        and not items.dtype.hasobject
        and min(steps, default=0) > 0
        and sorted(steps, reverse=True) == list(steps)
    ):
        copy_array(items, into)
    else:
        into[...] = items


def fill_items(row: Array, plan: Plan, origin: int, item: Array) -> None:
    """Make one item each of a plan."""
    into = window(row, plan, origin)
    if into is not None:
        into[...] = item
    elif plan.size:
        row[positions(plan, origin, len(row))] = item


def _scatter(row: Array, places: Positions, items: Array, *, distinct: bool) -> None:
    """Store items one after the other.

    NumPy does not say which of several for one position stays. Unless positions are known to be ``distinct``, what was
    stored is read again, and where it is not all there each position gets its last item only.
    """
    row[places] = items
    if not distinct and not _same_bytes(row[places], items):
        found, last = np.unique(places.ravel()[::-1], return_index=True)
        row[found] = items.ravel()[::-1][last]


def _same_bytes(first: Array, second: Array) -> bool:
    if first.itemsize not in {1, 2, 4, 8}:
        return np.array_equal(first[..., None].view("u1"), np.ascontiguousarray(second)[..., None].view("u1"))
    return np.array_equal(first.view(f"u{first.itemsize}"), second.view(f"u{first.itemsize}"))


def _read_runs(row: Array, plan: Plan, axes: tuple[Axis, ...], origin: int) -> Array | None:
    """Return the items, looked up a run at a time; None where there are no runs of two items or more.

    Where runs are cut short at an end, whole ones are read and cut afterwards.
    """
    found, ends = _longest_run(axes), plan.ends
    if found is None or ends is None:
        return None
    fast, run = found
    places, cut = _run_numbers(plan, axes, fast, run, origin)
    phase, count = (plan.start + origin) % run, plan.extents[fast]
    whole = (len(row) - phase) // run
    if ends[0] + origin < phase or (ends[1] + origin - phase) // run >= whole:
        return None
    taken = row[phase : phase + whole * run].reshape(-1, run).take(places, axis=0)
    items: Array = taken.reshape(*taken.shape[:-2], -1)[..., cut : cut + count]
    return items if fast == len(axes) - 1 else np.moveaxis(items, -1, fast)


def copy_runs(source: Array, its: Plan, its_origin: int, target: Array, mine: Plan, origin: int) -> bool:
    """Copy items of one format, which share no memory, run by run in the order of the target; False if it has holes.

    Which run of the source is each one of the target is kept for the last source.
    """
    known: Any = mine.runs  # a reference to the other plan, both origins, and what is found
    if known is None or known[0]() is not its or known[1:3] != (its_origin, origin):
        found = _common_runs(its, its_origin, mine, origin) if mine.is_dense else None
        known = ref(its), its_origin, origin, found
        keep(mine, "runs", known, 0 if found is None else found[1].nbytes)
    if known[3] is None:
        return False
    run, order = known[3]
    (low, high), (first, last) = its.ends or (0, -1), mine.ends or (0, -1)
    check(low + its_origin, high + its_origin, len(source))
    check(first + origin, last + origin, len(target))
    rows = source[: len(source) // run * run].reshape(-1, run)
    rows.take(order, axis=0, out=target[first + origin : last + origin + 1].reshape(-1, run), mode="clip")
    return True


def _common_runs(its: Plan, its_origin: int, mine: Plan, origin: int) -> tuple[int, Positions] | None:
    """Return how long runs are that two plans have in common, and those of the first in the order of the second."""
    if its.axes is None or mine.axes is None:
        return None
    fast = next((r for r, pair in enumerate(zip(its.axes, mine.axes, strict=True)) if all(map(_runs_on, pair))), None)
    if fast is None:
        return None
    run = gcd(its.start + its_origin, mine.start + origin, mine.extents[fast])
    for axes in (its.axes, mine.axes):
        run = gcd(run, _run_of(axes[fast]), *[_divisor(axis) for r, axis in enumerate(axes) if r != fast])
    if run < 2:  # noqa: PLR2004 - one item is no run
        return None
    read, _ = _run_numbers(its, its.axes, fast, run, its_origin)
    written, _ = _run_numbers(mine, mine.axes, fast, run, origin)
    order = np.empty(written.size, np.intp)
    order[written - ((mine.ends or (0, 0))[0] + origin) // run] = read
    return run, order


def _run_numbers(plan: Plan, axes: tuple[Axis, ...], fast: int, run: int, origin: int) -> tuple[Positions, int]:
    """Return the numbers of all runs of a plan, those along ``fast`` last, and how much of their first is cut off."""
    axis, count = axes[fast], plan.extents[fast]
    first = 0 if isinstance(axis, int) else axis.first
    low, high = first // run, (first + count - 1) // run + 1
    begins = np.arange(low, high) if isinstance(axis, int) else table_of(axis.base)[low * run : high * run : run] // run
    total: Any = np.asarray((plan.start + origin) // run)
    for r, (other, n) in enumerate(zip(axes, plan.extents, strict=True)):
        if r != fast:
            total = total[..., None] + offsets_along(other, n) // run
    return total[..., None] + begins, first - low * run


def _runs_on(axis: Axis) -> bool:
    """Tell whether an index more leads to the next item, within a run."""
    return axis == 1 if isinstance(axis, int) else axis.step == axis.base.step == 1


def _run_of(axis: Axis) -> int:
    """Return what the length of runs along a dimension divides, whose first index begins one; 0 for any length."""
    return 0 if isinstance(axis, int) else gcd(axis.first, _repeated(axis))


def _repeated(part: Part) -> int:
    """Return after how many indices runs begin, whatever the first index."""
    group = part.base.group
    return gcd(part.base.period, group if isinstance(group, int) else group.gcd)


def _divisor(axis: Axis) -> int:
    return abs(axis) if isinstance(axis, int) else axis.base.gcd


def _longest_run(axes: tuple[Axis, ...]) -> tuple[int, int] | None:
    """Return a dimension along which items lie in runs that all begin at multiples of their length, and that length."""
    divisors = [*map(_divisor, axes)]
    for r, axis in enumerate(axes):
        if not _runs_on(axis):
            continue
        run = gcd(0 if isinstance(axis, int) else _repeated(axis), *divisors[:r], *divisors[r + 1 :])
        if run > 1:
            return r, run
    return None
