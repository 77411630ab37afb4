"""Arrays of zarr: `from_zarr` copies an array to a view whose tiles are its chunks, `to_zarr` writes a view.

zarr reads and writes metadata, codecs and files; elements are copied chunk by chunk, or shard by shard. A folder that
`to_zarr` writes replaces an old one when it is complete. Any throughout: zarr and its arrays have no types here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice, product
from pathlib import Path
from typing import Any, Final, TypeVar, cast, overload

from mdview.accessors.policies import DefaultAccessor
from mdview.base import answer_calls, as_text, brief, import_numpy, import_zarr
from mdview.engines.bulk.bulk_operand import MOST_DIMENSIONS
from mdview.errors import BufferFormatError, ShapeError, ZarrError
from mdview.index.extents import is_empty, shape_text, size_of
from mdview.interop.atomic_replace import replace_folder
from mdview.interop.file_opening import file_name
from mdview.interop.npy_headers import of_storage
from mdview.layouts import Layout, LayoutRight, LayoutTiled
from mdview.memory.data_types import DType, read_dtype
from mdview.memory.item_formats import KINDS, NAMES
from mdview.operations.creation import zeros
from mdview.views.derived_views import AnyView, cuts_of, part_at
from mdview.views.typing_protocols import AnyRank, AnySource
from mdview.views.view import MDView
from mdview.views.view_base import check_view, storage_of

_NUMBERS: Final = {*NAMES.values(), "M8", "m8"}
"""NumPy's kinds and sizes of elements that arrays of zarr have: numbers and dates."""
_MOST_NAMES: Final = 8
"""The most arrays of a group that an error names."""
MOST_BYTES: Final[int] = 1 << 26
"""The most bytes of a shard that is read as a whole; larger shards are read chunk by chunk."""

V = TypeVar("V")


@overload
def from_zarr(source: Any, *, out: None = None) -> MDView[Any, AnyRank, Any, DefaultAccessor[Any]]: ...
@overload
def from_zarr(source: Any, *, out: V) -> V: ...
@answer_calls
def from_zarr(source: Any, *, out: Any = None) -> Any:
    """Return a view of a copy of an array of zarr.

    The tiles of the view are the chunks of the array, or the shards with chunks as inner tiles.

    Parameters
    ----------
    source
        The folder of an array, of version 2 or 3; an array of zarr; or another argument of `zarr.open`, such as a store
        or an address.
    out
        A view of the same extents to which the elements are copied, and which is returned; such as a view of
        `open_view`.

    Raises
    ------
    ZarrError
        There is no array, the array is damaged, or no memory holds the copy.
    ShapeError
        ``out`` has other extents.
    MissingExtraError
        zarr is not installed.

    >>> from tempfile import TemporaryDirectory
    >>> from mdview import LayoutTiled, to_zarr, zeros
    >>> with TemporaryDirectory() as folder:
    ...     to_zarr(zeros((5, 4), LayoutTiled(2, 2)), f"{folder}/a")
    ...     from_zarr(f"{folder}/a").layout
    LayoutTiled(2, 2, outer=LayoutRight(), inner=LayoutRight())
    """
    array = opened_array(source)
    extents, (chunks, shards) = tuple(map(int, array.shape)), chunk_sizes(array)
    target = _new_view(array, extents, _layout(chunks, shards, extents)) if out is None else out
    check_view(target, "out")
    if tuple(target.extents) != extents:
        raise ShapeError(f"out has extents {shape_text(target.extents)}, the array of zarr {shape_text(extents)}")
    unit = chunks if shards is None or size_of(shards) * array.dtype.itemsize > MOST_BYTES else shards
    for box in product(*cuts_of(extents, unit)):
        try:
            part = array[tuple([slice(a, z) for a, z in box])]
        except Exception as error:
            message = f"zarr cannot read the elements {brief(box)} of {array}: {type(error).__name__}: {error}"
            raise ZarrError(message) from error
        part_at(target, box)[...] = import_numpy().asarray(part)
    return target


def opened_array(source: Any) -> Any:
    """Return the array of zarr at ``source``, or ``source`` if it is an array.

    Raises
    ------
    ZarrError
        There is no array, or it has too many dimensions.
    """
    zarr = import_zarr()
    array = source if isinstance(source, zarr.Array) else _opened_node(source)
    if not isinstance(array, zarr.Array):
        names = ", ".join(map(repr, sorted(islice(array.array_keys(), _MOST_NAMES))))
        raise ZarrError(
            f"{brief(source)} is a group of zarr, no array; open one of those in it{names and f': {names}'}"
        )
    if array.ndim > MOST_DIMENSIONS:
        raise ZarrError(f"{brief(source)} has {array.ndim} dimensions; an array has at most {MOST_DIMENSIONS}")
    return array


def _opened_node(source: Any) -> Any:
    """Return the array or group of zarr at ``source``; raise ZarrError if there is neither."""
    try:
        return import_zarr().open(source, mode="r")
    except Exception as error:
        raise ZarrError(f"{brief(source)} is no array of zarr: {type(error).__name__}: {as_text(error)}") from error


def arrays_in(path: str) -> Iterator[tuple[str, Any]]:
    """Yield the path and the array of a folder of zarr, or those of each array in a group."""
    with import_zarr().config.set({"array.rectilinear_chunks": True}):  # off by default in zarr
        node = _opened_node(path)
        members = sorted(node.members(max_depth=None)) if hasattr(node, "members") else [("", node)]
    for name, member in members:
        if not hasattr(member, "members"):
            yield str(Path(path) / name), opened_array(member)


