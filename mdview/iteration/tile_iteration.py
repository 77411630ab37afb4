"""Tiles of a view: the parts that its layout stores together, or blocks of any shape, in memory order."""

# Overloads go from the narrow source to the wide one, so they overlap by design.
# mypy: disable-error-code="overload-overlap"

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import product, starmap
from typing import Any, TypeAlias, TypeVar, overload

from mdview.accessors.accessor import Accessor
from mdview.base.argument_checks import answer_calls
from mdview.base.integers import as_integer
from mdview.base.message_texts import as_text, brief
from mdview.engines import padded_access
from mdview.engines.mapping_plan import plan_of
from mdview.errors import ExtentsError, ExtentsTypeError, LayoutError, RankError, UndecidedError
from mdview.index.extents import shape_text, size_of
from mdview.iteration.view_iterators import MOST_SORTED, check_data
from mdview.layouts.enumeration import first_missing, indices_within, offset_function
from mdview.layouts.layout import Layout
from mdview.layouts.offset_arithmetic import SHORT
from mdview.layouts.strided_layout import StridedLayout
from mdview.mappings.mapping import AnyMapping
from mdview.mappings.predicates import bounds
from mdview.mappings.slicing import select
from mdview.views.derived_views import part_at, ranges
from mdview.views.typing_protocols import Rank
from mdview.views.view import MDView

T = TypeVar("T")
A = TypeVar("A", bound=Accessor[object, object])

Tile: TypeAlias = tuple[tuple[int, int], ...]
"""For each dimension the first index, and one past the last."""


@overload
def tiles(
    view: MDView[T, Rank, StridedLayout, A], tile: Sequence[int]
) -> Iterator[MDView[T, Rank, StridedLayout, A]]: ...
@overload
def tiles(
    view: MDView[T, Rank, Layout, A], tile: Sequence[int] | None = None
) -> Iterator[MDView[T, Rank, Layout, A]]: ...
@answer_calls
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
        padded_access.refuse_halo_store(mapping, outside, "part of any tile; slice the view to its valid_box first")
    lengths = tile_of(mapping) if tile is None else checked_tile(tile, mapping)
    return (part_at(view, mapping, tile) for tile in _by_lowest(mapping, lengths))


def tile_of(mapping: AnyMapping) -> tuple[int, ...]:
    """Return how long the tiles of a tiled layout, or of a transposed one, are."""
    tiling = mapping.layout.tiling()
    if tiling is not None:
        return tiling.sizes
    raise LayoutError(
        f"{brief(mapping.layout)} has no tiles of its own; say how long they are: tiles(view, (8,) * view.rank)"
    )


def checked_tile(tile: Sequence[int], mapping: AnyMapping) -> tuple[int, ...]:
    """Return how long a tile is in each dimension; refuse what is not one length of 1 or more per dimension."""
    if isinstance(tile, str | Mapping | AbstractSet) or not isinstance(tile, Iterable):
        raise ExtentsTypeError(f"a tile is one length per dimension, got {brief(tile)}")
    lengths = tuple([int(as_integer(n, "a tile size")) for n in tile])
    if len(lengths) != mapping.rank:
        raise RankError(
            f"extents {shape_text(mapping.extents)} are cut in {mapping.rank} dimensions, got tile {as_text(lengths)}"
        )
    if min(lengths, default=1) < 1:
        raise ExtentsError(f"tile sizes are at least 1, got {as_text(lengths)}")
    return lengths


def _by_lowest(mapping: AnyMapping, lengths: Sequence[int]) -> Iterator[Tile]:
    """Tiles by lowest offset; those that share it in index order."""
    extents = mapping.extents
    count = size_of([-(-e // n) for e, n in zip(extents, lengths, strict=True)])
    if count > MOST_SORTED:
        raise UndecidedError(f"{brief(mapping)} has {count} tiles, of which at most {MOST_SORTED} are sorted")
    if not count:
        return iter(())
    cuts = [[(a, min(a + n, e)) for a in range(0, e, n)] for e, n in zip(extents, lengths, strict=True)]
    sums = _lowest_sums(mapping, cuts)
    lowest = map(_lowest_of(mapping), product(*cuts)) if sums is None else map(sum, product(*sums))
    return (tile for _, tile in sorted(zip(lowest, product(*cuts), strict=True)))


def _lowest_sums(mapping: AnyMapping, cuts: Sequence[Sequence[tuple[int, int]]]) -> list[list[int]] | None:
    """For each dimension numbers that add up to the lowest offset of a tile, less a constant; None where none do."""
    axes = plan_of(mapping).axes
    if axes is None:
        return None
    return [
        [axis * (a if axis > 0 else z - 1) for a, z in own]
        if isinstance(axis, int)
        else [min(table[a:z]) for table in (axis.offsets,) for a, z in own]
        for axis, own in zip(axes, cuts, strict=True)
    ]


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
