"""The cost model: whether a copy goes by strided blocks or looked-up positions, in which boxes and loops.

Whole views move by three methods; the constants are their costs in nanoseconds:

- *strided*: both sides are arrays. NumPy copies by loops in the order of the target: `CALL` for a call, `LOOP` for each
  inner loop, `ITEM` for each item.
- *blocks*: one strided copy for each box of indices in which all sides are strided (`strided_blocks`).
- *positions*: `LOOKUP` for each element read at a position, `STORE` for each element stored at a position, and the
  memory of `MOST_LOOKED_UP` positions (`plan_positions`). More elements are handled in boxes, `BOXED` for each element;
  boxes of equal steps share positions (`position_boxes`).

A copy of a block has a *nest* of loops, chosen by the sum of four costs:

- calls: `CALL` for each call of NumPy, and `LOOP` for each of its inner loops;
- items: `BYTE` for each byte of a contiguous inner loop, `ITEM` for an item that the processor moves by one
  instruction, `WIDE_ITEM` and its bytes for any other. A run of both sides is one item if this costs less;
- lines: between two items of a cache line of a side are the loops from the inner one up to the side's axis of the
  smallest stride. If they pass more lines than the first cache has, each item costs a miss (`MISSES`); more than the
  second cache has, or more pages than `PAGES`, `FAR` of them. Lines a power of two apart share sets of a cache, so it
  has fewer of them;
- rows: `BREAK` for each row of a box, if the target's rows are longer.

Choices are the whole block or boxes that stay in the second cache; loops of Python over the axes of the smallest
strides of the target, so that the inner loops of NumPy are long; and a buffer with an odd number of lines in a row, so
that lines that share sets are read once.

Planes to an interleaved image of 1000 × 1000 × 3 bytes, for example, have shape (1000000, 3), the steps (3, 1) in the
target and (1, 1000000) in the source. NumPy alone has 1 000 000 inner loops of 3 items: 1000000 LOOP + 3000000 ITEM =
6.05 ms. A loop in Python over the short axis has 3 inner loops, of 1000000 items: 3000000 ITEM = 1.05 ms. But between
two bytes of a line of the target is then a whole call, which passes 46 875 lines: 3000000 FAR MISSES[0] / 64 × 3 = 0.93
ms. In 16 boxes of 62500 × 3 these are 2930 lines, which stay in the second cache: 3000000 MISSES[0] / 64 × 3 = 0.15 ms,
and 48 calls, 0.05 ms.

>>> nest = nest_of((1000000, 3), ((3, 1), (1, 1000000)), 1)
>>> nest.counts, nest.looped, nest.is_staged, round(nest.cost / 1e6, 2)
((62500, 3), 1, False, 1.26)

Two thresholds bound the search: below `SEARCHED` elements it takes longer than it saves, and `MOST_LOOKED_UP` positions
are held at once, `MOST_WHOLE` in one order. The other constants describe processors and NumPy; `python -m benchmarks
shapes` has rows for each, given by the names of its cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import gcd, inf, prod
from operator import mul
from typing import Final, NamedTuple, final

from mdview.engines.bulk.arrays.item_arrays import UNITS
from mdview.engines.bulk.arrays.plan_positions import MOST_LOOKED_UP, MOST_WHOLE, is_dense_plan
from mdview.engines.bulk.arrays.position_boxes import LookupGrid, Side, lookup_counts
from mdview.engines.bulk.arrays.strided_blocks import StridedBlock, aligned_counts, boxes, common_blocks, near_box
from mdview.engines.mapping_plan import Plan

SEARCHED: Final = 1 << 15
"""The number of elements whose look-up takes as long as the search for loops, which a plan keeps for later calls."""

CALL: Final = 1000.0
"""Cost of a call of NumPy, with the two arrays it takes (rows -> padded, 37 x 4099)."""
LOOP: Final = 5.0
"""Cost of an inner loop of NumPy (rows -> axes 120, 300000 x 1 x 2)."""
ITEM: Final = 0.35
"""Cost of an item of 1, 2, 4, 8 or 16 bytes with a step (columns -> rows, 1000 ** 2)."""
WIDE_ITEM: Final = 2.8
"""Cost of an item of another size, less than a loop for it (axes 120 -> columns of bytes, 128 ** 3)."""
BYTE: Final = 0.03
"""Cost of a byte of a contiguous inner loop, and of a wide item (rows -> padded, 4096 ** 2)."""
MISSES: Final = (1.1, 0.25)
"""Costs of a cache line that comes from the second cache: to be stored to (axes 201 -> rows, 1080 x 1920 x 3), and to
be read (columns -> rows of bytes, 1023 x 1025)."""
FAR: Final = 6.0
"""Cost of a cache line out of reach of the second cache, in misses of the first one (columns -> rows, 4096 ** 2)."""
PAGES: Final = 2048
"""The pages of memory whose addresses a processor knows at once (columns -> rows, 4096 ** 2)."""
BREAK: Final = 100.0
"""Cost of the first cache lines of each row of a box, if the target's rows are longer (columns -> rows, 1000 ** 2)."""
LOOKUP: Final = 0.7
"""Cost of an item that is looked up (Morton -> rows, 64 ** 3)."""
STORE: Final = 1.2
"""Cost of an item that is stored at its position besides (rows -> user's, 4096 x 8)."""
BOXED: Final = 0.7
"""Cost of an item of boxes whose positions are not all kept (Morton -> rows, 1000 ** 2)."""
PASS: Final = 12.0
"""Cost of an inner loop of a function of several operands (``benchmarks sizes``: equal, tiled 4)."""
MOST_CALLS: Final = 64
"""The most calls of a loop in Python for a box: the eight values of 4096 x 8, not the rows of a square."""

