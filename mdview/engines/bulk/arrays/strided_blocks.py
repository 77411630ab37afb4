"""Boxes of indices, blocks in which all mappings are strided, and copies of these in an order that suits the caches.

A box is cut into boxes, each a run of indices in index order, for what is looked up. A block serves all operands.
Along one dimension a tiled layout repeats: runs of one step, whose beginnings are again such a sequence. So an index is
a number of *digits*, one per level, in each of which the offset is linear, and ragged ends are blocks of their own. The
periods of a plan's bases are the places of the digits, so every layout that repeats has blocks, a user's own as well.

NumPy copies in the order of the target. That is right but in two cases. Short runs that both sides have in common are
copied as items of the run's size, one instruction stream for each instead of one loop. A transposition reads with a
large stride, and where that is a power of two all of it meets in a few cache sets; so a panel of source rows goes into
a small buffer whose rows are a few items longer, and the panel's columns are written from there. Several threads take
parts of a large copy in turn.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise, product
from math import prod
from operator import mul
from typing import Any, Final, NamedTuple, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from mdview.engines.bulk.arrays.item_arrays import row_array
from mdview.engines.mapping_plan import Plan
from mdview.engines.offset_tables import AxisOffsets, TablePart

BlockDigit: TypeAlias = tuple[int, tuple[int, ...]]
"""How many values an index digit has, and the step of each mapping from one to the next."""
Segment: TypeAlias = tuple[tuple[int, ...], tuple[BlockDigit, ...]]
"""A part of one dimension: the offset of its first index in each mapping, and its digits, slowest first."""
Cut: TypeAlias = tuple[int, list[tuple[int, int]]]
"""The first index of a segment, and its digits: how many values each has, and how many indices one more is."""
Cuts: TypeAlias = tuple[Sequence[AxisOffsets], Sequence[int], list[Cut]]
"""Axes of one dimension, the offset of index 0 in each, and the cuts."""

MOST_DIGITS: Final = 12
SMALLEST: Final = 4096
"""How many elements a block has on average at least; smaller ones cost more than looking each offset up."""
SHORTEST_RUN: Final = 4
"""How long the innermost dimension of most blocks is at least; loops over fewer elements cost more than lookups."""
PANEL_ROWS: Final = 128
PANEL_LENGTH: Final = 8192
PANEL_PADDING: Final = 8
"""Shape of the buffer of a transposition: 8 MB of 64-bit numbers at most."""
LONGEST_RUN: Final = 4096
"""Bytes of a common run up to which it is copied as one item; a loop over a longer one costs nothing."""
TRANSPOSED_FROM: Final = 1 << 15
"""Elements from which a plane is transposed by panels; smaller ones stay in the caches."""
WIDEST_ITEM: Final = 32
"""Bytes of an item up to which panels pay; wider ones are runs that caches like as they are."""
STEP: Final = 1 << 25
"""How many elements are copied between two reports of progress."""
THREADED_FROM: Final = 1 << 25
"""Bytes from which it pays to start threads; that takes as long as copying some millions."""
PARTS_OF_A_THREAD: Final = 4
"""How many parts each thread has of a copy, so that one that is held up leaves some to the others."""

Array = NDArray[Any]  # Any: of whatever format the items are; both sides have the same


@final
class IndexBox(NamedTuple):
    """Indices from ``first`` on, as many along each dimension as ``counts`` says."""

    first: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def size(self) -> int:
        """Count the indices."""
        return prod(self.counts)


def aligned_boxes(extents: tuple[int, ...], limit: int) -> Iterator[IndexBox]:
    """Cut all indices into boxes of about ``limit`` of them (one at least), each one a run in index order.

    >>> [(box.first, box.counts) for box in aligned_boxes((2, 5), 3)]
    [((0, 0), (1, 3)), ((0, 3), (1, 2)), ((1, 0), (1, 3)), ((1, 3), (1, 2))]
    """
    if prod(extents) <= limit:
        yield IndexBox((0,) * len(extents), extents)
        return
    cut = next(r for r in range(len(extents)) if prod(extents[r + 1 :]) <= limit)
    step, rest = max(1, limit // prod(extents[cut + 1 :])), extents[cut + 1 :]
    for prefix in product(*map(range, extents[:cut])):
        for start in range(0, extents[cut], step):
            first = (*prefix, start, *((0,) * len(rest)))
            yield IndexBox(first, (*((1,) * cut), min(step, extents[cut] - start), *rest))


@final
class StridedBlock(NamedTuple):
    """One strided array per mapping, all of one shape.

    Attributes
    ----------
    shape
        Extents of the arrays; the first mapping's strides never grow from left to right.
    starts
        Position of the first element in each mapping's items.
    strides
        Steps of each mapping, in elements.
    """

    shape: tuple[int, ...]
    starts: tuple[int, ...]
    strides: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        """Count the elements."""
        return prod(self.shape)

    def of(self, k: int, row: Array) -> Array:
        """Array of mapping ``k`` over its items; NumPy checks that it stays within them."""
        size = row.itemsize
        return row_array(row, self.shape, self.starts[k] * size, tuple([step * size for step in self.strides[k]]))


def common_blocks(operands: Sequence[tuple[Plan, int]]) -> list[StridedBlock] | None:
    """Blocks that together are all indices, for plans of equal extents, each with the origin of its items.

    None where one of them has no axes, or the blocks would be too small to pay.

    >>> from mdview import LayoutTiled, Mapping
    >>> from mdview.engines.mapping_plan import plan_of
    >>> tiled = plan_of(Mapping((400, 500), LayoutTiled(20, 400)))
    >>> [(block.shape, block.starts) for block in common_blocks(((tiled, 0),))]
    [((20, 8000), (0,)), ((20, 20, 100), (8000,))]
    """
    first = operands[0][0]
    extents, size = first.extents, first.size
    starts = [plan.start + origin for plan, origin in operands]
    found_cuts: list[Cuts] = []
    most = max(1, size // SMALLEST)
    for r, count in enumerate(extents):
        along = [plan.axes[r] for plan, _ in operands if plan.axes is not None]
        cuts = _cuts(along, count, most) if len(along) == len(operands) else None
        if cuts is None:
            return None
        found_cuts.append(cuts)
        most //= len(cuts[2])
    parts = [_segments(*cuts) for cuts in found_cuts]
    found = [_block(chosen, starts) for chosen in product(*parts)]
    long = sum([block.size for block in found if not block.shape or block.shape[-1] >= SHORTEST_RUN])
    return found if 2 * long >= size and all(len(b.shape) <= MOST_DIGITS for b in found) else None


def _cuts(along: Sequence[AxisOffsets], count: int, most: int) -> Cuts | None:
    """Cut a dimension where digits carry; None where nothing repeats, or there are more cuts than ``most``.

    Axes of which the first table runs backwards are turned.
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
    """Segments of one dimension: offsets of their first indices, and the steps of their digits."""
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
    """Step of a digit that counts so many indices; 0 where there are no two of them."""
    if isinstance(axis, int):
        return axis * place
    return axis.base.offsets[place] if place < len(axis.base.offsets) else 0


