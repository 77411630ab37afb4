"""A file is opened as a view of its elements where they lie: the system reads what is looked at, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from stat import S_ISDIR, S_ISREG
from typing import Any, Final, Literal, TypeVar, cast, final, overload

from mdview.accessors.policies import DefaultAccessor, ReadOnlyAccessor
from mdview.base.arguments import refuse
from mdview.base.integers import as_integer
from mdview.base.texts import counted, shown, told
from mdview.base.values import value
from mdview.errors import AccessorError, BufferSizeError, FileFormatError
from mdview.interop.files import headers
from mdview.interop.files.headers import ItemFormat, read_format
from mdview.layouts.base import Layout
from mdview.mappings.language.reading import parse
from mdview.mappings.mapping import AnyMapping, Mapping, check_mapping
from mdview.memory.maps import mapped_bytes
from mdview.views.protocols import AnyRank
from mdview.views.view import MDView

E = TypeVar("E", bound="tuple[int, ...]")
L = TypeVar("L", bound=Layout)
# A pathlike of str or bytes, as `open` takes it.
Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
# Any: the file says what its elements are.
Read = ReadOnlyAccessor[Any]
Plain = DefaultAccessor[Any]

MODES: Final = ("r", "r+")
READING: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""What is no file, a pipe, is not waited for."""


