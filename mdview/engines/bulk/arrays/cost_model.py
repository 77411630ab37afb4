"""The cost model: the choice between strided blocks and looked-up positions for a copy; its boxes, loops and item size.

There are three methods for an operation on whole views; the constants are costs in nanoseconds:

- *strided*: NumPy copies by loops in the order of the target, `CALL` for a call, `LOOP` for each inner loop, `ITEM` for
  each item.
- *blocks*: one strided copy for each block of indices in which all operands are strided (`strided_blocks`).
- *positions*: `LOOKUP` for each element read at a position, `STORE` for each element stored at a position, and memory
  for `MOST_LOOKED_UP` positions (`plan_positions`). More elements are handled in boxes, with `BOXED` for each element;
  boxes with equal differences of positions share them (`position_boxes`).

A copy of a block has a *nest* of loops, chosen by the sum of four costs:

- calls: `CALL` for each call of NumPy, `LOOP` for each of its inner loops, `BOX` for each box;
- items: `BYTE` for each byte of a contiguous inner loop; `ITEM` and its bytes for an item that the processor moves by
  one instruction, `WIDE_ITEM` and its bytes for any other item. A run that is contiguous in both operands is one item
  if this costs less;
- lines: a cache line is loaded again if loops pass more lines than the first cache has. The number of lines of these
  loops divided by the number of their items gives the misses (`MISSES`) of an item. Lines whose distance is a multiple
  of a power of two share sets of a cache, so fewer lines fit;
- memory: if a loop passes more lines than the second cache has, or more pages than `PAGES`, lines come from memory and
  count `FAR` times: a third of this in runs of several lines, which the processor prefetches, and four times as much if
  each line is in another page.

The choices are: the whole block, or boxes that stay in a cache; Python loops over the axes with the smallest strides of
the target, so that the inner loops of NumPy are long; and a buffer for each box. The buffer has the order of one
operand, except for the axis of the smallest stride in the other one, which is last. Then one pass has items of several
elements, and the other pass has long inner loops.

A copy from planes to an interleaved image of 1000 × 1000 × 3 bytes, for example, has shape (1000000, 3), strides (3, 1)
in the target and (1, 1000000) in the source. NumPy alone has 1 000 000 inner loops of 3 items: 1000000 LOOP + 3000000
(ITEM + BYTE) = 4.81 ms. A loop in Python over the short axis has 3 inner loops of 1000000 items: 3000000 (ITEM + BYTE)
= 0.81 ms. Each of the 3 loops passes the 46875 lines of the target, and 15625 lines of the source, which come from
memory: 3 (46875 MISSES[0] + 15625 MISSES[1]) FAR / 3 = 0.15 ms.

>>> nest = nest_of((1000000, 3), ((3, 1), (1, 1000000)), 1)
>>> nest.counts, nest.passes[0].looped, nest.buffer, round(nest.cost / 1e6, 2)
((1000000, 3), 1, None, 0.96)

Two thresholds bound the search. Time: below `SEARCHED` elements it takes longer than it saves. Memory: at most
`MOST_LOOKED_UP` positions are held at once. The constants of `loop_costs` describe processors and NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import inf, prod
from typing import Final, NamedTuple, final

from mdview.engines.bulk.arrays.item_arrays import UNITS
from mdview.engines.bulk.arrays.loop_costs import (
    BOX,
    BYTE,
    CACHE,
    CALL,
    ITEM,
    LINE,
    LOOP,
    MISSES,
    NEAR,
    PAGE,
    box_cost,
    misses,
)
from mdview.engines.bulk.arrays.plan_positions import MOST_LOOKED_UP, MOST_WHOLE, is_dense_plan
from mdview.engines.bulk.arrays.position_boxes import LookupGrid, Side, lookup_counts
from mdview.engines.bulk.arrays.strided_blocks import (
    IndexBox,
    StridedBlock,
    aligned_counts,
    boxes,
    common_blocks,
    near_box,
)
from mdview.engines.mapping_plan import Plan

SEARCHED: Final = 1 << 15
"""The number of elements whose look-up takes as long as the search for loops; a plan caches the result of a search."""
LOOKUP: Final = 0.7
"""Cost of an item that is looked up (measured for Morton -> rows, 64 ** 3; the other constants likewise)."""
STORE: Final = 1.2
"""Additional cost of an item that is stored at its position (rows -> user's, 4096 x 8)."""
BOXED: Final = 0.7
"""Additional cost of an item in boxes whose positions are not all cached (Morton -> rows, 1000 ** 2)."""
CALLS: Final = 3
"""The time of the loop over blocks for each block, in multiples of `CALL` (tiles of a unit -> rows, 64 ** 3)."""
PASS: Final = 12.0
"""Cost of an inner loop of a function of several operands (``benchmarks sizes``: equal, tiled 4)."""
MOST_CALLS: Final = 64
"""The largest number of calls of a Python loop in a box: the 8 columns of 4096 x 8 fit, the rows of a square do not."""
FLOOR: Final = 1.5
"""Loops that cost less than this multiple of the least cost of their items are chosen without a further search."""


@final
class Pass(NamedTuple):
    """A copy of a box between two arrays.

    Attributes
    ----------
    order
        The axes, the slowest first in the array that is stored to, without an axis that is moved as one item.
    size
        Bytes of an item.
    looped
        The number of the last axes in ``order`` over which Python loops.
    """

    order: tuple[int, ...]
    size: int
    looped: int


@final
class BlockLoops(NamedTuple):
    """The loops that copy a block.

    Attributes
    ----------
    shape, steps
        Extents of the block, and the strides of target and source in bytes.
    counts
        Extents of a box.
    buffer
        Strides of a buffer through which each box is copied; None for a copy from source to target.
    passes
        The passes of the copy of a box; the last one stores to the target.
    cost
        Cost in nanoseconds.
    """

    shape: tuple[int, ...]
    steps: tuple[tuple[int, ...], ...]
    counts: tuple[int, ...]
    buffer: tuple[int, ...] | None
    passes: tuple[Pass, ...]
    cost: float

    def of(self, box: IndexBox) -> BlockLoops:
        """Return the loops for a part of the block."""
        return self._replace(shape=box.counts, counts=tuple(map(min, self.counts, box.counts)))


@final
class Move(NamedTuple):
    """A copy of a block; ``starts`` contains the positions in bytes of its first item in target and source."""

    starts: tuple[int, ...]
    nest: BlockLoops


def share_near_axis(shape: tuple[int, ...], steps: Sequence[tuple[int, ...]]) -> bool:
    """Tell whether the last axis has the smallest stride in all operands, and spans several cache lines."""
    last = len(shape) - 1
    for own in steps:
        span = [(abs(step), -r) for r, step in enumerate(own)]
        if span and (min(span)[1] != -last or 0 < abs(own[-1]) * shape[-1] < 4 * LINE):
            return False
    return True


@lru_cache(256)
def nest_of(shape: tuple[int, ...], steps: tuple[tuple[int, ...], ...], size: int) -> BlockLoops:
    """Return the cheapest loops that copy a block; the first strides are those of the target, in descending order."""
    options = [_direct(shape, steps, size, shape)]
    if shape and steps[0][-1] == steps[1][-1] == size:
        options += _of_runs(shape, steps, size)
    best = min(options, key=_cost)
    if best.cost < FLOOR * prod(shape) * (ITEM + size * BYTE) or prod(shape) * size <= NEAR:
        return best
    return min([best, *_boxed(shape, steps, size)], key=_cost)


def _boxed(shape: tuple[int, ...], steps: tuple[tuple[int, ...], ...], size: int) -> Iterator[BlockLoops]:
    """Yield loops over boxes that stay in the second or in the first cache."""
    for limit in (CACHE, NEAR):
        if prod(shape) * size > limit:
            yield _direct(shape, steps, size, near_box(shape, (steps[0], *steps), limit // size, NEAR // LINE))
    yield _staged(shape, steps, size, 0)
    yield _staged(shape, steps, size, 1)


def _cost(loops: BlockLoops) -> float:
    return loops.cost


def _direct(
    shape: tuple[int, ...], steps: tuple[tuple[int, ...], ...], size: int, counts: tuple[int, ...], folded: int = -1
) -> BlockLoops:
    """Return the loops without a buffer."""
    is_far, unit = prod(shape) * size > CACHE, size if folded < 0 else size * shape[folded]
    move, cost = _pass(counts, steps[0], steps[1], unit, folded, (is_far, is_far))
    if counts != shape:
        cost = (cost + BOX) * prod(shape) / prod(counts)
    return BlockLoops(shape, steps, counts, None, (move,), cost)


def _of_runs(shape: tuple[int, ...], steps: tuple[tuple[int, ...], ...], size: int) -> Iterator[BlockLoops]:
    """Yield loops for a last axis that is contiguous in both operands; a whole run, or a part of a run, is one item."""
    last, run = len(shape) - 1, shape[-1] * size
    split, axes, folded = _folded(shape, steps, last, size)
    if folded >= 0:
        yield _direct(split, axes, size, split, folded)
    if run <= PAGE:
        yield _direct(shape, steps, size, shape, last)


def _folded(
    shape: tuple[int, ...], steps: tuple[tuple[int, ...], ...], axis: int, size: int
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...], int]:
    """Split an axis into items of the largest unit; return shape, strides, and the axis within an item (-1 if none).

    >>> _folded((6, 32), ((32, 1), (1, 6)), 1, 1)
    ((6, 2, 16), ((32, 16, 1), (1, 96, 6)), 2)
    """
    run = shape[axis] * size
    unit = next((unit for unit in UNITS if unit > size and unit % size == 0 and run % unit == 0), 0)
    if not unit:
        return shape, steps, -1
    if unit == run:
        return shape, steps, axis
    many = unit // size
    split = (*shape[:axis], shape[axis] // many, many, *shape[axis + 1 :])
    axes = tuple([(*own[:axis], own[axis] * many, *own[axis:]) for own in steps])
    return split, axes, axis + 1


def _staged(shape: tuple[int, ...], steps: tuple[tuple[int, ...], ...], size: int, k: int) -> BlockLoops:
    """Return loops with a buffer in the order of operand ``k`` (0 is the target), except for its last axes.

    The last axis of the buffer is the axis of the smallest stride in the other operand. Axes that merge with this axis
    in operand ``k`` are moved with it, so that both passes have long inner loops.
    """
    near = min(range(len(shape)), key=lambda r: (abs(steps[1 - k][r]), -r))
    folded, unit = -1, 1
    if steps[1 - k][near] == size:
        shape, steps, folded = _folded(shape, steps, near, size)
        unit = shape[folded] if folded >= 0 else 1
    own, total = steps[k], prod(shape)
    counts = near_box(shape, (steps[1], *steps), CACHE // size)  # long runs of the source, which are prefetched
    counts = tuple([n if r == folded else count for r, (n, count) in enumerate(zip(shape, counts, strict=True))])
    ranks = [r for r in sorted(range(len(shape)), key=lambda r: -abs(own[r])) if r != folded or folded == near]
    begin = end = ranks.index(near)
    while begin and own[ranks[begin - 1]] == own[ranks[begin]] * shape[ranks[begin]]:
        begin -= 1
    order = [*ranks[:begin], *ranks[end + 1 :], *ranks[begin : end + 1], *([folded] if folded > near else [])]
    buffer = _buffer_steps(counts, order, size, len(ranks) - 1 - end + begin)
    is_far = total * size > CACHE
    sizes = (size, size * unit) if k else (size * unit, size)
    into, into_cost = _pass(counts, buffer, steps[1], sizes[0], -1 if k else folded, (False, is_far))
    out, out_cost = _pass(counts, steps[0], buffer, sizes[1], folded if k else -1, (is_far, False))
    cost = (into_cost + out_cost + BOX) * total / prod(counts)
    return BlockLoops(shape, steps, counts, buffer, (into, out), cost)


def _buffer_steps(counts: tuple[int, ...], order: Sequence[int], size: int, begin: int) -> tuple[int, ...]:
    """Return the strides of a buffer with axes in ``order``.

    The axes from ``begin`` on have no gaps. The larger strides of the axes before are an odd number of cache lines.

    >>> _buffer_steps((128, 512), (1, 0), 8, 1)
    (8, 1088)
    """
    found, step = [0] * len(counts), size
    for k in range(len(order) - 1, -1, -1):
        if k < begin and step >= 4 * LINE:
            step = -(-step // LINE // 2) * 2 * LINE + LINE
        found[order[k]] = step
        step *= counts[order[k]]
    return tuple(found)


def _pass(
    counts: tuple[int, ...],
    into: tuple[int, ...],
    out: tuple[int, ...],
    size: int,
    folded: int,
    are_far: tuple[bool, bool],
) -> tuple[Pass, float]:
    """Return the cheapest loops that copy a box between two arrays, and their cost."""
    order = [r for r in sorted(range(len(counts)), key=lambda r: -abs(into[r])) if r != folded]
    axes = [(counts[r], into[r], out[r]) for r in order]
    best, looped, calls = box_cost(axes, size, 0, 1, are_far), 0, 1
    for k in range(1, len(axes)) if axes and axes[-1][0] < MOST_CALLS else ():
        calls *= axes[-k][0]
        if calls > MOST_CALLS:
            break
        cost = box_cost(axes, size, k, calls, are_far)
        if cost < best:
            best, looped = cost, k
    return Pass(tuple(order), size, looped), best


def move_of(block: StridedBlock, size: int) -> Move:
    """Return the copy of a block of elements of ``size`` bytes by the cheapest loops.

    >>> from mdview.engines.bulk.arrays.strided_blocks import StridedBlock
    >>> move = move_of(StridedBlock((8, 8, 4), (0, 0), ((128, 16, 1), (32, 4, 1))), 4)
    >>> move.nest.shape, move.nest.steps, move.nest.passes
    ((8, 8, 4), ((512, 64, 4), (128, 16, 4)), (Pass(order=(0, 1), size=16, looped=0),))
    """
    steps = tuple([tuple([step * size for step in own]) for own in block.strides])
    return Move(tuple([start * size for start in block.starts]), nest_of(block.shape, steps, size))


@final
class Decision(NamedTuple):
    """The chosen method for a copy, or for a function of several operands.

    Attributes
    ----------
    moves
        The copies of the blocks from the second plan to the first, for a copy in blocks.
    lookup
        The copy by positions; None for any other method.
    blocks
        The blocks for a function of several operands, or None if positions are looked up.
    """

    moves: Sequence[Move] = ()
    lookup: LookupGrid | None = None
    blocks: list[StridedBlock] | None = None


def is_quick(plans: Sequence[Plan]) -> bool:
    """Tell whether a look-up is faster than a search for loops: for few elements, and for more at the first use."""
    first = plans[0]
    is_new = first.size <= SEARCHED and first.positions.decided is None
    first.positions.decided = first.positions.decided or ((), None)
    return is_new or needs_no_search(first)


def needs_no_search(plan: Plan) -> bool:
    """Tell whether the elements of a plan are looked up without a search in all calls, and not only in the first."""
    return 8 * plan.size <= 3 * SEARCHED


def decide(sides: Sequence[Side], sizes: Sequence[int], *, copies: bool) -> Decision:
    """Return the decision for plans with items of these sizes; it is cached in the first plan.

    If ``copies``, there are two plans, target and source; else the last plan may be the plan of a target.
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
    blocks = common_blocks(sides, int(CALLS * CALL / LOOKUP)) if is_possible else None
    is_boxed = size > MOST_WHOLE
    looked_up = 4 * CALL + size * (LOOKUP + is_boxed * BOXED + _store_cost(plans[0]) + sizes[0] * BYTE)
    if not copies:
        tables = sum([plan.strides is None for plan in plans])
        return Decision(blocks=blocks if are_strided or _pass_cost(blocks) < tables * looked_up else None)
    if blocks is not None:
        moves = [move_of(block, sizes[0]) for block in blocks]
        cost = sum([move.nest.cost + CALLS * CALL for move in moves])
        if cost < looked_up + size * _far_cost(blocks[0], sizes[0]):
            return Decision(moves=moves)
    one, other = plans
    return Decision(lookup=LookupGrid(one, other, lookup_counts(plans), sizes[0]))


def _store_cost(plan: Plan) -> float:
    """Return the cost of storing an item that has been looked up, 0 if the look-up itself stores it."""
    if plan.strides is None:
        return 0.0 if plan.size <= MOST_LOOKED_UP and is_dense_plan(plan) else STORE
    return 0.0 if is_dense_plan(plan) else ITEM + LOOP / max((1, *plan.extents[-1:]))


def _far_cost(block: StridedBlock, size: int) -> float:
    """Return the cost of cache misses per item in the source of a block, for a look-up of items in order."""
    loops = [(n, abs(step) * size) for n, step in zip(block.shape, block.strides[1], strict=True)]
    return MISSES[1] * misses(loops, size, is_far=False)


def _pass_cost(blocks: Sequence[StridedBlock] | None) -> float:
    """Return the cost of a function of several operands in blocks; infinity if there are no blocks."""
    each = None if blocks is None else [b.size * PASS / max(b.shape[-1:], default=1) + 2 * CALL for b in blocks]
    return inf if each is None else sum(each)


def near_blocks(block: StridedBlock, sizes: Sequence[int], limit: int) -> Iterator[StridedBlock]:
    """Cut a block into blocks of at most ``limit`` elements that are near each other in the memory of all operands."""
    steps = [tuple([step * size for step in own]) for own, size in zip(block.strides, sizes, strict=True)]
    is_near = block.size * max(sizes) <= CACHE or share_near_axis(block.shape, steps)
    counts = aligned_counts(block.shape, limit) if is_near else near_box(block.shape, steps, CACHE // max(sizes))
    return map(block.part, boxes(block.shape, counts))
