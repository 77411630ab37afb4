"""Nested loops over several operands, with broadcast extents and merged dimensions.

Extents are broadcast: they are aligned at the last dimension, and an extent of 1 repeats. A dimension merges with the
next faster dimension if, in each operand, its stride is the extent times the stride of the faster dimension; this makes
inner loops longer. Operands with bins are visited cell by cell: the extent of one dimension depends on the cell, and
each operand has a base offset for each cell.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from math import prod
from operator import mul, sub
from typing import NamedTuple, final

from mdview.base.strided_sets import chained_ranges, strided_offsets
from mdview.errors import BroadcastError
from mdview.index.extents import digits, shape_text

OperandStrides = tuple[tuple[int, ...], ...]
"""The strides of each operand in the merged dimensions."""

LoopRow = tuple[int, int, list[tuple[int, int]]]
"""A row along the fastest dimension: first position, last position plus 1; first offset and stride of each operand."""


def common_extents(shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return the extents of loops over operands of these ``shapes``, which are broadcast to the result.

    >>> common_extents([(3,), (2, 1), ()])
    (2, 3)
    """
    rank = max(map(len, shapes), default=0)
    common = [1] * rank
    for k, shape in enumerate(shapes):
        for r, extent in enumerate(shape, start=rank - len(shape)):
            if extent != 1 and common[r] not in {1, extent}:
                others = " and ".join([shape_text(s) for s in shapes[:k]])
                raise BroadcastError(
                    f"operand {k} of extents {shape_text(shape)} does not go with {others}: aligned at the right, "
                    f"extents must agree or be 1, and dimension {r - rank} has {extent} and {common[r]}"
                )
            common[r] = common[r] if extent == 1 else int(extent)
    return tuple(common)


def repeated_strides(strides: Sequence[int], extents: Sequence[int], common: Sequence[int]) -> tuple[int, ...]:
    """Return the strides over ``common``, to which ``extents`` are broadcast: 0 in each repeated dimension.

    >>> repeated_strides((1, 9), (4, 1), (2, 4, 3))
    (0, 1, 0)
    """
    new = len(common) - len(extents)
    kept = [0 if e == 1 != common[new + r] else int(s) for r, (e, s) in enumerate(zip(extents, strides, strict=True))]
    return (*((0,) * new), *kept)


@final
class LoopNest(NamedTuple):
    """Nested loops over several operands, repeated for each cell.

    A *position* is the number of an index in the order of the loops, counted over all cells.

    Attributes
    ----------
    extents
        The extents of the merged dimensions, slowest first. In a cell, the extent of ``axis`` is multiplied by the
        count of the cell.
    strides
        The strides of each operand in the merged dimensions.
    axis
        The dimension whose extent depends on the cell.
    counts
        The count of each cell; loops without bins have one cell with count 1.
    bases
        For each operand, the offset of its first element in each cell.
    starts
        The first position of each cell, then the number of all positions.
    """

    extents: tuple[int, ...]
    strides: OperandStrides
    axis: int
    counts: Sequence[int] = (1,)
    bases: Sequence[Sequence[int]] = ()
    starts: Sequence[int] = ()

    def over(self, counts: Sequence[int], bases: Sequence[Sequence[int]]) -> LoopNest:
        """Return the same loops for cells with the given counts and base offsets."""
        size = prod(self.extents)
        starts = [*accumulate([count * size for count in counts], initial=0)]
        return self._replace(counts=counts, bases=bases, starts=starts)

    @property
    def sizes(self) -> list[int]:
        """The number of indices in each cell."""
        return list(map(sub, self.starts[1:], self.starts))

    def extents_of(self, cell: int) -> tuple[int, ...]:
        """Return the extents of the loops in a cell; the extent of ``axis`` is 0 past the last cell."""
        count = self.counts[cell] if cell < len(self.counts) else 0
        return (*self.extents[: self.axis], self.extents[self.axis] * count, *self.extents[self.axis + 1 :])

    def locate(self, position: int) -> tuple[int, tuple[int, ...]]:
        """Return the cell of a position, and its index in the merged dimensions."""
        cell = bisect_right(self.starts, position) - 1
        return cell, digits(position - self.starts[cell], self.extents_of(cell))

    def row(self, position: int) -> LoopRow:
        """Return the row along the fastest dimension that contains a position."""
        cell, index = self.locate(position)
        start = position - index[-1]
        firsts = [b[cell] + sum(map(mul, s[:-1], index)) for b, s in zip(self.bases, self.strides, strict=True)]
        return start, start + self.extents_of(cell)[-1], [(f, s[-1]) for f, s in zip(firsts, self.strides, strict=True)]

    def offsets(self, k: int, position: int) -> Iterator[int]:
        """Return an iterator over the offsets of operand ``k`` from a position to the end."""
        cell, coordinates = self.locate(position)
        strides, bases = self.strides[k], self.bases[k]
        if cell == len(self.counts):
            return iter(())
        here = offsets_from(coordinates, self.extents_of(cell), strides, bases[cell])
        if cell + 1 == len(self.counts):
            return here
        before, length, after = self.extents[: self.axis], self.extents[self.axis], self.extents[self.axis + 1 :]
        rest = zip(self.counts[cell + 1 :], bases[cell + 1 :], strict=True)
        return chain(
            here, chain.from_iterable(chained_ranges((*before, length * n, *after), strides, base) for n, base in rest)
        )


