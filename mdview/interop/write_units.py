"""Stores of parallel writers, cut into units (chunks, shards, tiles): ranges of indices in the whole and in units.

The first index of a store may lie inside a unit, if the store is a slice of a tiled view or a region of an array. So
units are counted in the *whole*, the array or layout that consists of units. The indices of the store are a range of
positions along each dimension of the whole.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple, NoReturn, TypeAlias, final

from mdview.base import as_integer, as_text, brief
from mdview.errors import ExtentsError, LayoutError, OperandError, RankError
from mdview.index.extents import as_extents, shape_text, size_of
from mdview.index.index_map import IndexMap
from mdview.index.slices import selected_extents
from mdview.layouts.layout import unless_undecided
from mdview.mappings.bracket_keys import parse_key
from mdview.mappings.mapping import AnyMapping, Mapping, mapping_of
from mdview.views.view_base import ViewBase, parts_of

Unit: TypeAlias = Sequence[int] | None
"""The size of a unit along each dimension; None for the store's own units."""
PlaceRanges: TypeAlias = tuple[range, ...]
"""The positions of a part along each dimension of the whole: ascending ranges that are not empty."""


@final
class ChunkGrid(NamedTuple):
    """The units along a dimension, of equal size and numbered from 0; the last unit may be cut.

    >>> tiles = ChunkGrid(10, 4)
    >>> tiles.unit_of(9), tiles.span(2)
    (2, range(8, 10))
    """

    extent: int
    size: int

    def unit_of(self, position: int) -> int:
        """Return the number of the unit at a position."""
        return position // self.size

    def span(self, unit: int) -> range:
        """Return the positions of a unit."""
        return range(unit * self.size, min(unit * self.size + self.size, self.extent))


@final
class Store(NamedTuple):
    """The target of writers.

    Attributes
    ----------
    extents
        The extents of the store.
    way
        The affine map from an index of the store to its position in the whole.
    grids
        The units along each dimension of the whole.
    kind
        The noun for a unit.
    """

    extents: tuple[int, ...]
    way: IndexMap
    grids: tuple[ChunkGrid, ...]
    kind: str

    @property
    def lines(self) -> list[tuple[int | None, range]]:
        """The dimension of the store along each dimension of the whole, or None, and its positions there."""
        rows = zip(self.way.offset, self.way.stride, self.way.source, strict=True)
        return [
            (None, range(o, o + 1))
            if s is None or n == 0 or self.extents[s] <= 1
            else (s, range(o, o + n * self.extents[s], n))
            for o, n, s in rows
        ]

    def region(self, key: object) -> Store:
        """Return the part that a key in brackets selects, as a store with indices from 0."""
        selected = parse_key(self.extents, key, wraps=True).selections
        extents = tuple(map(int, selected_extents(self.extents, selected)))
        return self._replace(extents=extents, way=self.way.after(IndexMap.from_slices(selected)))

    def places(self) -> PlaceRanges | None:
        """Return the positions of the elements along each dimension of the whole; None if there are no elements."""
        return None if 0 in self.extents else tuple([upwards(line) for _, line in self.lines])

    def index_of(self, position: Sequence[int]) -> tuple[int, ...]:
        """Return the index of the store at a position of the whole."""
        lines = [self.line_of(r) for r in range(len(self.extents))]
        return tuple([0 if line is None else line[1].index(position[line[0]]) for line in lines])

    def line_of(self, r: int) -> tuple[int, range] | None:
        """Return the dimension of the whole along which dimension ``r`` runs, and its positions there.

        The result is None if the position in the whole does not depend on the index of dimension ``r``.
        """
        return next(((w, line) for w, (source, line) in enumerate(self.lines) if source == r), None)

    def indices(self, r: int, units: Sequence[int]) -> range:
        """Return the indices of dimension ``r`` within a unit; ``units`` has its number along each dimension."""
        answer = self.line_of(r)
        if answer is None:
            return range(self.extents[r])
        w, line = answer
        row = range_within(upwards(line), self.grids[w].span(units[w]))
        ends = sorted([line.index(row[0]), line.index(row[-1])]) if row else (0, -1)
        return range(ends[0], ends[1] + 1)

    def nearest(self, r: int, border: int) -> int:
        """Return the border of units that is nearest to a border of chunks; border ``n`` is before index ``n``."""
        answer = self.line_of(r)
        if answer is None or not 0 < border < self.extents[r]:
            return border
        w, line = answer
        units = [0] * len(self.grids)
        units[w] = self.grids[w].unit_of(line[border])
        row = self.indices(r, units)
        return row.start if border - row.start <= row.stop - border else row.stop


def upwards(line: range) -> range:
    """Return the positions of a range in ascending order."""
    return line if line.step > 0 else line[::-1]


def range_within(row: range, bounds: range) -> range:
    """Return the part of an ascending range within a range of step 1.

    >>> range_within(range(1, 14, 4), range(4, 13)), range_within(range(1, 14, 4), range(6, 9))
    (range(5, 13, 4), range(9, 9, 4))
    """
    return row[bisect_left(row, bounds.start) : bisect_left(row, bounds.stop)]


