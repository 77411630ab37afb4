"""Files as memory-mapped views (`open_view`), and the byte range of a tile in a file.

A tile is a run of bytes in a file, for a read at a position or a range request.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from stat import S_ISDIR, S_ISREG
from typing import IO, Any, Final, Literal, NamedTuple, TypedDict, TypeVar, Unpack, cast, final, overload

from mdview import errors
from mdview.accessors.policies import DefaultAccessor, ReadOnlyAccessor
from mdview.base import answer_calls, as_entries, as_integer, as_text, brief, is_index, plural, refuse, replace
from mdview.index.extents import size_of
from mdview.index.slices import ExtentSlice
from mdview.interop.files import npy_headers
from mdview.interop.files.atomic_replace import READING, descriptor_of
from mdview.iteration.walks import check_tiled, checked_tile, nested_axes, tile_boxes
from mdview.layouts.layout import Layout
from mdview.mappings.mapping import AnyMapping, Mapping, mapping_of
from mdview.mappings.notation.parser import parse
from mdview.mappings.predicates import bounds
from mdview.mappings.slicing import select
from mdview.memory.data_types import DType, DTypeLike, read_dtype
from mdview.memory.narrow_floats import NARROW
from mdview.views.derived_views import AnyView, Box, chunk_counts, ranges
from mdview.views.typing_protocols import AnyRank
from mdview.views.view import MDView
from mdview.views.view_base import check_view, held, parts_of, storage_of

E = TypeVar("E", bound="tuple[int, ...]")
L = TypeVar("L", bound=Layout)
# A pathlike of str or bytes, as `open` takes it.
Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
# Any: the file says what its elements are.
Read = ReadOnlyAccessor[Any]
Plain = DefaultAccessor[Any]
Text = str | None
Kind = DTypeLike | None

MODES: Final = ("r", "r+")


@final
class More(TypedDict, total=False):
    """The keyword arguments of `open_view`."""

    offset: int
    layouts: Iterable[type[Layout]]


@overload
def open_view(
    path: Path, mapping: Mapping[E, L], dtype: Kind = None, *, mode: Literal["r"] = "r", **more: Unpack[More]
) -> MDView[Any, E, L, Read]: ...
@overload
def open_view(
    path: Path, mapping: Mapping[E, L], dtype: Kind = None, *, mode: Literal["r+"], **more: Unpack[More]
) -> MDView[Any, E, L, Plain]: ...
@overload
def open_view(
    path: Path, mapping: Text = None, dtype: Kind = None, *, mode: Literal["r"] = "r", **more: Unpack[More]
) -> MDView[Any, AnyRank, Layout, Read]: ...
@overload
def open_view(
    path: Path, mapping: Text = None, dtype: Kind = None, *, mode: Literal["r+"], **more: Unpack[More]
) -> MDView[Any, AnyRank, Layout, Plain]: ...
@answer_calls
def open_view(
    path: Path,
    mapping: Any = None,
    dtype: DTypeLike | None = None,
    *,
    offset: int = 0,
    mode: str = "r",
    layouts: Iterable[type[Layout]] = (),
) -> MDView[Any, Any, Any, Any]:
    """Return a view of the elements of a file, which is mapped and not read.

    The view keeps the map alive, ``release`` gives it back. It is pickled as path and offset. What the file holds is
    told by its first bytes: a ``.npy`` file of NumPy, or one that `save` wrote in any layout; anything else is raw
    bytes. Do not make the file shorter while a view of it lives, in this process or another: the system ends a process
    that reads what is gone. Any: elements of whatever type.

    Parameters
    ----------
    path
        Of the file.
    mapping
        Where the elements lie, or the text of it, ``"tiled(64, 64) (1000, 1000)"``; by default what the header says,
        and of raw bytes all items in a row.
    dtype
        Of the items of raw bytes, as for `empty`. Of others it need not be given, and must agree.
    offset
        At which byte raw elements begin. With one a file is raw bytes, whatever its first bytes are.
    mode
        ``"r"`` for a read-only view; ``"r+"`` for one whose stores reach the file.
    layouts
        The classes of your own that a header may name. It names shipped layouts without that, and no other: what a
        file says is never imported, nor looked up in a module.

    Raises
    ------
    FileFormatError
        The file is not what it is opened as, is cut off, compressed, no plain file, or names another layout; or it
        holds an array of several dimensions, of which ``mapping`` reaches a part.
    BufferSizeError
        The file has not all elements that ``mapping`` reaches.
    BufferFormatError
        ``dtype`` says none.
    OSError
        It cannot be opened: `FileNotFoundError`, `PermissionError`.

    >>> from tempfile import TemporaryDirectory
    >>> from mdview import save
    >>> with TemporaryDirectory() as folder:
    ...     save(MDView(bytearray(range(12)), (3, 4)), f"{folder}/tiles.npy", "tiled(2, 2)")
    ...     with open_view(f"{folder}/tiles.npy") as view:
    ...         print(view.layout, view[1].tolist())
    LayoutTiled(2, 2, outer=LayoutRight(), inner=LayoutRight()) [4, 5, 6, 7]
    """
    if mode not in MODES:
        raise errors.AccessorError(
            f"mode is 'r' (read-only) or 'r+' (stores reach the file), got {brief(mode)}; save makes a new file"
        )
    name, begin, classes = file_name(path), int(as_integer(offset, "offset")), layout_classes(layouts)
    asked = parse(mapping) if isinstance(mapping, str) else mapping
    asked = None if asked is None else mapping_of(asked)
    items, stores = None if dtype is None else read_dtype(dtype), mode != "r"
    with open_regular_file(name, stores=stores) as file:
        header = None if begin else _header(file, items)
        size = os.fstat(file.fileno()).st_size
        if header is None:
            asked, items = _of_raw(asked, items, begin, size)
        else:
            asked, items, begin = _of_header(header, size, asked, items, classes)
        return npy_headers.mapped_view(file, name, asked, items, begin, stores=stores)


def _header(file: IO[bytes], items: DType | None) -> npy_headers.Header | None:
    """Return the header of a ``.npy`` file, None for raw bytes."""
    start = file.read(len(npy_headers.MAGIC))
    file.seek(0)
    if items is None and start.startswith(npy_headers.ARCHIVES):
        raise errors.FileFormatError(
            "is an archive, which is not mapped; load an array of it, asview(numpy.load(path)['name']), or unpack it"
        )
    return npy_headers.read_header(file) if start == npy_headers.MAGIC else None


def _of_header(
    header: npy_headers.Header,
    size: int,
    asked: AnyMapping | None,
    items: DType | None,
    classes: tuple[type[Layout], ...],
) -> tuple[AnyMapping, DType, int]:
    """Return mapping and items of a file with a header, and the byte where they begin; ``size`` is that of the file."""
    raw = getattr(header.items.dtype, "kind", "") == "V" and not getattr(header.items.dtype, "names", None)
    if items is not None and raw and (items.format in NARROW or items.format.startswith("|")) and items.dtype is None:
        header = replace(header, items=header.items.read_as(items.format))  # without a name in NumPy
    if items is not None and items.bits % 8 and header.items.bits == 8 and asked is not None:  # noqa: PLR2004 - bytes
        header = replace(header, items=items)
    if items is not None and items != header.items:
        way = f"dtype='|{items.format}' has an item in each byte" if raw and items.bits % 8 else "leave out dtype="
        raise errors.FileFormatError(f"has items of format {header.items.format!r}, not {items.format!r}; {way}")
    if asked is None:
        npy_headers.check_whole(header, size)
    else:
        npy_headers.check_covers(header, size, asked)
    return asked or header.mapping(classes), header.items, header.begin


def _of_raw(asked: AnyMapping | None, items: DType | None, begin: int, size: int) -> tuple[AnyMapping, DType]:
    """Return mapping and items of a file without a header."""
    if items is None:
        what = "begins like no .npy file" if size else "is empty"
        raise errors.FileFormatError(f"{what}; of raw bytes, say mapping='right (3, 4)' and dtype='d'")
    if not 0 <= begin <= size:
        raise errors.BufferSizeError(
            f"has {plural(size, 'byte')}, and elements begin at one of them: 0 to {size}, got offset {as_text(begin)}"
        )
    count = items.count(size - begin)
    rest = size - begin - items.nbytes(count)
    if asked is None and rest:
        raise errors.BufferSizeError(
            f"has {plural(size - begin, 'byte')} from byte {begin} on, no multiple of {items.bits // 8} of an item "
            f"of format {items.format!r}; give a mapping for what is there"
        )
    return asked or Mapping((count,)), items


def file_name(path: object) -> str:
    """Return a path as a text; raise FileFormatError if it is no valid path."""
    if not isinstance(path, str | bytes | os.PathLike):
        refuse("path", "the path of a file, a str, bytes or pathlib.Path", path)
    name = os.fsdecode(cast("Path", path))
    try:
        os.lstat(name)
    except OSError:
        pass  # raised where the file is opened or made
    except ValueError as error:
        raise errors.FileFormatError(f"no path of a file: {brief(name)}: {error}") from None
    return name


def layout_classes(given: object) -> tuple[type[Layout], ...]:
    """Return the classes that a header may name."""
    found: tuple[Any, ...] = tuple(given) if isinstance(given, Iterable) else (given,)
    for kind in found:
        if not isinstance(kind, type) or not issubclass(kind, Layout):
            refuse("layouts", "classes of layouts, layouts=[LayoutMine]", kind)
    return found


@contextmanager
def open_regular_file(name: str, *, stores: bool) -> Iterator[IO[bytes]]:
    """Open a regular file. Errors about its content start with its name."""
    mode = os.stat(name).st_mode  # noqa: PTH116 - of a text
    if not S_ISREG(mode):
        what = "a directory" if S_ISDIR(mode) else "no regular file"
        raise errors.FileFormatError(f"{name!r} is {what}, which cannot be mapped")
    flags = READING | os.O_RDWR if stores else READING
    with descriptor_of(name, flags) as descriptor, os.fdopen(descriptor, "rb", closefd=False) as file:
        try:
            yield file
        except (errors.FileFormatError, errors.BufferSizeError) as error:
            raise type(error)(f"{name!r} {error}") from None


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
    >>> from mdview import save
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
    view = held(view)
    storage, (_, origin, mapping, _) = storage_of(view), parts_of(view)
    check_tiled(mapping)
    first, last = _run(mapping, k, tile)
    mapped = storage.region()
    if mapped is None:
        raise errors.PlaceError(
            f"this view of a {type(storage.source).__name__} lies in no file that open_view has mapped; {WAY}"
        )
    region, before = mapped[0].region, mapped[1]
    first, last = origin + first, min(origin + last, storage.length)
    if first * storage.bits % 8 or (last * storage.bits % 8 and last < storage.length):
        raise errors.NotContiguousError(
            "the first or the last byte of this tile has elements of others, too; take larger tiles"
        )
    begin, end = first * storage.bits // 8, storage.nbytes(last)
    return TileBytes(region.path, region.offset + before + begin, end - begin)


def _run(mapping: AnyMapping, k: object, tile: Sequence[int] | None) -> tuple[int, int]:
    """Return the offset of the first element of the block of a tile, and one past the last."""
    tiling = None if tile is not None else mapping.layout.tiling()
    if tiling is None:
        lengths = tuple([max(e, 1) for e in mapping.extents]) if tile is None else checked_tile(tile, mapping)
    else:
        lengths = tiling.sizes
    part, shift = select(mapping, ranges(_tile_box(mapping, k, lengths)))
    low, high = bounds(part) or (0, -1)
    if tiling is not None:
        return shift + low, shift + max(high + 1, low + mapping.layout.allocation_size(lengths))
    if high - low + 1 != part.size or not part.is_unique:
        raise errors.NotContiguousError(
            f"the {plural(part.size, 'element')} of this tile do not lie in one run: the first and the last of them "
            f"are {high - low} apart; take the tiles of the layout, or save the view in a tiled one"
        )
    return shift + low, shift + high + 1


def _tile_box(mapping: AnyMapping, k: object, lengths: Sequence[int]) -> Box:
    """Return the box of a tile, by its number in memory order or its index in the grid."""
    grid = chunk_counts(mapping.extents, lengths)
    if isinstance(k, Iterable) and not isinstance(k, str | bytes):
        place = [int(as_integer(n, "an index of a tile")) for n in as_entries(k, "the place of a tile")]
        if len(place) != len(grid):
            raise errors.RankError(f"the grid of tiles {grid} has rank {len(grid)}, got {as_text(tuple(place))}")
        for r, (p, n) in enumerate(zip(place, grid, strict=True)):
            _check_tile(p, n, f" of dimension {r} of the grid of tiles {grid}")
    else:
        if not is_index(k):
            raise errors.IndexTypeError(f"a tile has a number, or one index per dimension, got {brief(k)}")
        number, place = int(as_integer(k, "the number of a tile")), [0] * len(grid)
        _check_tile(number, size_of(grid), f": the grid of tiles is {grid}")
        axes = tile_axes(mapping, lengths)
        if axes is None:
            return next(islice(tile_boxes(mapping, lengths), number, None))
        for r in axes:
            number, place[r] = divmod(number, grid[r])
    starts = zip(place, lengths, mapping.extents, strict=True)
    return tuple([(p * n, min(p * n + n, int(e))) for p, n, e in starts])


def tile_axes(mapping: AnyMapping, lengths: Sequence[int]) -> tuple[int, ...] | None:
    """Return the dimensions of the grid from the fastest to the slowest in memory; None if tiles have no such order."""
    grid = chunk_counts(mapping.extents, lengths)
    corners, _ = select(mapping, [ExtentSlice(0, n, t) for n, t in zip(grid, lengths, strict=True)])
    axes = nested_axes(corners)
    return None if axes is None or min(corners.found_strides() or (), default=0) < 0 else axes[::-1]


def _check_tile(number: int, count: int, of: str) -> None:
    if not 0 <= number < count:
        raise errors.IndexOutOfRangeError(
            f"tile {as_text(number)} is out of range for {plural(count, 'tile')}{of}; pass tile= for other tiles"
        )
