"""Export to zarr (`to_zarr`): elements of a view, chunk by chunk, sizes of chunks, codecs, index of a shard."""

from __future__ import annotations

import os
from collections.abc import Mapping as AnyTable
from collections.abc import Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any, Final, Literal, cast

from mdview.base import answer_calls, as_entries, as_integer, brief, import_numpy, import_zarr, refuse
from mdview.errors import BufferFormatError, ZarrError
from mdview.index.extents import is_empty, size_of
from mdview.index.slices import ExtentSlice
from mdview.interop import zarr_import
from mdview.interop.atomic_replace import replace_folder
from mdview.interop.file_opening import file_name
from mdview.interop.file_saving import AT_ONCE, copy_parts, fill_items
from mdview.interop.npy_headers import of_storage
from mdview.interop.zarr_import import ChunkStorage, chunk_storage_of, index_size, strides_along
from mdview.iteration.walks import nested_axes
from mdview.layouts import Layout, LayoutTiled
from mdview.layouts.explicit_strides import narrowest_layout
from mdview.mappings.mapping import AnyMapping, Mapping
from mdview.mappings.slicing import select
from mdview.memory.data_types import DType, read_dtype
from mdview.memory.item_formats import KINDS
from mdview.views.derived_views import AnyView, Box, chunk_counts, cuts_of, part_at
from mdview.views.typing_protocols import AnySource
from mdview.views.view_base import check_view, storage_of

AUTOMATIC: Final = "auto"
LARGEST: Final = 1 << 62
"""An upper bound of the number of elements in a file."""


@answer_calls
def to_zarr(  # noqa: PLR0913 - the metadata of an array of zarr
    view: AnySource,
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
    """Write the elements of a view as a zarr array, version 3, into a new folder.

    The chunks are the tiles of the view. In a file they are in the same order as in memory, if that order is strided,
    else in C order; so a shard of a tiled view has the bytes of the view and an index. Nothing is compressed unless
    ``options`` say so. The folder is complete when it gets its name: if the writer is stopped before, the old array is
    unchanged.

    Parameters
    ----------
    view
        A view of truth values, integers, floats, complex numbers or dates.
    path
        The path of the new folder.
    chunks
        The size of a chunk along each dimension; by default the tile of the view, or the extents of a view without
        tiles.
    shards
        The size of a shard along each dimension; a file has one shard. None makes each chunk a file. By default the
        whole array is one file, or each outer tile if tiles are nested.
    fill_value
        The value that zarr reads for chunks that are not stored, and that fills chunks beyond the extents.
    index_location
        The position of the index in a shard: ``"end"`` or ``"start"``.
    attributes, dimension_names
        The attributes, which are JSON values, and the names of the dimensions.
    overwrite
        Whether an array at the path may be replaced.
    options
        Options of `zarr.create_array`, such as ``compressors=``. With options, zarr writes shard by shard.

    Raises
    ------
    ZarrError
        zarr has no type for the elements, sizes do not fit, or the path is in use.
    MissingExtraError
        zarr is not installed.

    >>> from tempfile import TemporaryDirectory
    >>> from mdview import LayoutTiled, from_zarr, zeros
    >>> with TemporaryDirectory() as folder:
    ...     to_zarr(zeros((5, 4), LayoutTiled(2, 2), "i"), f"{folder}/a")
    ...     from_zarr(f"{folder}/a").tolist()[0]
    [0, 0, 0, 0]
    """
    check_view(view, "what becomes an array of zarr")
    source = cast("AnyView", view)
    if index_location not in {"start", "end"}:
        refuse("index_location", "'start' or 'end'", index_location)
    items = _items_of(source)
    chunk, shard, axes = _plan(source, chunks, shards)
    about = {"dtype": import_numpy().dtype(items.description()), "shape": tuple(map(int, source.extents))}
    about |= {"chunks": chunk, "fill_value": fill_value, "attributes": dict(attributes or {})}
    about |= {"dimension_names": dimension_names, **(options or _plain_codecs(about["dtype"], axes))}
    if shard is not None:
        about["shards"] = {"shape": shard, "index_location": index_location}
    target = Path(os.path.realpath(file_name(path)))
    if not target.parent.is_dir():
        raise ZarrError(f"there is no folder {str(target.parent)!r}, in which the array is to be")

    def fill(folder: Path) -> None:
        array = _created(folder, about)
        for box in () if is_empty(source.extents) else product(*cuts_of(about["shape"], shard or chunk)):
            part = part_at(source, box)
            if options:
                array[tuple([slice(a, z) for a, z in box])] = import_numpy().asarray(part)
            else:
                _write_file(folder, chunk_storage_of(array), box, part, array.fill_value)

    replace_folder(target, lambda: _check_target(target, overwrite=overwrite), fill)


MOST_SHARDED: Final = 31
"""The highest rank of a sharded array: zarr broadcasts the index of a shard, which has one more dimension."""


def _plan(view: AnyView, chunks: Any, shards: Any) -> tuple[Sequence[int], Sequence[int] | None, Sequence[int] | None]:
    """Return the sizes of chunks and of shards, and the order of dimensions in a chunk if it is not C order.

    ``chunks`` and ``shards`` are arguments of the user.
    """
    extents = tuple(map(int, view.extents))
    tile, outer, strides = _tile(view, extents)
    chunk = tile if chunks is None else _sizes(chunks, "chunks", len(extents))
    if chunk != tile:
        outer, strides = None, None
    is_automatic = isinstance(shards, str) and shards == AUTOMATIC
    if shards is None or is_automatic:
        counts = chunk_counts(extents, chunk) if is_automatic else (1,) * len(chunk)
        shard = (shards and outer) or tuple([max(n, 1) * c for n, c in zip(counts, chunk, strict=True)])
    else:
        shard = _sizes(shards, "shards", len(extents))
    if any(s % c for s, c in zip(shard, chunk, strict=True)):
        raise ZarrError(f"a shard holds whole chunks: shards {shard} are no multiple of chunks {chunk}")
    if shard != chunk and len(chunk) > MOST_SHARDED:
        raise ZarrError(
            f"zarr has shards of at most {MOST_SHARDED} dimensions, this view has {len(chunk)}; pass shards=None"
        )
    return chunk, None if shard == chunk else shard, _order(chunk, strides)


def _tile(view: AnyView, extents: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...] | None, Any]:
    """Return the tile of a view, the outer tile if tiles are nested, and the strides within the tile."""
    tiling, inner = view.layout.tiling(), getattr(view.layout, "inner", None)
    if tiling is None:
        return tuple([max(e, 1) for e in extents]), None, None
    within = inner.tiling() if isinstance(inner, Layout) else None
    if within is None or any(t % n for t, n in zip(tiling.sizes, within.sizes, strict=True)):
        return tiling.sizes, None, tiling.strides
    return within.sizes, tiling.sizes, within.strides


