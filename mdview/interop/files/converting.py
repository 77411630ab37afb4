"""A file is written again under another layout: `relayout_file`, in little memory whatever its size."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from stat import S_ISREG
from typing import Final, cast

from mdview.base.integers import as_integer
from mdview.base.texts import shown
from mdview.engines.bulk.progress import Progress, counted
from mdview.errors import ExtentsError, LayoutError, UndecidedError, WritingError
from mdview.interop.files import forms
from mdview.interop.files.forms import Form
from mdview.interop.files.places import Place
from mdview.interop.files.replacing import path_text, replacing, reserve
from mdview.layouts.base import Layout, check_layout_kind
from mdview.mappings.facts import AnyMapping
from mdview.mappings.language import reading
from mdview.mappings.mapping import Mapping

MEMORY: Final = 1 << 27
"""Bytes of buffers, unless other ones are asked for."""
LEAST_MEMORY: Final = 1 << 20


def relayout_file(  # noqa: PLR0913 - what a file is takes three words
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    layout: Layout | str,
    mapping: AnyMapping | str | None = None,
    item_format: str | None = None,
    *,
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
        A ``.npy`` file; or raw bytes, of which ``mapping``, ``item_format`` and ``offset`` tell what they are.
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
        or one of the two is no plain file. Nothing is replaced.
    BufferFormatError, BufferSizeError
        The source is no ``.npy`` file, or too short.
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
    name, target = path_text(source, "the source"), path_text(target, "the target")
    with _opened(name) as descriptor:
        before = os.fstat(descriptor)
        form = forms.form_of(descriptor, name, mapping, item_format, offset)
        new = Mapping(form.mapping.extents, _layout(layout))
        _refuse_losses(new, check=check)
        header = forms.npy_header(new, form.dtype) if target.endswith(".npy") else b""
        made = Form(new, form.dtype, len(header))
        with replacing(target) as file, counted(progress, new.size * (3 if check else 1)) as done:
            file.write(header)
            reserve(file, made.end)
            places = _place(descriptor, form), _place(file.fileno(), made, writes=True)
            _move(*places, memory, done)
            if check:
                _compare(*places, memory, done)
            _refuse_changes(before, os.fstat(descriptor), name)


def _layout(given: object) -> Layout:
    found = reading.layout(given) if isinstance(given, str) else given
    check_layout_kind("a file is written under", found)
    return cast("Layout", found)


@contextmanager
def _opened(path: str) -> Iterator[int]:
    """Give the descriptor of a plain file that is read."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        if not S_ISREG(os.fstat(descriptor).st_mode):
            message = f"{path!r} is no plain file"
            raise WritingError(message)
        yield descriptor
    finally:
        os.close(descriptor)


def _place(descriptor: int, form: Form, *, writes: bool = False) -> Place:
    return Place(descriptor, form.mapping, form.begin, form.dtype.itemsize, writes)


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
