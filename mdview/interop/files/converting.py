"""A file is written again under another layout: `relayout_file`, in little memory whatever its size."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

from mdview.base.integers import as_integer
from mdview.base.texts import shown
from mdview.engines.bulk.progress import Progress, counted
from mdview.errors import ExtentsError, FileFormatError, LayoutError, UndecidedError, WritingError
from mdview.interop.files.headers import allocated, header_for
from mdview.interop.files.item_formats import ItemFormat, read_format
from mdview.interop.files.opening import Contents, Path, Request, as_mapping, contents_of, file_name, naming, opened
from mdview.interop.files.places import Place
from mdview.interop.files.replacing import replacing, reserve
from mdview.layouts.base import Layout, check_layout_kind
from mdview.mappings.facts import AnyMapping
from mdview.mappings.language import reading
from mdview.mappings.mapping import Mapping
from mdview.views.export import import_numpy

MEMORY: Final = 1 << 27
"""Bytes of buffers, unless other ones are asked for."""
LEAST_MEMORY: Final = 1 << 20


def relayout_file(  # noqa: PLR0913 - what a file is takes three words
    source: Path,
    target: Path,
    layout: Layout | str,
    mapping: AnyMapping | str | None = None,
    item_format: str | None = None,
    *,
    member: str | None = None,
    offset: int = 0,
    max_memory: int = MEMORY,
    progress: Progress = False,
    check: bool = False,
) -> None:
    """Write the elements of a file to another file under another layout.

    The new file gets its name when it is complete and stored on the disk, see `mdview.interop.files.replacing`: until
    then, and after an error or a crash, the target is what it was. A run that was stopped is run again from the start.
    ``target`` may be ``source``.

    Parameters
    ----------
    source
        What `open_view` takes: a ``.npy`` file, the ``member`` of an archive that is stored plain, or raw bytes, of
        which ``mapping``, ``item_format`` and ``offset`` tell what they are.
    target
        Where the new file goes. A name that ends in ``.npy`` gets a header, see `save`, any other one bytes alone.
    layout
        A layout for the extents of the source, or the text of one: ``"tiled(64, 64)"``.
    max_memory
        How many bytes buffers take, 1 MiB at least; Python, NumPy and some tables come in addition.
    progress
        As for `copy`: True for a bar, or a callable that gets the elements done and all elements.
    check
        Whether both files are read again, before the new one gets its name, and the checksums of their elements in
        index order compared.

    Raises
    ------
    WritingError
        The source has changed meanwhile, or the new file does not have its elements; another process writes the target;
        or it is no plain file. Nothing is replaced.
    FileFormatError, BufferFormatError, BufferSizeError
        The source is not what it is said to be, or too short; or the target would be an archive.
    LayoutError, RankError
        The layout does not fit the extents, or stores several elements in one place: that needs ``check``.
    MissingExtraError
        NumPy is not installed.
    OSError
        A file cannot be read, or the disk is full.

    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> with TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/rows.npy", np.arange(16).reshape(4, 4))
    ...     relayout_file(f"{folder}/rows.npy", f"{folder}/tiles.npy", "tiled(2, 2)", check=True)
    ...     np.load(f"{folder}/tiles.npy").tolist()
    [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]
    """
    memory = as_integer(max_memory, "max_memory")
    if memory < LEAST_MEMORY:
        message = f"max_memory is {LEAST_MEMORY} bytes at least, got {shown(memory)}"
        raise ExtentsError(message)
    import_numpy()
    name, into = file_name(source), file_name(target)
    request = Request(
        None if mapping is None else as_mapping(mapping),
        None if item_format is None else read_format(item_format),
        member,
        int(as_integer(offset, "offset")),
        stores=False,
    )
    with opened(name, stores=False) as descriptor:
        before = os.fstat(descriptor)
        with naming(name):
            found = contents_of(descriptor, request)
        made = _made(found, layout, into)
        _refuse_losses(made.mapping, check=check)
        with _written(into, made) as file, counted(progress, made.mapping.size * (3 if check else 1)) as done:
            places = _place(descriptor, found), _place(file.fileno(), made, writes=True)
            _move(*places, memory, done)
            if check:
                _compare(*places, memory, done)
            _refuse_changes(before, os.fstat(descriptor), name)


def _made(found: Contents, given: Layout | str, name: str) -> Contents:
    """Return what the new file has; its header lies before ``begin``."""
    layout = reading.layout(given) if isinstance(given, str) else given
    check_layout_kind("a file is written under", layout)
    mapping = Mapping(found.mapping.extents, layout)
    begin = len(_header(mapping, found.items, name))
    return Contents(mapping, found.items, begin, begin + allocated(mapping) * found.items.size)


def _header(mapping: AnyMapping, items: ItemFormat, name: str) -> bytes:
    if name.endswith(".npz"):
        message = f"{name!r} would be an archive, which is not written; take a name that ends in .npy"
        raise FileFormatError(message)
    return header_for(mapping, items) if name.endswith(".npy") else b""


@contextmanager
def _written(name: str, made: Contents) -> Iterator[BinaryIO]:
    """Give a new file with its header, and room for the elements."""
    with replacing(name) as file:
        file.write(_header(made.mapping, made.items, name))
        reserve(file, made.stop)
        yield file


def _place(descriptor: int, contents: Contents, *, writes: bool = False) -> Place:
    return Place(descriptor, contents.mapping, contents.begin, contents.items.size, writes)


def _refuse_losses(mapping: AnyMapping, *, check: bool) -> None:
    """Refuse to store several elements in one place, unless it is looked at afterwards whether they are equal."""
    if check:
        return
    try:
        if mapping.is_unique:
            return
        what = "stores several elements in one place"
    except UndecidedError:
        what = "may store several elements in one place"
    message = f"{mapping!r} {what}, where all but the last would be lost; with check they are compared"
    raise LayoutError(message)


def _refuse_changes(before: os.stat_result, after: os.stat_result, name: str) -> None:
    """Refuse a source that another process has changed meanwhile."""
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        message = f"{name!r} has changed while it was read; nothing is replaced"
        raise WritingError(message)


def _move(source: Place, target: Place, memory: int, done: Callable[[int], None]) -> None:
    from mdview.interop.files.moving import move  # noqa: PLC0415 - loads NumPy

    move(source, target, memory, done)


def _compare(source: Place, target: Place, memory: int, done: Callable[[int], None]) -> None:
    """Compare what two files have, element by element in index order."""
    from mdview.interop.files.checksums import checksum  # noqa: PLC0415 - loads NumPy

    first, second = [checksum(place, memory, done) for place in (source, target)]
    if first != second:
        message = f"the new file has other elements than the source (SHA-256 {second}, {first}); nothing is replaced"
        raise WritingError(message)
