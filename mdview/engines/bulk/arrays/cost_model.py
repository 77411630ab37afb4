"""The cost model: whether a copy goes by strided blocks or looked-up positions, in which boxes and loops.

Whole views move by three methods; the constants are their costs in nanoseconds:

- *strided*: both sides are arrays. NumPy copies by loops in the order of the target: `CALL` for a call, `LOOP` for each
  inner loop, `ITEM` for each item.
- *blocks*: one strided copy for each box of indices in which all sides are strided (`strided_blocks`).
- *positions*: `LOOKUP` for each element read at a position, `STORE` for each element stored at a position, and the
  memory of `MOST_LOOKED_UP` positions (`plan_positions`). More elements are handled in boxes, `BOXED` for each element;
  boxes of equal steps share positions (`position_boxes`).

A copy of a block has a *nest* of loops. A contiguous run of both sides moves as one item if the processor has an
instruction for its size. If the smallest strides of the two sides are along different axes, the block is cut into boxes
that stay in the cache and have some cache lines along both axes. In a box, the axes of the smallest strides in the
target are the inner loops of NumPy; if they are short, Python loops over them, and the inner loop is along a longer
axis. If a step of the source is a multiple of a large power of two, the lines of a box share few sets of the cache;
such a box goes through a buffer with padded rows.

Planes to an interleaved image of 1000 × 1000 × 3 bytes, for example, have shape (1000000, 3), the steps (3, 1) in the
target and (1, 1000000) in the source. NumPy alone has 1 000 000 inner loops of 3 items: 1000 + 1000000 LOOP + 3000000
ITEM = 5.2 ms. A loop in Python over the short axis has 3 calls with one inner loop each: 3 CALL + 3 LOOP + 3000000 ITEM
= 1.2 ms. In 8 boxes of 125000 × 3, which stay in the cache, these are 24 calls: 1.22 ms, and each line of the target
comes from memory once.

>>> nest = nest_of((1000000, 3), ((3, 1), (1, 1000000)), 1)
>>> nest.counts, nest.looped, nest.is_staged, round(nest.cost / 1e6, 2)
((125000, 3), 1, False, 1.25)

Two thresholds bound the search: below `SEARCHED` elements it takes longer than it saves, and `MOST_LOOKED_UP` positions
are held at once. The other constants describe processors and NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import gcd, inf, prod
from operator import mul
from typing import Final, NamedTuple, final

from mdview.engines.bulk.arrays.item_arrays import UNITS
from mdview.engines.bulk.arrays.plan_positions import COMPUTED, MOST_LOOKED_UP, falls, is_dense_plan, is_known
from mdview.engines.bulk.arrays.position_boxes import BoxGrid, Side, box_moves, segments
from mdview.engines.bulk.arrays.strided_blocks import StridedBlock, aligned_counts, boxes, common_blocks
from mdview.engines.mapping_plan import Plan
from mdview.engines.offset_tables import AxisOffsets, TablePart
from mdview.index.index_map import Row

SEARCHED: Final = 1 << 15
"""The number of elements whose look-up takes as long as the search for loops, which a plan keeps for later calls."""

CALL: Final = 1000.0
LOOP: Final = 4.0
ITEM: Final = 0.35
WIDE_ITEM: Final = 2.8
"""Cost of an item of a size for which the processor has no instruction."""
BYTE: Final = 0.03
"""Cost of a byte of a contiguous inner loop; `WIDE_BYTE` is that of a byte of a wide item."""
WIDE_BYTE: Final = 0.05
MISSES: Final = (1.1, 0.4)
"""Costs of a cache line that comes from the second cache: to be stored to, and to be read."""
LOOKUP: Final = 0.7
STORE: Final = 1.2
BOXED: Final = 0.7
LINE: Final = 64
"""Bytes of a line of the cache."""
CACHE: Final = 1 << 18
"""Bytes of a box; with its buffer it stays in the cache of one processor."""
LONGEST: Final = 512
"""The most items of a box along an axis with one cache line for each item; the first cache holds so many lines."""
ALIASED: Final = 1024
"""Lines of a source share few sets of the cache if its step is a multiple of so many bytes."""
PERIOD: Final = 4096
"""Lines so many bytes apart have the same set of the first cache."""
PASS: Final = 12.0
"""Cost of an inner loop of a function of several operands."""
MOST_CALLS: Final = 64
"""The most calls for a box."""


@final
class BlockLoops(NamedTuple):
    """The loops that copy a block.

    Attributes
    ----------
    counts
        Extents of a box.
    looped
        The number of axes, those of the smallest strides in the target, of the loops in Python.
    is_staged
        Whether a box goes through a buffer.
    cost
        Nanoseconds, without those of misses in the second cache.
    """

    counts: tuple[int, ...]
    looped: int
    is_staged: bool
    cost: float


@final
class Move(NamedTuple):
    """A copy of a block; the target is the first side.

    Attributes
    ----------
    shape
        Extents, in items.
    starts, steps
        The offset of the first item of each side, and its strides, in bytes.
    size
        Bytes of an item, which may be several items of a view.
    nest
        The loops.
    """

    shape: tuple[int, ...]
    starts: tuple[int, ...]
    steps: tuple[tuple[int, ...], ...]
    size: int
    nest: BlockLoops


def reach(axis: AxisOffsets, count: int) -> int:
    """Return the distance in memory of index 0 and index ``count`` of an axis."""
    if isinstance(axis, int):
        return abs(axis * count)
    return abs(axis.at(min(count, axis.count - 1)) - axis.at(0))


def near_box(
    extents: tuple[int, ...], sides: Sequence[Sequence[AxisOffsets]], limit: int, longest: int = LONGEST
) -> tuple[int, ...]:
    """Return the extents of a box of about ``limit`` indices whose elements are near each other on all sides.

    It grows along the nearest axis of each side in turn, to ``longest`` indices along each, then beyond.

    >>> near_box((1000, 1000), ((1000, 1), (1, 1000)), 4096), near_box((1000, 1000), ((1000, 1), (1000, 1)), 4096)
    ((63, 63), (8, 500))
    """
    counts = grown_box(extents, sides, limit, longest)
    parts = [-(-n // count) for n, count in zip(extents, counts, strict=True)]
    return tuple([-(-n // k) for n, k in zip(extents, parts, strict=True)])


def grown_box(
    extents: tuple[int, ...], sides: Sequence[Sequence[AxisOffsets]], limit: int, longest: int = LONGEST
) -> list[int]:
    """Return the extents of a near box, each of them a power of two or the whole extent."""
    counts, total = [1] * len(extents), 1
    far = [[reach(axis, 1) for axis in axes] for axes in sides]
    for most in (longest, max(extents)):
        growing = [r for r, n in enumerate(extents) if counts[r] < min(n, most)]
        while growing and total < limit:
            for own in far:
                r = min(growing, key=own.__getitem__)
                total = total // counts[r] * min(2 * counts[r], extents[r])
                counts[r] = min(2 * counts[r], extents[r])
                for others, its in zip(sides, far, strict=True):
                    its[r] = reach(others[r], counts[r])
                if counts[r] >= min(extents[r], most):
                    growing.remove(r)
                if not growing or total >= limit:
                    break
    return counts


def share_near_axis(shape: tuple[int, ...], steps: Sequence[tuple[int, ...]]) -> bool:
    """Tell whether the last axis has the smallest stride on all sides, and spans some cache lines."""
    last = len(shape) - 1
    for own in steps:
        span = [(abs(step), -r) for r, step in enumerate(own)]
        if span and (min(span)[1] != -last or 0 < abs(own[-1]) * shape[-1] < 4 * LINE):
            return False
    return True


@lru_cache(256)
def nest_of(shape: tuple[int, ...], steps: tuple[tuple[int, ...], ...], size: int) -> BlockLoops:
    """Return the loops of the least cost that copy a block; the first strides, the target's, are sorted."""
    total, rank = prod(shape), len(shape)
    counts, are_near = shape, total * size <= CACHE or share_near_axis(shape, steps)
    if not are_near:
        together = gcd(steps[1][-1], PERIOD)
        longest = LONGEST if together >= ALIASED else LONGEST * LINE // max(LINE, together)
        counts = near_box(shape, steps, CACHE // size, longest)
    best, looped, calls = _box_cost(counts, steps, size, 0, 1), 0, 1
    for k in range(1, rank):
        calls *= counts[-k]
        cost = _box_cost(counts, steps, size, k, calls) if calls <= MOST_CALLS else best
        if cost < best:
            best, looped = cost, k
    is_staged = not are_near and not looped and _is_aliased(counts, steps[1], size)
    return BlockLoops(counts, looped, is_staged, total / max(1, prod(counts)) * best + is_staged * total * ITEM)


def _box_cost(counts: tuple[int, ...], steps: tuple[tuple[int, ...], ...], size: int, looped: int, calls: int) -> float:
    """Return the cost of a box in ``calls`` calls, each without the last ``looped`` axes."""
    inside = prod(counts)
    if not counts:
        return CALL + _item_cost((), size)
    inner = len(counts) - 1 - looped
    misses: list[float] = [_misses(counts, own, size, inner, inside // calls) for own in steps]
    item: float = _item_cost([own[inner] for own in steps], size) + sum(map(mul, misses, MISSES))
    return calls * CALL + inside * (LOOP / counts[inner] + item)


def _item_cost(steps: Sequence[int], size: int) -> float:
    """Return the cost of an item of an inner loop with these steps."""
    contiguous = [step == size for step in steps]
    if steps and all(contiguous):
        return size * BYTE
    is_unit = size in UNITS and (any(contiguous) or size < UNITS[0])
    return ITEM if is_unit else WIDE_ITEM + size * WIDE_BYTE


def _misses(counts: tuple[int, ...], own: tuple[int, ...], size: int, inner: int, called: int) -> float:
    """Return the number of misses in the first cache for each item of a side.

    The items of a cache line lie along the side's axis of the smallest stride. Between two of them are the loops from
    the inner one up to this axis; if Python loops over it, a whole call.
    """
    near = min(range(len(counts)), key=lambda r: (abs(own[r]) if counts[r] > 1 else LINE << 40, -r))
    lines, step = max(size, min(LINE, abs(own[inner]))) / LINE, size / LINE
    if near == inner:
        return lines
    between = called if near > inner else prod(counts[near + 1 : inner + 1])
    return lines if min(between * lines, prod(counts) * step) > LONGEST else min(lines, step)


def _is_aliased(counts: tuple[int, ...], steps: tuple[int, ...], size: int) -> bool:
    """Tell whether a box reads cache lines that share few sets, and uses all of each line."""
    near = min(range(len(counts)), key=lambda r: abs(steps[r]))
    is_wide = min(counts[near] * size, counts[-1] * LINE) >= PERIOD // LINE and counts[-1] >= LINE // 2
    return is_wide and near != len(counts) - 1 and gcd(steps[-1], PERIOD) >= ALIASED and size < LINE


def move_of(block: StridedBlock, size: int) -> Move:
    """Return the copy of a block of items of a size: with the cheapest split of its runs into items, and its loops.

    >>> from mdview.engines.bulk.arrays.strided_blocks import StridedBlock
    >>> move = move_of(StridedBlock((8, 8, 4), (0, 0), ((128, 4, 32), (32, 4, 1))), 8)
    >>> move.shape, move.size
    ((8, 8, 4), 8)
    >>> move = move_of(StridedBlock((8, 8, 4), (0, 0), ((128, 16, 1), (32, 4, 1))), 4)
    >>> move.shape, move.steps, move.size
    ((8, 8), ((512, 64), (128, 16)), 16)
    """
    shape, starts = block.shape, tuple([start * size for start in block.starts])
    steps = tuple([tuple([step * size for step in own]) for own in block.strides])
    found = [Move(shape, starts, steps, size, nest_of(shape, steps, size))]
    if shape and {own[-1] for own in steps} == {size}:
        run, outer = shape[-1] * size, tuple([own[:-1] for own in steps])
        unit = next((unit for unit in UNITS if unit > size and unit % size == 0 and run % unit == 0), size)
        if unit == run or run <= PERIOD:
            found.append(Move(shape[:-1], starts, outer, run, nest_of(shape[:-1], outer, run)))
        if size < unit < run:
            inner, split = (*shape[:-1], run // unit), tuple([(*own, unit) for own in outer])
            found.append(Move(inner, starts, split, unit, nest_of(inner, split, unit)))
    return min(found, key=lambda move: move.nest.cost)


@final
class Decision(NamedTuple):
    """The method by which elements of several plans meet.

    Attributes
    ----------
    moves
        The copies of blocks from the second plan to the first; None if positions are looked up.
    blocks
        The blocks of a function of several operands; None if positions are looked up.
    plans
        For a copy by positions, its plans in the memory order of the strided side.
    grid
        The boxes of the plans.
    """

    moves: list[Move] | None = None
    blocks: list[StridedBlock] | None = None
    plans: tuple[Plan, ...] = ()
    grid: BoxGrid = BoxGrid((), ())


def is_quick(plans: Sequence[Plan]) -> bool:
    """Tell whether a look-up is faster than a search for loops: of few elements, or of plans on first use."""
    return 8 * plans[0].size <= 3 * SEARCHED or (plans[0].size <= SEARCHED and False in map(is_known, plans))


def decide(sides: Sequence[Side], sizes: Sequence[int], *, copies: bool) -> Decision:
    """Return the decision for plans with items of these sizes; the first plan keeps it.

    If ``copies``, the first of two sides is the target; else the last one may be.
    """
    first, origin = sides[0]
    record, key = first.positions, (sides[1:], origin, sizes, copies)
    if record.decided is None or record.decided[0] != key:
        record.decided = key, _decision(sides, sizes, copies=copies)
    decision: Decision = record.decided[1]
    return decision


def _decision(sides: Sequence[Side], sizes: Sequence[int], *, copies: bool) -> Decision:
    plans = [plan for plan, _ in sides]
    size, are_strided = plans[0].size, None not in [plan.strides for plan in plans]
    is_total = 0 not in plans[0].extents and all(plan.is_total for plan in plans)
    is_possible = is_total and plans[0 if copies else -1].is_distinct
    blocks = common_blocks(sides) if is_possible else None
    item = STORE if plans[0].strides is None else LOOKUP
    looked_up = 12 * CALL + size * (item + (size > MOST_LOOKED_UP) * BOXED + sizes[0] * WIDE_BYTE)
    if not copies:
        tables = sum([plan.strides is None for plan in plans])
        return Decision(blocks=blocks if are_strided or _pass_cost(blocks) < tables * looked_up else None)
    turned = _turned(plans) if is_possible else tuple(plans)
    looked_up += 0 if _is_run(turned) else size * (ITEM + LOOP / max((1, *turned[0].extents[-1:])))
    if blocks is not None:
        moves = [move_of(block, sizes[0]) for block in blocks]
        cost = sum([move.nest.cost + 3 * CALL for move in moves])
        if cost < looked_up + are_strided * size * _far_cost(blocks[0], sizes[0]):
            return Decision(moves=moves)
    return Decision(plans=turned, grid=lookup_grid(turned, sizes[0]))


def _far_cost(block: StridedBlock, size: int) -> float:
    """Return the cost of cache misses for each item of the source of a block, if items are looked up in order."""
    rank, steps = len(block.shape), tuple([step * size for step in block.strides[1]])
    return _misses(block.shape, steps, size, rank - 1, block.size) * MISSES[1] if rank else 0.0


def _pass_cost(blocks: Sequence[StridedBlock] | None) -> float:
    """Return the cost of a function of several operands in blocks."""
    each = None if blocks is None else [b.size * PASS / max(b.shape[-1:], default=1) + 2 * CALL for b in blocks]
    return inf if each is None else sum(each)


def _turned(plans: Sequence[Plan]) -> tuple[Plan, ...]:
    """Return plans of the same elements in the memory order of the first strided plan."""
    strided = next((plan for plan in plans if plan.strides is not None), None)
    if strided is None or strided.strides is None:
        return tuple(plans)
    steps, extents = strided.strides, strided.extents
    order = sorted(range(len(extents)), key=lambda r: -abs(steps[r]))
    rows: list[Row] = [(0, 1, 0)] * len(order)
    for k, r in enumerate(order):
        rows[r] = (extents[r] - 1, -1, k) if steps[r] < 0 else (0, 1, k)
    shape = tuple([extents[r] for r in order])
    is_straight = all(row == (0, 1, r) for r, row in enumerate(rows))
    return tuple(plans) if is_straight else tuple([plan.taken(rows, shape) for plan in plans])


def lookup_box(plans: Sequence[Plan], limit: int) -> tuple[int, ...]:
    """Return the extents of boxes of about ``limit`` indices near each other in all plans; if possible they repeat."""
    extents = plans[0].extents
    counts = grown_box(extents, [plan.axes or _mean_steps(plan) for plan in plans], limit, limit)
    for plan in plans:
        for r, axis in enumerate(plan.axes or ()):
            if isinstance(axis, TablePart):
                counts[r] -= counts[r] % max([q for q in axis.base.periods() or () if q <= counts[r]], default=1)
    alike = counts[:]
    for plan in plans:
        for r, n in enumerate(extents):
            while alike[r] < n and box_moves(plan, (*extents[:r], alike[r], *extents[r + 1 :])) is None:
                alike[r] = min(2 * alike[r], n)
    return tuple(alike if prod(alike) <= MOST_LOOKED_UP // 4 else counts)


def _mean_steps(plan: Plan) -> list[int]:
    """Return the mean step along each dimension."""
    ends = [[0] * r + [n - 1] + [0] * (len(plan.extents) - r - 1) for r, n in enumerate(plan.extents)]
    first = plan.at([0] * len(plan.extents))
    return [(plan.at(end) - first) // max(1, n - 1) for n, end in zip(plan.extents, ends, strict=True)]


def lookup_grid(plans: Sequence[Plan], size: int) -> BoxGrid:
    """Return the boxes in which elements are looked up.

    Few positions are read in their order, and all at once if the strided side is one contiguous run. If the target is
    not injective, boxes are in index order, so that the last element stays.
    """
    if plans[0].size > MOST_LOOKED_UP and plans[0].is_distinct:
        counts = lookup_box(plans, COMPUTED)
        return BoxGrid(counts, tuple([segments(plan, counts) for plan in plans]))
    limit = MOST_LOOKED_UP if _is_run(plans) else CACHE // size
    return BoxGrid(aligned_counts(plans[0].extents, limit), (None,) * len(plans))


def _is_run(plans: Sequence[Plan]) -> bool:
    """Tell whether the first strided plan, if any, is one contiguous run."""
    array = next((plan for plan in plans if plan.strides is not None), None)
    return array is None or array.strides is None or (is_dense_plan(array) and falls(array.strides))


def near_blocks(block: StridedBlock, sizes: Sequence[int], limit: int) -> Iterator[StridedBlock]:
    """Cut a block into blocks of at most ``limit`` elements, whose elements are near each other on all sides."""
    steps = [tuple([step * size for step in own]) for own, size in zip(block.strides, sizes, strict=True)]
    is_near = block.size * max(sizes) <= CACHE or share_near_axis(block.shape, steps)
    counts = aligned_counts(block.shape, limit) if is_near else near_box(block.shape, steps, CACHE // max(sizes))
    return map(block.part, boxes(block.shape, counts))
