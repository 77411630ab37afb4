"""Conflicts of two writers that store to one unit, and chunks aligned so that there are none."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from math import gcd, lcm
from typing import Any, Protocol, TypeAlias, final

from mdview.base import answer_calls, as_text, brief, value
from mdview.errors import ExtentsError, OperandError, ShapeError
from mdview.index.extents import shape_text
from mdview.interop.writers.stores import ChunkGrid, PlaceRanges, Store, Unit, range_within, sizes_of, store_of
from mdview.views.view_base import ViewBase

IndexTuple: TypeAlias = tuple[int, ...]
Chunks: TypeAlias = tuple[tuple[int, ...], ...]
"""For each dimension the sizes of its chunks, as dask has them."""
Writes: TypeAlias = "Iterable[Any] | Mapping[Any, Any]"
"""Parts by writer. Any: keys as for brackets, lists of these; arrays of dask have types of their own."""


@final
@value
class Conflict:
    """Two writers that store to one unit.

    Attributes
    ----------
    first, second
        The writers: their places in the list, their names in the mapping, or the block numbers of chunks.
    unit
        The number of the unit along each dimension of the store; of a slice of a store, along those of the whole.
    index
        An index of the store in that unit, to which the first one stores.
    box
        The indices of the store in that unit, from ``start`` up to ``stop`` along each dimension.
    kind
        What the unit is: ``"tile"``, ``"chunk"``, ``"shard"``, ``"element"`` or, where it was given, ``"unit"``.
    """

    first: object
    second: object
    unit: IndexTuple
    index: IndexTuple
    box: tuple[tuple[int, int], ...] = ()
    kind: str = "unit"

    def __str__(self) -> str:
        """Name the two writers, the shared tile, and the ways out."""
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
    """Two writers that store to the same unit of ``store``, or None, which proves that there are no two.

    What a store writes as a whole is its unit: a tile, a chunk, a shard. Writers that store to different elements of
    one unit collide, too. One writer never collides with itself.

    Parameters
    ----------
    writes
        Who stores to what: a list with an entry for each writer, a mapping from names to such entries, or an array with
        ``chunks``, as dask's, each block of which has a writer (the tuple ``chunks`` itself will do). An entry is a key
        as for brackets, a box of pairs ``(start, stop)``, or a list of several of these.
    store
        A view or a mapping, whose tiles are the units, or else its elements; an array of zarr, whose shards are, or
        else its chunks; one of h5py, whose chunks are, or else its elements; or a pair of extents and a unit.
    unit
        What is written as a whole where that is something else: one size for each dimension.
    region
        The part of the store that indices of ``writes`` count in, a key as for brackets; all of it unless given.

    Raises
    ------
    OperandError, LayoutError, ExtentsError, RankError, ShapeError
        This is no store or has no units, or these are no parts of it.
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
    """An array that is made of chunks, as dask's is."""

    @property
    def chunks(self) -> Chunks:
        """For each dimension the sizes of the chunks."""
        ...


@answer_calls
def aligned(chunks: Chunks | Chunked, store: object, *, unit: Unit = None, region: object = ...) -> Chunks:
    """Chunks of the same elements of which no two share a unit of ``store``: ``array.rechunk(aligned(array, store))``.

    Each border moves to the nearest border of units, of two as near to the lower one; where several meet there, chunks
    become one.

    Parameters
    ----------
    chunks
        An array with ``chunks``, as dask's, or such a tuple.
    store, unit, region
        As `conflicts` takes them; the answer to the result is None.

    Raises
    ------
    OperandError, LayoutError, ExtentsError, RankError, ShapeError
        This is no store or has no units, or these are no chunks of it.
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
    """Return the conflict of two neighbouring chunks; if any two chunks share a unit, two neighbours do."""
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
    """Return a conflict of two writers, or None. Any: an argument of the user."""
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
    """Return the conflict of two writers over the unit at a place, to which the first one stores."""
    units = tuple([grid.unit_of(p) for grid, p in zip(whole.grids, position, strict=True)])
    rows = [whole.indices(r, units) for r in range(len(whole.extents))]
    box = tuple([(row.start, row.stop) for row in rows])
    return Conflict(first, second, units, whole.index_of(position), box, whole.kind)


def _unit_boxes(whole: Store, places: Sequence[PlaceRanges]) -> list[tuple[tuple[int, int], ...]]:
    """Return for each part the first and the last unit that it touches along each dimension.

    If all parts step along a dimension by multiples of a period of whole units, the unit within the period is appended,
    since parts with different ones share no unit.
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
    """Yield the numbers of any two boxes of different owners that overlap.

    Each box is compared with those that begin within it, along the dimension with the fewest comparisons.
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
    """Return the lowest place of the first range in a unit that both ranges touch, or None.

    Ranges with steps longer than a unit skip units; then the search continues at the higher of the next units of both.
    It ends after one period of both ranges and the grid.
    """
    divisor = gcd(first.step, second.step)
    apart = (first[0] - second[0]) % divisor
    if len(first) > 1 < len(second) and min(apart, divisor - apart) >= grid.size:
        return None  # no two places of both are within a unit of each other
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

    Any: arrays are recognised by their attributes.

    Raises
    ------
    ShapeError
        The chunks are not those of the store's extents.
    ExtentsError, ExtentsTypeError
        A size is below 0, or not known.
    """
    chunks = getattr(writes, "chunks", None) if hasattr(writes, "shape") else writes
    if isinstance(writes, ViewBase | type) or not isinstance(chunks, tuple):
        return None
    if not all(isinstance(row, tuple | list) for row in chunks):
        return None
    if len(chunks) != len(store.extents):
        raise ShapeError(f"chunks of {len(chunks)} dimensions are stored to extents {shape_text(store.extents)}")
    for r, (row, extent) in enumerate(zip(chunks, store.extents, strict=True)):
        if any(n != n for n in row):  # noqa: PLR0124 - dask's sign for a size that it does not know
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