@overload
def open_view(
    path: Path,
    mapping: Mapping[E, L],
    item_format: str | None = None,
    *,
    member: str | None = None,
    offset: int = 0,
    mode: Literal["r"] = "r",
    layouts: Iterable[type[Layout]] = (),
) -> MDView[Any, E, L, Read]: ...
@overload
def open_view(
    path: Path,
    mapping: Mapping[E, L],
    item_format: str | None = None,
    *,
    member: str | None = None,
    offset: int = 0,
    mode: Literal["r+"],
    layouts: Iterable[type[Layout]] = (),
) -> MDView[Any, E, L, Plain]: ...
@overload
def open_view(
    path: Path,
    mapping: str | None = None,
    item_format: str | None = None,
    *,
    member: str | None = None,
    offset: int = 0,
    mode: Literal["r"] = "r",
    layouts: Iterable[type[Layout]] = (),
) -> MDView[Any, AnyRank, Layout, Read]: ...
@overload
def open_view(
    path: Path,
    mapping: str | None = None,
    item_format: str | None = None,
    *,
    member: str | None = None,
    offset: int = 0,
    mode: Literal["r+"],
    layouts: Iterable[type[Layout]] = (),
) -> MDView[Any, AnyRank, Layout, Plain]: ...
def open_view(  # noqa: PLR0913 - what a file is takes three words
    path: Path,
    mapping: Any = None,
    item_format: str | None = None,
    *,
    member: str | None = None,
    offset: int = 0,
    mode: str = "r",
    layouts: Iterable[type[Layout]] = (),
) -> MDView[Any, Any, Any, Any]:
    """Return a view of the elements of a file, which is mapped and not read.

    The view keeps the map alive, ``release`` gives it back. It is pickled as path and offset. What the file holds is
    told by its first bytes: a ``.npy`` file of NumPy, or one that `save` wrote in any layout; an ``.npz`` archive whose
    member is stored as it is; anything else is raw bytes. Do not make the file shorter while a view of it lives, in
    this process or another: the system ends a process that reads what is gone. Any: elements of whatever type.

    Parameters
    ----------
    path
        Of the file.
    mapping
        Where the elements lie, or the text of it, ``"tiled(64, 64) (1000, 1000)"``; by default what the header says,
        and of raw bytes all items in a row.
    item_format
        Of raw bytes: a letter of `struct`, or a name of NumPy's. Of others it need not be given, and must agree.
    member
        The name of an array in an archive; if it has one array only, it need not be given.
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
        The file is not what it is opened as, is cut off, compressed, no plain file, or names another layout.
    BufferSizeError
        The file has not all elements that ``mapping`` reaches.
    BufferFormatError
        ``item_format`` says none.
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
    name = file_name(path)
    if mode not in MODES:
        raise AccessorError(
            f"mode is 'r' (read-only) or 'r+' (stores reach the file), got {told(mode)}; save makes a new file"
        )
    request = request_of(mapping, item_format, member, offset, layouts, stores=mode != "r")
    with opened(name, stores=request.stores) as descriptor, naming(name):
        found = contents_of(descriptor, request)
        region = mapped_bytes(descriptor, name, found.begin, found.stop, readonly=not request.stores)
    accessor: Any = DefaultAccessor() if request.stores else ReadOnlyAccessor()
    return view_over(region, found, accessor)


@final
@value
class Request:
    """What a file is asked for."""

    mapping: AnyMapping | None
    items: ItemFormat | None
    member: str | None
    offset: int
    stores: bool
    layouts: tuple[type[Layout], ...]


def request_of(
    mapping: object, item_format: Any, member: str | None, offset: Any, layouts: object, *, stores: bool
) -> Request:
    """Return what a user asks of a file. Any: what is of the wrong kind is refused."""
    return Request(
        None if mapping is None else as_mapping(mapping),
        None if item_format is None else read_format(item_format),
        member,
        int(as_integer(offset, "offset")),
        stores,
        layout_classes(layouts),
    )


@final
@value
class Contents:
    """Which elements lie in a file, and where: from byte ``begin`` up to byte ``stop``."""

    mapping: AnyMapping
    items: ItemFormat
    begin: int
    stop: int


def view_over(region: memoryview, contents: Contents, accessor: Any) -> MDView[Any, Any, Any, Any]:
    """Return the view of mapped bytes."""
    storage = contents.items.storage(region)
    return MDView.from_mapping(cast("Any", storage), contents.mapping, accessor)


def contents_of(descriptor: int, request: Request) -> Contents:
    """Return which elements an open file holds; raises as `open_view` does."""
    status = os.fstat(descriptor)
    if not S_ISREG(status.st_mode):
        raise FileFormatError(
            f"is {'a directory' if S_ISDIR(status.st_mode) else 'no regular file'}, which cannot be mapped"
        )
    start = os.read(descriptor, headers.MOST_START)
    if not request.offset and start.startswith(headers.MAGICS) and request.items is None:
        return _of_archive(descriptor, status.st_size, request)
    if request.member is not None:
        raise FileFormatError(f"is no .npz archive and has no member {told(request.member)}")
    if not request.offset and start.startswith(headers.MAGIC):
        return _of_array(start, 0, status.st_size, request)
    return _of_raw(start, status.st_size, request)


def _of_archive(descriptor: int, size: int, request: Request) -> Contents:
    if request.stores:
        raise FileFormatError(
            "is an archive, whose checksums would no longer hold; write its arrays to files of their own"
        )
    with os.fdopen(os.dup(descriptor), "rb") as file:
        begin, stop = headers.stored_range(file, size, request.member)
        file.seek(begin)
        start = file.read(headers.MOST_START)
    return _of_array(start, begin, stop, request)


def _of_array(start: bytes, first: int, stop: int, request: Request) -> Contents:
    """Return what lies behind a header, whose bytes begin at byte ``first`` of the file."""
    if not start.startswith(headers.MAGIC):
        raise FileFormatError("begins like no .npy file")
    header = headers.read_header(BytesIO(start))
    items = header.items
    if request.items is not None and request.items != items:
        raise FileFormatError(f"has items of format {items.text!r}, not {request.items.text!r}; leave out item_format")
    if request.mapping is None:
        headers.check_whole(header, stop - first)
    return _fitted(request.mapping or header.mapping(request.layouts), items, first + header.begin, stop)


def _of_raw(start: bytes, size: int, request: Request) -> Contents:
    """Return what lies in bytes without a header."""
    items, offset = request.items, request.offset
    if items is None:
        what = "begins like no .npy or .npz file" if start else "is empty"
        raise FileFormatError(
            f"{what}; of raw bytes, give mapping and item_format: open_view(path, 'right (3, 4)', 'd')"
        )
    if not 0 <= offset <= size:
        raise BufferSizeError(
            f"has {counted(size, 'byte')}, and elements begin at one of them: 0 to {size}, got offset {shown(offset)}"
        )
    count, rest = divmod(size - offset, max(items.size, 1))
    if request.mapping is None and rest:
        raise BufferSizeError(
            f"has {counted(size - offset, 'byte')} from byte {offset} on, no multiple of the {items.size} of an item "
            f"of format {items.text!r}; give a mapping for what is there"
        )
    return _fitted(request.mapping or Mapping((count,)), items, offset, size)


def _fitted(mapping: AnyMapping, items: ItemFormat, begin: int, stop: int) -> Contents:
    """Return the contents that end with the last item which the layout allocates, and the file has."""
    headers.check_room(mapping, items, begin, stop)
    count = min(headers.allocated(mapping), (stop - begin) // max(items.size, 1))
    return Contents(mapping, items, begin, begin + count * items.size)


def file_name(path: object) -> str:
    """Return a path as a text; FileFormatError if the system takes no such one."""
    if not isinstance(path, str | bytes | os.PathLike):
        refuse("path", "the path of a file, a str, bytes or pathlib.Path", path)
    name = os.fsdecode(cast("Path", path))
    try:
        os.lstat(name)
    except OSError:
        pass  # to be told where the file is wanted, or made
    except ValueError as error:
        raise FileFormatError(f"no path of a file: {told(name)}: {error}") from None
    return name


def as_mapping(given: object) -> AnyMapping:
    """Return a mapping, or that of a text."""
    if isinstance(given, str):
        return parse(given)
    check_mapping(given)
    return cast("AnyMapping", given)


def layout_classes(given: object) -> tuple[type[Layout], ...]:
    """Return the classes that a header may name."""
    found: tuple[Any, ...] = tuple(given) if isinstance(given, Iterable) else (given,)
    for kind in found:
        if not isinstance(kind, type) or not issubclass(kind, Layout):
            refuse("layouts", "classes of layouts, layouts=[LayoutMine]", kind)
    return found


@contextmanager
def opened(name: str, *, stores: bool) -> Iterator[int]:
    """Give the descriptor of a file, at its first byte; what is no file is not waited for."""
    try:
        descriptor = os.open(name, READING | os.O_RDWR if stores else READING)
    except IsADirectoryError:
        raise FileFormatError(f"{name!r} is a directory, which cannot be mapped") from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Begin the errors over what a file holds with its name."""
    try:
        yield
    except (FileFormatError, BufferSizeError) as error:
        raise type(error)(f"{name!r} {error}") from None
