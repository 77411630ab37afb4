"""Whether parallel writers share a unit of a store: a proof that none do, or two of them and the unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import gcd
from typing import Any, TypeAlias, final

from mdview.base.strided_sets import Index
from mdview.base.texts import told
from mdview.base.values import value
from mdview.interop.writers.chunks import Rows, chunks_of, intervals
from mdview.interop.writers.grids import Grid
from mdview.interop.writers.parts import Writers, writers_of
from mdview.interop.writers.progressions import Interval, common_unit, hull, meets_all
from mdview.interop.writers.reading_stores import Unit, store_of
from mdview.interop.writers.stores import Place, Store
from mdview.interop.writers.sweeping import Group, overlapping

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
        box = ", ".join([f"{a}:{z}" for a, z in self.box])
        return (
            f"writers {told(self.first)} and {told(self.second)} both store to {self.kind} {self.unit}, [{box}] of the "
            f"store: each reads all of it and writes all of it back, so that one may undo what the other has stored, "
            f"index {self.index} for instance; aligned(...) proposes parts that share no {self.kind}"
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
        A view or a mapping of a tiled layout, whose tiles are the units; an array of zarr, whose shards are, or else
        its chunks; one of h5py, whose chunks are, or else its elements; or a pair of extents and a unit.
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
    rows = [intervals(sizes, low, high) for sizes, (low, high) in zip(chunks, store.valid, strict=True)]
    if store.is_void or not all(rows):
        return None
    for grid, (offset, stride, r) in zip(store.grids, store.rows(), strict=True):
        if r is None:
            continue
        ends = [(grid.unit_of(offset + stride * a), grid.unit_of(offset + stride * z)) for _, (a, z) in rows[r]]
        k = next((k for k, ((_, before), (after, _)) in enumerate(pairwise(ends)) if before == after), None)
        if k is not None:
            return _of_neighbours(rows, r, k, store, whole)
    return None


def _of_neighbours(rows: Rows, r: int, k: int, store: Store, whole: Store) -> Conflict:
    """Return the unit of two blocks that differ along dimension ``r``, where they are entries ``k`` and ``k + 1``."""
    names = [tuple([own[k + more if s == r else 0][0] for s, own in enumerate(rows)]) for more in (0, 1)]
    indices = [own[k][1][1] if s == r else own[0][1][0] for s, own in enumerate(rows)]
    place = [at for at, _, _ in store.placed(tuple([(i, i, 1) for i in indices]))]
    return _conflict(names, [g.unit_of(at) for g, at in zip(store.grids, place, strict=True)], place, whole)


def first_conflict(writers: Writers, whole: Store) -> Conflict | None:
    """Return two writers that share a unit, or None."""
    grids = whole.grids
    places = [place for _, place in writers.parts]
    owners = [k for k, _ in writers.parts]
    boxes = [tuple([hull(g, own) for g, own in zip(grids, place, strict=True)]) for place in places]
    stepped = any(not meets_all(g, own) for place in places for g, own in zip(grids, place, strict=True))
    for i, j in overlapping(boxes, owners, lambda group: by_residue(grids, places, group) if stepped else []):
        units = [common_unit(g, a, b) for g, a, b in zip(grids, places[i], places[j], strict=True)]
        if None not in units:
            found = [u for u in units if u is not None]
            index = [_first_in(g.span(u), own) for g, u, own in zip(grids, found, places[i], strict=True)]
            return _conflict([writers.names[owners[k]] for k in (i, j)], found, index, whole)
    return None


def by_residue(grids: Sequence[Grid], places: Sequence[Place], group: Group) -> list[Group]:
    """Divide parts that step through the units in turn: those that meet different ones in a turn share none."""
    for r, grid in enumerate(grids):
        divisor = gcd(*[step for first, last, step in (places[k][r] for k in group) if first < last])
        if divisor % grid.period or divisor <= grid.widest:
            continue
        found: dict[int, list[int]] = {}
        for k in group:
            found.setdefault(grid.unit_of(places[k][r][0] % divisor), []).append(k)
        if len(found) > 1:
            return list(found.values())
    return []


def _first_in(span: Interval, own: tuple[int, int, int]) -> int:
    """Return the lowest index of a progression in a unit that it meets."""
    first, _, step = own
    return first + max(0, -((first - span[0]) // step)) * step


def _conflict(names: Sequence[object], units: Sequence[int], place: Sequence[int], whole: Store) -> Conflict:
    spans = [g.span(u) for g, u in zip(whole.grids, units, strict=True)]
    behind = whole.behind([(a, z - 1) for a, z in spans]) or ()
    box = tuple([(a, z + 1) for a, z, _ in behind])
    return Conflict(names[0], names[1], tuple(units), whole.index_of(place), box, whole.kind)