def merged_loops(
    extents: Sequence[int], strides: Sequence[Sequence[int]], axis: int | None = None, *, keeps_repeats: bool = False
) -> LoopNest:
    """Return the loops over ``extents``, merged where all operands allow it; no outer loop merges into ``axis``.

    ``keeps_repeats`` keeps dimensions of stride 0 and of extent 1, as scipp does for one operand: they show that
    elements repeat.

    >>> merged_loops((2, 3, 4), [(12, 4, 1), (0, 0, 0)])[:3]
    ((24,), ((1,), (0,)), 0)
    >>> merged_loops((2, 1, 4), [(40, 4, 1)], axis=1)[:3]
    ((2, 4), ((40, 1),), 1)
    >>> merged_loops((5, 2, 3), [(0, 3, 1)], keeps_repeats=True)[:2]
    ((5, 6), ((0, 1),))
    """
    if 0 in extents and not keeps_repeats:
        return LoopNest((0,), tuple([(0,) for _ in strides]), 0)
    kept: list[tuple[int, tuple[int, ...]]] = []
    position = None
    for r, (extent, *columns_of_row) in enumerate(zip(extents, *strides, strict=True)):
        steps = tuple(columns_of_row)
        moves = not keeps_repeats or (kept and any(kept[-1][1]))
        if r == axis:
            position = len(kept)
            kept.append((1, steps))
        elif kept and moves and kept[-1][1] == tuple([extent * s for s in steps]):
            kept[-1] = (kept[-1][0] * extent, steps)
        elif keeps_repeats or extent != 1:
            kept.append((int(extent), steps))
    kept = kept or [(1, (0,) * len(strides))]
    columns = tuple([tuple([steps[k] for _, steps in kept]) for k in range(len(strides))])
    return LoopNest(tuple([e for e, _ in kept]), columns, len(kept) - 1 if position is None else position)


def offsets_from(start: Sequence[int], extents: Sequence[int], strides: Sequence[int], origin: int) -> Iterator[int]:
    """Return the offsets from index ``start`` on: the rest of its row, then the rest of its plane, and so on.

    >>> list(offsets_from((0, 1), (2, 3), (10, 1), 0))
    [1, 2, 10, 11, 12]
    """
    if not any(start):
        return strided_offsets(extents, strides, origin)
    last = len(extents) - 1
    parts: list[Iterator[int]] = []
    for d in range(last, -1, -1):
        first = start[d] + (d < last)
        offset = origin + sum(map(mul, strides, (*start[:d], first)))
        parts.append(chained_ranges((extents[d] - first, *extents[d + 1 :]), strides[d:], offset))
    return chain.from_iterable(parts)
