"""Cuts of an index space into boxes, and into blocks in which all operands are strided.

A *box* has a range of indices along each dimension. In a *block* all operands are strided. Along one dimension, the
offsets of a tiled layout are runs of a constant stride, and the first offsets of the runs are such a sequence again. So
an index is split into *digits*, one for each level; the offset is linear in each digit, and ragged ends are separate
blocks. The periods of the bases of a plan are the place values of the digits, so any layout that repeats has blocks,
including a user's layout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from math import prod
from operator import mul, sub
from typing import Any, Final, NamedTuple, TypeAlias, cast, final

import numpy as np

from mdview.engines.bulk.arrays.item_arrays import row_array
from mdview.engines.mapping_plan import Plan
from mdview.engines.offset_tables import AxisOffsets, TablePart

BlockDigit: TypeAlias = tuple[int, tuple[int, ...]]
"""The number of values of a digit of an index, and the stride along the digit in each operand."""
Segment: TypeAlias = tuple[tuple[int, ...], tuple[BlockDigit, ...]]
"""A part of one dimension: the offset of its first index in each operand, and its digits, the slowest first."""
Cut: TypeAlias = tuple[int, list[tuple[int, int]]]
"""The first index of a segment, and its digits: the number of values and the place value of each."""
Cuts: TypeAlias = tuple[Sequence[AxisOffsets], Sequence[int], list[Cut]]
"""The axes of one dimension in all operands, an offset to add for each operand, and the cuts."""

MOST_DIGITS: Final = 12
Array = np.ndarray[Any, np.dtype[Any]]  # Any: items of any format


@final
class IndexBox(NamedTuple):
    """A box of indices: ``counts[r]`` indices from ``first[r]`` on along dimension ``r``."""

    first: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of indices."""
        return prod(self.counts)

    @property
    def key(self) -> tuple[slice, ...]:
        """The key of the box for an array over all indices."""
        return tuple([slice(first, first + n) for first, n in zip(self.first, self.counts, strict=True)])


def aligned_boxes(extents: tuple[int, ...], limit: int) -> Iterator[IndexBox]:
    """Cut extents into boxes of at most ``limit`` indices (at least one); each box is a run in index order.

    >>> [(box.first, box.counts) for box in aligned_boxes((2, 5), 3)]
    [((0, 0), (1, 3)), ((0, 3), (1, 2)), ((1, 0), (1, 3)), ((1, 3), (1, 2))]
    """
    return boxes(extents, aligned_counts(extents, limit))


def aligned_counts(extents: tuple[int, ...], limit: int) -> tuple[int, ...]:
    """Return the extents of boxes of at most ``limit`` indices (at least one); each box is a run in index order."""
    counts = []
    for n in reversed(extents):
        counts.append(max(1, min(n, limit)))
        limit //= max(1, n)
    return tuple(reversed(counts))


def boxes(extents: tuple[int, ...], counts: tuple[int, ...]) -> Iterator[IndexBox]:
    """Cut extents into boxes with these counts, and smaller boxes at the ends, in index order."""
    if counts == extents:
        yield IndexBox((0,) * len(extents), extents)
        return
    for first in product(*map(range, [0] * len(extents), extents, counts)):
        yield IndexBox(first, tuple(map(min, counts, map(sub, extents, first))))


def reach(axis: AxisOffsets, count: int) -> int:
    """Return the distance in memory between index 0 and index ``count`` along an axis."""
    if isinstance(axis, int):
        return abs(axis * count)
    return abs(axis.at(min(count, axis.count - 1)) - axis.at(0))


