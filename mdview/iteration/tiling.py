"""Tiles of a view: the parts that its layout stores together, or blocks of any shape, in memory order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeVar

from mdview.accessors.base import Accessor
from mdview.base.integers import as_integer
from mdview.base.strided_sets import Index
from mdview.base.texts import shown
from mdview.engines import padding
from mdview.errors import ExtentsError, ExtentsTypeError, LayoutError, RankError, UndecidedError
from mdview.expressions.extremes import Bound
from mdview.expressions.extremes import Box as Ranges
from mdview.index.extents import shape_text, size_of
from mdview.index.slices import ExtentSlice
from mdview.iteration.memory_order import Place, by_parts, offset_bound
from mdview.iteration.walks import check_data
from mdview.layouts.base import Layout, indices
from mdview.layouts.enumeration import first_missing
from mdview.mappings.facts import AnyMapping, bounds
from mdview.mappings.slicing import select
from mdview.views.derive import shifted
from mdview.views.view import MDView

T = TypeVar("T")
A = TypeVar("A", bound=Accessor[object, object])

SORTED: Final = 512
"""How many tiles, times their dimensions, are sorted together; of more only those that may come next are looked at."""

MOST_TILES: Final = 10_000
"""How many tiles are sorted where the layout's arithmetic does not tell which of them may come next."""


def tiles(
    view: MDView[T, tuple[int, ...], Layout, A], tile: Sequence[int] | None = None
) -> Iterator[MDView[T, tuple[int, ...], Layout, A]]:
    """Iterate over the tiles of a view, each a subview, in the order of their lowest element in memory.

    Parameters
    ----------
    view
        A view of any layout, each index of which stands for an element.
    tile
        How long a tile is in each dimension; that of a tiled layout unless given. Tiles at the upper edges are cut.

    Raises
    ------
    LayoutError
        No tile is given and the layout has none.
    RankError, ExtentsError, ExtentsTypeError
        Not one length per dimension, or one below 1.
    HaloError
        Some indices stand for no element.
    NullViewError
        The view has no data.

    >>> from mdview import LayoutTiled
    >>> view = MDView(list(range(12)), (2, 6), LayoutTiled(2, 3))
    >>> [part.tolist() for part in tiles(view)]
    [[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 10, 11]]]
    """
    check_data(view)
    mapping = view.mapping
    outside = first_missing(mapping.layout, mapping.extents)
    if outside is not None:
        padding.refuse(mapping, outside, "part of any tile; slice the view to its valid_box first")
    lengths = tile_of(mapping) if tile is None else _checked(tile, mapping)
    return (shifted(view, part, shift) for part, shift in _by_lowest(mapping, lengths))


def tile_of(mapping: AnyMapping) -> tuple[int, ...]:
    """Return how long the tiles of a tiled layout, or of a transposed one, are."""
    tiling = mapping.layout.tiling()
    if tiling is not None:
        return tiling.sizes
    message = (
        f"{shown(mapping.layout, repr)} has no tiles of its own; say how long they are: tiles(view, (8,) * view.rank)"
    )
    raise LayoutError(message)


def _checked(tile: Sequence[int], mapping: AnyMapping) -> tuple[int, ...]:
    if not isinstance(tile, Iterable):
        message = f"a tile is one length per dimension, got {shown(tile, repr)}"
        raise ExtentsTypeError(message)
    lengths = tuple([int(as_integer(n, "a tile size")) for n in tile])
    if len(lengths) != mapping.rank:
        message = (
            f"extents {shape_text(mapping.extents)} are cut in {mapping.rank} dimensions, got tile {shown(lengths)}"
        )
        raise RankError(message)
    if min(lengths, default=1) < 1:
        message = f"tile sizes are at least 1, got {shown(lengths)}"
        raise ExtentsError(message)
    return lengths


def _by_lowest(mapping: AnyMapping, lengths: Sequence[int]) -> Iterator[tuple[AnyMapping, int]]:
    """Mapping and shift of each tile, by lowest offset; tiles that share it in index order."""
    extents = mapping.extents
    grid = tuple([-(-e // n) for e, n in zip(extents, lengths, strict=True)])

    def tile(place: Index) -> tuple[AnyMapping, int]:
        starts = zip(place, lengths, extents, strict=True)
        return select(mapping, [ExtentSlice(k * n, min(n, e - k * n)) for k, n, e in starts])

    def by_lowest(places: list[Index]) -> list[Place]:
        parts = [(*tile(place), place) for place in places]
        return sorted([(shift + (bounds(part) or (0, 0))[0], place) for part, shift, place in parts])

    most = 1 + SORTED // (1 + mapping.rank)  # a tile of many dimensions takes long to find
    bound = offset_bound(mapping) if size_of(grid) > most else None
    if bound is None and size_of(grid) > MOST_TILES:
        message = f"{mapping!r} has {size_of(grid)} tiles, whose order in memory takes a look at each"
        raise UndecidedError(message)
    if bound is None:
        return (tile(place) for _, place in by_lowest(list(indices(grid))))
    ranges = tuple([(0, n - 1) for n in grid])
    return (tile(place) for _, place in by_parts(_of_tiles(bound, lengths, extents), ranges, most, by_lowest))


def _of_tiles(bound: Bound, lengths: Sequence[int], extents: Sequence[int]) -> Bound:
    """Return the function that bounds the offsets in a box of tiles."""

    def tiled(box: Ranges) -> tuple[int, int]:
        ends = zip(box, lengths, extents, strict=True)
        return bound(tuple([(low * n, min((high + 1) * n, e) - 1) for (low, high), n, e in ends]))

    return tiled