def chunk_sizes(array: Any) -> tuple[Sequence[int], Sequence[int] | None]:
    """Return the sizes of chunks and of shards, or the largest sizes of chunks if chunks differ in size."""
    try:
        return array.chunks, array.shards
    except NotImplementedError:  # zarr raises it if chunks differ in size
        return tuple([max(row, default=1) for row in array.read_chunk_sizes]), None


def _layout(chunks: Sequence[int], shards: Sequence[int] | None, extents: tuple[int, ...]) -> Layout:
    """Return the layout whose tiles are the chunks, or the shards with chunks as inner tiles; C order for one chunk."""
    if 0 in chunks:
        raise ZarrError(f"chunks of an array of zarr have extents of 1 or more, got {chunks}")
    if all(c >= e for c, e in zip(chunks, extents, strict=True)):
        return LayoutRight()
    return LayoutTiled(*chunks) if shards is None else LayoutTiled(*shards, inner=LayoutTiled(*chunks))


def _new_view(array: Any, extents: tuple[int, ...], layout: Layout) -> AnyView:
    """Return a view of new zeros for the elements of an array."""
    try:
        return zeros(extents, layout, array.dtype)
    except (MemoryError, OverflowError, ValueError) as error:
        raise ZarrError(f"no memory holds a copy: {as_text(error)}; pass out=, a view of a file") from None


@answer_calls
def to_zarr(
    view: AnySource,
    path: str | os.PathLike[str],
    *,
    chunks: Sequence[int] | None = None,
    overwrite: bool = False,
    **options: Any,
) -> None:
    """Write the elements of a view as an array of zarr into a new folder.

    Nothing is compressed unless ``options`` say so. The folder is complete when it gets its name: if the writer is
    stopped before, the old array is unchanged.

    Parameters
    ----------
    view
        A view of truth values, integers, floats, complex numbers or dates.
    path
        The path of the new folder.
    chunks
        The size of a chunk along each dimension; by default the tile of the view, or the extents of a view without
        tiles. If tiles are nested, the chunks are the inner tiles and the shards are the outer tiles.
    overwrite
        Whether an array at the path may be replaced.
    options
        Options of `zarr.create_array`, such as ``compressors=``, ``shards=``, ``fill_value=`` or ``attributes=``.

    Raises
    ------
    ZarrError
        zarr has no type for the elements, options do not fit, or the path is in use.
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
    dtype, extents = import_numpy().dtype(_items_of(source).description()), tuple(map(int, source.extents))
    tiles = _tiles_of(source, extents) if chunks is None else {"chunks": chunks}
    about = {"dtype": dtype, "shape": extents, "compressors": None, **tiles, **options}
    target = Path(os.path.realpath(file_name(path)))
    if not target.parent.is_dir():
        raise ZarrError(f"there is no folder {str(target.parent)!r}, in which the array is to be")

    def fill(folder: Path) -> None:
        try:
            array = import_zarr().create_array(folder, **about)
        except Exception as error:
            raise ZarrError(f"zarr makes no such array, of chunks {brief(about['chunks'])}: {error}") from error
        sizes, shards = chunk_sizes(array)
        for box in () if is_empty(extents) else product(*cuts_of(extents, shards or sizes)):
            array[tuple([slice(a, z) for a, z in box])] = import_numpy().asarray(part_at(source, box))

    replace_folder(target, lambda: _check_target(target, overwrite=overwrite), fill)


def _tiles_of(view: AnyView, extents: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """Return the sizes of chunks, and of shards if tiles are nested, that are the tiles of a view."""
    tiling, inner = view.layout.tiling(), getattr(view.layout, "inner", None)
    if tiling is None:
        return {"chunks": tuple([max(e, 1) for e in extents])}
    within = inner.tiling() if isinstance(inner, Layout) else None
    if within is None or any(t % n for t, n in zip(tiling.sizes, within.sizes, strict=True)):
        return {"chunks": tiling.sizes}
    return {"chunks": within.sizes, "shards": tiling.sizes}


def _check_target(target: Path, *, overwrite: bool) -> None:
    """Check that a path is unused or an empty folder, or with ``overwrite`` an array of zarr."""
    if not os.path.lexists(target) or (target.is_dir() and not any(target.iterdir())):
        return
    is_array = False
    with suppress(ZarrError):
        is_array = opened_array(target) is not None and target.is_dir()
    if is_array and overwrite and not target.is_symlink():
        return
    what = "an array already; pass overwrite=True to replace it" if is_array else "something else than an array of zarr"
    raise ZarrError(f"at {str(target)!r} there is {what}")


def _items_of(view: AnyView) -> DType:
    """Return the type of the elements of a zarr array that is written from a view."""
    storage = storage_of(view)
    with suppress(BufferFormatError):
        items = of_storage(storage)
        if items.bits % 8 and items.type is int:  # each integer gets its own byte
            return read_dtype(f"{KINDS[items.format.lstrip('>')]}1")
        if items.bits % 8 == 0 and str(items.description())[1:].partition("[")[0] in _NUMBERS:
            return items
    kind = getattr(storage.items, "dtype", None)
    raise ZarrError(
        f"zarr has no type for elements of {f'format {storage.format!r}' if kind is None else f'type {kind}'}; copy "
        "them to numbers, relayout(view, view.layout, 'd') or 'Zd', or let zarr alone find one: "
        "zarr.create_array(path, data=np.asarray(view))"
    )