def _cut(first: int, count: int, places: Sequence[int], most: int) -> list[Cut] | None:
    """Cut indices from ``first`` on where digits of these places carry: the first of each cut, and its digits.

    None where there are more cuts than ``most``.

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
    """Block of one segment along each dimension."""
    places = [start + sum([firsts[k] for firsts, _ in chosen]) for k, start in enumerate(starts)]
    return merged_block([digit for _, digits in chosen for digit in digits], places)


def merged_block(digits: Sequence[BlockDigit], starts: Sequence[int]) -> StridedBlock:
    """Block of ``digits`` with as few dimensions as can be, the first mapping's steps positive and falling.

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


def split_block(block: StridedBlock, limit: int) -> Iterator[StridedBlock]:
    """Cut a block into blocks of at most ``limit`` elements along its slow dimensions."""
    if block.size <= limit:
        yield block
        return
    for first, counts in aligned_boxes(block.shape, limit):
        each = zip(block.starts, block.strides, strict=True)
        starts = tuple([start + sum(map(mul, first, steps)) for start, steps in each])
        yield StridedBlock(counts, starts, block.strides)


def copy_blocks(
    source: Array, target: Array, blocks: list[StridedBlock], done: Callable[[int], None], threads: int = 1
) -> None:
    """Copy blocks from row ``source``, the second array of each, to row ``target``, the first; no memory is shared."""
    size, count = target.itemsize, sum([block.size for block in blocks])
    # More threads than processors, or than parts that pay, only wait for each other.
    if threads > 1:
        threads = min(threads, os.cpu_count() or 1, 1 + 4 * count * size // THREADED_FROM)
    threads = threads if count * size >= THREADED_FROM else 1

    def copied(part: StridedBlock) -> int:
        copy_array(part.of(1, source), part.of(0, target))
        return part.size

    limit = STEP if threads == 1 else max(1, min(STEP, count // (PARTS_OF_A_THREAD * threads)))
    work = chain.from_iterable([split_block(block, limit) for block in blocks])
    if threads == 1:
        for each in map(copied, work):
            done(each)
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - for several threads only

    with ThreadPoolExecutor(threads) as pool:
        for each in pool.map(copied, work):
            done(each)


def copy_array(source: Array, target: Array) -> None:
    """Copy between arrays of one shape and type; the target's strides are positive and fall from left to right."""
    source, target = _joined(source, target)
    last = target.ndim - 1
    fast = _fastest(source) if target.size >= TRANSPOSED_FROM else last
    if fast == last or target.itemsize > WIDEST_ITEM or target.shape[last] * target.shape[fast] < TRANSPOSED_FROM:
        np.copyto(target, source)
        return
    # The two fast dimensions come last, the target's own at the very end.
    planes, into = np.moveaxis(source, fast, -2), np.moveaxis(target, fast, -2)
    buffer = np.empty((PANEL_ROWS, min(into.shape[-2], PANEL_LENGTH) + PANEL_PADDING), target.dtype)
    for index in np.ndindex(*into.shape[:-2]):
        _transpose(planes[index], into[index], buffer)


def _transpose(source: Array, target: Array, buffer: Array) -> None:
    """Copy a plane whose rows are near in the target and whose columns are near in the source."""
    length, rows = target.shape
    for start in range(0, length, PANEL_LENGTH):
        for row in range(0, rows, PANEL_ROWS):
            part = np.s_[start : start + PANEL_LENGTH, row : row + PANEL_ROWS]
            columns = source[part]
            panel = buffer[: columns.shape[1], : columns.shape[0]]
            np.copyto(panel, columns.T)
            np.copyto(target[part], panel.T)


def _joined(source: Array, target: Array) -> tuple[Array, Array]:
    """Return the same arrays with a common run of items along the last dimension read as one item."""
    size = target.itemsize
    if target.ndim < 2 or target.strides[-1] != size or source.strides[-1] != size:  # noqa: PLR2004 - a run of many
        return source, target
    run = target.shape[-1] * size
    if run > LONGEST_RUN:
        return source, target
    return source.view(f"V{run}")[..., 0], target.view(f"V{run}")[..., 0]


def _fastest(array: Array) -> int:
    """Dimension of the smallest step; -1 for a single element."""
    return min(range(array.ndim), key=lambda d: abs(array.strides[d]), default=-1)