def sizes_of(source: Iterable[Any], what: str, r: int | None = None) -> tuple[int, ...]:
    """Return sizes along dimension ``r``, or for each dimension, after a check that they are at least 0.

    ``source`` is an argument of the user.
    """
    sizes = tuple([int(as_integer(n, f"the size of {what}")) for n in source])
    if min(sizes, default=0) < 0:
        dimension = sizes.index(min(sizes)) if r is None else r
        raise ExtentsError(f"{what} have 0 indices or more: size {as_text(min(sizes))} of dimension {dimension}")
    return sizes


def store_of(source: Any, unit: Unit = None) -> Store:
    """Return an argument as a store; arrays are recognised by their attributes.

    Raises
    ------
    OperandError
        ``source`` is not a store.
    LayoutError
        ``source`` has no units, or an element has several indices.
    ExtentsError, ExtentsTypeError, RankError
        The unit does not fit the extents.
    """
    if isinstance(source, ViewBase) and unit is None:
        _check_bytes(source)
    if isinstance(source, Mapping | ViewBase):
        return _of_mapping(mapping_of(source), unit)
    if isinstance(source, tuple) and len(source) == 2 and unit is None:  # noqa: PLR2004 - a pair
        return _plain(as_extents(source[0]), source[1], "unit")
    shape = getattr(source, "shape", None)
    if shape is None or isinstance(source, type):
        raise OperandError(
            "a store is a view or a mapping, an array with shape and chunks (zarr, h5py), or a pair (extents, unit), "
            f"got {brief(source)}"
        )
    return _plain(as_extents(shape), *((unit, "unit") if unit is not None else units_of_array(source)))


def units_of_array(source: Any) -> tuple[Any, str]:
    """Return the size of the units of a zarr or h5py array, and the noun for a unit."""
    for name in ("shards", "chunks"):
        try:
            sizes = getattr(source, name, None)
        except NotImplementedError:  # zarr raises it if sizes differ
            raise LayoutError(f"{name} of {brief(source)} differ in size; write unit=(…) of whole ones") from None
        if sizes is not None:
            return sizes, name[:-1]
    if not hasattr(source, "chunks"):
        raise OperandError(
            f"{brief(source)} does not say in which units it is written; write unit=(…), a size for each dimension"
        )
    return (1,) * len(source.shape), "element"


def _of_mapping(mapping: AnyMapping, unit: Unit) -> Store:
    """Return the store of a mapping.

    Raises
    ------
    LayoutError
        An index has no element, two indices share an element, or the units are not blocks of indices.
    """
    layout, extents = mapping.layout, tuple(map(int, mapping.extents))
    if not layout.is_total():
        raise LayoutError(
            f"some indices of {brief(layout)} have no element; give the view that was padded as the store"
        )
    part = layout.composition(mapping.extents)
    tiling = part.base.tiling() if unit is None else None
    if tiling is None:
        if unless_undecided(lambda: mapping.is_unique) is False:
            _refuse_shared(mapping)
        return _plain(extents, *(((1,) * len(extents), "element") if unit is None else (unit, "unit")))
    no_blocks = f"tiles of {brief(layout)} are no blocks of its indices"
    if part.transform.radix is not None:
        raise LayoutError(f"{no_blocks}: reshape after storing, not before")
    grids = tuple([ChunkGrid(int(e), int(n)) for e, n in zip(part.extents, tiling.sizes, strict=True)])
    store = Store(extents, part.transform.of_ints(), grids, "tile")
    sources = [s for s, _ in store.lines if s is not None]
    if size_of(extents) and any(e > 1 and r not in sources for r, e in enumerate(extents)):
        _refuse_shared(mapping)
    if len({*sources}) < len(sources):
        raise LayoutError(f"{no_blocks}: it is a diagonal; store to what it was made of")
    return store


def _check_bytes(view: ViewBase) -> None:
    """Check that the units of a view share no bytes."""
    storage, origin, mapping, _ = parts_of(view)
    count = 1 if storage is None or storage.bits % 8 == 0 else 8 // storage.bits
    tiling = mapping.layout.composition(mapping.extents).base.tiling()
    if count > 1 and (tiling is None or origin % count or size_of(tiling.sizes) % count):
        raise LayoutError(
            f"several elements share a byte, and {brief(mapping)} has no tiles of whole bytes; say what is written as "
            "a whole, unit=(…), or store to one element in a byte"
        )


def _refuse_shared(mapping: AnyMapping) -> NoReturn:
    raise LayoutError(
        f"some indices of {brief(mapping.layout)} over extents {shape_text(mapping.extents)} are the same element, so "
        "that indices do not tell which writers share it; store to the view that it was made of"
    )


def _plain(extents: tuple[int, ...], unit: Any, kind: str) -> Store:
    """Return a store that is the whole, with units of the size ``unit``, an argument of the user."""
    extents = tuple(map(int, extents))
    if isinstance(unit, str) or not isinstance(unit, Iterable):
        raise OperandError(f"a unit is one size for each dimension of {shape_text(extents)}, got {brief(unit)}")
    unit = tuple(islice(unit, len(extents) + 1))  # bounds an endless iterable
    if len(unit) != len(extents):
        raise RankError(f"extents {shape_text(extents)} need a unit of {len(extents)} sizes, got {brief(unit)}")
    sizes = sizes_of(unit, "units")
    if 0 in sizes:
        raise ExtentsError(f"units have at least 1 index: size 0 of dimension {sizes.index(0)}")
    grids = tuple(map(ChunkGrid, extents, sizes))
    return Store(extents, IndexMap.taking(range(len(extents))), grids, kind)
