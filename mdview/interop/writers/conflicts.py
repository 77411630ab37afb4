"""Whether parallel writers share a unit of a store: a proof that none do, or two of them and the unit."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from math import gcd, lcm
from typing import Any, TypeAlias, final

from mdview.base.texts import told
from mdview.base.values import value
from mdview.interop.writers.parts import Index, Writers, chunks_of, writers_of
from mdview.interop.writers.stores import Grid, Interval, Place, Store, Unit, store_of, within

Box: TypeAlias = tuple[Interval, ...]
"""For each dimension the first and the last number."""
Writes: TypeAlias = "Iterable[Any] | Mapping[Any, Any]"
"""Parts by writer. Any: keys as for brackets, views, lists of these; arrays of dask have types of their own."""


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
    unit: Index
    index: Index
    box: tuple[tuple[int, int], ...] = ()
    kind: str = "unit"

    def __str__(self) -> str:
        """Say who collides where, and what to do."""
        who = f"writers {told(self.first)} and {told(self.second)} both store to {self.kind} {self.unit}"
        if self.kind == "element":
            return f"{who} of the store; aligned(...) proposes parts that share no element"
        box = ", ".join([f"{a}:{z}" for a, z in self.box])
        return (
            f"{who}, [{box}] of the store: each reads all of it and writes all of it back, so that one may undo what "
            f"the other has stored, index {self.index} for instance; aligned(...) proposes parts that share no "
            f"{self.kind}"
        )


def conflicts(writes: Writes, store: object, *, unit: Unit = None, region: object = ...) -> Conflict | None:
    """Two writers that store to the same unit of ``store``, or None, which proves that there are no two.

    What a store writes as a whole is its unit: a tile, a chunk, a shard. Writers that store to different elements of
    one unit collide, too. One writer never collides with itself.

    Parameters
    ----------
    writes
        Who stores to what: a list with an entry for each writer, a mapping from names to such entries, or an array with
        ``chunks``, as dask's, each block of which has a writer (the tuple ``chunks`` itself will do). An entry is a key
        as for brackets, a box of pairs ``(start, stop)``, a subview of the store, or a list of several of these.
    store
        A view or a mapping, whose tiles are the units, or else its elements; an array of zarr, whose shards are, or
        else its chunks; one of h5py, whose chunks are, or else its elements; or a pair of extents and a unit.
    unit
        What is written as a whole where that is something else: one size for each dimension, or the sizes of all units
        of the dimension; ``"inner"`` stands for the tiles within tiles.
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
    chunks = chunks_of(writes, part)
    if chunks is not None:
        return _of_blocks(chunks, part, whole)
    return first_conflict(writers_of(writes, part, whole, store), whole)


def _of_blocks(chunks: Sequence[Sequence[int]], store: Store, whole: Store) -> Conflict | None:
    """Look for neighbouring chunks of one dimension in one unit: if any two blocks share one, such blocks do."""
    rows = []
    for r, (sizes, w) in enumerate(zip(chunks, store.axes, strict=True)):
        inside = store.indices(r, range(0) if w is None else store.inside[w])
        blocks = enumerate(pairwise(accumulate(sizes, initial=0)))
        rows.append([(k, own) for k, ends in blocks if (own := within(inside, range(*ends)))])
    if store.place() is None or not all(rows):
        return None
    for r, w in enumerate(store.axes):
        ends = [] if w is None else [whole.grids[w].units(store.lines[r][own.start : own.stop]) for _, own in rows[r]]
        for k, ((_, before), (after, _)) in enumerate(pairwise(ends)):
            if before == after:
                names = [tuple([own[k + more if s == r else 0][0] for s, own in enumerate(rows)]) for more in (0, 1)]
                place = [own[0] for own in store.fixed]
                for s, axis in enumerate(store.axes):
                    if axis is not None:
                        place[axis] = store.lines[s][rows[s][k][1][-1] if s == r else rows[s][0][1][0]]
                return _conflict(names, [g.unit_of(at) for g, at in zip(whole.grids, place, strict=True)], place, whole)
    return None


def first_conflict(writers: Writers, whole: Store) -> Conflict | None:
    """Return two writers that share a unit, or None."""
    owners, places = [k for k, _ in writers.parts], [place for _, place in writers.parts]
    boxes = [(*hull, *fold) for hull, fold in zip(hulls(whole, places), _folds(whole, places), strict=True)]
    for i, j in overlapping(boxes, owners):
        units = [_common_unit(g, a, b) for g, a, b in zip(whole.grids, places[i], places[j], strict=True)]
        if None not in units:
            found = [u for u in units if u is not None]
            index = [within(own, g.span(u))[0] for g, u, own in zip(whole.grids, found, places[i], strict=True)]
            return _conflict([writers.names[owners[k]] for k in (i, j)], found, index, whole)
    return None


