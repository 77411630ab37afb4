"""Conflicts of parallel writers: proofs that no two writers share a tile, chunk or shard, and aligned chunks.

A *unit* is the smallest part that a store writes as a whole: a tile, a chunk, a shard. A writer of some elements of a
unit reads the unit, changes it and writes it back. If two writers do so at the same time, the changes of one writer may
be lost, even if they store to different elements. `mdview.interop.write_units` has the units, and the positions of
indices among them. No array library is imported: arrays are recognised by ``shape``, ``chunks`` and ``shards``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from math import gcd, lcm
from typing import Any, Protocol, TypeAlias, final

from mdview.base import answer_calls, as_text, brief, value
from mdview.errors import ExtentsError, OperandError, ShapeError
from mdview.index.extents import shape_text
from mdview.interop.write_units import ChunkGrid, PlaceRanges, Store, Unit, range_within, sizes_of, store_of
from mdview.views.view_base import ViewBase

IndexTuple: TypeAlias = tuple[int, ...]
Chunks: TypeAlias = tuple[tuple[int, ...], ...]
"""The sizes of the chunks along each dimension, as ``chunks`` of a dask array."""
Writes: TypeAlias = "Iterable[Any] | Mapping[Any, Any]"
"""The parts of each writer. ``Any`` stands for keys as for brackets, lists of keys, and dask arrays."""

__all__ = ["Conflict", "aligned", "conflicts"]


@final
@value
class Conflict:
    """Two writers that store to one unit.

    Attributes
    ----------
    first, second
        The writers: their positions in the list, their names in the mapping, or the block numbers of chunks.
    unit
        The number of the unit along each dimension of the store, or of the whole store if the argument is a slice.
    index
        An index of the store in that unit, to which the first writer stores.
    box
        The indices of the store in that unit, from ``start`` up to ``stop`` along each dimension.
    kind
        The kind of the unit: ``"tile"``, ``"chunk"``, ``"shard"``, ``"element"``, or ``"unit"`` for an explicit unit.
    """

    first: object
    second: object
    unit: IndexTuple
    index: IndexTuple
    box: tuple[tuple[int, int], ...] = ()
    kind: str = "unit"

    def __str__(self) -> str:
        """Return a message about the two writers and the shared unit, with a hint."""
        who = f"writers {brief(self.first)} and {brief(self.second)} both store to {self.kind} {self.unit}"
        if self.kind == "element":
            return f"{who} of the store"
        box = ", ".join([f"{a}:{z}" for a, z in self.box])
        return (
            f"{who}, [{box}] of the store: each reads all of it and writes all of it back, so that one may undo what "
            f"the other has stored, index {self.index} for instance; aligned(...) proposes chunks that share no "
            f"{self.kind}"
        )


@answer_calls
def conflicts(writes: Writes, store: object, *, unit: Unit = None, region: object = ...) -> Conflict | None:
    """Return two writers that store to the same unit of ``store``, or None if there are no two such writers.

    A unit is a part that a store writes as a whole: a tile, a chunk, a shard. Writers that store to different elements
    of one unit collide, too. A writer never collides with itself.

    Parameters
    ----------
    writes
        The parts of each writer: a list with an entry for each writer, a mapping from names to such entries, or an
        array with ``chunks``, like a dask array, each block of which has its own writer (or the tuple ``chunks``). An
        entry is a key as for brackets, a box of pairs ``(start, stop)``, or a list of keys and boxes.
    store
        A view or a mapping, whose units are its tiles, or its elements without tiles; a zarr array, whose units are its
        shards, or its chunks without shards; an h5py array, whose units are its chunks, or its elements without chunks;
        or a pair of extents and a unit.
    unit
        The size of a unit along each dimension, if the store writes other units.
    region
        The part of the store in which the indices of ``writes`` count, a key as for brackets; by default the whole.

    Raises
    ------
    OperandError, LayoutError, ExtentsError, RankError, ShapeError
        ``store`` is not a store or has no units, or ``writes`` are not parts of it.
    IndexOutOfRangeError, IndexTypeError, SliceError, TooManyIndicesError
        A key does not fit the extents.

    >>> conflicts([(slice(0, 6), ...), (slice(6, 12), ...)], ((12, 8), (3, 4)))
    >>> conflicts([(slice(0, 5), ...), (slice(5, 12), ...)], ((12, 8), (3, 4)))
    Conflict(first=0, second=1, unit=(1, 0), index=(3, 0), box=((3, 6), (0, 4)), kind='unit')
    """
    whole = store_of(store, unit)
    part = whole if region is ... else whole.region(region)
    chunks = _chunks_of(writes, part)
    return _between_chunks(chunks, part, whole) if chunks is not None else _between_writers(writes, part, whole)


class Chunked(Protocol):
    """An array that consists of chunks, like a dask array."""

    @property
    def chunks(self) -> Chunks:
        """The sizes of the chunks along each dimension."""
        ...


@answer_calls
def aligned(chunks: Chunks | Chunked, store: object, *, unit: Unit = None, region: object = ...) -> Chunks:
    """Return chunks of the same extents without a shared unit of ``store``, for example for ``array.rechunk``.

    Each border of chunks moves to the nearest border of units, or to the lower one of two borders at equal distance. If
    two borders move to the same position, the chunk between them vanishes.

    Parameters
    ----------
    chunks
        An array with ``chunks``, like a dask array, or a tuple like ``chunks``.
    store, unit, region
        As for `conflicts`, which returns None for the returned chunks.

    Raises
    ------
    OperandError, LayoutError, ExtentsError, RankError, ShapeError
        ``store`` is not a store or has no units, or ``chunks`` are not chunks of it.
    IndexOutOfRangeError, IndexTypeError, SliceError, TooManyIndicesError
        The region does not fit the extents.

    >>> aligned(((3, 4, 3), (5, 5)), ((10, 10), (4, 10)))
    ((4, 4, 2), (10,))
    """
    whole = store_of(store, unit)
    part = whole if region is ... else whole.region(region)
    sizes_by_dimension = _chunks_of(chunks, part)
    if sizes_by_dimension is None:
        raise OperandError(f"chunks are sizes for each dimension, or those of an array, got {brief(chunks)}")
    borders = [accumulate(sizes, initial=0) for sizes in sizes_by_dimension]
    moved = [sorted({part.nearest(r, border) for border in row}) for r, row in enumerate(borders)]
    return tuple([tuple([z - a for a, z in pairwise(row)]) or (0,) for row in moved])


def _between_chunks(chunks: Chunks, part: Store, whole: Store) -> Conflict | None:
    """Return a conflict of two neighbouring chunks, or None; if two chunks share a unit, two neighbours do."""
    ends = [enumerate(pairwise(accumulate(sizes, initial=0))) for sizes in chunks]
    rows = [[(k, (a, z)) for k, (a, z) in row if a < z] for row in ends]
    first = [row[0] for row in rows if row]
    for r, row in enumerate(rows if len(first) == len(rows) else ()):
        w, line = part.line_of(r) or (0, range(0))
        for pair in pairwise(row):
            (_, (_, stop)), (_, (start, _)) = pair
            if whole.grids[w].unit_of(line[stop - 1]) == whole.grids[w].unit_of(line[start]):
                lines = [[*first[:r], block, *first[r + 1 :]] for block in pair]
                blocks = {tuple([k for k, _ in block]): tuple([box for _, box in block]) for block in lines}
                return _between_writers(blocks, part, whole)
    return None


def _between_writers(writes: Any, part: Store, whole: Store) -> Conflict | None:
    """Return a conflict of two writers, or None; ``writes`` is an argument of the user."""
    if not isinstance(writes, Iterable) or isinstance(writes, tuple | str | bytes) or hasattr(writes, "shape"):
        raise OperandError(
            "what is written is a list of the parts of each writer, a mapping of names to parts, or an array with "
            f"chunks, got {brief(writes)}"
        )
    named = list(writes.items() if isinstance(writes, Mapping) else enumerate(writes))
    keys = [(k, key) for k, (_, row) in enumerate(named) for key in (row if isinstance(row, list) else [row])]
    parts = [(k, places) for k, key in keys if (places := part.region(key).places()) is not None]
    owners, rows = [k for k, _ in parts], [row for _, row in parts]
    for i, j in _overlapping(_unit_boxes(whole, rows), owners):
        common = [_common(g, a, b) for g, a, b in zip(whole.grids, rows[i], rows[j], strict=True)]
        if None not in common:
            position = [p for p in common if p is not None]
            return _conflict(named[owners[i]][0], named[owners[j]][0], position, whole)
    return None


def _conflict(first: object, second: object, position: Sequence[int], whole: Store) -> Conflict:
    """Return the conflict of two writers in the unit at a position of the whole, to which the first writer stores."""
    units = tuple([grid.unit_of(p) for grid, p in zip(whole.grids, position, strict=True)])
    rows = [whole.indices(r, units) for r in range(len(whole.extents))]
    box = tuple([(row.start, row.stop) for row in rows])
    return Conflict(first, second, units, whole.index_of(position), box, whole.kind)


def _unit_boxes(whole: Store, places: Sequence[PlaceRanges]) -> list[tuple[tuple[int, int], ...]]:
    """Return a box for each part that is written: the first and the last unit it touches, along each dimension.

    If the steps of all parts along a dimension are multiples of a period of whole units, each part touches only one
    unit in a period. The number of this unit is appended as one more dimension of the boxes: parts with different
    numbers share no unit.
    """
    boxes = [
        [(g.unit_of(row[0]), g.unit_of(row[-1])) for g, row in zip(whole.grids, rows, strict=True)] for rows in places
    ]
    for r, (g, lines) in enumerate(zip(whole.grids, zip(*places, strict=True), strict=False)):
        turn = gcd(*[row.step for row in lines if len(row) > 1])
        if turn and turn % g.size == 0:
            for box, rows in zip(boxes, places, strict=True):
                unit = g.unit_of(rows[r][0] % turn)
                box.append((unit, unit))
    return [tuple(box) for box in boxes]


def _overlapping(boxes: Sequence[tuple[tuple[int, int], ...]], owners: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the positions of every two boxes that overlap and have different owners.

    A box is compared with the boxes that begin within it along one dimension: the dimension with the fewest
    comparisons.
    """
    best = len(boxes) ** 2 + 1, [*range(len(boxes))], [len(boxes)] * len(boxes)
    for r in range(len(boxes[0]) if boxes else 0):
        order = sorted(range(len(boxes)), key=lambda k: boxes[k][r][0])
        lows = [boxes[k][r][0] for k in order]
        ends = [bisect_right(lows, boxes[k][r][1]) for k in order]
        best = min(best, (sum(ends), order, ends))
    _, order, ends = best
    for n, (i, end) in enumerate(zip(order, ends, strict=True)):
        one, owner = boxes[i], owners[i]
        for j in order[n + 1 : end]:
            if owners[j] != owner and all(a <= y and b <= z for (a, z), (b, y) in zip(one, boxes[j], strict=True)):
                yield min(i, j), max(i, j)


