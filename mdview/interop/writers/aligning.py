"""Parts that parallel writers may store to at once: the same elements, divided so that each unit has one writer.

The borders of a grid of chunks move to the nearest borders of units. Of a list of parts, each unit goes with all that
is stored to it to the first writer that stores there. Nothing is added and nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, Protocol, TypeAlias, TypeVar, overload

from mdview.interop.writers.conflicts import Box, first_conflict, hulls, overlapping
from mdview.interop.writers.parts import Chunks, Writers, chunks_of, writers_of
from mdview.interop.writers.stores import Place, Store, Unit, store_of, within

K = TypeVar("K")

Key: TypeAlias = tuple[slice, ...]
"""One slice for each dimension."""


class Chunked(Protocol):
    """An array that is made of chunks, as dask's is."""

    @property
    def chunks(self) -> Chunks:
        """For each dimension the sizes of the chunks."""
        ...


@overload
def aligned(
    parts: Chunks | Chunked, store: object, *, unit: Unit = None, region: object = ...
) -> tuple[tuple[int, ...], ...]: ...
@overload
def aligned(  # type: ignore[overload-overlap] # pyright: ignore[reportOverlappingOverload] - a mapping is iterable, too
    parts: Mapping[K, Any], store: object, *, unit: Unit = None, region: object = ...
) -> dict[K, list[Key]]: ...
@overload
def aligned(parts: Iterable[Any], store: object, *, unit: Unit = None, region: object = ...) -> list[list[Key]]: ...
def aligned(parts: Any, store: object, *, unit: Unit = None, region: object = ...) -> Any:
    """Parts of the same elements for the same writers of which no two share a unit of ``store``.

    A grid of chunks gives a grid of chunks: ``array.rechunk(aligned(array.chunks, store))``. Each border moves to the
    nearest border of units, of two as near to the lower one; where several meet there, chunks become one.

    Other parts give a list of keys for each writer, in the same order or by the same names. A unit that several writers
    store to goes to the first of them, with all that they store to it; so a writer may have several keys, or none. A
    part whose steps leave out units takes these, too. Parts that do not collide stay as they are. The parts together
    select the same elements as before; one that two writers stored to is now stored to by one.

    Parameters
    ----------
    parts, store, unit, region
        As `conflicts` takes them; the answer to the result is None.

    Raises
    ------
    OperandError, LayoutError, ExtentsError, RankError, ShapeError
        This is no store or has no units, or these are no parts of it.
    IndexOutOfRangeError, IndexTypeError, SliceError, TooManyIndicesError
        A key does not fit the extents.

    >>> aligned(((3, 4, 3), (5, 5)), ((10, 10), (4, 10)))
    ((4, 4, 2), (10,))
    >>> aligned([slice(0, 5), slice(5, 10)], ((10,), (4,)))
    [[(slice(0, 8, 1),)], [(slice(8, 10, 1),)]]
    """
    whole = store_of(store, unit)
    part = whole if region is ... else whole.region(region)
    chunks = chunks_of(parts, part)
    if chunks is not None:
        return tuple([_moved(own, part, r) for r, own in enumerate(chunks)])
    writers = writers_of(parts, part, whole, store)
    keys = [[part.key_of(place) for place in own] for own in _owned(writers, whole)]
    return dict(zip(writers.names, keys, strict=True)) if isinstance(parts, Mapping) else keys


def _moved(sizes: Sequence[int], store: Store, r: int) -> tuple[int, ...]:
    """Return the sizes of chunks whose borders are the nearest borders of units along one dimension."""
    borders = {_nearest(store, r, border) for border in accumulate(sizes, initial=0)}
    return tuple([z - a for a, z in pairwise(sorted(borders))]) or (0,)


def _nearest(store: Store, r: int, border: int) -> int:
    """Return the border of units nearest to a border of chunks, which lies before the index of its number."""
    line, axis = store.lines[r], store.axes[r]
    if axis is None or border not in store.indices(r, store.inside[axis])[1:]:
        return border
    grid = store.grids[axis]
    unit = store.indices(r, grid.span(grid.unit_of(line[border])))
    return unit.start if border - unit.start <= unit.stop - border else unit.stop


def _owned(writers: Writers, whole: Store) -> list[list[Place]]:
    """Return the parts of each writer, divided so that no two writers share a unit."""
    found: list[list[Place]] = [[] for _ in writers.names]
    if first_conflict(writers, whole) is None:
        for k, place in writers.parts:
            found[k].append(place)
        return found
    boxes = hulls(whole, [place for _, place in writers.parts])
    earlier: list[set[int]] = [set() for _ in boxes]
    for i, j in overlapping(boxes, range(len(boxes))):
        earlier[j].add(i)
    for j, (k, place) in enumerate(writers.parts):
        left = [boxes[j]]
        for i in sorted(earlier[j]):
            found[writers.parts[i][0]] += _inside(place, _divided(left, boxes[i])[0], whole)
            left = _divided(left, boxes[i])[1]
        found[k] += _inside(place, left, whole)
    return [_merged(own) for own in found]


def _inside(place: Place, boxes: Iterable[Box], whole: Store) -> Iterator[Place]:
    """Yield what a part has in each of these boxes of units, where that is something."""
    for box in boxes:
        rows = zip(place, whole.grids, box, strict=True)
        found = tuple([within(own, range(g.span(low).start, g.span(high).stop)) for own, g, (low, high) in rows])
        if all(found):
            yield found


def _divided(boxes: Iterable[Box], other: Box) -> tuple[list[Box], list[Box]]:
    """Return what boxes have in common with another one, and what they have and it has not, cut into boxes."""
    common, left = [], []
    for box in boxes:
        sides, rest = [], box
        for r, (b, y) in enumerate(other):
            a, z = rest[r]
            ends = [(a, min(z, b - 1)), (max(a, y + 1), z)]
            sides += [(*rest[:r], side, *rest[r + 1 :]) for side in ends if side[0] <= side[1]]
            rest = (*rest[:r], (max(a, b), min(z, y)), *rest[r + 1 :])
            if rest[r][0] > rest[r][1]:
                break
        else:
            common.append(rest)
        left += sides
    return common, left


def _merged(parts: Iterable[Place]) -> list[Place]:
    """Join parts that continue each other along one dimension, with step 1, and are the same along all others."""
    found, before = set(parts), -1
    while len(found) != before:
        before = len(found)
        for r in range(len(next(iter(found), ()))):
            rows: dict[tuple[Place, Place], list[range]] = {}
            for part in found:
                rows.setdefault((part[:r], part[r + 1 :]), []).append(part[r])
            found = {(*head, own, *tail) for (head, tail), row in rows.items() for own in _joined(row)}
    return sorted(found, key=lambda part: [(own.start, own.stop, own.step) for own in part])


def _joined(row: Iterable[range]) -> list[range]:
    """Join ranges of step 1 where one goes on with the one before it."""
    found: list[range] = []
    for own in sorted(row, key=lambda own: (own.start, own.stop, own.step)):
        if found and found[-1].step == own.step == 1 and own.start <= found[-1].stop:
            found[-1] = range(found[-1].start, max(found[-1].stop, own.stop))
        else:
            found.append(own)
    return found