def _order(chunk: Sequence[int], strides: Sequence[int] | None) -> Sequence[int] | None:
    """Return the order of the dimensions in a transposed chunk; None for C order, or for any other strides."""
    if strides is None:
        return None
    axes = sorted(range(len(chunk)), key=lambda r: (-strides[r], chunk[r] == 1, r))
    dense = zip(strides, strides_along(chunk, axes), chunk, strict=True)
    return axes if axes != sorted(axes) and all(stride == s or n == 1 for stride, s, n in dense) else None


def _sizes(argument: Any, what: str, rank: int) -> tuple[int, ...]:  # Any: an argument of the user
    """Return sizes, after a check that there is a size of at least 1 for each dimension."""
    sizes = tuple([int(as_integer(n, "a size")) for n in as_entries(argument, what)])
    if len(sizes) != rank or min(sizes, default=1) < 1 or size_of(sizes) >= LARGEST:
        raise ZarrError(
            f"{what} are {rank} sizes of 1 or more, of as many elements as a file holds, got {brief(sizes)}"
        )
    return sizes


def _plain_codecs(dtype: Any, axes: Sequence[int] | None) -> dict[str, Any]:  # Any: zarr arguments
    """Return the zarr codecs for uncompressed elements."""
    codecs = import_zarr().codecs
    return {
        "compressors": None,
        "filters": None if axes is None else [codecs.TransposeCodec(order=axes)],
        "serializer": codecs.BytesCodec(endian="big" if dtype.str[0] == ">" else "little"),
    }


def _created(folder: Path, about: dict[str, Any]) -> Any:  # Any: arguments and a zarr array
    """Return a new zarr array."""
    try:
        array = import_zarr().create_array(folder, **about)
    except (TypeError, ValueError, OverflowError) as error:
        raise ZarrError(f"zarr makes no such array: {error}") from error
    fill, stored = about["fill_value"], array.fill_value
    if array.dtype.kind in "biu" and fill != stored:
        raise ZarrError(f"zarr makes {stored!r} of the fill value {brief(fill)}: it is none of {array.dtype}")
    return array