def hulls(whole: Store, places: Sequence[Place]) -> list[Box]:
    """Return the first and the last unit of each part along each dimension."""
    return [tuple([g.units(own) for g, own in zip(whole.grids, place, strict=True)]) for place in places]


def _folds(whole: Store, places: Sequence[Place]) -> list[Box]:
    """Return the units that parts meet in a turn where all of them step by turns: if these differ they share none."""
    turns = [gcd(*[own.step for own in rows if len(own) > 1]) for rows in zip(*places, strict=True)]
    rows = [(r, turn, whole.grids[r]) for r, turn in enumerate(turns) if turn and turn % whole.grids[r].period == 0]
    units = [[g.unit_of(place[r][0] % turn) for r, turn, g in rows] for place in places]
    return [tuple([(unit, unit) for unit in own]) for own in units]


def overlapping(boxes: Sequence[Box], owners: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of any two boxes of different owners that overlap.

    Boxes are divided into groups that are apart along one dimension after the other, until none divides them further.
    """
    rank = len(boxes[0]) if boxes else 0
    waiting = [(list(range(len(boxes))), 0, 0)]  # a group, the next dimension, and how many have not divided it
    while waiting:
        group, r, failed = waiting.pop()
        if len(group) < 2:  # noqa: PLR2004 - two overlap
            continue
        if failed == rank:
            yield from _meeting(boxes, owners, group)
            continue
        apart = _apart(boxes, group, r)
        waiting += [(own, (r + 1) % rank, 0 if len(apart) > 1 else failed + 1) for own in reversed(apart)]


def _apart(boxes: Sequence[Box], group: list[int], r: int) -> list[list[int]]:
    """Divide boxes into groups between which no interval of one dimension reaches."""
    found: list[list[int]] = []
    reached = -1
    for k in sorted(group, key=lambda k: boxes[k][r]):
        low, high = boxes[k][r]
        if low > reached:
            found.append([])
        found[-1].append(k)
        reached = max(reached, high)
    return found


def _meeting(boxes: Sequence[Box], owners: Sequence[int], group: list[int]) -> Iterator[tuple[int, int]]:
    """Yield those two that overlap, each compared with those that begin within it where the fewest do."""
    best: tuple[int, list[int], list[int]] = len(group) ** 2, group, [len(group)] * len(group)
    for r in range(len(boxes[group[0]])):
        order = sorted(group, key=lambda k: boxes[k][r][0])
        lows = [boxes[k][r][0] for k in order]
        ends = [bisect_right(lows, boxes[k][r][1]) for k in order]
        best = min(best, (sum(ends), order, ends))
    _, order, ends = best
    for n, (i, end) in enumerate(zip(order, ends, strict=True)):
        one, owner = boxes[i], owners[i]
        for j in order[n + 1 : end]:
            if owners[j] != owner and all(a <= y and b <= z for (a, z), (b, y) in zip(one, boxes[j], strict=True)):
                yield min(i, j), max(i, j)


def _common_unit(grid: Grid, first: range, second: range) -> int | None:
    """Return the lowest unit that both ranges meet, or None.

    A step over a whole unit leaves some out: then each range is asked in turn for its next unit from that of the other
    on. All repeats after a period, so that a search through one of them is a search through all.
    """
    (a, z), (b, y) = grid.units(first), grid.units(second)
    unit, last = max(a, b), min(z, y)
    if unit > last or max(first.step, second.step) <= grid.narrowest:
        return unit if unit <= last else None
    divisor = gcd(first.step, second.step)
    apart = (first[0] - second[0]) % divisor
    if len(first) > 1 < len(second) and min(apart, divisor - apart) >= grid.widest:
        return None  # no two indices of both are as near to each other as those of one unit are
    last = min(last, grid.unit_of(max(first[0], second[0]) + lcm(first.step, second.step, grid.period)) + 1)
    agreed = 0
    while unit <= last:
        place = bisect_left(first, grid.span(unit)[0])
        if place == len(first):
            return None
        found = grid.unit_of(first[place])
        agreed = agreed + 1 if found == unit else 1
        if agreed > 1:
            return unit
        unit, first, second = found, second, first
    return None


def _conflict(names: Sequence[object], units: Sequence[int], place: Sequence[int], whole: Store) -> Conflict:
    spans = [g.span(u) for g, u in zip(whole.grids, units, strict=True)]
    own = [whole.indices(r, range(0) if w is None else spans[w]) for r, w in enumerate(whole.axes)]
    box = tuple([(row.start, row.stop) for row in own])
    return Conflict(names[0], names[1], tuple(units), whole.index_of(place), box, whole.kind)