LINE: Final = 64
"""Bytes of a line of the cache."""
PAGE: Final = 4096
"""Bytes of a page of memory."""
WAYS: Final = 8
"""The lines of a cache that share a set, which lines of equal addresses but for the upper bits do."""
LONGEST: Final = 512
"""The lines of the first cache; a box has as many items along the nearest axis of the target."""
CACHE: Final = 1 << 19
"""Bytes of a box; it stays in the second cache of a processor."""


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
    total, whole = prod(shape), _loops(shape, steps, size)
    if total * size <= CACHE:
        return whole
    conflicts = _conflicts(steps[1][-1], LONGEST)
    longest = LONGEST if conflicts >= 2 * WAYS else LONGEST // conflicts  # more of them need a buffer anyway
    counts = near_box(shape, (steps[0], *steps), CACHE // size, longest)
    boxed, times = _loops(counts, steps, size), total / prod(counts)
    breaks = BREAK * total / counts[-1] if counts[-1:] < shape[-1:] else 0
    options = [whole, BlockLoops(counts, boxed.looped, is_staged=False, cost=times * boxed.cost + breaks)]
    near = min(range(len(counts)), key=lambda r: abs(steps[1][r]))
    if near != len(counts) - 1 and min(counts[near], counts[-1]) >= LINE // 2 and 8 * size <= LINE:
        cost = _box_cost(counts, (steps[0], buffer_steps(counts, steps[1], size)), size, 0, 1)
        cost = times * cost + breaks + total * (ITEM + LOOP / counts[near])
        options.append(BlockLoops(counts, looped=0, is_staged=True, cost=cost))
    return min(options, key=lambda loops: loops.cost)


def buffer_steps(counts: tuple[int, ...], steps: tuple[int, ...], size: int) -> tuple[int, ...]:
    """Return the strides of a buffer for a box in the order of a source, each but the first an odd number of lines.

    >>> buffer_steps((128, 512), (8, 16384), 8)
    (8, 1088)
    """
    found, step = [0] * len(counts), size
    for r in sorted(range(len(counts)), key=lambda r: abs(steps[r])):
        found[r] = step = step if step == size else -(-step // LINE // 2) * 2 * LINE + LINE
        step *= counts[r]
    return tuple(found)


def _conflicts(step: int, lines: int) -> int:
    """Return how many times fewer lines, if they are so many bytes apart, stay in a cache of so many."""
    return max(LINE, gcd(step, lines * LINE // WAYS)) // LINE


def _loops(counts: tuple[int, ...], steps: tuple[tuple[int, ...], ...], size: int) -> BlockLoops:
    """Return the loops of the least cost that copy a box."""
    best, looped, calls = _box_cost(counts, steps, size, 0, 1), 0, 1
    for k in range(1, len(counts)):
        calls *= counts[-k]
        cost = _box_cost(counts, steps, size, k, calls) if calls <= MOST_CALLS else best
        if cost < best:
            best, looped = cost, k
    return BlockLoops(counts, looped, is_staged=False, cost=best)


def _box_cost(counts: tuple[int, ...], steps: tuple[tuple[int, ...], ...], size: int, looped: int, calls: int) -> float:
    """Return the cost of a box in ``calls`` calls, each without the last ``looped`` axes."""
    inside = prod(counts)
    if not counts:
        return CALL + _item_cost((), size)
    inner = len(counts) - 1 - looped
    misses: list[float] = [_miss_cost(counts, own, size, inner, inside // calls) for own in steps]
    item: float = _item_cost([own[inner] for own in steps], size) + sum(map(mul, misses, MISSES))
    return calls * CALL + inside * (LOOP / counts[inner] + item)


def _item_cost(steps: Sequence[int], size: int) -> float:
    """Return the cost of an item of an inner loop with these steps."""
    contiguous = [step == size for step in steps]
    if steps and all(contiguous):
        return size * BYTE
    is_unit = size in UNITS and (any(contiguous) or size < UNITS[0])
    return ITEM if is_unit else WIDE_ITEM + size * BYTE


def _miss_cost(counts: tuple[int, ...], own: tuple[int, ...], size: int, inner: int, called: int) -> float:
    """Return the cost of misses for each item of a side, in misses of the first cache.

    The items of a cache line lie along the side's axis of the smallest stride. Between two of them are the loops from
    the inner one up to this axis; if Python loops over it, a whole call.
    """
    near = min(range(len(counts)), key=lambda r: (abs(own[r]) if counts[r] > 1 else LINE << 40, -r))
    lines, step = max(size, min(LINE, abs(own[inner]))) / LINE, size / LINE
    if near == inner:
        return lines
    between = called if near > inner else prod(counts[near + 1 : inner + 1])
    passed = min(between * lines, prod(counts) * step)
    pages = prod([max(1, counts[r] * min(1, abs(own[r]) / PAGE)) for r in range(near + 1, inner + 1)])
    if pages > PAGES or passed * _conflicts(own[inner], CACHE // LINE) > CACHE // LINE:
        return lines * FAR
    return lines if passed * _conflicts(own[inner], LONGEST) > LONGEST else min(lines, step)


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
        if unit == run or run <= PAGE:
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
        The copies of blocks from the second plan to the first.
    lookup
        The copy by positions; None if there are blocks.
    blocks
        The blocks of a function of several operands; None if positions are looked up.
    """

    moves: Sequence[Move] = ()
    lookup: LookupGrid | None = None
    blocks: list[StridedBlock] | None = None


def is_quick(plans: Sequence[Plan]) -> bool:
    """Tell whether a look-up is faster than a search for loops: of few elements, or of a plan on first use."""
    first = plans[0]
    if first.size > 3 * SEARCHED // 8 and (first.size > SEARCHED or first.positions.decided is not None):
        return False
    first.positions.decided = first.positions.decided or ((), None)
    return True


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
    is_boxed = size > MOST_WHOLE
    looked_up = 4 * CALL + size * (LOOKUP + is_boxed * BOXED + _store_cost(plans[0]) + sizes[0] * BYTE)
    if not copies:
        tables = sum([plan.strides is None for plan in plans])
        return Decision(blocks=blocks if are_strided or _pass_cost(blocks) < tables * looked_up else None)
    if blocks is not None:
        moves = [move_of(block, sizes[0]) for block in blocks]
        cost = sum([move.nest.cost + 3 * CALL for move in moves])
        if cost < looked_up + size * _far_cost(blocks[0], sizes[0]):
            return Decision(moves=moves)
    one, other = plans
    return Decision(lookup=LookupGrid(one, other, lookup_counts(plans), sizes[0]))


def _store_cost(plan: Plan) -> float:
    """Return the cost of an item that has been looked up, and is not at once in its place."""
    if plan.strides is None:
        return 0.0 if plan.size <= MOST_LOOKED_UP and is_dense_plan(plan) else STORE
    return 0.0 if is_dense_plan(plan) else ITEM + LOOP / max((1, *plan.extents[-1:]))


def _far_cost(block: StridedBlock, size: int) -> float:
    """Return the cost of cache misses for each item of the source of a block, if items are looked up in order."""
    rank, steps = len(block.shape), tuple([step * size for step in block.strides[1]])
    return _miss_cost(block.shape, steps, size, rank - 1, block.size) * MISSES[1] if rank else 0.0


def _pass_cost(blocks: Sequence[StridedBlock] | None) -> float:
    """Return the cost of a function of several operands in blocks."""
    each = None if blocks is None else [b.size * PASS / max(b.shape[-1:], default=1) + 2 * CALL for b in blocks]
    return inf if each is None else sum(each)


def near_blocks(block: StridedBlock, sizes: Sequence[int], limit: int) -> Iterator[StridedBlock]:
    """Cut a block into blocks of at most ``limit`` elements, whose elements are near each other on all sides."""
    steps = [tuple([step * size for step in own]) for own, size in zip(block.strides, sizes, strict=True)]
    is_near = block.size * max(sizes) <= CACHE or share_near_axis(block.shape, steps)
    counts = aligned_counts(block.shape, limit) if is_near else near_box(block.shape, steps, CACHE // max(sizes))
    return map(block.part, boxes(block.shape, counts))
