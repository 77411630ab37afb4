"""Opening of files as memory-mapped views (`open_view`); pages are read when they are accessed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from stat import S_ISDIR, S_ISREG
from typing import IO, Any, Final, Literal, TypedDict, TypeVar, Unpack, cast, final, overload

from mdview.accessors.policies import DefaultAccessor, ReadOnlyAccessor
from mdview.base.argument_checks import answer_calls, refuse
from mdview.base.frozen_values import replace
from mdview.base.integers import as_integer
from mdview.base.message_texts import as_text, brief, plural
from mdview.errors import AccessorError, BufferSizeError, FileFormatError
from mdview.interop.files import npy_headers
from mdview.interop.files.npy_headers import FileItems
from mdview.layouts.layout import Layout
from mdview.mappings.mapping import AnyMapping, Mapping, mapping_of
from mdview.mappings.notation.parser import parse
from mdview.memory.data_types import DType, DTypeLike, read_dtype
from mdview.memory.narrow_floats import NARROW
from mdview.views.typing_protocols import AnyRank
from mdview.views.view import MDView

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
READING: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Opening does not wait for a pipe."""


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
        The file is not what it is opened as, is cut off, compressed, no plain file, or names another layout.
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
        raise AccessorError(
            f"mode is 'r' (read-only) or 'r+' (stores reach the file), got {brief(mode)}; save makes a new file"
        )
    stores = mode != "r"
    with opened_items(path, mapping, dtype, offset, layouts, stores=stores) as (name, descriptor, found):
        return found.view(descriptor, name, stores=stores)


@contextmanager
def opened_items(
    path: Path,
    mapping: AnyMapping | str | None,
    dtype: DTypeLike | None,
    offset: int,
    layouts: Iterable[type[Layout]],
    *,
    stores: bool = False,
) -> Iterator[tuple[str, int, FileItems]]:
    """Give the name and the descriptor of a file, and where its items lie; raises as `open_view` does."""
    name, begin, classes = file_name(path), int(as_integer(offset, "offset")), layout_classes(layouts)
    asked = parse(mapping) if isinstance(mapping, str) else mapping
    asked = None if asked is None else mapping_of(asked)
    items = None if dtype is None else read_dtype(dtype)
    with open_regular_file(name, stores=stores) as file:
        with naming(name):
            size = os.fstat(file.fileno()).st_size
            header = None if begin else _header(file, items)
            found = (
                _of_raw(asked, items, begin, size)
                if header is None
                else _of_header(header, size, asked, items, classes)
            )
        yield name, file.fileno(), found


def _header(file: IO[bytes], items: DType | None) -> npy_headers.Header | None:
    """Return the header of a ``.npy`` file, None for raw bytes."""
    start = file.read(len(npy_headers.MAGIC))
    file.seek(0)
    if items is None and start.startswith(npy_headers.ARCHIVES):
        raise FileFormatError(
            "is an archive, which is not mapped; load an array of it, asview(numpy.load(path)['name']), or unpack it"
        )
    return npy_headers.read_header(file) if start == npy_headers.MAGIC else None


def _of_header(
    header: npy_headers.Header,
    size: int,
    asked: AnyMapping | None,
    items: DType | None,
    classes: tuple[type[Layout], ...],
) -> FileItems:
    """Return what lies behind a header, of a file of ``size`` bytes."""
    if items is not None and items.format in NARROW and header.items.dtype is not None:
        header = replace(header, items=header.items.read_as(items.format))  # NumPy has no name for them
    if items is not None and items.bits % 8 and header.items.bits == 8 and asked is not None:  # noqa: PLR2004 - bytes
        header = replace(header, items=items)
    if items is not None and items != header.items:
        raise FileFormatError(f"has items of format {header.items.format!r}, not {items.format!r}; leave out dtype=")
    if asked is None:
        npy_headers.check_whole(header, size)
    return FileItems.fitted(asked or header.mapping(classes), header.items, header.begin, size)


def _of_raw(asked: AnyMapping | None, items: DType | None, begin: int, size: int) -> FileItems:
    """Return what lies in bytes without a header."""
    if items is None:
        what = "begins like no .npy file" if size else "is empty"
        raise FileFormatError(f"{what}; of raw bytes, say mapping='right (3, 4)' and dtype='d'")
    if not 0 <= begin <= size:
        raise BufferSizeError(
            f"has {plural(size, 'byte')}, and elements begin at one of them: 0 to {size}, got offset {as_text(begin)}"
        )
    count = items.count(size - begin)
    rest = size - begin - items.nbytes(count)
    if asked is None and rest:
        raise BufferSizeError(
            f"has {plural(size - begin, 'byte')} from byte {begin} on, no multiple of {items.bits // 8} of an item "
            f"of format {items.format!r}; give a mapping for what is there"
        )
    return FileItems.fitted(asked or Mapping((count,)), items, begin, size)


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
        raise FileFormatError(f"no path of a file: {brief(name)}: {error}") from None
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
    """Give a file that is open; what is no file is refused, and not waited for."""
    mode = os.stat(name).st_mode  # noqa: PTH116 - of a text
    if not S_ISREG(mode):
        what = "a directory" if S_ISDIR(mode) else "no regular file"
        raise FileFormatError(f"{name!r} is {what}, which cannot be mapped")
    with os.fdopen(os.open(name, READING | os.O_RDWR if stores else READING), "rb") as file:
        yield file


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Begin the errors over what a file holds with its name."""
    try:
        yield
    except (FileFormatError, BufferSizeError) as error:
        raise type(error)(f"{name!r} {error}") from None
