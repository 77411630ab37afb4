"""The place of a tile is a run of bytes in a file: what a read at a position, or a range request to a store, needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple, final

from mdview.accessors.base import Accessor
from mdview.base.integers import as_integer, is_index
from mdview.base.texts import counted, shown, told
from mdview.engines import padding
from mdview.errors import (
    IndexOutOfRangeError,
    IndexTypeError,
    NotContiguousError,
    PlaceError,
    RankError,
)
from mdview.index.extents import size_of
from mdview.index.slices import ExtentSlice
from mdview.iteration.tiling import checked_tile, tiles
from mdview.layouts.base import Layout
from mdview.layouts.enumeration import first_missing
from mdview.mappings.facts import AnyMapping, bounds
from mdview.mappings.slicing import select
from mdview.views.base import ViewBase, check_view, parts_of
from mdview.views.derive import ranges
from mdview.views.parts import Parts
from mdview.views.view import MDView

# Any: elements of any type.
AnyView = MDView[Any, tuple[int, ...], Layout, Accessor[Any, Any]]
Box = tuple[tuple[int, int], ...]
Run = tuple[int, int]
"""The first offset, and one past the last."""

WAY: Final = "save(view, path) writes it to a file, and open_view(path) is a view of that"


@final
class TileBytes(NamedTuple):
    """Where the bytes of a tile lie: from ``offset`` on, ``length`` of them in the file ``path``."""

    path: str
    offset: int
    length: int


def tile_bytes(view: AnyView, k: int | Sequence[int], tile: Sequence[int] | None = None) -> TileBytes:
    """Return where in a file the bytes of tile ``k`` of a view lie: all that ``os.pread`` or a range request needs.

    The bytes are the block in which the layout stores the tile: the elements in the order in which they lie in memory,
    and holes where the layout has some, as in a tile that sticks out of the extents. The last tile may be cut where
    the file ends.

    Parameters
    ----------
    view
        Of a mapped file: `open_view` makes one, `asview` of a `numpy.memmap`, or a part of one.
    k
        The number of the tile in memory order, in which `tiles` has them; or its place in the grid of tiles, one
        index per dimension.
    tile
        How long a tile is in each dimension: one whose elements lie in one run, a row of a matrix. Those of the layout
        by default; a view without tiles of its own is one tile.

    Raises
    ------
    IndexOutOfRangeError, IndexTypeError, RankError, ExtentsError
        There is no such tile.
    NotContiguousError
        Other elements lie between those of the tile.
    PlaceError
        The view lies in no file, or in one that has been removed or replaced.
    OperandError, NullViewError, HaloError
        Not a view, or one without data, or with padding.

    >>> from tempfile import TemporaryDirectory
    >>> from mdview import open_view, save
    >>> with TemporaryDirectory() as folder:
    ...     save(MDView(bytearray(range(16)), (4, 4)), f"{folder}/tiles.npy", "tiled(2, 2)")
    ...     view = open_view(f"{folder}/tiles.npy")
    ...     path, offset, length = tile_bytes(view, (1, 0))
    ...     with open(path, "rb") as file:
    ...         file.seek(offset)
    ...         print(file.read(length) == view[2:, :2].tobytes())
    4104
    True
    """
    check_view(view, "what has tiles")
    parts = whole_tiles(view)
    storage, mapping = parts.checked_storage(), parts.mapping
    first, last = _run(view, mapping, k, tile)
    site = storage.site()
    if site is None or site.is_shared:
        raise PlaceError(f"this view of a {type(storage.source).__name__} lies in no file that has a path; {WAY}")
    first, last = parts.origin + first, min(parts.origin + last, storage.length)
    return TileBytes(site.name, site.offset + first * storage.itemsize, (last - first) * storage.itemsize)


def whole_tiles(view: ViewBase) -> Parts:
    """Return the parts of a view all indices of which have an element; raises as `tile_bytes`."""
    parts = parts_of(view)
    parts.checked_storage()
    outside = first_missing(parts.mapping.layout, parts.mapping.extents)
    if outside is not None:
        padding.refuse(parts.mapping, outside, "part of any tile; slice the view to its valid_box first")
    return parts


def _run(view: AnyView, mapping: AnyMapping, k: object, tile: Sequence[int] | None) -> Run:
    """Return the offsets of the block of a tile."""
    tiling = None if tile is not None else mapping.layout.tiling()
    if tiling is None:
        lengths = tuple([max(e, 1) for e in mapping.extents]) if tile is None else checked_tile(tile, mapping)
    else:
        lengths = tiling.sizes
    grid = tuple([-(-int(e) // n) for e, n in zip(mapping.extents, lengths, strict=True)])
    part, shift = _part(view, mapping, k, grid, lengths)
    low, high = bounds(part) or (0, -1)
    if tiling is not None:
        return shift + low, shift + max(high + 1, low + mapping.layout.allocation_size(lengths))
    if high - low + 1 != part.size or not part.is_unique:
        raise NotContiguousError(
            f"the {counted(part.size, 'element')} of this tile do not lie in one run: the first and the last of them "
            f"are {high - low} apart; take the tiles of the layout, or save the view in a tiled one"
        )
    return shift + low, shift + high + 1


def _part(
    view: AnyView, mapping: AnyMapping, k: object, grid: tuple[int, ...], lengths: Sequence[int]
) -> tuple[AnyMapping, int]:
    """Return the mapping of a tile, and what is to be added to its offsets."""
    place = _place(mapping, k, grid, lengths)
    if isinstance(place, int):
        part = next(islice(tiles(view, lengths), place, None))
        return part.mapping, part.origin - view.origin
    starts = zip(place, lengths, mapping.extents, strict=True)
    return select(mapping, ranges([(p * n, min(p * n + n, int(e))) for p, n, e in starts]))


def _place(mapping: AnyMapping, k: object, grid: tuple[int, ...], lengths: Sequence[int]) -> tuple[int, ...] | int:
    """Return the place of a tile in the grid; its number where that alone does not tell the place."""
    if isinstance(k, Iterable) and not isinstance(k, str | bytes):
        place = tuple([int(as_integer(n, "an index of a tile")) for n in k])
        if len(place) != len(grid):
            raise RankError(f"the grid of tiles {grid} has rank {len(grid)}, got {shown(place)}")
        for r, (p, n) in enumerate(zip(place, grid, strict=True)):
            _check(p, n, f" of dimension {r} of the grid of tiles {grid}")
        return place
    if not is_index(k):
        raise IndexTypeError(f"a tile has a number, or one index per dimension, got {told(k)}")
    number = int(as_integer(k, "the number of a tile"))
    _check(number, size_of(grid), f": the grid of tiles is {grid}")
    axes = tile_axes(mapping, grid, lengths)
    if axes is None:
        return number
    found = [0] * len(grid)
    for r in axes:
        number, found[r] = divmod(number, grid[r])
    return tuple(found)


def tile_axes(mapping: AnyMapping, grid: tuple[int, ...], lengths: Sequence[int]) -> list[int] | None:
    """Return the dimensions of the grid from the fastest to the slowest in memory; None where tiles are in no order."""
    corners, _ = select(mapping, [ExtentSlice(0, n, t) for n, t in zip(grid, lengths, strict=True)])
    strides = corners.found_strides()
    if strides is None:
        return None
    moving = sorted([r for r, n in enumerate(grid) if n > 1], key=lambda r: strides[r])
    reached = 0
    for r in moving:
        if strides[r] <= reached:
            return None
        reached += strides[r] * (grid[r] - 1)
    return moving


def _check(number: int, count: int, of: str) -> None:
    if not 0 <= number < count:
        raise IndexOutOfRangeError(
            f"tile {shown(number)} is out of range for {counted(count, 'tile')}{of}; pass tile= for other tiles"
        )
