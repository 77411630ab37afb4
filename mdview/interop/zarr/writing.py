"""to_zarr: a view becomes an array of zarr, whose chunks are the tiles of the view."""

from __future__ import annotations

import os
from collections.abc import Mapping as AnyTable
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, Literal

from mdview.accessors.formats import native_format
from mdview.base.arguments import refuse
from mdview.base.texts import told
from mdview.errors import BufferFormatError, ZarrError
from mdview.index.extents import is_empty, size_of
from mdview.interop.files.opening import file_name
from mdview.interop.zarr.copying import AnyView, boxes, import_zarr, new_view, view_of
from mdview.interop.zarr.folders import replacing_folder
from mdview.interop.zarr.metadata import Form
from mdview.interop.zarr.planning import NAMES, metadata, plan
from mdview.interop.zarr.shards import MISSING, index_bytes, index_size
from mdview.layouts.base import indices
from mdview.layouts.narrowest import narrowest_layout
from mdview.layouts.right import LayoutRight
from mdview.mappings.mapping import Mapping
from mdview.operations.algorithms import copy, fill
from mdview.views.base import check_view, parts_of
from mdview.views.export import import_numpy


def to_zarr(  # noqa: PLR0913 - each is what an array of zarr tells of itself
    view: AnyView,
    path: str | os.PathLike[str],
    *,
    chunks: Sequence[int] | None = None,
    shards: Sequence[int] | Literal["auto"] | None = "auto",
    fill_value: Any = 0,
    index_location: Literal["start", "end"] = "end",
    attributes: AnyTable[str, Any] | None = None,
    dimension_names: Sequence[str | None] | None = None,
    overwrite: bool = False,
    **options: Any,
) -> None:
    """Write the elements of a view as an array of zarr, version 3, into a new folder.

    Chunks are the tiles of the view, and lie in the file in the order in which they lie in memory: a shard of a tiled
    view is the bytes of the view and an index. Nothing is compressed, and zarr is not needed, unless there are options
    for it. The folder is complete when it gets its name; whatever stops the writer, the old array or none is there.

    Parameters
    ----------
    view
        Of numbers.
    path
        Where the folder of the array is to be.
    chunks
        One size per dimension; the tile of the view by default, or all of a view without tiles.
    shards
        The sizes of what a file holds; None makes each chunk a file. By default all of the array is one file; of tiles
        within tiles each outer one is.
    fill_value
        What zarr reads where nothing is stored, and what is beyond the extents in chunks at the edges. Any: a number.
    index_location
        Whether the index of a shard is at its end or its start.
    attributes, dimension_names
        What the array tells of itself. Any: what JSON has.
    overwrite
        Whether an array at the path may be replaced.
    options
        Such as ``compressors=`` of `zarr.create_array`, which then writes shard by shard. Any: partners have no types.

    Raises
    ------
    ZarrError
        The elements are no numbers, sizes do not fit, or there is something at the path.
    WritingError
        Another writer is at it.
    MissingExtraError
        There are options for zarr, which is not installed.

    >>> from tempfile import TemporaryDirectory
    >>> from mdview import LayoutTiled, from_zarr, zeros
    >>> with TemporaryDirectory() as folder:
    ...     to_zarr(zeros((5, 4), LayoutTiled(2, 2), "i"), f"{folder}/a")
    ...     from_zarr(f"{folder}/a").tolist()[0]
    [0, 0, 0, 0]
    """
    check_view(view, "what becomes an array of zarr")
    if index_location not in {"start", "end"}:
        refuse("index_location", "'start' or 'end'", index_location)
    item_format, itemsize = _format_of(view)
    value = _filling(fill_value, item_format, itemsize)
    form = plan(view, item_format, itemsize, chunks, shards, at_start=index_location == "start")
    target = Path(os.path.realpath(file_name(path)))
    if not target.parent.is_dir():
        message = f"there is no folder {str(target.parent)!r}, in which the array is to be"
        raise ZarrError(message)
    about = metadata(form, value, attributes, dimension_names)
    with replacing_folder(target, overwrite=overwrite) as folder:
        if options:
            more = {"attributes": dict(attributes or {}), "dimension_names": dimension_names, **options}
            _through_zarr(view, folder, form, {"fill_value": value, **more})
            return
        for place, box in _files(form):
            name = folder / form.key(place)
            name.parent.mkdir(parents=True, exist_ok=True)
            with name.open("wb") as file:
                _write_shard(file, view, form, box, value)
        (folder / "zarr.json").write_bytes(about)


