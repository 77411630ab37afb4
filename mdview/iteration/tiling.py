"""Tiles of a view: the parts that its layout stores together, or blocks of any shape, in memory order."""

# Overloads go from the narrow source to the wide one, so they overlap by design.
# mypy: disable-error-code="overload-overlap"

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import starmap
from typing import Any, Final, TypeAlias, TypeVar, overload

from mdview.accessors.base import Accessor
from mdview.base.integers import as_integer
from mdview.base.strided_sets import Index
from mdview.base.texts import shown, told
from mdview.engines import padding
from mdview.engines.plan import plan_of
from mdview.errors import ExtentsError, ExtentsTypeError, LayoutError, RankError, UndecidedError
from mdview.expressions.extremes import Bound
from mdview.expressions.extremes import Box as Ranges
from mdview.index.extents import shape_text, size_of
from mdview.iteration.memory_order import Place, by_parts, offset_bound
from mdview.iteration.walks import check_data
from mdview.layouts.arithmetic import SHORT
from mdview.layouts.base import Layout, indices
from mdview.layouts.enumeration import first_missing, indices_within, offset_function
from mdview.layouts.strided import StridedLayout
from mdview.mappings.facts import bounds
from mdview.mappings.mapping import AnyMapping
from mdview.mappings.slicing import select
from mdview.views.derive import part_at, ranges
from mdview.views.protocols import Rank
from mdview.views.view import MDView

T = TypeVar("T")
A = TypeVar("A", bound=Accessor[object, object])

Tile: TypeAlias = tuple[tuple[int, int], ...]
"""For each dimension the first index, and one past the last."""

SORTED: Final = 512
"""How many tiles, times their dimensions, are sorted together; of more only those that may come next are looked at."""

MOST_SUMS: Final = 4096
"""How many tiles are sorted together where the lowest offset of each is a sum of one number per dimension."""

MOST_ENTRIES: Final = 1 << 16
"""How many such numbers are kept in all."""

MOST_TILES: Final = 10_000
"""How many tiles are sorted where the layout's arithmetic does not tell which of them may come next."""


@overload
def tiles(
    view: MDView[T, Rank, StridedLayout, A], tile: Sequence[int]
) -> Iterator[MDView[T, Rank, StridedLayout, A]]: ...
@overload
def tiles(
    view: MDView[T, Rank, Layout, A], tile: Sequence[int] | None = None
) -> Iterator[MDView[T, Rank, Layout, A]]: ...
def tiles(view: MDView[T, Any, Layout, A], tile: Sequence[int] | None = None) -> Iterator[MDView[T, Any, Layout, A]]:
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
    lengths = tile_of(mapping) if tile is None else checked_tile(tile, mapping)
    return (part_at(view, mapping, tile) for tile in _by_lowest(mapping, lengths))


def tile_of(mapping: AnyMapping) -> tuple[int, ...]:
    """Return how long the tiles of a tiled layout, or of a transposed one, are."""
    tiling = mapping.layout.tiling()
    if tiling is not None:
        return tiling.sizes
    raise LayoutError(
        f"{told(mapping.layout)} has no tiles of its own; say how long they are: tiles(view, (8,) * view.rank)"
    )


def checked_tile(tile: Sequence[int], mapping: AnyMapping) -> tuple[int, ...]:
    """Return how long a tile is in each dimension; refuse what is not one length of 1 or more per dimension."""
    if isinstance(tile, str | Mapping | AbstractSet) or not isinstance(tile, Iterable):
        raise ExtentsTypeError(f"a tile is one length per dimension, got {told(tile)}")
    lengths = tuple([int(as_integer(n, "a tile size")) for n in tile])
    if len(lengths) != mapping.rank:
        raise RankError(
            f"extents {shape_text(mapping.extents)} are cut in {mapping.rank} dimensions, got tile {shown(lengths)}"
        )
    if min(lengths, default=1) < 1:
        raise ExtentsError(f"tile sizes are at least 1, got {shown(lengths)}")
    return lengths


