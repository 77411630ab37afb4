"""from_zarr: a view of an array of zarr, where its elements lie if that is possible, else of a copy."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from mdview.base.arguments import refuse
from mdview.base.partners import import_numpy, import_zarr
from mdview.base.texts import shown, told
from mdview.errors import CopyNeededError, ShapeError, ZarrError
from mdview.index.extents import is_empty, shape_text, size_of
from mdview.interop.asview import asview
from mdview.interop.files.headers import AnyView, view_of_bytes
from mdview.interop.files.opening import opened
from mdview.interop.zarr.chunks import (
    boxes,
    form_of,
    grid_of,
    layout_of_chunks,
    new_view,
    opened_array,
    places_in,
)
from mdview.layouts.base import Layout
from mdview.layouts.strided import LayoutRight
from mdview.layouts.tiled import LayoutTiled
from mdview.mappings.mapping import Mapping
from mdview.memory.dtypes import of_dtype
from mdview.memory.mapped_regions import mapped_bytes
from mdview.operations.algorithms import copy as copy_view
from mdview.views.base import check_view
from mdview.views.derive import part_at, readonly

WAY: Final[str] = "from_zarr(..., copy=True) reads it through zarr"
MOST_BYTES: Final[int] = 1 << 26
"""Shards up to so many bytes are read whole, larger ones chunk by chunk."""


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
        zarr is not installed.

    >>> from tempfile import TemporaryDirectory
    >>> from mdview import LayoutTiled, to_zarr, zeros
    >>> with TemporaryDirectory() as folder:
    ...     to_zarr(zeros((5, 4), LayoutTiled(2, 2)), f"{folder}/a")
    ...     from_zarr(f"{folder}/a", copy=False).layout
    LayoutTiled(2, 2, outer=LayoutRight(), inner=LayoutRight())
    """
    _check_arguments(copy, mode, out)
    array = opened_array(source)
    if not copy and out is None:
        try:
            return _mapped(array, stores=mode == "r+")
        except CopyNeededError as error:
            if copy is False or mode == "r+":
                raise CopyNeededError(f"the array {source} is not mapped: {error}; {WAY}") from None
    view = _copied(array, out)
    return view if copy or out is not None else readonly(view)


def _check_arguments(copy: Any, mode: Any, out: Any) -> None:  # Any: what a user gave
    if copy not in {None, True, False}:
        refuse("copy", "None, True or False", copy)
    if mode not in {"r", "r+"}:
        refuse("mode", "'r' or 'r+'", mode)
    if mode == "r+" and (copy or out is not None):
        raise ZarrError("stores to a copy do not reach the array: leave mode='r+' out, and write the copy with to_zarr")
    if copy is False and out is not None:
        raise ZarrError("out takes a copy, which copy=False rules out")


def _mapped(array: Any, *, stores: bool) -> AnyView:  # Any: an array of zarr
    """Return a view of the file in which an array lies."""
    if not isinstance(array.store, import_zarr().storage.LocalStore):
        raise CopyNeededError("it lies in no folder")
    form = form_of(array)
    if is_empty(form.extents):
        view = new_view(form.extents, LayoutRight(), form.items)
        return view if stores else readonly(view)
    if any(s < e for s, e in zip(form.shard, form.extents, strict=True)):
        what = "chunks" if form.sharding is None else "shards"
        count = size_of(grid_of(form.extents, form.shard))
        raise CopyNeededError(f"its {count} {what} lie in as many files, and a view is of one")
    path = Path(array.store.root, array.path, form.key((0,) * len(form.extents)))
    if not path.is_file():
        raise CopyNeededError("nothing is stored yet, all its elements are the fill value")
    with opened(str(path), stores=stores) as file:
        descriptor = file.fileno()
        data = mapped_bytes(descriptor, str(path), 0, os.fstat(descriptor).st_size, readonly=not stores)
    try:
        places = places_in(data, form)
    except ZarrError as error:
        if isinstance(error, CopyNeededError):
            raise
        raise ZarrError(f"{str(path)!r}: {shown(error)}") from None
    layout, first = layout_of_chunks(form, places)
    return view_of_bytes(form.items, data[first : max(places) + form.nbytes], Mapping(form.extents, layout))


def _copied(array: Any, out: AnyView | None) -> AnyView:  # Any: an array of zarr
    """Return a view of new memory, or ``out``, with the elements of an array."""
    extents = tuple(map(int, array.shape))
    target = new_view(extents, _layout(array, extents), of_dtype(array.dtype)) if out is None else out
    check_view(target, "out")
    if tuple(target.extents) != extents:
        raise ShapeError(f"out has extents {shape_text(target.extents)}, the array of zarr {shape_text(extents)}")
    unit = array.shards or array.chunks
    if size_of(unit) * array.dtype.itemsize > MOST_BYTES:
        unit = array.chunks
    np = import_numpy()
    for box in boxes(extents, unit):
        copy_view(asview(np.asarray(_block(array, box))), part_at(target, target.mapping, box))
    return target


def _block(array: Any, box: Sequence[tuple[int, int]]) -> Any:  # Any: arrays
    """Return the elements of a box; what zarr raises over a damaged file becomes the cause of ours."""
    try:
        return array[tuple([slice(a, z) for a, z in box])]
    except Exception as error:
        raise ZarrError(
            f"zarr cannot read the elements {told(tuple(box))} of {array}: {type(error).__name__}: {error}"
        ) from error


def _layout(array: Any, extents: tuple[int, ...]) -> Layout:  # Any: an array of zarr
    """Return the layout whose tiles are the chunks, or the shards with the chunks in them."""
    if not extents or all(c >= e for c, e in zip(array.chunks, extents, strict=True)):
        return LayoutRight()
    if array.shards is None:
        return LayoutTiled(*array.chunks)
    return LayoutTiled(*array.shards, inner=LayoutTiled(*array.chunks))