def near_box(
    extents: tuple[int, ...], sides: Sequence[Sequence[AxisOffsets]], limit: int, longest: int = 0
) -> tuple[int, ...]:
    """Return the extents of a box of about ``limit`` indices whose elements are near each other in all operands.

    ``sides`` contains the axes of each operand. For each operand in turn, the box grows along the axis with the
    smallest distance in memory; it first grows along these axes up to ``longest`` indices.

    >>> near_box((1000, 1000), ((1000, 1), (1, 1000)), 4096), near_box((1000, 1000), ((1000, 1), (1000, 1)), 4096)
    ((63, 63), (4, 1000))
    """
    counts = grown_box(extents, sides, limit, longest)
    parts = [-(-n // count) for n, count in zip(extents, counts, strict=True)]
    return tuple([-(-n // k) for n, k in zip(extents, parts, strict=True)])


def grown_box(
    extents: tuple[int, ...], sides: Sequence[Sequence[AxisOffsets]], limit: int, longest: int = 0
) -> list[int]:
    """Return the extents of the box of `near_box` before it is trimmed: powers of two or whole extents."""
    counts, total = [1] * len(extents), 1
    far = [[reach(axis, 1) for axis in axes] for axes in sides]
    long = [r for r, n in enumerate(extents) if n > 1]
    nearest = {min(long, key=own.__getitem__) for own in far} if long and longest else set()
    rest = max(extents, default=1), limit // 2 if longest else limit
    for axes, most, size in ((nearest, longest, limit), (long, *rest)):
        growing = [r for r in axes if counts[r] < min(extents[r], most)]
        while growing and 2 * total <= size:
            for own in far:
                r = min(growing, key=own.__getitem__)
                total = total // counts[r] * min(2 * counts[r], extents[r])
                counts[r] = min(2 * counts[r], extents[r])
                for others, its in zip(sides, far, strict=True):
                    its[r] = reach(others[r], counts[r])
                if counts[r] >= min(extents[r], most):
                    growing.remove(r)
                if not growing or 2 * total > size:
                    break
    return counts


@final
class StridedBlock(NamedTuple):
    """A strided array for each operand, all of the same shape.

    Attributes
    ----------
    shape
        Extents of the arrays; the strides of the first operand never increase from left to right.
    starts
        Position of the first element in the items of each operand.
    strides
        Strides of each operand, in elements.
    """

    shape: tuple[int, ...]
    starts: tuple[int, ...]
    strides: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    def part(self, box: IndexBox) -> StridedBlock:
        """Return the part of the block in a box of its indices."""
        each = zip(self.starts, self.strides, strict=True)
        starts = tuple([start + sum(map(mul, box.first, steps)) for start, steps in each])
        return StridedBlock(box.counts, starts, self.strides)

    def of(self, k: int, row: Array) -> Array:
        """Return the array of operand ``k`` over its items; NumPy checks its bounds."""
        size = row.itemsize
        return row_array(row, self.shape, self.starts[k] * size, tuple([step * size for step in self.strides[k]]))


def common_blocks(operands: Sequence[tuple[Plan, int]], least: int = 1) -> list[StridedBlock] | None:
    """Return blocks that partition the indices of plans of equal extents, each given with its origin.

    The result is None if a plan has no axes, or if blocks would have fewer than ``least`` indices on average.

    >>> from mdview import LayoutTiled, Mapping
    >>> from mdview.engines.mapping_plan import plan_of
    >>> tiled = plan_of(Mapping((400, 500), LayoutTiled(20, 400)))
    >>> [(block.shape, block.starts) for block in common_blocks(((tiled, 0),))]
    [((20, 8000), (0,)), ((20, 20, 100), (8000,))]
    """
    first = operands[0][0]
    extents, size = first.extents, first.size
    starts = [plan.start + origin for plan, origin in operands]
    strides = [plan.strides for plan, _ in operands]
    if None not in strides:
        return [merged_block([*zip(extents, zip(*cast("Any", strides), strict=True), strict=True)], starts)]
    found_cuts: list[Cuts] = []
    most = max(1, size // least)
    for r, count in enumerate(extents):
        along = [plan.axes[r] for plan, _ in operands if plan.axes is not None]
        cuts = _cuts(along, count, most) if len(along) == len(operands) else None
        if cuts is None:
            return None
        found_cuts.append(cuts)
        most //= len(cuts[2])
    parts = [_segments(*cuts) for cuts in found_cuts]
    found = [_block(chosen, starts) for chosen in product(*parts)]
    return found if all(len(block.shape) <= MOST_DIGITS for block in found) else None


def _cuts(along: Sequence[AxisOffsets], count: int, most: int) -> Cuts | None:
    """Cut a dimension at the carries of its digits; None if there are no common periods, or more than ``most`` cuts.

    If the first table has the step -1, all axes are reversed.
    """
    bases = [axis for axis in along if isinstance(axis, TablePart)]
    ends = [0] * len(along)
    if bases and bases[0].step == -1:
        ends = [a * (count - 1) if isinstance(a, int) else 0 for a in along]
        along = [-a if isinstance(a, int) else TablePart(a.base, a.first - count + 1, -a.step, count) for a in along]
        bases = [axis for axis in along if isinstance(axis, TablePart)]
    periods: set[int] = set()
    for part in bases:
        own = part.base.periods()
        if own is None or part.step != 1:
            return None
        periods.update(own)
    places = sorted(periods)
    phases = {part.first % places[-1] for part in bases}
    if len(phases) > 1 or any(b % a for a, b in pairwise(places)):
        return None
    cuts = _cut(phases.pop() if phases else 0, count, places, most)
    return None if cuts is None else (along, ends, cuts)


def _segments(along: Sequence[AxisOffsets], ends: Sequence[int], cuts: Sequence[Cut]) -> list[Segment]:
    """Return the segments of one dimension: offsets of their first indices, and the strides of their digits."""
    return [
        (
            tuple([end + _at(a, first) for a, end in zip(along, ends, strict=True)]),
            tuple([(n, tuple([_step(a, q) for a in along])) for n, q in digits]),
        )
        for first, digits in cuts
    ]


def _at(axis: AxisOffsets, index: int) -> int:
    return axis * index if isinstance(axis, int) else axis.base.offsets[axis.first + index]


def _step(axis: AxisOffsets, place: int) -> int:
    """Return the stride of a digit with place value ``place`` along an axis; 0 if the digit has one value."""
    if isinstance(axis, int):
        return axis * place
    return axis.base.offsets[place] if place < len(axis.base.offsets) else 0


def _cut(first: int, count: int, places: Sequence[int], most: int) -> list[Cut] | None:
    """Cut ``count`` indices from ``first`` on at the carries of mixed-radix digits; None for more than ``most`` cuts.

    A cut consists of its first index, counted from ``first``, and its digits.

    >>> _cut(3, 10, (4,), 3)
    [(0, [(1, 1)]), (1, [(2, 4), (4, 1)]), (9, [(1, 1)])]
    """
    if not places:
        return [(0, [(count, 1)])]
    *lower, top = places
    head = min(-first % top, count)
    whole, tail = divmod(count - head, top)
    if (head > 0) + (whole > 0) + (tail > 0) > most:
        return None
    before = _cut(first % top, head, lower, most) if head else []
    after = _cut(0, tail, lower, most) if tail else []
    if before is None or after is None or len(before) + (whole > 0) + len(after) > most:
        return None
    inner = [(b // a, a) for a, b in pairwise([1, *places])]
    middle = [(head, [(whole, top), *reversed(inner)])] if whole else []
    return before + middle + [(head + whole * top + k, digits) for k, digits in after]


def _block(chosen: Sequence[Segment], starts: Sequence[int]) -> StridedBlock:
    """Return the block that consists of one segment along each dimension."""
    places = [start + sum([firsts[k] for firsts, _ in chosen]) for k, start in enumerate(starts)]
    return merged_block([digit for _, digits in chosen for digit in digits], places)


def merged_block(digits: Sequence[BlockDigit], starts: Sequence[int]) -> StridedBlock:
    """Return the block of ``digits`` with as few dimensions as possible.

    The strides of the first operand become positive and are sorted.

    >>> merged_block([(2, (-6, 6)), (3, (2, 2)), (1, (9, 9))], (6, 0))
    StridedBlock(shape=(2, 3), starts=(0, 6), strides=((6, 2), (-6, 2)))
    >>> merged_block([(2, (6, 12)), (3, (2, 4))], (0, 1))
    StridedBlock(shape=(6,), starts=(0, 1), strides=((2,), (4,)))
    """
    places = list(starts)
    turned: list[tuple[tuple[int, ...], int]] = []
    for count, steps in digits:
        if count > 1 and steps[0] < 0:
            places = [p + (count - 1) * s for p, s in zip(places, steps, strict=True)]
            turned.append((tuple([-s for s in steps]), count))
        elif count > 1:
            turned.append((steps, count))
    merged: list[BlockDigit] = []
    for steps, count in sorted(turned, reverse=True):
        outer, outer_steps = merged[-1] if merged else (0, ())
        if outer_steps == tuple([count * s for s in steps]) and merged:
            merged[-1] = outer * count, steps
        else:
            merged.append((count, steps))
    shape = tuple([count for count, _ in merged])
    strides = tuple([tuple([steps[k] for _, steps in merged]) for k in range(len(places))])
    return StridedBlock(shape, tuple(places), strides)
