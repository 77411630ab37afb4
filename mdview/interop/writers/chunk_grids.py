"""Stores and their grids of chunks: an affine map of indices into the whole, and the units of the whole.

Indices of a store need not begin where units do: a slice of a tiled view, or a region of an array, begins in the middle
of one. So units are counted in the whole, and each index of the store has a place there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, islice
from typing import Any, NamedTuple, TypeAlias, final

from mdview.base.integers import as_integer
from mdview.base.message_texts import as_text, brief
from mdview.errors import ExtentsError, LayoutError, OperandError, RankError
from mdview.index.extents import as_extents, shape_text, size_of
from mdview.index.index_map import IndexMap, of_rows
from mdview.index.slices import selected_extents
from mdview.layouts.layout import Layout, unless_undecided
from mdview.mappings.bracket_keys import parse_key
from mdview.mappings.mapping import Mapping, mapping_of
from mdview.views.view_base import ViewBase, parts_of
from mdview.views.view_parts import AnyMapping, ViewParts

Unit: TypeAlias = Sequence[int | Sequence[int]] | None
"""For each dimension the size of a unit, or one size for each unit."""
RegionRanges: TypeAlias = tuple[range, ...]
"""The range that a part selects along each dimension of the whole: ascending and not empty."""
Interval: TypeAlias = tuple[int, int]
"""The first and the last of some consecutive numbers."""

_WAYS = "a view or a mapping, an array with shape and chunks (zarr, h5py), or a pair (extents, unit)"


@final
class ChunkGrid:
    """The units along one dimension, numbered from 0, whose sizes repeat from the first one on; the last may be cut.

    >>> tiles, inner = ChunkGrid(10, (4,)), ChunkGrid(12, (4, 2))
    >>> tiles.unit_of(9), tiles.span(2), inner.unit_of(11), inner.span(2)
    (2, range(8, 10), 3, range(6, 10))
    """

    __slots__ = ("_starts", "extent", "narrowest", "period", "widest")

    def __init__(self, extent: int, sizes: Sequence[int]) -> None:
        """Take the sizes, none of which is negative."""
        self.extent: int = extent
        self.narrowest: int = min([n for n in sizes if n], default=1)
        self.widest: int = max([*sizes, 1])
        *starts, period = accumulate(sizes, initial=0)
        self._starts = starts if period else [0]
        self.period: int = period or 1

    def unit_of(self, index: int) -> int:
        """Return the number of the unit that has an index."""
        turn, rest = divmod(index, self.period)
        return turn * len(self._starts) + bisect_right(self._starts, rest) - 1

    def units(self, own: range) -> Interval:
        """Return the first and the last unit that a range meets."""
        return self.unit_of(own[0]), self.unit_of(own[-1])

    def span(self, unit: int) -> range:
        """Return the indices of a unit."""
        turns = [divmod(u, len(self._starts)) for u in (unit, unit + 1)]
        first, end = [turn * self.period + self._starts[place] for turn, place in turns]
        return range(first, min(end, self.extent))


def range_within(own: range, bounds: range) -> range:
    """Return what an ascending range has in another one of step 1.

    >>> range_within(range(1, 14, 4), range(4, 13)), range_within(range(1, 14, 4), range(6, 9))
    (range(5, 13, 4), range(9, 9, 4))
    """
    return own[bisect_left(own, bounds.start) : bisect_left(own, bounds.stop)]


@final
class Store(NamedTuple):
    """The target of writers.

    Attributes
    ----------
    extents
        Of the store.
    places
        The affine map from an index of the store to the place of its element in the whole. No two of its rows move with
        the same index.
    grids
        The units along each dimension of the whole.
    kind
        What a unit is called.
    """

    extents: tuple[int, ...]
    places: IndexMap
    grids: tuple[ChunkGrid, ...]
    kind: str

    def region(self, key: object) -> Store:
        """Return the part that a key in brackets selects, as a store whose indices begin at 0."""
        slices = parse_key(self.extents, key, wraps=True).selections
        places = self.places.after(IndexMap.from_slices(slices))
        return self._replace(extents=tuple(map(int, selected_extents(self.extents, slices))), places=places)

    def place(self, box: Sequence[range] | None = None) -> RegionRanges | None:
        """Return where the elements of a box lie along each dimension of the whole, None without any."""
        box = [range(e) for e in self.extents] if box is None else box
        if not all(box):
            return None
        found = []
        for offset, step, r in zip(self.places.offset, self.places.stride, self.places.source, strict=True):
            low, high = sorted([offset, offset] if r is None else [offset + step * box[r][k] for k in (0, -1)])
            found.append(range(low, high + 1, abs(step) or 1))
        return tuple(found)

    def row(self, r: int) -> tuple[int, int, int] | None:
        """Return along which dimension of the whole an index moves, its first place and its step; None if it stays."""
        if r not in self.places.source:
            return None
        w = self.places.source.index(r)
        return w, self.places.offset[w], self.places.stride[w] or 1

    def indices(self, r: int, places: RegionRanges) -> range:
        """Return the indices of a dimension that stand for elements in a box of the whole."""
        row, count = self.row(r), self.extents[r]
        if row is None:
            return range(count)
        w, first, step = row
        line = range(first, first + step * count, step)
        own = range_within(line if step > 0 else line[::-1], places[w])
        ends = sorted([line.index(own[0]), line.index(own[-1])]) if own else (0, -1)
        return range(ends[0], ends[1] + 1)

    def index_of(self, place: Sequence[int]) -> tuple[int, ...]:
        """Return the index that lies at a place of the whole."""
        rows = map(self.row, range(len(self.extents)))
        return tuple([0 if row is None else (place[row[0]] - row[1]) // row[2] for row in rows])


def store_of(given: Any, unit: Unit = None) -> Store:
    """Return the store that something is. Any: arrays are known by their attributes.

    Raises
    ------
    OperandError
        It is none.
    LayoutError
        It has no units, or one element is in several places of it.
    ExtentsError, ExtentsTypeError, RankError
        The unit is none of these extents.
    """
    if isinstance(given, ViewBase) and unit is None:
        found = _of_packed(parts_of(given))
        if found is not None:
            return found
    if isinstance(given, Mapping | ViewBase):
        return _of_mapping(mapping_of(given), unit)
    if isinstance(given, tuple) and len(given) == 2 and unit is None:  # noqa: PLR2004 - a pair
        return _plain(as_extents(given[0]), given[1], "unit")
    shape = getattr(given, "shape", None)
    if shape is None or isinstance(given, type):
        raise OperandError(f"a store is {_WAYS}, got {brief(given)}")
    return _plain(as_extents(shape), *((unit, "unit") if unit is not None else _units_of_array(given)))


def _units_of_array(given: Any) -> tuple[Any, str]:
    """Return the units of an array of zarr or h5py, and what they are called. Any: theirs."""
    for name in ("shards", "chunks"):
        try:
            found = getattr(given, name, None)
        except NotImplementedError:  # zarr's word for sizes that are not all the same
            return given.write_chunk_sizes, name[:-1]
        if found is not None:
            return found, name[:-1]
    if not hasattr(given, "chunks"):
        raise OperandError(
            f"{brief(given)} does not say in which units it is written; write unit=(…), a size for each dimension"
        )
    return (1,) * len(given.shape), "element"


def _of_mapping(mapping: AnyMapping, unit: Unit) -> Store:
    """Return the store of a mapping; one element of which has several indices, or an index several rows, is refused."""
    layout, extents = mapping.layout, tuple(map(int, mapping.extents))
    if not layout.is_total():
        raise LayoutError(
            f"some indices of {brief(layout)} have no element; give the view that was padded as the store"
        )
    part = layout.composition(mapping.extents)
    tiling = part.base.tiling() if unit is None else None
    if tiling is None:
        if unless_undecided(lambda: mapping.is_unique) is False:
            _refuse_shared(layout, extents)
        return _plain(extents, *(((1,) * len(extents), "element") if unit is None else (unit, "unit")))
    no_blocks = f"tiles of {brief(layout)} are no blocks of its indices"
    if part.transform.radix is not None:
        raise LayoutError(f"{no_blocks}: reshape after storing, not before")
    rows = zip(part.transform.offset, part.transform.stride, part.transform.source, strict=True)
    moved = [(o, n, s) if s is not None and n and extents[s] > 1 else (o, 0, None) for o, n, s in rows]
    sources = [s for _, _, s in moved if s is not None]
    if size_of(extents) and any(e > 1 and r not in sources for r, e in enumerate(extents)):
        _refuse_shared(layout, extents)
    if len({*sources}) < len(sources):
        raise LayoutError(f"{no_blocks}: it is a diagonal; store to what it was made of")
    grids = tuple([ChunkGrid(int(e), (n,)) for e, n in zip(part.extents, tiling.sizes, strict=True)])
    return Store(extents, of_rows(moved), grids, "tile")


def _of_packed(parts: ViewParts) -> Store | None:
    """Return the store of a view whose elements share bytes, which are its units; None where others are."""
    storage, origin, mapping, _ = parts
    count = 1 if storage is None or storage.bits % 8 == 0 else 8 // storage.bits
    tiling, extents = mapping.layout.composition(mapping.extents).base.tiling(), tuple(map(int, mapping.extents))
    has_whole_bytes = tiling is not None and not (origin % count or size_of(tiling.sizes) % count)
    if count == 1 or has_whole_bytes or unless_undecided(lambda: mapping.is_unique) is False:
        return None
    strides = mapping.found_strides()
    moving = [(r, s) for r, s in enumerate(strides or ()) if extents[r] > 1 and s % count]
    if strides is None or len(moving) > 1 or any(abs(s) != 1 for _, s in moving):
        raise LayoutError(
            f"several elements share a byte, and those of {brief(mapping)} "
            "are no block of indices; store to one element in a byte, or to rows, or tiles, of whole bytes: "
            f"LayoutRightPadded(n), where n is a multiple of {count}"
        )
    units, first = [1] * len(extents), [0] * len(extents)
    for r, step in moving:
        rest = (origin + mapping.origin) % count
        units[r], first[r] = count, rest if step > 0 else count - 1 - rest
    grids = [ChunkGrid(e + f, (n,)) for e, f, n in zip(extents, first, units, strict=True)]
    return Store(extents, IndexMap.shifted(tuple(first)), tuple(grids), "byte")


def _refuse_shared(layout: Layout, extents: Sequence[int]) -> None:
    raise LayoutError(
        f"some indices of {brief(layout)} over extents {shape_text(extents)} are the same element, so that indices "
        "do not tell which writers share it; store to the view that it was made of"
    )


def _plain(extents: tuple[int, ...], unit: Any, kind: str) -> Store:
    """Return a store that is the whole. Any: what a user gave."""
    extents = tuple(map(int, extents))
    if isinstance(unit, str) or not isinstance(unit, Iterable):
        raise OperandError(f"a unit is one size for each dimension of {shape_text(extents)}, got {brief(unit)}")
    unit = tuple(islice(unit, len(extents) + 1))  # an endless one, too, has an end here
    if len(unit) != len(extents):
        raise RankError(f"extents {shape_text(extents)} need a unit of {len(extents)} sizes, got {brief(unit)}")
    grids = tuple([ChunkGrid(e, _units(e, own, r)) for r, (e, own) in enumerate(zip(extents, unit, strict=True))])
    return Store(extents, IndexMap.shifted((0,) * len(extents)), grids, kind)


def _units(extent: int, given: Any, r: int) -> tuple[int, ...]:
    """Return the sizes of units along one dimension. Any: what a user gave."""
    if not isinstance(given, tuple | list):
        (size,) = sizes = sizes_of([given], "units", r)
        if not size:
            raise ExtentsError(f"units have at least 1 index: size 0 of dimension {r}")
        return sizes
    sizes = sizes_of(given, "units", r)
    if sum(sizes) < extent:
        raise ExtentsError(f"units of dimension {r} have {as_text(sum(sizes))} indices in all, its extent is {extent}")
    return sizes


def sizes_of(given: Iterable[Any], what: str, r: int) -> tuple[int, ...]:
    """Return the sizes of units or chunks along one dimension, none below 0. Any: what a user gave."""
    sizes = tuple([int(as_integer(n, f"the size of {what}")) for n in given])
    if min(sizes, default=0) < 0:
        raise ExtentsError(f"{what} have 0 indices or more: size {as_text(min(sizes))} of dimension {r}")
    return sizes
