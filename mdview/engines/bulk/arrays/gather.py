"""Gather and scatter: items between a row of them and arrays in the shape of a plan.

What is strided is an array of the row itself. Other items are looked up by their positions, which are sums of table
entries or the layout's arithmetic on arrays of indices, or where a plan has longer runs a run at a time. Writing is the
same backwards.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from math import gcd
from typing import Any, Final, cast, final
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from mdview.engines.bases import Axis, Base, Part
from mdview.engines.bulk.arrays.blocked_copy import copy_array
from mdview.engines.bulk.arrays.items import over, steps_of, strided
from mdview.engines.plan import AnyMapping, Plan
from mdview.engines.positions import check
from mdview.index.orders import right_strides
from mdview.index.transforms import IndexMap
from mdview.layouts.arithmetic import offset_of

Array = NDArray[Any]  # Any: of whatever format the items are
Positions = NDArray[np.intp]
Index = Sequence[Any]
"""One array, or int, for each dimension, which broadcast."""

SMALL: Final = 1 << 13
"""Elements up to which looking positions up is as fast as anything else."""
LARGE: Final = 1 << 18
"""Elements that are looked up at once, and so the most of which positions are kept."""
MOST_KEPT: Final = 1 << 24
"""Bytes of positions that are kept for all plans together."""
ENTRY: Final = 256
"""Bytes of an entry of what is kept, beside the positions."""
LOOK: Final = 1 << 10
"""How many positions could be taken from a table in the time in which arithmetic on arrays begins."""
NOWHERE: Final = -(1 << 62)
"""The offset of an index that stands for no element; with any origin it is negative."""

_kept: deque[tuple[ref[Plan], str, int]] = deque()
"""The plans that keep positions, where, and how many bytes each, the oldest first."""


@final
class _Account:
    """What positions take of memory.

    Attributes
    ----------
    kept
        Bytes of all that are kept.
    """

    kept = 0


def keep(plan: Plan, slot: str, found: Any, size: int) -> None:  # Any: an array, or what else is known
    """Keep positions in a slot of their plan; those that have been kept longest go first."""
    setattr(plan, slot, found)
    size += ENTRY
    _kept.append((ref(plan), slot, size))
    _Account.kept += size
    while _Account.kept > MOST_KEPT and len(_kept) > 1:
        oldest, its_slot, its_size = _kept.popleft()
        _Account.kept -= its_size
        other = oldest()
        if other is not None and other is not plan:
            setattr(other, its_slot, None)


def positions(plan: Plan, origin: int, length: int) -> Positions:
    """Return the positions of all indices in ``length`` items, in their shape; negative where there is no element."""
    found, ends = _offsets(plan), plan.ends
    if ends is None or ends[0] + origin < 0 or ends[1] + origin >= length:
        known = found if plan.is_total else found[found != NOWHERE]
        if known.size:
            low, high = int(known.min()), int(known.max())
            check(low + origin, high + origin, length)
            plan.reach(low, high)
    return found + origin if origin else found


def _offsets(plan: Plan) -> Positions:
    """Return the offsets of all indices, which are kept when a plan is asked a second time."""
    found: Positions | None = plan.positions
    if found is not None:
        return found
    found = _from_table(plan) if plan.axes is None else _summed(plan, plan.axes)
    if found is None:
        found = _computed(plan)
    if found.size <= LARGE and plan.is_asked_again():
        keep(plan, "positions", found, found.nbytes)
    return found


def _from_table(plan: Plan) -> Positions | None:
    """Return the offsets of a part of a whole without axes, whose own are computed once so many have been asked for."""
    whole, way = plan.base or plan, plan.transform
    if whole.base is not None or whole.axes is not None or not plan.is_total:
        return None
    table = _table(whole, plan.size)
    if table is None or way is None:
        return table
    found = way.folded(right_strides(whole.extents), plan.extents) if isinstance(way, IndexMap) else None
    if found is None:
        return None  # arithmetic on indices ends in the table
    return np.asarray(strided(table.reshape(-1), plan.extents, found[0], tuple(found[1])))


def _table(whole: Plan, size: int) -> Positions | None:
    """Return the offsets of all of a layout, computed once as many have been asked for; ``size`` are asked for now."""
    if whole.positions is None and 8 * whole.size <= MOST_KEPT // 2:
        whole.asked += size + LOOK
        if whole.asked >= whole.size:
            keep(whole, "positions", np.ascontiguousarray(_computed(whole)), 8 * whole.size)
    found: Positions | None = whole.positions
    return found


def table_of(base: Base) -> Positions:
    """Return the offsets of a base as an array."""
    if base.array is None:
        base.array = np.array(base.offsets, np.intp)
    found: Positions = base.array
    return found


def _along(axis: Axis, count: int) -> Positions:
    """Return the offsets of an axis of so many indices."""
    if not isinstance(axis, int):
        return table_of(axis.base)[axis.slice]
    return np.arange(0, axis * count, axis) if axis else np.zeros(count, np.intp)


def _summed(plan: Plan, axes: tuple[Axis, ...]) -> Positions:
    total: Any = np.asarray(plan.start, np.intp)
    for axis, n in zip(axes, plan.extents, strict=True):
        total = total[..., None] + _along(axis, n)
    return np.asarray(total, np.intp)


def _computed(plan: Plan) -> Positions:
    """Return the offsets of a plan without axes, by arithmetic on arrays: one of indices for each dimension."""
    vector = plan.vector if plan.base is None else plan.base.vector
    dtype = np.int32 if plan.is_total and vector is not None and vector.bits == 32 else np.intp  # noqa: PLR2004
    behind = range(len(plan.extents) - 1, -1, -1)
    index: Index = [  # of a single index an int, whose step may be any
        np.arange(n, dtype=dtype).reshape((-1,) + (1,) * k) if n != 1 else 0
        for n, k in zip(plan.extents, behind, strict=True)
    ]
    return np.broadcast_to(np.asarray(_located(plan, index)).astype(np.intp, copy=False), plan.extents)


def _located(plan: Plan, index: Index) -> Any:
    """Return the offsets of indices; `NOWHERE` for those that stand for no element."""
    if plan.axes is not None:
        return plan.start + sum([_at(axis, i) for axis, i in zip(plan.axes, index, strict=True)])
    if plan.base is None or plan.transform is None:
        if plan.positions is not None:
            return plan.positions[tuple(index)]
        if plan.compute is None:
            plan.compute = partial(_called, plan) if plan.vector is None else plan.vector.offset
        return plan.compute(*index)
    if plan.domain is None:
        return _located(plan.base, plan.transform.apply(index))
    inside: Any = np.full((), len(plan.domain) == len(index))
    for i, (low, high) in zip(index, plan.domain, strict=False):
        inside = inside & (low <= i) & (i < high)
    return np.where(inside, _located(plan.base, [np.where(inside, i, 0) for i in plan.transform.apply(index)]), NOWHERE)


def _at(axis: Axis, index: Any) -> Any:
    if isinstance(axis, int):
        return np.multiply(index, axis, dtype=np.intp)
    return table_of(axis.base)[axis.first + axis.step * index]


def _called(plan: Plan, *index: Any) -> Array:
    """Return the offsets that a layout gives for one index after the other."""
    mapping, each = cast("AnyMapping", plan.mapping), np.broadcast_arrays(*index) if index else []
    rows = zip(*[array.ravel().tolist() for array in each], strict=True) if each else [()]
    found = [offset_of(mapping.layout, mapping.extents, row) for row in rows]
    return np.array(found, np.intp).reshape(each[0].shape if each else ())


def window(row: Array, plan: Plan, origin: int) -> Array | None:
    """Return the array of a plan over its items; None where it is not strided."""
    strides = plan.strides
    if strides is None:
        return None
    if not plan.size:
        return np.empty(plan.extents, row.dtype)
    size = row.itemsize
    if plan.steps is None or plan.steps[0] != size:
        plan.steps = size, steps_of(plan.extents, strides, size)
    try:
        return over(row, plan.extents, (plan.start + origin) * size, plan.steps[1])
    except (ValueError, OverflowError):
        low, high = plan.ends or (0, -1)
        check(low + origin, high + origin, len(row))
        raise


def memory(row: Array, plan: Plan, origin: int) -> Array:
    """Return the items of a dense plan in the order of memory."""
    low, high = plan.ends or (0, -1)
    check(low + origin, high + origin, len(row))
    return row[low + origin : high + origin + 1]


def read(row: Array, plan: Plan, origin: int) -> Array:
    """Return the items of a total plan in its shape: strided ones themselves, or copied."""
    found = window(row, plan, origin)
    if found is None and plan.size > SMALL and plan.axes is not None:
        found = _read_runs(row, plan, plan.axes, origin)
    return row.take(positions(plan, origin, len(row))) if found is None else found


def write(row: Array, plan: Plan, origin: int, items: Array) -> None:
    """Store items, of the shape of a plan or broadcast to it; of several for one position the last one stays."""
    if not plan.size:
        return
    into = window(row, plan, origin)
    if into is None or not (items.size == 1 or plan.is_distinct):
        places = positions(plan, origin, len(row)).reshape(-1)
        if places.size == items.size and plan.is_dense and plan.positions is not None:
            items.reshape(-1).take(_inverse(plan), out=memory(row, plan, origin), mode="clip")
        else:  # in one dimension NumPy stores one item after the other
            row[places] = items.reshape(-1) if items.ndim else items
    elif plan.size > SMALL and items.shape == into.shape and _falls(into.strides) and not items.dtype.hasobject:
        copy_array(items, into)
    else:
        into[...] = items


def _inverse(plan: Plan) -> Positions:
    """Return the places in index order of the items of a dense plan, in the order of memory."""
    if plan.inverse is None:
        found = np.empty(plan.size, np.intp)
        found[plan.positions.reshape(-1) - (plan.ends or (0, 0))[0]] = np.arange(plan.size)
        keep(plan, "inverse", found, found.nbytes)
        return found
    inverse: Positions = plan.inverse
    return inverse


def _falls(steps: tuple[int, ...]) -> bool:
    """Tell whether steps are positive and fall from left to right."""
    return min(steps, default=0) > 0 and sorted(steps, reverse=True) == list(steps)


def _read_runs(row: Array, plan: Plan, axes: tuple[Axis, ...], origin: int) -> Array | None:
    """Return the items, looked up a run at a time; None where there are no runs of two items or more.

    Where runs are cut short at an end, whole ones are read and cut afterwards.
    """
    ends, lookup, fast = plan.ends, plan.lookup, len(axes) - 1
    if lookup is None or lookup[0] != origin:
        run = _longest_run(axes)
        places, cut = _run_numbers(plan, axes, fast, run, origin) if run > 1 else (None, 0)
        lookup = origin, run, places, cut
        if plan.size <= LARGE and plan.is_asked_again():
            keep(plan, "lookup", lookup, 0 if places is None else places.nbytes)
    _, run, places, cut = lookup
    if places is None or ends is None:
        return None
    phase, count = (plan.start + origin) % run, plan.extents[fast]
    whole = (len(row) - phase) // run
    if ends[0] + origin < phase or (ends[1] + origin - phase) // run >= whole:
        return None
    taken = row[phase : phase + whole * run].reshape(-1, run).take(places, axis=0)
    items: Array = taken.reshape(*taken.shape[:-2], -1)[..., cut : cut + count]
    return items


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
        axis = axes[fast]
        run = gcd(run, 0 if isinstance(axis, int) else axis.first, *_run_divisors(axes, fast))
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
            total = total[..., None] + _along(other, n) // run
    return total[..., None] + begins, first - low * run


def _runs_on(axis: Axis) -> bool:
    """Tell whether an index more leads to the next item, within a run."""
    return axis == 1 if isinstance(axis, int) else axis.step == axis.base.step == 1


def _run_divisors(axes: Sequence[Axis], fast: int) -> list[int]:
    """Return what divides all offsets at which runs along a dimension begin, whatever its first index."""
    found = [abs(axis) if isinstance(axis, int) else axis.base.gcd for r, axis in enumerate(axes) if r != fast]
    axis = axes[fast]
    if isinstance(axis, Part):
        group = axis.base.group
        found += [axis.base.period, group if isinstance(group, int) else group.gcd]
    return found


def _longest_run(axes: tuple[Axis, ...]) -> int:
    """Return how long the runs along the last dimension are that all begin at multiples of their length, or 1."""
    return gcd(*_run_divisors(axes, len(axes) - 1)) if axes and _runs_on(axes[-1]) else 1