def _common(grid: ChunkGrid, first: range, second: range) -> int | None:
    """Return the lowest position of the first range in a unit that both ranges touch, or None.

    Ranges with steps longer than a unit skip units. If the next units of the two ranges differ, the search goes on at
    the higher unit. It ends after a common period of both ranges and the grid.
    """
    divisor = gcd(first.step, second.step)
    apart = (first[0] - second[0]) % divisor
    if len(first) > 1 < len(second) and min(apart, divisor - apart) >= grid.size:
        return None  # all positions of one range are at least a unit away from those of the other range
    unit, period = grid.unit_of(max(first[0], second[0])), lcm(first.step, second.step, grid.size)
    last = grid.unit_of(min(first[-1], second[-1], max(first[0], second[0]) + period)) + 1
    while unit <= last:
        rest = range(grid.span(unit).start, grid.extent)
        row, other = range_within(first, rest), range_within(second, rest)
        if not row or not other:
            return None
        low, unit = sorted((grid.unit_of(row[0]), grid.unit_of(other[0])))
        if low == unit:
            return row[0]
    return None


def _chunks_of(writes: Any, store: Store) -> Chunks | None:
    """Return the chunks of an array, or a tuple of chunks; None for other objects.

    Arrays are recognised by their attributes.

    Raises
    ------
    ShapeError
        The chunks do not have the extents of the store.
    ExtentsError, ExtentsTypeError
        A size is below 0, or unknown.
    """
    chunks = getattr(writes, "chunks", None) if hasattr(writes, "shape") else writes
    if isinstance(writes, ViewBase | type) or not isinstance(chunks, tuple):
        return None
    if not all(isinstance(row, tuple | list) for row in chunks):
        return None
    if len(chunks) != len(store.extents):
        raise ShapeError(f"chunks of {len(chunks)} dimensions are stored to extents {shape_text(store.extents)}")
    for r, (row, extent) in enumerate(zip(chunks, store.extents, strict=True)):
        if any(n != n for n in row):  # noqa: PLR0124 - NaN is dask's sign for an unknown size
            raise ExtentsError(
                f"sizes of chunks along dimension {r} are not known; let dask find them: compute_chunk_sizes()"
            )
        total = sum(sizes_of(row, "chunks", r))
        if total != extent:
            raise ShapeError(
                f"chunks of dimension {r} have {as_text(total)} indices in all, the extent of the store is {extent}; "
                "a tuple is a grid of chunks, parts of several writers stand in a list"
            )
    return tuple([sizes_of(row, "chunks", r) for r, row in enumerate(chunks)])