def _by_lowest(mapping: AnyMapping, lengths: Sequence[int]) -> Iterator[Tile]:
    """Tiles by lowest offset; those that share it in index order."""
    extents = mapping.extents
    grid = tuple([-(-e // n) for e, n in zip(extents, lengths, strict=True)])
    sums = _lowest_sums(mapping, lengths) if sum(grid) <= MOST_ENTRIES and 0 not in grid else None

    def tile(place: Index) -> Tile:
        return tuple([(k * n, min(k * n + n, e)) for k, n, e in zip(place, lengths, extents, strict=True)])

    def by_lowest(places: Iterable[Index]) -> list[Place]:
        if sums is not None:
            return sorted([(sum([own[k] for own, k in zip(sums, place, strict=True)]), place) for place in places])
        lowest = _lowest_of(mapping)
        return sorted([(lowest(tile(place)), place) for place in places])

    most = (
        1 + SORTED // (1 + mapping.rank) if sums is None else MOST_SUMS
    )  # a tile of many dimensions takes long to find
    bound: Bound | None = None
    if size_of(grid) > most:
        bound = _of_tiles(offset_bound(mapping), tile) if sums is None else partial(_sum_bound, sums)
    if bound is None and size_of(grid) > MOST_TILES:
        raise UndecidedError(f"{told(mapping)} has {size_of(grid)} tiles, whose order in memory takes a look at each")
    if bound is None:
        return (tile(place) for _, place in by_lowest(indices(grid)))
    box = tuple([(0, n - 1) for n in grid])
    return (tile(place) for _, place in by_parts(bound, box, most, by_lowest))


def _lowest_sums(mapping: AnyMapping, lengths: Sequence[int]) -> list[list[int]] | None:
    """For each dimension numbers that add up to the lowest offset of a tile, less a constant; None where none do."""
    extents, strides = mapping.extents, mapping.found_strides()
    ends = [[(k, min(k + n, e)) for k in range(0, e, n)] for e, n in zip(extents, lengths, strict=True)]
    if strides is not None:
        return [[s * (a if s > 0 else z - 1) for a, z in own] for s, own in zip(strides, ends, strict=True)]
    plan = plan_of(mapping)
    if plan.axes is None:
        return None
    tables = [[a * i for i in range(n)] if isinstance(a, int) else a.offsets for a, n in zip(plan.axes, extents)]  # noqa: B905
    return [[min(table[a:z]) for a, z in own] for table, own in zip(tables, ends, strict=True)]


def _lowest_of(mapping: AnyMapping) -> Callable[[Tile], int]:
    """Return the function that finds the lowest offset of a tile."""
    offset = offset_function(mapping.layout, mapping.extents)

    def lowest(tile: Tile) -> int:
        if mapping.layout.is_monotone():
            return offset(*[a for a, _ in tile])
        if size_of([z - a for a, z in tile]) <= SHORT:
            return min(starmap(offset, indices_within(tile)))
        part, shift = select(mapping, ranges(tile))
        return shift + (bounds(part) or (0, 0))[0]

    return lowest


def _sum_bound(sums: list[list[int]], box: Ranges) -> tuple[int, int]:
    parts = [own[low : high + 1] for own, (low, high) in zip(sums, box, strict=True)]
    return sum(map(min, parts)), sum(map(max, parts))


def _of_tiles(bound: Bound | None, tile: Callable[[Index], Tile]) -> Bound | None:
    """Return the function that bounds the offsets in a box of tiles."""

    def tiled(box: Ranges) -> tuple[int, int]:
        first, last = [tile(corner) for corner in zip(*box, strict=True)] or [(), ()]
        return known(tuple([(a, z - 1) for (a, _), (_, z) in zip(first, last, strict=True)]))

    known = bound or (lambda _: (0, 0))
    return None if bound is None else tiled