def _write_file(folder: Path, form: ChunkStorage, box: Box, part: AnyView, value: Any) -> None:  # Any: a number
    """Write the file of a box: all chunks as whole chunks, and the index if the file is a shard."""
    grid = chunk_counts([z - a for a, z in box], form.chunk)
    fastest_first = _tile_axes(part.mapping, form.chunk) or tuple(reversed(range(len(grid))))
    outer, _ = narrowest_layout(grid, strides_along(grid, fastest_first[::-1]))
    extents = tuple([n * c for n, c in zip(grid, form.chunk, strict=True)])
    mapping = Mapping(extents, LayoutTiled(*form.chunk, outer=outer, inner=form.inner))
    index = index_for(form, Mapping(grid, outer))
    around = {"before" if form.sharding and form.index_is_first else "after": index}
    path = folder / form.key(tuple([a // s for (a, _), s in zip(box, form.shard, strict=True)]))
    path.parent.mkdir(parents=True, exist_ok=True)

    def fill(whole: AnyView) -> None:
        inside, everything = tuple([(0, z - a) for a, z in box]), tuple([(0, e) for e in extents])
        for r, (_, count) in enumerate(inside):  # the part beyond the extents
            edge = (*inside[:r], (count, extents[r]), *everything[r + 1 :])
            part_at(whole, edge)[...] = value
        copy_parts(part, part_at(whole, inside), AT_ONCE, lambda _: None)

    with path.open("w+b") as file:
        fill_items(file, str(path), mapping, form.items, fill, **around)


def _tile_axes(mapping: AnyMapping, lengths: Sequence[int]) -> tuple[int, ...] | None:
    """Return the dimensions of the grid of tiles, the fastest in memory first; None if the tiles have no such order."""
    grid = chunk_counts(mapping.extents, lengths)
    corners, _ = select(mapping, [ExtentSlice(0, n, t) for n, t in zip(grid, lengths, strict=True)])
    axes = nested_axes(corners)
    return None if axes is None or min(corners.found_strides() or (), default=0) < 0 else axes[::-1]


def index_for(form: ChunkStorage, order: AnyMapping) -> bytes:
    """Return the encoded index of a shard whose chunks are in the order of a mapping; empty without an index."""
    if form.sharding is None:
        return b""
    np, grid = import_numpy(), tuple(map(int, order.extents))
    first = index_size(form) if form.index_is_first else 0
    index = np.full((*form.counts, 2), zarr_import.MISSING, "<u8")
    begins = first + form.nbytes * np.reshape([*order.offsets()], grid)
    index[tuple(map(slice, grid))] = np.stack([begins, np.full(grid, form.nbytes)], -1)
    files, key, array = zarr_import.index_array(form)
    array[...] = index
    return bytes(files[key].to_bytes())


def _check_target(target: Path, *, overwrite: bool) -> None:
    """Check that a path is unused or an empty folder, or with ``overwrite`` a zarr array."""
    if not os.path.lexists(target) or (target.is_dir() and not any(target.iterdir())):
        return
    is_array = False
    with suppress(ZarrError):
        is_array = zarr_import.opened_array(target) is not None and target.is_dir()
    if is_array and overwrite and not target.is_symlink():
        return
    what = "an array already; pass overwrite=True to replace it" if is_array else "something else than an array of zarr"
    raise ZarrError(f"at {str(target)!r} there is {what}")


def _items_of(view: AnyView) -> DType:
    storage = storage_of(view)
    with suppress(BufferFormatError):
        items = of_storage(storage)
        if items.bits % 8 and items.type is int:  # each integer gets its own byte
            return read_dtype(f"{KINDS[items.format.lstrip('>')]}1")
        if items.bits % 8 == 0 and str(items.description())[1:].partition("[")[0] in zarr_import.NUMBERS:
            return items
    kind = getattr(storage.items, "dtype", None)
    raise ZarrError(
        f"zarr has no type for elements of {f'format {storage.format!r}' if kind is None else f'type {kind}'}; copy "
        "them to numbers, relayout(view, view.layout, 'd') or 'Zd', or let zarr alone find one: "
        "zarr.create_array(path, data=np.asarray(view))"
    )
