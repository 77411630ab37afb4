"""Files as memory-mapped views (`open_view`)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from stat import S_ISDIR, S_ISREG
from typing import IO, Any, Literal, TypedDict, TypeVar, Unpack, cast, final, overload

from mdview import errors
from mdview.accessors.policies import DefaultAccessor, ReadOnlyAccessor
from mdview.base import answer_calls, as_integer, as_text, brief, plural, refuse, replace
from mdview.interop import npy_headers
from mdview.layouts.layout import Layout
from mdview.mappings.mapping import AnyMapping, Mapping, mapping_of
from mdview.mappings.notation.parser import parse
from mdview.memory.data_types import DType, DTypeLike, read_dtype
from mdview.memory.exporters import open_at_once
from mdview.memory.item_formats import NAMED
from mdview.views.typing_protocols import AnyRank
from mdview.views.view import MDView

E = TypeVar("E", bound="tuple[int, ...]")
L = TypeVar("L", bound=Layout)
# A pathlike of str or bytes, as `open` takes it.
Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
# Any: the type of the elements is known when the file is opened.
Read = ReadOnlyAccessor[Any]
Plain = DefaultAccessor[Any]
Text = str | None
Kind = DTypeLike | None


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
    """Return a view of the elements of a file, which is memory-mapped and not read.

    The view keeps the map alive until ``release``. Its pickle contains the path and the offset. The first bytes of the
    file determine its format: a ``.npy`` file that NumPy or `save` has written; any other file is raw bytes. Do not
    make the file shorter while a view of it exists, in this process or another: the system ends a process that accesses
    bytes beyond the end.

    Parameters
    ----------
    path
        The path of the file.
    mapping
        The mapping of the elements, or its text, ``"tiled(64, 64) (1000, 1000)"``. By default the mapping in the
        header, and for raw bytes all items in one dimension.
    dtype
        The type of the items, as for `empty`. Raw bytes need it; for a file with a header it must agree with the
        header.
    offset
        The byte at which raw elements begin. A file that is opened with an offset is raw bytes, whatever it begins
        with.
    mode
        ``"r"`` for a read-only view; ``"r+"`` for a view whose stores reach the file.
    layouts
        Your own classes of layouts that the header may name. A header can name shipped layouts and these classes alone:
        no name in a file is imported, or looked up in a module.

    Raises
    ------
    FileFormatError
        The file has another format, is cut off, compressed or not a regular file, or names an unknown layout; or it
        contains an array of several dimensions, and ``mapping`` reaches only a part of it.
    BufferSizeError
        ``mapping`` needs more elements than the file contains.
    BufferFormatError
        ``dtype`` does not describe a type of items.
    OSError
        The file cannot be opened: `FileNotFoundError`, `PermissionError`.

    >>> from tempfile import TemporaryDirectory
    >>> from mdview import save
    >>> with TemporaryDirectory() as folder:
    ...     save(MDView(bytearray(range(12)), (3, 4)), f"{folder}/tiles.npy", "tiled(2, 2)")
    ...     with open_view(f"{folder}/tiles.npy") as view:
    ...         print(view.layout, view[1].tolist())
    LayoutTiled(2, 2, outer=LayoutRight(), inner=LayoutRight()) [4, 5, 6, 7]
    """
    if mode not in ("r", "r+"):
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
    """Return the header of a ``.npy`` file, or None for raw bytes."""
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
    """Return the mapping and the type of the items of a file with a header, and the first byte of the items.

    ``size`` is the size of the file in bytes.
    """
    raw = getattr(header.items.dtype, "kind", "") == "V" and not getattr(header.items.dtype, "names", None)
    is_named = items is not None and raw and items.format in NAMED and items.bits == header.items.bits
    is_packed = items is not None and items.bits % 8 and header.items.bits == 8 and asked is not None  # noqa: PLR2004
    if items is not None and (is_named or is_packed):
        header = replace(header, items=items)  # NumPy has no name for the type, or has its bytes
    if items is not None and items != header.items:
        way = f"dtype='|{items.format}' has an item in each byte" if raw and items.bits % 8 else "leave out dtype="
        raise errors.FileFormatError(f"has items of format {header.items.format!r}, not {items.format!r}; {way}")
    if asked is None:
        npy_headers.check_whole(header, size)
    else:
        npy_headers.check_covers(header, size, asked)
    return asked or header.mapping(classes), header.items, header.begin


def _of_raw(asked: AnyMapping | None, items: DType | None, begin: int, size: int) -> tuple[AnyMapping, DType]:
    """Return the mapping and the type of the items of a file without a header."""
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
    """Return a path as a string; raise FileFormatError if the path is not valid."""
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


def layout_classes(classes: object) -> tuple[type[Layout], ...]:
    """Return the classes that a header may name, after a check that they are classes of layouts."""
    kinds: tuple[Any, ...] = tuple(classes) if isinstance(classes, Iterable) else (classes,)
    for kind in kinds:
        if not isinstance(kind, type) or not issubclass(kind, Layout):
            refuse("layouts", "classes of layouts, layouts=[LayoutMine]", kind)
    return kinds


@contextmanager
def open_regular_file(name: str, *, stores: bool) -> Iterator[IO[bytes]]:
    """Open a regular file; the messages of errors about its content are prefixed with its name."""
    mode = os.stat(name).st_mode  # noqa: PTH116 - the path is a string
    if not S_ISREG(mode):
        what = "a directory" if S_ISDIR(mode) else "no regular file"
        raise errors.FileFormatError(f"{name!r} is {what}, which cannot be mapped")
    with open(name, "r+b" if stores else "rb", opener=open_at_once) as file:
        try:
            yield file
        except (errors.FileFormatError, errors.BufferSizeError) as error:
            raise type(error)(f"{name!r} {error}") from None
