"""from_zarr: a view of an array of zarr, where its elements lie if that is possible, else of a copy."""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_ISREG
from typing import Any

from mdview.accessors.places import mapped_bytes
from mdview.base.arguments import refuse
from mdview.base.texts import shown
from mdview.errors import CopyNeededError, ZarrError
from mdview.index.extents import is_empty, size_of
from mdview.interop.zarr.copying import AnyView, copied, new_view, opened_array, view_of
from mdview.interop.zarr.metadata import Form, read_form
from mdview.interop.zarr.shards import layout_of_chunks, places_in
from mdview.layouts.right import LayoutRight
from mdview.mappings.mapping import Mapping
from mdview.views.policies import readonly

WAY = "from_zarr(..., copy=True) reads it through zarr"
READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def from_zarr(source: Any, *, copy: bool | None = None, mode: str = "r", out: AnyView | None = None) -> AnyView:
    """Return a view of an array of zarr.

    An array that is not compressed and lies in one file, as one chunk or as one shard, is mapped and not read: tiles
    of the view are the chunks. Of any other the elements are copied, chunk by chunk, by zarr; tiles of the copy are the
    chunks, or the shards with chunks in them. A mapped view is pickled as path and offset. Do not make its file shorter
    while it lives: the system ends a process that reads what is gone.

    Parameters
    ----------
    source
        The folder of an array, of version 2 or 3; or an array of zarr, or whatever else `zarr.open` takes: a store, an
        address. Any: partners have no types here.
    copy
        None copies where it must, True always, False never. Memory of True may be stored to; the array stays as it is.
    mode
        ``"r"`` for a read-only view; ``"r+"`` for one whose stores reach the file, which is never a copy.
    out
        A view of the same extents that takes the elements and is returned, such as one of a file by `open_view`.

    Raises
    ------
    CopyNeededError
        ``copy`` is False, or ``mode`` is ``"r+"``, and only a copy is possible.
    ZarrError
        There is no array, or it is damaged.
    MissingExtraError
        zarr is needed, and is not installed.

    >>> from tempfile import TemporaryDirectory
    >>> from mdview import LayoutTiled, to_zarr, zeros
    >>> with TemporaryDirectory() as folder:
    ...     to_zarr(zeros((5, 4), LayoutTiled(2, 2)), f"{folder}/a")
    ...     from_zarr(f"{folder}/a", copy=False).layout
    LayoutTiled(2, 2, outer=LayoutRight(), inner=LayoutRight())
    """
    _check_arguments(copy, mode, out)
    if not copy and out is None:
        try:
            folder = _folder(source)
            form = read_form(folder)
            return _mapped(folder, form, stores=mode == "r+")
        except CopyNeededError as error:
            if copy is False or mode == "r+":
                message = f"the array {source} is not mapped: {error}; {WAY}"
                raise CopyNeededError(message) from None
    view = copied(opened_array(source), out)
    return view if copy or out is not None else readonly(view)


def _check_arguments(copy: Any, mode: Any, out: Any) -> None:  # Any: what a user gave
    if copy not in {None, True, False}:
        refuse("copy", "None, True or False", copy)
    if mode not in {"r", "r+"}:
        refuse("mode", "'r' or 'r+'", mode)
    if mode == "r+" and (copy or out is not None):
        message = "stores to a copy do not reach the array: leave mode='r+' out, and write the copy with to_zarr"
        raise ZarrError(message)
    if copy is False and out is not None:
        message = "out takes a copy, which copy=False rules out"
        raise ZarrError(message)


def _folder(source: Any) -> Path:  # Any: what a user gave
    """Return the folder of an array in the local file system."""
    if isinstance(source, str | os.PathLike) and "://" not in os.fspath(source):
        folder = Path(source)
        if folder.is_dir():
            return folder
        if not folder.exists():
            message = f"there is no {str(folder)!r}"
            raise ZarrError(message)
        raise CopyNeededError("it lies in no folder")
    place = getattr(source, "store_path", None)
    store = getattr(place, "store", None)
    if type(store).__name__ == "LocalStore" and isinstance(getattr(store, "root", None), Path):
        return Path(store.root, place.path)  # type: ignore[union-attr] # pyright: ignore[reportOptionalMemberAccess] - it has a store
    raise CopyNeededError("it lies in no folder")


def _mapped(folder: Path, form: Form, *, stores: bool) -> AnyView:
    if is_empty(form.extents):
        view = new_view(form.extents, LayoutRight(), form.item_format, form.itemsize)
        return view if stores else readonly(view)
    if any(s < e for s, e in zip(form.shard, form.extents, strict=True)):
        what = "chunks" if form.index is None else "shards"
        grid = tuple([-(-e // s) for e, s in zip(form.extents, form.shard, strict=True)])
        raise CopyNeededError(f"its {size_of(grid)} {what} lie in as many files, and a view is of one")
    path = folder / form.key((0,) * len(form.extents))
    try:
        descriptor = os.open(path, READING | os.O_RDWR if stores else READING)
    except FileNotFoundError:
        raise CopyNeededError("nothing is stored yet, all its elements are the fill value") from None
    try:
        status = os.fstat(descriptor)
        if not S_ISREG(status.st_mode):
            message = f"{str(path)!r} is no file"
            raise ZarrError(message)
        data = mapped_bytes(descriptor, str(path), 0, status.st_size, readonly=not stores)
    finally:
        os.close(descriptor)
    try:
        view = _view(data, form)
    except ZarrError as error:
        if isinstance(error, CopyNeededError):
            raise
        message = f"{str(path)!r}: {shown(error)}"
        raise ZarrError(message) from None
    return view


def _view(data: memoryview, form: Form) -> AnyView:
    size = size_of(form.chunk) * form.itemsize
    if form.index is None and data.nbytes != size:
        message = f"a chunk of {size} bytes has {data.nbytes}: it is cut, or something else"
        raise ZarrError(message)
    places = [0] if form.index is None else places_in(data, form, form.index)
    layout, first = layout_of_chunks(form, places)
    last = max(places) + size
    return view_of(data[first:last], Mapping(form.extents, layout), form.item_format, form.itemsize)
