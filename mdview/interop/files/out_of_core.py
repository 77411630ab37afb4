"""Out-of-core copies: views in mapped files are copied part by part, so that few pages are in memory.

An index space is halved until a part touches few enough bytes of each file. Behind a part the system takes the pages
back. The place of a tile is a run of bytes in a file: what a read at a position, or a range request, needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Final, NamedTuple, TypeAlias, final

from mdview.base.argument_checks import answer_calls
from mdview.base.integers import as_integer, is_index
from mdview.base.message_texts import as_text, brief, plural
from mdview.engines import padded_access
from mdview.errors import IndexOutOfRangeError, IndexTypeError, NotContiguousError, PlaceError, RankError
from mdview.index.extents import size_of
from mdview.index.slices import ExtentSlice
from mdview.interop.files.npy_headers import AnyView
from mdview.iteration.tile_iteration import checked_tile, tiles
from mdview.layouts.enumeration import first_missing
from mdview.layouts.layout import unless_undecided
from mdview.mappings.mapping import AnyMapping
from mdview.mappings.predicates import bounds
from mdview.mappings.slicing import select
from mdview.operations.copy_fill_reduce import copy
from mdview.views.derived_views import part_at, ranges
from mdview.views.view_base import ViewBase, check_view, parts_of
from mdview.views.view_parts import ViewParts

Box: TypeAlias = tuple[tuple[int, int], ...]
"""For each dimension the first index and one past the last."""

PAGE: Final = 1 << 15
"""Bytes that come into memory around a run of elements, as the system maps pages around those that are read."""


def copy_parts(
    source: AnyView,
    target: AnyView,
    most: int,
    done: Callable[[int], None],
    copied: Callable[[Any, Any], object] = copy,
) -> None:
    """Copy the elements of a view to another one in parts, each of at most ``most`` bytes under either mapping."""
    for box in parts_of_space([source.mapping, target.mapping], most_bytes(target), most):
        copied(part_at(source, source.mapping, box), part_at(target, target.mapping, box))
        give_back(source, target)
        done(size_of([z - a for a, z in box]))


def give_back(*views: ViewBase) -> None:
    """Let the system take the memory of the pages of mapped files; they stay in its cache, and stores are kept."""
    import mmap  # noqa: PLC0415 - it has been loaded where there are any

    for view in views:
        storage = parts_of(view).storage
        region: Any = getattr(storage and storage.source, "obj", None)
        if getattr(region, "site", None) is not None and hasattr(mmap, "MADV_DONTNEED"):
            with suppress(OSError, ValueError):
                region.madvise(mmap.MADV_DONTNEED)


def most_bytes(view: AnyView) -> int:
    """Return how many bytes an element has at most."""
    return -(-parts_of(view).checked_storage().bits // 8)


def parts_of_space(mappings: Sequence[AnyMapping], size: int, most: int) -> Iterator[Box]:
    """Cut the index space of mappings into boxes that touch at most ``most`` bytes under each, or one element.

    Elements have ``size`` bytes. The parts of C order are runs of indices in index order.

    >>> from mdview.mappings.mapping import Mapping
    >>> list(parts_of_space([Mapping((4, 3))], 10_000, 100_000))
    [((0, 2), (0, 3)), ((2, 4), (0, 3))]
    """
    extents = tuple(map(int, mappings[0].extents))
    tilings = [mapping.layout.tiling() for mapping in mappings]
    units = next((tiling.sizes for tiling in tilings if tiling is not None), (1,) * len(extents))

    def touched(box: Box) -> list[int]:
        return [_touched(box, mapping, size) for mapping in mappings]

    waiting: list[Box] = [tuple([(0, e) for e in extents])] if size_of(extents) else []
    while waiting:
        box = waiting.pop()
        cuts = [_halves(box, r, units[r]) for r, (a, z) in enumerate(box) if z - a > 1]
        if cuts and max(touched(box)) > most:
            sums = [sum(touched(lower)) for _, lower in cuts]
            waiting += cuts[sums.index(min(sums))]
        else:
            yield box


def _halves(box: Box, r: int, unit: int) -> tuple[Box, Box]:
    """Cut a box along a dimension, the upper half first: at a power of two, or between tiles where it has some."""
    a, z = box[r]
    low = 1 << ((z - a - 1).bit_length() - 1)
    low -= (a + low) % unit if low > unit else 0
    return (*box[:r], (a + low, z), *box[r + 1 :]), (*box[:r], (a, a + low), *box[r + 1 :])


def _touched(box: Box, mapping: AnyMapping, size: int) -> int:
    """Return how many bytes of a file a box touches at most: runs of elements with what is read around each."""
    part, _ = select(mapping, ranges(box))
    strides = part.found_strides()
    length, runs = 1, 1
    if strides is None:
        low, high = unless_undecided(lambda: bounds(part) or (0, 0)) or (0, part.required_span_size)
        length += high - low
    else:
        for step, count in sorted(zip(map(abs, strides), part.extents, strict=True)):
            if (step - length) * size > PAGE:
                runs *= count
            else:
                length += (count - 1) * step
    return int(min(runs * (length * size + PAGE), part.size * (size + PAGE)))


ByteRun = tuple[int, int]
"""The first offset, and one past the last."""

WAY: Final = "save(view, path) writes it to a file, and open_view(path) is a view of that"


@final
class TileBytes(NamedTuple):
    """The bytes of a tile: ``length`` of them from ``offset`` on in the file ``path``."""

    path: str
    offset: int
    length: int


@answer_calls
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
    >>> from mdview import MDView, open_view, save
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
    if first * storage.bits % 8 or (last * storage.bits % 8 and last < storage.length):
        raise NotContiguousError(
            "the first or the last byte of this tile has elements of others, too; take larger tiles"
        )
    begin, end = first * storage.bits // 8, storage.nbytes(last)
    return TileBytes(site.name, site.offset + begin, end - begin)


def whole_tiles(view: ViewBase) -> ViewParts:
    """Return the parts of a view all indices of which have an element; raises as `tile_bytes`."""
    parts = parts_of(view)
    parts.checked_storage()
    outside = first_missing(parts.mapping.layout, parts.mapping.extents)
    if outside is not None:
        padded_access.refuse_halo_store(
            parts.mapping, outside, "part of any tile; slice the view to its valid_box first"
        )
    return parts


def _run(view: AnyView, mapping: AnyMapping, k: object, tile: Sequence[int] | None) -> ByteRun:
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
            f"the {plural(part.size, 'element')} of this tile do not lie in one run: the first and the last of them "
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
            raise RankError(f"the grid of tiles {grid} has rank {len(grid)}, got {as_text(place)}")
        for r, (p, n) in enumerate(zip(place, grid, strict=True)):
            _check(p, n, f" of dimension {r} of the grid of tiles {grid}")
        return place
    if not is_index(k):
        raise IndexTypeError(f"a tile has a number, or one index per dimension, got {brief(k)}")
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
            f"tile {as_text(number)} is out of range for {plural(count, 'tile')}{of}; pass tile= for other tiles"
        )
