"""The cost model: whether a copy goes by strided blocks or looked-up positions, in which boxes and loops.

Whole views move by three methods, whose costs in nanoseconds stand here:

- *strided*: both sides are arrays. NumPy copies with its loops in the order of the target: `CALL` for a call, `LOOP`
  for each inner loop, `ITEM` for each item.
- *blocks*: the same in boxes of indices in which all sides are strided, one copy for each of them (`strided_blocks`).
- *positions*: `LOOKUP` for each element that is read at a position, `STORE` for each one that is stored at one, and as
  much memory as `MOST_LOOKED_UP` positions take (`plan_positions`). More elements go through boxes, each for `BOXED`;
  boxes that are alike share their positions (`position_boxes`).

A copy of a block has a *nest* of loops. Runs of items that both sides have in common move as one item where the
processor has one of that size. Where the near axes of the two sides differ, the block is cut into boxes that stay in
the cache and have some lines of it along both. In a box, the axes that are nearest in the target are the inner loops of
NumPy; where they are short, Python loops over them, and the inner loop is along a longer one. If a step of the source
is a multiple of a large power of two, lines of a box have the same few places in the cache; such a box goes through a
buffer whose rows are some items longer.

Planes to an interleaved image of 1000 × 1000 × 3 bytes, for example, have shape (1000000, 3), the steps (3, 1) in the
target and (1, 1000000) in the source. NumPy alone has 1 000 000 inner loops of 3 items: 1000 + 1000000 LOOP + 3000000
ITEM = 5.2 ms. A loop in Python over the short axis has 3 calls with one inner loop each: 3 CALL + 3 LOOP + 3000000 ITEM
= 1.2 ms. In 8 boxes of 125000 × 3, which stay in the cache, these are 24 calls: 1.22 ms, and each line of the target
comes from memory once.

>>> nest = nest_of((1000000, 3), ((3, 1), (1, 1000000)), 1)
>>> nest.counts, nest.looped, nest.is_staged, round(nest.cost / 1e6, 2)
((125000, 3), 1, False, 1.25)

Two thresholds bound what is found out: `SEARCHED` elements, below which a search for loops takes longer than it saves,
and `MOST_LOOKED_UP`, the positions that are held at once. The other numbers describe processors, and NumPy.
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
from mdview.engines.mapping_plan import Plan, Row
from mdview.engines.offset_tables import AxisOffsets, TablePart

SEARCHED: Final = 1 << 15
"""Elements that are looked up in the time in which loops for them are found, which a plan keeps for later calls."""

CALL: Final = 1000.0
LOOP: Final = 4.0
ITEM: Final = 0.35
WIDE_ITEM: Final = 2.8
"""Of an item for which the processor has no instruction, and the same for a run of them."""
BYTE: Final = 0.03
"""Of a byte of a wide item, or of a contiguous inner loop."""
WIDE_BYTE: Final = 0.05
MISSES: Final = (1.1, 0.4)
"""Of a line that comes from the second cache, to be stored to, and to be read."""
LOOKUP: Final = 0.7
STORE: Final = 1.2
BOXED: Final = 0.7
LINE: Final = 64
"""Bytes of a line of the cache."""
CACHE: Final = 1 << 18
"""Bytes of a box, which stay in the cache of one processor, as do those of its buffer."""
LONGEST: Final = 512
"""Items of a box along an axis whose lines are far apart, which the nearest cache has room for."""
ALIASED: Final = 1024
"""Bytes of which the step of a source is a multiple where lines meet in few places of the cache."""
PERIOD: Final = 4096
"""Bytes after which lines have the same place again in the nearest cache."""
PASS: Final = 12.0
"""Of an inner loop of a function of several operands."""
MOST_CALLS: Final = 64
"""Calls of a box at most."""


@final
class BlockLoops(NamedTuple):
    """How a block is copied.

    Attributes
    ----------
    counts
        Extents of a box.
    looped
        How many of the axes that are nearest in the target Python loops over.
    is_staged
        Whether a box goes through a buffer.
    cost
        Nanoseconds, without those of waiting for memory.
    """

    counts: tuple[int, ...]
    looped: int
    is_staged: bool
    cost: float


@final
class Move(NamedTuple):
    """A copy of a block, of which the target is the first side.

    Attributes
    ----------
    shape
        Extents, in items.
    starts, steps
        Place of the first item on each side, and its steps, in bytes.
    size
        Bytes of an item, which may be several of a view.
    nest
        The loops.
    """

    shape: tuple[int, ...]
    starts: tuple[int, ...]
    steps: tuple[tuple[int, ...], ...]
    size: int
    nest: BlockLoops


def reach(axis: AxisOffsets, count: int) -> int:
    """Return how far the index behind so many of an axis is from the first one."""
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
    """Return the extents of a near box, each of them a power of two, or whole."""
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
    """Tell whether the axis that is nearest on the first side, the last one, is so on all, and spans some lines."""
    last = len(shape) - 1
    for own in steps:
        span = [(abs(step), -r) for r, step in enumerate(own)]
        if span and (min(span)[1] != -last or 0 < abs(own[-1]) * shape[-1] < 4 * LINE):
            return False
    return True


@lru_cache(256)
def nest_of(shape: tuple[int, ...], steps: tuple[tuple[int, ...], ...], size: int) -> BlockLoops:
    """Return the loops that copy a block of the least cost; the target's steps, the first ones, fall."""
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
    """Return the cost of a box in so many calls, each without the axes that are nearest in the target."""
    inside = prod(counts)
    if not counts:
        return CALL + _item_cost((), size)
    inner = len(counts) - 1 - looped
    misses: list[float] = [_misses(counts, own, size, inner, inside // calls) for own in steps]
    item: float = _item_cost([own[inner] for own in steps], size) + sum(map(mul, misses, MISSES))
    return calls * CALL + inside * (LOOP / counts[inner] + item)


def _item_cost(steps: Sequence[int], size: int) -> float:
    """Return the cost of an item of an inner loop of these steps."""
    contiguous = [step == size for step in steps]
    if steps and all(contiguous):
        return size * BYTE
    is_unit = size in UNITS and (any(contiguous) or size < UNITS[0])
    return ITEM if is_unit else WIDE_ITEM + size * WIDE_BYTE


def _misses(counts: tuple[int, ...], own: tuple[int, ...], size: int, inner: int, called: int) -> float:
    """Return how many lines of a side are read again for each item, as the nearest cache has lost them.

    The items of a line lie along the nearest axis of the side. Between them are the axes from the inner loop up to that
    one; all of a call, where Python loops over it.
    """
    near = min(range(len(counts)), key=lambda r: (abs(own[r]) if counts[r] > 1 else LINE << 40, -r))
    lines, step = max(size, min(LINE, abs(own[inner]))) / LINE, size / LINE
    if near == inner:
        return lines
    between = called if near > inner else prod(counts[near + 1 : inner + 1])
    return lines if min(between * lines, prod(counts) * step) > LONGEST else min(lines, step)


def _is_aliased(counts: tuple[int, ...], steps: tuple[int, ...], size: int) -> bool:
    """Tell whether a box reads lines that meet in the cache, though it uses all of each."""
    near = min(range(len(counts)), key=lambda r: abs(steps[r]))
    is_wide = min(counts[near] * size, counts[-1] * LINE) >= PERIOD // LINE and counts[-1] >= LINE // 2
    return is_wide and near != len(counts) - 1 and gcd(steps[-1], PERIOD) >= ALIASED and size < LINE


def move_of(block: StridedBlock, size: int) -> Move:
    """Return the copy of a block of items of a size: the cheapest way to read its runs, and the loops of that.

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
    """How the elements of several plans meet.

    Attributes
    ----------
    moves
        The copies of blocks from the second plan to the first; none where positions are looked up.
    blocks
        The blocks of functions of several operands; None as well.
    plans
        For a copy by positions, its plans in the order of the side that is strided.
    grid
        The boxes of that.
    """

    moves: list[Move] | None = None
    blocks: list[StridedBlock] | None = None
    plans: tuple[Plan, ...] = ()
    grid: BoxGrid = BoxGrid((), ())


def is_quick(plans: Sequence[Plan]) -> bool:
    """Tell whether elements are found before loops for them are: few, or those of plans that are used once."""
    return 8 * plans[0].size <= 3 * SEARCHED or (plans[0].size <= SEARCHED and False in map(is_known, plans))


def decide(sides: Sequence[Side], sizes: Sequence[int], *, copies: bool) -> Decision:
    """Return how elements of items of some sizes meet, which the first plan keeps.

    The first of two sides of one size is the target of a copy; else that of a function may be the last one.
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
    """Return the cost of waiting for an item of the source of a block, where items are looked up in their order."""
    rank, steps = len(block.shape), tuple([step * size for step in block.strides[1]])
    return _misses(block.shape, steps, size, rank - 1, block.size) * MISSES[1] if rank else 0.0


def _pass_cost(blocks: Sequence[StridedBlock] | None) -> float:
    """Return the cost of a function of several operands in blocks."""
    each = None if blocks is None else [b.size * PASS / max(b.shape[-1:], default=1) + 2 * CALL for b in blocks]
    return inf if each is None else sum(each)


def _turned(plans: Sequence[Plan]) -> tuple[Plan, ...]:
    """Return plans of the same elements in the order of memory of the first one that is strided."""
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
    """Return the extents of a box of about ``limit`` indices that are near each other in all plans, and like others."""
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
    """Return about how far indices are from each other along each dimension."""
    ends = [[0] * r + [n - 1] + [0] * (len(plan.extents) - r - 1) for r, n in enumerate(plan.extents)]
    first = plan.at([0] * len(plan.extents))
    return [(plan.at(end) - first) // max(1, n - 1) for n, end in zip(plan.extents, ends, strict=True)]


def lookup_grid(plans: Sequence[Plan], size: int) -> BoxGrid:
    """Return the boxes in which elements are looked up.

    Few positions are read in their order, and all at once if the other side is one run. Where a target has one element
    for several indices, boxes are in index order, so that the last one stays.
    """
    if plans[0].size > MOST_LOOKED_UP and plans[0].is_distinct:
        counts = lookup_box(plans, COMPUTED)
        return BoxGrid(counts, tuple([segments(plan, counts) for plan in plans]))
    limit = MOST_LOOKED_UP if _is_run(plans) else CACHE // size
    return BoxGrid(aligned_counts(plans[0].extents, limit), (None,) * len(plans))


def _is_run(plans: Sequence[Plan]) -> bool:
    """Tell whether the elements of the first plan that is strided, if any, lie one after the other."""
    array = next((plan for plan in plans if plan.strides is not None), None)
    return array is None or array.strides is None or (is_dense_plan(array) and falls(array.strides))


def near_blocks(block: StridedBlock, sizes: Sequence[int], limit: int) -> Iterator[StridedBlock]:
    """Cut a block into blocks of at most ``limit`` elements, whose elements are near each other on all sides."""
    steps = [tuple([step * size for step in own]) for own, size in zip(block.strides, sizes, strict=True)]
    is_near = block.size * max(sizes) <= CACHE or share_near_axis(block.shape, steps)
    counts = aligned_counts(block.shape, limit) if is_near else near_box(block.shape, steps, CACHE // max(sizes))
    return map(block.part, boxes(block.shape, counts))
