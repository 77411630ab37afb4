"""Arrays of the positions of a plan, and their cache; the plan of the same elements in memory order (its *image*).

Positions are cached in their plan, within a limit of memory for all plans.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from math import prod
from typing import Any, Final, cast, final
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from mdview.base.strided_sets import fewest_dimensions
from mdview.engines.bounds_check import check
from mdview.engines.bulk.arrays.item_arrays import row_array
from mdview.engines.bulk.arrays.loop_costs import CACHE
from mdview.engines.bulk.arrays.strided_blocks import IndexBox, aligned_boxes
from mdview.engines.bulk.bulk_operand import MOST_DIMENSIONS
from mdview.engines.mapping_plan import Plan, reached
from mdview.engines.offset_tables import AxisOffsets, Base
from mdview.index.index_map import IndexMap
from mdview.layouts.offset_analysis import offset_of
from mdview.mappings.mapping import AnyMapping

Array = NDArray[Any]  # Any: items of any format
PositionArray = NDArray[np.intp]
Index = Sequence[Any]
"""For each dimension an array or an int; the arrays broadcast."""

MOST_LOOKED_UP: Final = 1 << 20
"""The largest number of elements of a look-up, and of positions that a plan caches: 8 MiB."""
MOST_WHOLE: Final = MOST_LOOKED_UP // 4
"""The largest number of positions that are sorted at once; sorting takes four times the memory of the positions."""
MOST_KEPT: Final = 2 * MOST_LOOKED_UP * np.intp().itemsize
"""The largest number of bytes of cached positions of all plans together: enough for one source and one target."""
ENTRY: Final = 256
"""Bytes of a cache entry without the positions."""
COMPUTED: Final = CACHE // np.intp().itemsize
"""The largest number of positions that one call of arithmetic computes, so that its arrays stay in the cache."""
LOOK: Final = 1 << 10
"""The number of positions whose look-up in a table takes as long as a call of arithmetic on empty arrays."""
ROW: Final = 1024
"""The least length of an inner loop of NumPy, so that its overhead is at most a tenth."""
NOWHERE: Final = -(1 << 62)
"""The offset of an index without an element; with any origin the position is negative."""

_kept: deque[tuple[ref[Plan], int]] = deque()
"""The plans with cached positions, and the bytes of each, the oldest first."""


@final
class _PositionMemory:
    """The memory of cached positions.

    Attributes
    ----------
    kept
        The number of bytes.
    """

    kept = 0


def _keep(plan: Plan, offsets: PositionArray) -> None:
    """Cache the offsets of a plan."""
    plan.positions.offsets = offsets
    count_kept(plan, offsets.nbytes + ENTRY)


def count_kept(plan: Plan, size: int) -> None:
    """Add bytes that a plan caches; drop the oldest offsets above the limit."""
    _kept.append((ref(plan), size))
    _PositionMemory.kept += size
    while _PositionMemory.kept > MOST_KEPT and len(_kept) > 1:
        oldest, its_size = _kept.popleft()
        _PositionMemory.kept -= its_size
        other = oldest()
        if other is not None and other is not plan:
            other.positions.drop()


def offsets_of(plan: Plan) -> PositionArray:
    """Return the offsets of all indices in index order, without a cache in the plan or in the plan of the whole."""
    known: PositionArray | None = plan.positions.offsets
    return np.ascontiguousarray(_made(plan, asks=False) if known is None else known).reshape(-1)


def plan_positions(plan: Plan, origin: int, length: int, *, keeps: bool = True) -> PositionArray:
    """Return the positions of all indices in the shape of the plan; check that they are in ``length`` items.

    Positions in padding are negative. If ``keeps``, the offsets are cached in the plan. A loop over boxes does not
    cache the offsets of each box.
    """
    known: PositionArray | None = plan.positions.offsets
    if known is None:
        known = _offsets(plan) if keeps else offsets_of(plan).reshape(plan.extents)
    found, ends = known, plan.ends
    if ends is None or ends[0] + origin < 0 or ends[1] + origin >= length:
        known = found if plan.is_total else found[found != NOWHERE]
        if known.size:
            low, high = int(known.min()), int(known.max())
            check(low + origin, high + origin, length)
            plan.ends = low, high
    return found + origin if origin else found


def each_position(plan: Plan, origin: int, length: int) -> Iterator[int]:
    """Return an iterator over the positions of all indices in index order; a position in padding is negative."""
    found = (plan_positions(plan.cut(*box), origin, length) for box in aligned_boxes(plan.extents, COMPUTED))
    return chain.from_iterable(each.ravel().tolist() for each in found)


def _offsets(plan: Plan) -> PositionArray:
    """Compute and cache the offsets of all indices."""
    found = np.asarray(_made(plan), order="C")  # NumPy copies other orders at each look-up
    if found.size <= MOST_LOOKED_UP:
        _keep(plan, found)
    return found


def _made(plan: Plan, *, asks: bool = True) -> PositionArray:
    """Return the offsets of all indices of a plan, from the plan of the whole, from tables, or by arithmetic."""
    found = _from_whole(plan, asks=asks)
    if found is None and plan.axes is not None:
        found = _summed(plan, plan.axes)
    return _computed(plan) if found is None else found


def _from_whole(plan: Plan, *, asks: bool) -> PositionArray | None:
    """Return the offsets of a part as a view of the cached offsets of the whole; None if the latter are not cached.

    If ``asks``, the offsets of the whole may be computed for the part, and are then cached.
    """
    if plan.sliced is not None:
        whole, rows = plan.sliced
        table = _table(whole, plan.size) if asks else whole.positions.offsets
        if table is None:
            return None
        start, steps = 0, [0] * len(plan.extents)
        for stride, (first, step, source) in zip(table.strides, rows, strict=True):
            start += stride * first
            if source is not None:
                steps[source] += stride * step
        return row_array(table, plan.extents, start, tuple(steps))
    if plan.base is None or not plan.is_total or not isinstance(plan.transform, IndexMap):
        return None
    table = _table(plan.base, plan.size) if asks else plan.base.positions.offsets
    found = table is not None and plan.transform.folded(table.strides, plan.extents)
    return row_array(table, plan.extents, found[0], tuple(found[1])) if table is not None and found else None


def _table(whole: Plan, size: int) -> PositionArray | None:
    """Return all offsets of a whole; None until its parts have requested as many offsets as the whole has.

    ``size`` is the number of offsets of the present request.
    """
    record = whole.positions
    if record.offsets is None and 8 * whole.size <= MOST_KEPT // 2 and len(whole.extents) <= MOST_DIMENSIONS:
        record.asked += size + LOOK
        if record.asked >= whole.size:
            record.asked = 0  # so that dropped offsets are not computed again in each call
            _keep(whole, np.asarray(_made(whole), order="C"))
    found: PositionArray | None = record.offsets
    return found


def table_of(base: Base) -> PositionArray:
    """Return the offsets of a base as an array."""
    if base.array is None:
        base.array = np.asarray(base.offsets, np.intp)
    found: PositionArray = base.array
    return found


def along(axis: AxisOffsets, count: int) -> PositionArray:
    """Return the offsets of ``count`` indices along an axis."""
    if not isinstance(axis, int):
        return table_of(axis.base)[axis.slice]
    return np.arange(0, axis * count, axis) if axis else np.zeros(count, np.intp)


def _summed(plan: Plan, axes: tuple[AxisOffsets, ...]) -> PositionArray:
    tables = [along(axis, n) for axis, n in zip(axes, plan.extents, strict=True)]
    return _outer_sum(plan.start, tables).reshape(plan.extents)


def _outer_sum(start: int, tables: Sequence[PositionArray]) -> PositionArray:
    """Return all sums of a start and one entry of each table.

    The inner loops have at least `ROW` sums unless there are fewer sums in all.
    """
    head, tail, k = np.full(1, start, np.intp), np.zeros(1, np.intp), len(tables)
    while k and tail.size < ROW:
        k -= 1
        tail = np.add.outer(tables[k], tail).reshape(-1)
    if not k:
        tail += start
        return tail
    for table in tables[:k]:
        head = np.add.outer(head, table).reshape(-1)
    found: PositionArray = np.add.outer(head, tail)
    return found


def _computed(plan: Plan) -> PositionArray:
    """Return the offsets of all indices by arithmetic on arrays, box by box."""
    if plan.size <= COMPUTED:
        return _computed_box(plan, IndexBox((0,) * len(plan.extents), plan.extents))
    found = np.empty(plan.extents, np.intp)
    for box in aligned_boxes(plan.extents, COMPUTED):
        found[box.key] = _computed_box(plan, box)
    return found


def _computed_box(plan: Plan, box: IndexBox) -> PositionArray:
    """Return the offsets of a box by arithmetic on arrays of indices, one for each dimension.

    The longest dimension is the last one of these arrays, so that the inner loops of NumPy are long.
    """
    vector, counts = plan.vector if plan.base is None else plan.base.vector, box.counts
    dtype = np.int32 if plan.is_total and vector is not None and vector.bits == 32 else np.intp  # noqa: PLR2004
    order, index = sorted(range(len(counts)), key=counts.__getitem__), list[Any](box.first)
    for k, r in enumerate(order):
        if counts[r] > 1:  # a single index is an int, since its stride may exceed 64 bits
            many = np.arange(box.first[r], box.first[r] + counts[r], dtype=dtype)
            index[r] = many.reshape((-1,) + (1,) * (len(order) - 1 - k))
    offsets = np.broadcast_to(np.asarray(_located(plan, index)), [counts[r] for r in order])
    return offsets.astype(np.intp, copy=False).transpose(np.argsort(order))


def _located(plan: Plan, index: Index) -> Any:
    """Return the offsets of a plan at arrays of indices; the offset of an index in padding is `NOWHERE`."""
    if plan.axes is not None:
        return plan.start + sum([_at(axis, i) for axis, i in zip(plan.axes, index, strict=True)])
    if plan.base is None or plan.transform is None:
        record = plan.positions
        if record.offsets is not None:
            return record.offsets[tuple(index)]
        if record.compute is None:
            record.compute = partial(_called, plan) if plan.vector is None else plan.vector.offset
        return record.compute(*index)
    if plan.domain is None:
        return _located(plan.base, plan.transform.apply(index))
    inside: Any = np.full((), len(plan.domain) == len(index))
    for i, (low, high) in zip(index, plan.domain, strict=False):
        inside = inside & (low <= i) & (i < high)
    return np.where(inside, _located(plan.base, [np.where(inside, i, 0) for i in plan.transform.apply(index)]), NOWHERE)


def _at(axis: AxisOffsets, index: Any) -> Any:
    if isinstance(axis, int):
        return np.multiply(index, axis, dtype=np.intp)
    return table_of(axis.base)[axis.first + axis.step * index]


def _called(plan: Plan, *index: Any) -> Array:
    """Return the offsets at arrays of indices by a call of the layout for each index."""
    mapping, each = cast("AnyMapping", plan.mapping), np.broadcast_arrays(*index) if index else []
    rows = zip(*[array.ravel().tolist() for array in each], strict=True) if each else [()]
    found = [offset_of(mapping.layout, mapping.extents, row) for row in rows]
    return np.array(found, np.intp).reshape(each[0].shape if each else ())


def memory_order(plan: Plan) -> Plan:
    """Return the plan of the same elements in memory order, each once; if no such plan is known, return ``plan``."""
    record = plan.positions
    if record.image is None:
        record.image = _found_image(plan)
    if not record.image and record.offsets is not None and not record.is_searched:
        record.is_searched, record.image = True, _filled_image(plan, record.offsets)
    return record.image[0] if record.image else plan


def _filled_image(plan: Plan, offsets: PositionArray) -> tuple[Plan, ...]:
    """Return a tuple with the plan of the same elements in memory order; an empty tuple if the offsets have gaps.

    Copies to the same layout, fills and functions are 5 times as fast for a user's layout without gaps.
    """
    low, high = int(offsets.min(initial=0)), int(offsets.max(initial=-1))
    if not plan.is_total or high - low >= plan.size:
        return ()
    is_hit = np.zeros(high - low + 1, bool)
    is_hit[offsets.reshape(-1) - low] = True
    if not is_hit.all():
        return ()
    plan.ends, plan.is_distinct = (low, high), is_hit.size == plan.size
    return (Plan((is_hit.size,), low, (1,), distinct=True),)


def _found_image(plan: Plan) -> tuple[Plan, ...]:
    """Return a tuple with the plan of the same elements in memory order; an empty tuple if it cannot be derived."""
    ends, strides, mapping = plan.ends, plan.strides, plan.mapping
    if not plan.size or not plan.is_total:
        return ()
    if ends is not None and is_dense_plan(plan):
        return (Plan((plan.size,), ends[0], (1,), distinct=True),)
    if mapping is not None and mapping.layout.is_always_exhaustive(mapping.static_extents):
        return (Plan((mapping.required_span_size,), 0, (1,), distinct=True),)
    if strides is None:
        fewer = _with_fewer(plan)
        return () if fewer is plan else (memory_order(fewer),)
    if ends is None or (plan.is_distinct and falls(strides)):
        return ()
    shape, steps = fewest_dimensions(plan.extents, strides)
    made = Plan(shape[::-1], ends[0], steps[::-1])
    return (made,) if made.is_distinct else ()


def _with_fewer(plan: Plan) -> Plan:
    """Return a plan of the same elements without repetitions; if no dimension repeats elements, return ``plan``."""
    if plan.axes is not None:
        counts = tuple([1 if axis == 0 else n for axis, n in zip(plan.axes, plan.extents, strict=True)])
        return plan.cut((0,) * len(counts), counts)
    if plan.base is None or not isinstance(plan.transform, IndexMap):
        return plan
    way, shape = plan.transform.fewest(plan.extents)
    return reached(plan.base, way, shape) if prod(shape) < plan.size else plan


def is_dense_plan(plan: Plan) -> bool:
    """Tell whether a plan is known to be injective and without gaps between its lowest and highest offset."""
    ends = plan.ends
    return ends is not None and ends[1] - ends[0] + 1 == plan.size and plan.is_total and plan.is_distinct


def falls(steps: tuple[int, ...]) -> bool:
    """Tell whether strides are positive and never increase from left to right."""
    return min(steps, default=0) > 0 and sorted(steps, reverse=True) == list(steps)
