"""Strided blocks: the parts of a box of indices in each of which several mappings are strided at once.

Along one dimension a tiled layout repeats: runs of one step, whose beginnings are again such a sequence. So an index is
a number of *digits*, one per level, in each of which the offset is linear, and ragged ends are blocks of their own. The
per-axis tables show it, so every layout that repeats is found out, a user's own and slices of tiled ones as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

import numpy as np

from mdview.base.caches import remembered_by_value
from mdview.base.values import value
from mdview.engines.bulk.arrays.items import strided
from mdview.engines.bulk.arrays.tables import AxisTable, axis_tables
from mdview.engines.bulk.boxes import Box
from mdview.engines.bulk.operand import AnyMapping

if TYPE_CHECKING:
    from numpy.typing import NDArray

Digit: TypeAlias = tuple[int, tuple[int, ...]]
"""How many values an index digit has, and the step of each mapping from one to the next."""
Segment: TypeAlias = tuple[int, tuple[Digit, ...]]
"""A part of one dimension: its first index, counted from the box, and its digits, slowest first."""

MOST_DIGITS: Final = 12
MOST_SEGMENTS: Final = 8
SMALLEST: Final = 256
"""How many elements a block has on average at least; smaller ones cost more than looking each offset up."""
SHORTEST_RUN: Final = 4
"""How long the innermost dimension of most blocks is at least; loops over fewer elements cost more than lookups."""


@final
@value
class Block:
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

    def of(self, k: int, row: NDArray[Any]) -> NDArray[Any]:
        """Array of mapping ``k`` over its items; NumPy checks that it stays within them."""
        return strided(row, self.shape, self.starts[k], self.strides[k])


@remembered_by_value(64)
def common_blocks(operands: tuple[tuple[AnyMapping, int], ...], box: Box) -> list[Block] | None:
    """Blocks that together are ``box``, for mappings of equal extents, each with the origin of its items.

    None where one of them has no per-axis tables, or the blocks would be too small to pay.

    >>> from mdview import LayoutTiled, Mapping
    >>> from mdview.engines.bulk.arrays.boxes import whole
    >>> tiled = Mapping((40, 50), LayoutTiled(20, 40))
    >>> [(block.shape, block.starts) for block in common_blocks(((tiled, 0),), whole((40, 50)))]
    [((2, 800), (0,)), ((2, 20, 10), (800,))]
    """
    found = [axis_tables(mapping, box) for mapping, _ in operands]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    starts = tuple([start + origin for (start, _), (_, origin) in zip(known, operands, strict=True)])
    parts: list[list[Segment]] = []
    for r, count in enumerate(box.counts):
        segments = _segments([tables[r] for _, tables in known], count)
        if segments is None:
            return None
        parts.append(segments)
    if SMALLEST * prod(map(len, parts)) > box.size and prod(map(len, parts)) > 1:
        return None
    found_blocks = [_block(chosen, starts, [tables for _, tables in known]) for chosen in product(*parts)]
    long = sum([block.size for block in found_blocks if not block.shape or block.shape[-1] >= SHORTEST_RUN])
    return found_blocks if 2 * long >= box.size and all(len(b.shape) <= MOST_DIGITS for b in found_blocks) else None


def _segments(along: Sequence[AxisTable], count: int) -> list[Segment] | None:
    """Segments of one dimension with these tables; None where nothing repeats."""
    if all(isinstance(table, int) for table in along):
        return [(0, ((count, tuple([int(table) for table in along])),))]
    axis = np.arange(count, dtype=np.int64)
    return _split(np.stack([axis * table if isinstance(table, int) else table for table in along]))


def _split(table: NDArray[np.int64]) -> list[Segment] | None:
    """Segments of a table of offsets, one row a mapping."""
    count = table.shape[1]
    steps = np.diff(table)
    if count == 1:
        return [(0, ())]
    usual = np.array([_most_common(row) for row in steps])
    jumps = np.flatnonzero((steps != usual[:, None]).any(axis=0)) + 1
    starts = np.concatenate(([0], jumps))
    lengths = np.diff(np.append(starts, count))
    digit = tuple(usual.tolist())
    # A first and a last run may be cut short; those between must be equally long to be one digit and its tiles.
    period = int(lengths[1:-1].max(initial=0)) or int(lengths.max())
    whole_runs = lengths == period
    if period == 1 or not whole_runs[1:-1].all():
        return None
    segments: list[Segment] = []
    tiles = starts[whole_runs]
    for first, outer in (_split(table[:, tiles]) or [(k, ()) for k in range(len(tiles))]) if len(tiles) else []:
        segments.append((int(tiles[first]), (*outer, (period, digit))))
    ends = [(int(s), ((int(n), digit),)) for s, n in zip(starts, lengths, strict=True) if n != period]
    segments = sorted([*segments, *ends])
    return segments if len(segments) <= MOST_SEGMENTS else None


def _most_common(steps: NDArray[np.int64]) -> np.int64:
    values, counts = np.unique(steps, return_counts=True)
    found: np.int64 = values[counts.argmax()]
    return found


def _block(chosen: Sequence[Segment], starts: Sequence[int], tables: Sequence[Sequence[AxisTable]]) -> Block:
    """Block of one segment along each dimension."""
    firsts = [first for first, _ in chosen]
    places = tuple(
        [
            start + sum([_at(table, first) for table, first in zip(mine, firsts, strict=True)])
            for start, mine in zip(starts, tables, strict=True)
        ]
    )
    return simplified([digit for _, digits in chosen for digit in digits], places)


def _at(table: AxisTable, first: int) -> int:
    return first * table if isinstance(table, int) else int(table[first])


def simplified(digits: Sequence[Digit], starts: Sequence[int]) -> Block:
    """Block of ``digits`` with as few dimensions as can be, the first mapping's steps positive and falling.

    >>> simplified([(2, (-6, 6)), (3, (2, 2)), (1, (9, 9))], (6, 0))
    Block(shape=(2, 3), starts=(0, 6), strides=((6, 2), (-6, 2)))
    >>> simplified([(2, (6, 12)), (3, (2, 4))], (0, 1))
    Block(shape=(6,), starts=(0, 1), strides=((2,), (4,)))
    """
    places = list(starts)
    turned: list[Digit] = []
    for count, steps in digits:
        if count > 1 and steps[0] < 0:
            places = [p + (count - 1) * s for p, s in zip(places, steps, strict=True)]
            turned.append((count, tuple([-s for s in steps])))
        elif count > 1:
            turned.append((count, steps))
    merged: list[Digit] = []
    for count, steps in sorted(turned, key=lambda digit: digit[1], reverse=True):
        outer, outer_steps = merged[-1] if merged else (0, ())
        if merged and all(s == count * t for s, t in zip(outer_steps, steps, strict=True)):
            merged[-1] = outer * count, steps
        else:
            merged.append((count, steps))
    shape = tuple([count for count, _ in merged])
    strides = tuple([tuple([steps[k] for _, steps in merged]) for k in range(len(places))])
    return Block(shape, tuple(places), strides)


def parts(block: Block, limit: int) -> Iterator[Block]:
    """Cut a block into blocks of at most ``limit`` elements along its slow dimensions."""
    if block.size <= limit:
        yield block
        return
    r = next(r for r in range(len(block.shape)) if prod(block.shape[r + 1 :]) <= limit)
    step = max(1, limit // prod(block.shape[r + 1 :]))
    for outer in np.ndindex(*block.shape[:r]):
        for begin in range(0, block.shape[r], step):
            index = (*outer, begin)
            starts = [
                start + sum([i * s for i, s in zip(index, steps, strict=False)])
                for start, steps in zip(block.starts, block.strides, strict=True)
            ]
            shape = (min(step, block.shape[r] - begin), *block.shape[r + 1 :])
            yield Block(shape, tuple(starts), tuple([steps[r:] for steps in block.strides]))