def _files(form: Form) -> Any:
    grid = [range(-(-e // s)) for e, s in zip(form.extents, form.shard, strict=True)]
    return zip(indices(tuple(map(len, grid))), boxes(form.extents, form.shard), strict=True)


def _write_shard(file: BinaryIO, view: AnyView, form: Form, box: Sequence[tuple[int, int]], value: Any) -> None:
    """Write the chunks of a box, in the order in which they lie in memory. Any: a number."""
    index = form.index
    layout, _ = narrowest_layout(form.chunk, form.strides)
    memory = bytearray(size_of(form.chunk) * form.itemsize)
    buffer = view_of(memoryview(memory), Mapping(form.chunk, layout), form.item_format, form.itemsize)
    part = view[_slices(box)] if box else view
    inside = list(boxes([z - a for a, z in box], form.chunk))
    whole = tuple([s // c for s, c in zip(form.shard, form.chunk, strict=True)])
    length, places = size_of(form.chunk) * form.itemsize, [(MISSING, MISSING)] * size_of(whole)
    first = index_size(len(places), index) if index is not None and index.at_start else 0
    file.seek(first)
    for k, chunk in enumerate(sorted(inside, key=_order_of(part))):
        lengths = [z - a for a, z in chunk]
        if tuple(lengths) != form.chunk:
            fill(buffer, value)
        copy(part[_slices(chunk)] if chunk else part, buffer[tuple(map(slice, lengths))] if chunk else buffer)
        file.write(memory)
        place = [a // c for (a, _), c in zip(chunk, form.chunk, strict=True)]
        places[LayoutRight().offset(whole, place)] = (first + k * length, length)
    if index is not None:
        file.seek(0, os.SEEK_SET if index.at_start else os.SEEK_END)
        file.write(index_bytes(places, index))


def _order_of(part: AnyView) -> Any:
    """Return what sorts boxes by where they begin in memory."""
    mapping = part.mapping
    return lambda box: mapping(*[a for a, _ in box]) if mapping.is_valid(*[a for a, _ in box]) else 0


def _slices(box: Sequence[tuple[int, int]]) -> tuple[slice, ...]:
    return tuple([slice(a, z) for a, z in box])


def _through_zarr(view: AnyView, folder: Path, form: Form, options: dict[str, Any]) -> None:
    """Let zarr write, shard by shard. Any: what zarr takes."""
    zarr, np = import_zarr(), import_numpy()
    native = new_view((), LayoutRight(), form.item_format, form.itemsize)
    own = {"shape": form.extents, "chunks": form.chunk, "dtype": np.asarray(native).dtype}
    if form.index is not None:
        own["shards"] = {"shape": form.shard, "index_location": "start" if form.index.at_start else "end"}
    try:
        array = zarr.create_array(folder, **{**own, **options}, overwrite=True)
    except (TypeError, ValueError) as error:
        message = f"zarr makes no such array: {error}"
        raise ZarrError(message) from error
    if is_empty(form.extents):
        return
    for box in boxes(form.extents, form.shard):
        lengths = tuple([z - a for a, z in box])
        block = new_view(lengths, LayoutRight(), form.item_format, form.itemsize)
        copy(view[_slices(box)] if box else view, block)
        array[_slices(box)] = np.asarray(block)


def _format_of(view: AnyView) -> tuple[str, int]:
    storage = parts_of(view).checked_storage()
    try:
        if storage.format == "O":
            raise BufferFormatError
        text = native_format(storage.format, storage.itemsize)
    except BufferFormatError:
        text = "c"
    if text.lstrip("<>=@!") not in NAMES:
        message = (
            f"elements of format {storage.format!r} are no numbers that zarr has a common type for; zarr.create_array "
            f"takes arrays of NumPy, np.asarray(view), of more types"
        )
        raise ZarrError(message)
    return text, storage.itemsize


def _filling(given: Any, item_format: str, itemsize: int) -> Any:  # Any: a number
    """Return the fill value as the array has it."""
    one = new_view((), LayoutRight(), item_format, itemsize)
    try:
        one[()] = given
    except (TypeError, ValueError, OverflowError) as error:
        message = f"the fill value {told(given)} is none of elements of format {item_format!r}: {error}"
        raise ZarrError(message) from None
    return one[()]
