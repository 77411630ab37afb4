"""Parts that parallel writers may store to at once: the same elements, divided so that each unit has one writer.

The borders of a grid of chunks move to the nearest borders of units. Of a list of parts, each unit goes with all that
is stored to it to the first writer that stores there. Nothing is added and nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, Protocol, TypeAlias, TypeVar, overload

from mdview.interop.writers.boxes import merged, shared, without
from mdview.interop.writers.chunks import Chunks, chunks_of
from mdview.interop.writers.conflicts import first_conflict
from mdview.interop.writers.parts import Writers, writers_of
from mdview.interop.writers.progressions import hull, unmapped, within
from mdview.interop.writers.reading_stores import Unit, store_of
from mdview.interop.writers.stores import Place, Store
from mdview.interop.writers.sweeping import Box, overlapping

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
    places = _owned(writers, whole)
    keys = [[_key(part.selecting(place)) for place in own] for own in places]
    return dict(zip(writers.names, keys, strict=True)) if isinstance(parts, Mapping) else keys


def _moved(sizes: Sequence[int], store: Store, r: int) -> tuple[int, ...]:
    """Return the sizes of chunks whose borders are the nearest borders of units along one dimension."""
    borders = {_nearest(store, r, border) for border in accumulate(sizes, initial=0)}
    return tuple([z - a for a, z in pairwise(sorted(borders))]) or (0,)


def _nearest(store: Store, r: int, border: int) -> int:
    """Return the border of units nearest to a border of chunks, which lies before the index of its number."""
    low, high = store.valid[r]
    rows = [(g, o, n) for g, (o, n, source) in zip(store.grids, store.rows(), strict=True) if source == r]
    if not rows or not low < border <= high:
        return border
    [(grid, offset, stride)] = rows
    start, stop = grid.span(grid.unit_of(offset + stride * border))
    first, last, _ = unmapped((start, stop - 1, 1), offset, stride) or (border, border, 1)
    first, end = max(first, low), min(last, high) + 1
    return first if border - first <= end - border else end


def _owned(writers: Writers, whole: Store) -> list[list[Place]]:
    """Return the parts of each writer, divided so that no two writers share a unit."""
    found: list[list[Place]] = [[] for _ in writers.names]
    if first_conflict(writers, whole) is None:
        for k, place in writers.parts:
            found[k].append(place)
        return found
    boxes = [tuple([hull(g, own) for g, own in zip(whole.grids, place, strict=True)]) for _, place in writers.parts]
    for j, earlier in enumerate(_earlier(boxes)):
        k, place = writers.parts[j]
        left = [boxes[j]]
        for i in earlier:
            found[writers.parts[i][0]] += _inside(place, shared(left, boxes[i]), whole)
            left = without(left, boxes[i])
        found[k] += _inside(place, left, whole)
    return [merged(own) for own in found]


def _earlier(boxes: Sequence[Box]) -> list[list[int]]:
    """Return for each box the numbers of those before it that it overlaps."""
    found: list[set[int]] = [set() for _ in boxes]
    for i, j in overlapping(boxes, range(len(boxes)), lambda _: []):
        found[j].add(i)
    return [sorted(own) for own in found]


def _inside(place: Place, boxes: Iterable[Box], whole: Store) -> Iterator[Place]:
    """Yield what a part has in each of these boxes of units, where that is something."""
    for box in boxes:
        ends = [(g.span(low)[0], g.span(high)[1] - 1) for g, (low, high) in zip(whole.grids, box, strict=True)]
        own = [within(row, low, high) for row, (low, high) in zip(place, ends, strict=True)]
        if None not in own:
            yield tuple([row for row in own if row is not None])


def _key(part: Place) -> Key:
    return tuple([slice(first, last + 1, step) for first, last, step in part])
