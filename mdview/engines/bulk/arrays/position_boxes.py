"""Copies by positions, box by box: items are looked up, and stored in the order of the target's memory if it pays.

Boxes whose offsets differ by a constant are *alike*: they share the positions of one box, with a shift. Along a
dimension with a table, boxes are alike if the table has equal differences from their first indices on; along a
dimension with a step, boxes are alike if they have equal lengths. For arithmetic, `translation` decides whether a move
of the box adds a constant to all offsets. So the positions of a few boxes, which are cached, suffice for Morton orders,
swizzles and other layouts that repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from mdview.base.strided_sets import fewest_dimensions
from mdview.engines.bounds_check import check
from mdview.engines.bulk.arrays.gather_scatter import PositionRun
from mdview.engines.bulk.arrays.item_arrays import LARGEST
from mdview.engines.bulk.arrays.plan_positions import (
    COMPUTED,
    MOST_LOOKED_UP,
    MOST_WHOLE,
    PositionArray,
    along,
    count_kept,
    falls,
    offsets_of,
)
from mdview.engines.bulk.arrays.strided_blocks import IndexBox, aligned_counts, boxes, grown_box
from mdview.engines.mapping_plan import Plan
from mdview.engines.offset_tables import TablePart
from mdview.expressions.range_analysis import translation
from mdview.index.extents import right_strides
from mdview.index.index_map import IndexMap

Array = NDArray[Any]  # Any: items of any format
Side: TypeAlias = tuple[Plan, int]
"""A plan, and the origin of its offsets in the items."""
Segments: TypeAlias = list[tuple[int, int]]
"""For each box along a dimension, the first index of the lowest box alike to it, and their difference of offsets."""


@final
class Window(NamedTuple):
    """A strided target: its lowest and highest position, and a strided array of runs of ``length`` items."""

    low: int
    high: int
    shape: tuple[int, ...]
    steps: tuple[int, ...]
    length: int

    @property
    def is_whole(self) -> bool:
        """Whether all positions are one run."""
        return not self.shape

    def store(self, out: Array, items: Array) -> None:
        """Store contiguous items into the runs, in order."""
        size = out.itemsize
        each = (out, self.steps), (items, [step * self.length for step in right_strides(self.shape)])
        into, row = [
            np.ndarray(self.shape, f"V{self.length * size}", held, 0, [step * size for step in steps])
            for held, steps in each
        ]
        into[...] = row


@final
class Lookup(NamedTuple):
    """A copy of items from positions of the source to positions or a window of the target."""

    source: PositionRun
    target: PositionRun | Window

    @property
    def nbytes(self) -> int:
        """The bytes of the positions."""
        each = self.source.places, self.target.places if isinstance(self.target, PositionRun) else None
        return sum([places.nbytes for places in each if places is not None])

    def copy(self, into: Array, at: int, row: Array, origin: int) -> None:
        """Copy from ``row`` with the origin ``origin`` into ``into`` with the origin ``at``."""
        source, target = self
        check(target.low + at, target.high + at, len(into))
        out, items = into[target.low + at : target.high + at + 1], source.of_items(row, origin)
        if target.is_whole:
            source.take(items, out)
        else:
            target.store(out, items if source.places is None else source.take(items, np.empty(source.size, row.dtype)))


def lookups_of(plan: Plan, its: Plan, itemsize: int) -> list[Lookup]:
    """Return the copies from the plan ``its`` to ``plan``, in the order of the target's memory if this is faster.

    If several indices of the target have the same position, items are copied in index order, so the last item is kept.
    """
    if plan.is_distinct and its.is_in_order and plan.size > MOST_WHOLE:
        in_order = PositionRun(its.start, its.start + its.size - 1, 1, None)
        return [Lookup(in_order, PositionRun.of(offsets_of(plan), itemsize, LARGEST))]
    if not plan.is_distinct:
        return [_lookup(offsets_of(its), offsets_of(plan), itemsize)]
    if plan.strides is None:
        return _in_memory_order(offsets_of(its), offsets_of(plan), itemsize)
    counts, strides = fewest_dimensions(plan.extents, plan.strides)
    shape, steps = counts[::-1], strides[::-1]
    if steps[-1:] != (1,):
        shape, steps = (*shape, 1), (*steps, 1)
    low = plan.start + sum([min(0, (n - 1) * step) for n, step in zip(plan.extents, plan.strides, strict=True)])
    high = low + sum([(n - 1) * step for n, step in zip(shape, steps, strict=True)])
    window = Window(low, high, shape[:-1], steps[:-1], shape[-1])
    return [Lookup(PositionRun.of(offsets_of(_ordered(its, plan.strides)), itemsize, 2 * LARGEST), window)]


def _ordered(plan: Plan, strides: tuple[int, ...]) -> Plan:
    """Return a plan with dimensions reversed and permuted so that ``strides`` become positive and do not increase."""
    if falls(strides):
        return plan
    order = sorted(range(len(strides)), key=lambda r: -abs(strides[r]))
    each = [(n - 1 if step < 0 else 0, -1 if step < 0 else 1) for n, step in zip(plan.extents, strides, strict=True)]
    rows = [(first, step, order.index(r)) for r, (first, step) in enumerate(each)]
    return plan.taken(rows, tuple([plan.extents[r] for r in order]))


def _lookup(source: PositionArray, target: PositionArray, itemsize: int) -> Lookup:
    return Lookup(PositionRun.of(source, itemsize, 2 * LARGEST), PositionRun.of(target, itemsize, LARGEST))


def _in_memory_order(source: PositionArray, target: PositionArray, itemsize: int) -> list[Lookup]:
    """Return copies in the order of the target's memory if the target has few gaps, else one copy in index order.

    The gaps are few if there are none, if a part without gaps contains at least half of the items, or if all gaps lie
    between runs of several items. Targets that span more than `MOST_WHOLE` positions are copied in index order. The
    part with half of the items is copied separately: for Morton orders of 700² and 1000² this takes 0.6 to 0.9 of the
    time (`python -m benchmarks shapes`, 1000²).
    """
    low, high, size = int(target.min()), int(target.max()), target.size
    if high - low >= MOST_WHOLE:
        return [_lookup(source, target, itemsize)]
    least = int(source.min())
    found = np.full(high - low + 1, least - 1, np.intp)
    found[target - low if low else target] = source
    if found.size == size:
        return [Lookup(PositionRun.of(found, itemsize, 2 * LARGEST), PositionRun(low, high, 1, None))]
    is_hit = found >= least
    gaps = np.flatnonzero(~is_hit)
    k = int(gaps.searchsorted(found.size // 2))
    begin, end = int(gaps[k - 1]) + 1 if k else 0, int(gaps[k]) if k < gaps.size else found.size
    if 2 * (end - begin) >= size:
        parts = [slice(*cut) for cut in pairwise((0, begin, end, found.size)) if is_hit[slice(*cut)].any()]
    elif PositionRun.of(np.flatnonzero(is_hit), itemsize, LARGEST).unit > 1:
        parts = [slice(0, found.size)]
    else:
        return [_lookup(source, target, itemsize)]
    del source, target
    return [
        _lookup(found[part][is_hit[part]], np.flatnonzero(is_hit[part]) + low + part.start, itemsize) for part in parts
    ]


@final
class LookupGrid:
    """A copy between two plans in boxes; positions are cached and shared by boxes that are alike.

    Attributes
    ----------
    counts
        Extents of a box; boxes at the ends may be smaller.
    """

    def __init__(self, plan: Plan, its: Plan, counts: tuple[int, ...], itemsize: int) -> None:
        """Keep the plans, and find the boxes that are alike."""
        self.counts = counts
        self._plans = plan, its
        self._itemsize = itemsize
        self._alike = [segments(plan, counts), segments(its, counts)]
        self._known: dict[Hashable, list[Lookup]] = {}
        self._kept = 0

    def tasks(self, into: Array, at: int, row: Array, origin: int) -> Iterator[Callable[[], int]]:
        """Return an iterator over functions, each of which copies a box and returns the number of its elements."""
        return (partial(self.copy, box, into, at, row, origin) for box in boxes(self._plans[0].extents, self.counts))

    def copy(self, box: IndexBox, into: Array, at: int, row: Array, origin: int) -> int:
        """Copy one box; arguments as for `Lookup.copy`."""
        (first, shift), (its_first, its_shift) = self._nearest(0, box), self._nearest(1, box)
        key = first, its_first, box.counts
        lookups = self._known.get(key)
        if lookups is None:
            plan, its = self._plans
            lookups = lookups_of(plan.cut(first, box.counts), its.cut(its_first, box.counts), self._itemsize)
            self._keep(key, lookups)
        for lookup in lookups:
            lookup.copy(into, at + shift, row, origin + its_shift)
        return box.size

    def _nearest(self, k: int, box: IndexBox) -> tuple[tuple[int, ...], int]:
        """Return for plan ``k`` the first index of the lowest box alike to ``box``, and the difference of offsets."""
        alike = self._alike[k]
        if alike is None or box.counts == self._plans[k].extents:
            return box.first, 0
        found = [each[low // count] for low, count, each in zip(box.first, self.counts, alike, strict=True)]
        return tuple([low for low, _ in found]), sum([far for _, far in found])

    def _keep(self, key: Hashable, lookups: list[Lookup]) -> None:
        """Cache the positions of a box; all boxes together cache at most `MOST_LOOKED_UP` positions."""
        nbytes = sum([lookup.nbytes for lookup in lookups])
        if self._kept + nbytes <= MOST_LOOKED_UP * np.intp().itemsize:
            self._kept += nbytes
            self._known[key] = lookups
            count_kept(self._plans[0], nbytes)


def lookup_counts(plans: Sequence[Plan]) -> tuple[int, ...]:
    """Return the extents of the boxes of a copy by positions; for few elements one box contains all indices.

    The elements of a box are near each other in the target, and in both operands if there are many elements. If the
    target is not injective, boxes are runs in index order, so that the last item is kept.
    """
    target = plans[0]
    if not target.is_distinct:
        return aligned_counts(target.extents, COMPUTED)
    if target.size <= (MOST_LOOKED_UP if True in [plan.is_in_order for plan in plans] else MOST_WHOLE):
        return target.extents
    return lookup_box(plans, COMPUTED, plans[:1] if target.size <= MOST_LOOKED_UP else plans)


def lookup_box(plans: Sequence[Plan], limit: int, sides: Sequence[Plan]) -> tuple[int, ...]:
    """Return the extents of boxes of about ``limit`` indices; boxes with equal differences of offsets are preferred.

    The elements of a box are near each other in the memory of ``sides``.
    """
    extents = plans[0].extents
    counts = grown_box(extents, [plan.axes or _mean_steps(plan) for plan in sides], limit)
    for plan in plans:
        for r, axis in enumerate(plan.axes or ()):
            if isinstance(axis, TablePart):
                counts[r] -= counts[r] % max([q for q in axis.base.periods() or () if q <= counts[r]], default=1)
    least = [_repeat(plans, r) for r in range(len(extents))]
    if prod(least) > MOST_LOOKED_UP // 4:
        return tuple(counts)
    counts = [max(least[r], n - n % least[r]) for r, n in enumerate(counts)]
    while prod(counts) > MOST_LOOKED_UP // 4:
        r = max(range(len(counts)), key=lambda r: counts[r] / least[r])
        counts[r] = max(least[r], counts[r] // 2 - counts[r] // 2 % least[r])
    return tuple(counts)


def _repeat(plans: Sequence[Plan], r: int) -> int:
    """Return a length along dimension ``r`` for which boxes are alike in all plans; it is at most the extent."""
    extents, count = plans[0].extents, 1
    for plan in plans:
        while count < extents[r] and box_moves(plan, (*extents[:r], count, *extents[r + 1 :])) is None:
            count = min(2 * count, extents[r])
    return count


def _mean_steps(plan: Plan) -> list[int]:
    """Return the mean difference of offsets along each dimension, measured at index 0 of all other dimensions.

    The differences serve as strides for the choice of the shape of boxes.
    """
    ends = [[0] * r + [n - 1] + [0] * (len(plan.extents) - r - 1) for r, n in enumerate(plan.extents)]
    first = plan.at([0] * len(plan.extents))
    return [(plan.at(end) - first) // max(1, n - 1) for n, end in zip(plan.extents, ends, strict=True)]


def segments(plan: Plan, counts: tuple[int, ...]) -> list[Segments] | None:
    """Return for each dimension the boxes that are alike; None if these are unknown, or if too many boxes differ.

    >>> from mdview import LayoutTiled, Mapping
    >>> from mdview.engines.mapping_plan import plan_of
    >>> segments(plan_of(Mapping((8, 6), LayoutTiled(2, 3))), (4, 3))
    [[(0, 0), (0, 24)], [(0, 0), (0, 6)]]
    """
    moves = box_moves(plan, counts)
    if moves is None:
        return None
    found, total = [], 1
    for r, (n, count) in enumerate(zip(plan.extents, counts, strict=True)):
        axis, starts = 0 if plan.axes is None else plan.axes[r], range(0, n, count)
        known: dict[Hashable, int] = {}
        if isinstance(axis, int):
            offsets = [moves[r] * k for k in range(len(starts))]
            kinds = [known.setdefault(min(count, n - low), low) for low in starts]
        else:
            table = along(axis, n)
            offsets = table[::count].tolist()
            kinds = [known.setdefault((table[low : low + count] - table[low]).tobytes(), low) for low in starts]
        lowest: dict[int, int] = {}
        for k, kind in enumerate(kinds):
            lowest[kind] = min(k, lowest.get(kind, k), key=offsets.__getitem__)
        total *= sum([min(count, n - k * count) for k in lowest.values()])
        first = [lowest[kind] for kind in kinds]
        found.append([(k * count, offset - offsets[k]) for k, offset in zip(first, offsets, strict=True)])
    return found if total <= MOST_LOOKED_UP // 2 else None


def box_moves(plan: Plan, counts: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the difference of offsets of neighbouring boxes along each dimension; None if the boxes are not alike.

    For a dimension with a table the entry is 0; the table decides there whether boxes are alike.
    """
    if plan.axes is not None:
        return tuple([axis * n if isinstance(axis, int) else 0 for axis, n in zip(plan.axes, counts, strict=True)])
    whole, rank = plan.base or plan, len(counts)
    way = plan.transform or IndexMap.taking(range(rank))
    if whole.vector is None or whole.base is not None or not (isinstance(way, IndexMap) and way.is_affine):
        return None
    steps = [count if count < n else 0 for count, n in zip(counts, plan.extents, strict=True)]
    rows = zip(way.stride, way.source, strict=True)
    moves = [tuple([move * step if r == source else 0 for r, move in enumerate(steps)]) for step, source in rows]
    return translation(whole.vector.root, whole.extents, moves)
