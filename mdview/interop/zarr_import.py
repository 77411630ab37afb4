"""Views of zarr arrays (`from_zarr`): memory-mapped chunks and shards, else copies; the position of each chunk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from operator import mul
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, TypeVar, final, overload

from mdview.accessors.accessor import Accessor
from mdview.accessors.policies import DefaultAccessor, ReadOnlyAccessor
from mdview.base import answer_calls, as_text, brief, import_numpy, import_zarr, refuse, value
from mdview.engines.bulk.bulk_operand import MOST_DIMENSIONS
from mdview.errors import CopyNeededError, ExtentsError, ShapeError, ZarrError
from mdview.index.extents import is_empty, right_strides, shape_text, size_of
from mdview.interop.file_opening import file_name, open_regular_file
from mdview.interop.npy_headers import view_of_bytes
from mdview.layouts import LayoutMorton, LayoutRight, StridedLayout
from mdview.layouts.explicit_strides import LayoutStride, narrowest_layout
from mdview.layouts.layout import Layout, indices
from mdview.layouts.tiled import LayoutTiled
from mdview.mappings.mapping import E, Mapping
from mdview.memory.data_types import DType, of_dtype
from mdview.memory.exporters import mapped_bytes
from mdview.memory.item_formats import NAMES
from mdview.views.derived_views import AnyView, chunk_counts, cuts_of, part_at, readonly
from mdview.views.typing_protocols import A, AnyRank
from mdview.views.view import MDView
from mdview.views.view_base import check_view

MISSING: Final = (1 << 64) - 1
"""The entry of a chunk that is not stored: all elements of the chunk are the fill value."""
ENTRY: Final = 16
"""Bytes of an entry, for one chunk, in the index of a shard."""
NUMBERS: Final = {*NAMES.values(), "M8", "m8"}
"""NumPy's kinds and sizes of elements that are mapped: numbers and dates."""
METADATA: Final = ("zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata")
MOST_METADATA: Final = 1 << 24
"""The most bytes of a file of metadata that is read; zarr would take many times as much memory."""
NAMED: Final = 8
"""The most arrays of a group that an error names."""
ENDIANS: Final = {"little": "<", "big": ">"}

V = TypeVar("V")


@final
@value
class ChunkStorage:
    """The facts that determine the positions of elements in the files of an array.

    ``chunk`` and ``shard`` are extents, and ``inner`` is the layout of a chunk. A file holds a shard. ``sharding`` is
    the zarr codec that reads the index of a shard, or None if a shard is one chunk. ``key`` returns the path of the
    shard at an index.
    """

    extents: tuple[int, ...]
    chunk: tuple[int, ...]
    shard: tuple[int, ...]
    items: DType
    inner: StridedLayout
    sharding: Any
    key: Callable[[tuple[int, ...]], str]

    @property
    def nbytes(self) -> int:
        """The size of a chunk in bytes."""
        return size_of(self.chunk) * self.items.itemsize

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of chunks in a shard along each dimension."""
        return chunk_counts(self.shard, self.chunk)

    @property
    def index_is_first(self) -> bool:
        """Whether a shard begins with its index."""
        return bool(self.sharding.to_dict()["configuration"]["index_location"] == "start")


def opened_array(source: Any) -> Any:  # Any: an argument of `zarr.open`, and a zarr array
    """Return the zarr array at ``source``, or ``source`` itself if it is an array.

    Raises
    ------
    ZarrError
        There is no array, or it has too many dimensions.
    """
    zarr = import_zarr()
    array = source if isinstance(source, zarr.Array) else _opened_node(source)
    if not isinstance(array, zarr.Array):
        names = ", ".join(map(repr, sorted(islice(array.array_keys(), NAMED))))
        raise ZarrError(
            f"{brief(source)} is a group of zarr, no array; open one of those in it{names and f': {names}'}"
        )
    if array.ndim > MOST_DIMENSIONS:
        raise ZarrError(f"{brief(source)} has {array.ndim} dimensions; an array has at most {MOST_DIMENSIONS}")
    return array


def _opened_node(source: Any) -> Any:  # Any: an argument of `zarr.open`, and an array or a group
    """Return the zarr array or group at ``source``; raise ZarrError if there is neither an array nor a group."""
    zarr = import_zarr()
    path = Path(file_name(source)) if isinstance(source, str | os.PathLike) and "://" not in os.fspath(source) else None
    for part in (path / name for name in METADATA) if path else ():
        if part.is_file() and part.stat().st_size > MOST_METADATA:
            raise ZarrError(f"{str(part)!r} has more than {MOST_METADATA} bytes of metadata; no more are read")
    try:
        return zarr.open(source, mode="r")
    except Exception as error:
        raise ZarrError(f"{brief(source)} is no array of zarr: {type(error).__name__}: {as_text(error)}") from error


def arrays_in(path: str) -> Iterator[tuple[str, Any]]:  # Any: a zarr array
    """Yield the path and the array for the zarr array in a folder, or for each array of the zarr group in it."""
    with import_zarr().config.set({"array.rectilinear_chunks": True}):  # off by default in zarr
        node = _opened_node(path)
        members = sorted(node.members(max_depth=None)) if hasattr(node, "members") else [("", node)]
    for name, member in members:
        if not hasattr(member, "members"):
            yield str(Path(path) / name), opened_array(member)


def chunk_sizes(array: Any) -> tuple[Sequence[int], Sequence[int] | None]:  # Any: a zarr array
    """Return the sizes of chunks and of shards, or the largest sizes of chunks if chunks differ in size."""
    try:
        return array.chunks, array.shards
    except NotImplementedError:  # zarr raises it if chunks differ in size
        return tuple([max(row, default=1) for row in array.read_chunk_sizes]), None


def chunk_storage_of(array: Any) -> ChunkStorage:  # Any: a zarr array
    """Return the facts that determine the positions of the elements of an array.

    Raises
    ------
    CopyNeededError
        The elements are not stored as plain numbers, so only zarr reads them.
    """
    zarr, about, extents = import_zarr(), array.metadata, tuple(map(int, array.shape))
    axes, dtype, sharding = list(range(len(extents))), array.dtype, None
    if about.zarr_format == 2:  # noqa: PLR2004 - the version of the format
        if about.compressor is not None or about.filters:
            raise CopyNeededError("its chunks are compressed or filtered")
        axes = axes if about.order == "C" else axes[::-1]
    else:
        codecs = list(about.codecs)
        if len(codecs) == 1 and isinstance(codecs[0], zarr.codecs.ShardingCodec):
            sharding, codecs = codecs[0], list(codecs[0].codecs)
        if len(codecs) > 1 and isinstance(codecs[0], zarr.codecs.TransposeCodec):
            axes, codecs = list(codecs[0].order), codecs[1:]
        if len(codecs) != 1 or not isinstance(codecs[0], zarr.codecs.BytesCodec):
            names = ", ".join([as_text(codec.to_dict().get("name"), repr) for codec in codecs])
            raise CopyNeededError(f"its chunks go through {names}")
        endian = codecs[0].endian
        dtype = dtype.newbyteorder(ENDIANS.get(getattr(endian, "value", endian), "="))
    if dtype.str[1:].partition("[")[0] not in NUMBERS:
        raise CopyNeededError(f"its elements are of type {dtype}")
    chunk = tuple(map(int, array.chunks))
    shard = tuple(map(int, array.shards or chunk))
    if 0 in (*chunk, *shard):
        raise ZarrError(f"chunks of an array of zarr have extents of 1 or more, got {chunk} in shards {shard}")
    inner, _ = narrowest_layout(chunk, strides_along(chunk, axes))
    return ChunkStorage(extents, chunk, shard, of_dtype(dtype), inner, sharding, about.encode_chunk_key)


def strides_along(counts: Sequence[int], axes: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of a contiguous block whose dimensions are stored in the order ``axes``, the fastest last.

    >>> strides_along((2, 3, 4), (2, 0, 1))
    (3, 1, 6)
    """
    stored = right_strides([counts[axis] for axis in axes])
    return tuple([stored[axes.index(r)] for r in range(len(counts))])


def index_size(form: ChunkStorage) -> int:
    """Return the size in bytes of the encoded index of a shard."""
    size = ENTRY * size_of(form.counts)
    try:
        for codec in form.sharding.index_codecs:
            size = codec.compute_encoded_size(size, None)
    except NotImplementedError:
        raise CopyNeededError("the index of its shards is compressed") from None
    return size


def _index_of(raw: bytes, form: ChunkStorage) -> Any:  # Any: a NumPy array
    """Return the first byte and the length of each chunk in a shard, from the bytes of its index."""
    files, key, array = index_array(form)
    array[...] = 0
    files[key] = type(files[key]).from_bytes(raw)
    try:
        return array[...]
    except ValueError as error:
        raise ZarrError(f"the checksum of the index of a shard is wrong: it is damaged, or cut: {error}") from error


def index_array(form: ChunkStorage) -> tuple[dict[str, Any], str, Any]:  # Any: see `chunk_storage_of`
    """Return a zarr array in a dictionary, which encodes or decodes the index of a shard.

    The result is the dictionary, the key of the encoded index in it, and the array.
    """
    zarr, shape, files = import_zarr(), (*form.counts, 2), dict[str, Any]()
    options = {"dtype": "<u8", "fill_value": 1, "filters": None}
    try:
        first, *others = form.sharding.index_codecs
        array = zarr.create_array(files, shape=shape, chunks=shape, serializer=first, compressors=others, **options)
    except (TypeError, ValueError) as error:
        raise ZarrError(f"the index of its shards has codecs that do not go together: {as_text(error)}") from error
    return files, array.metadata.encode_chunk_key((0,) * len(shape)), array


def places_in(data: memoryview, form: ChunkStorage) -> list[int]:
    """Return the first byte of each chunk in a shard, in C order of the chunks.

    Raises
    ------
    ZarrError
        The shard is cut off, or its index is damaged or points outside of the shard.
    CopyNeededError
        A chunk is not stored, or does not have the size of its elements.
    """
    if form.sharding is None:
        if data.nbytes != form.nbytes:
            raise ZarrError(f"a chunk of {form.nbytes} bytes has {data.nbytes}: it is cut, or something else")
        return [0]
    index_bytes = index_size(form)
    if data.nbytes < index_bytes:
        raise ZarrError(f"a shard of {data.nbytes} bytes is cut: its index alone has {index_bytes}")
    index = _index_of(bytes(data[:index_bytes] if form.index_is_first else data[data.nbytes - index_bytes :]), form)
    grid = chunk_counts(form.extents, form.chunk)
    entries = index[tuple(map(slice, grid))].reshape(-1, 2).tolist()
    for chunk, (begin, size) in zip(indices(grid), entries, strict=True):
        if begin == size == MISSING:
            raise CopyNeededError(f"chunk {chunk} is not stored, its elements are the fill value")
        if size != form.nbytes:
            raise CopyNeededError(f"chunk {chunk} has {size} bytes instead of {form.nbytes}")
        if begin + size > data.nbytes:
            raise ZarrError(
                f"the index of a shard of {data.nbytes} bytes has chunk {chunk} in the bytes {begin} to {begin + size}"
            )
    return [begin for begin, _ in entries]


def layout_of_chunks(form: ChunkStorage, places: Sequence[int]) -> tuple[Layout, int]:
    """Return the layout of chunks that begin at the bytes ``places``, and the lowest byte.

    Raises
    ------
    CopyNeededError
        Chunks overlap, have distances that are not multiples of a chunk, or lie in an order that no layout has.
    """
    grid, inner, low = chunk_counts(form.extents, form.chunk), form.inner, min(places)
    numbers = [(byte - low) // form.nbytes for byte in places]
    if any((byte - low) % form.nbytes for byte in places) or len(set(numbers)) != len(numbers):
        raise CopyNeededError("its chunks overlap, or have other bytes between them")
    steps = [numbers[weight] if n > 1 else 1 for n, weight in zip(grid, right_strides(grid), strict=True)]
    if numbers == [sum(map(mul, index, steps)) for index in indices(grid)]:
        order, _ = narrowest_layout(grid, steps)
        order = order if order.is_monotone() else LayoutStride(steps)
        return (inner if form.chunk == form.extents else LayoutTiled(*form.chunk, outer=order, inner=inner)), low
    morton = LayoutMorton(compact=True, fastest="first")  # the order of chunks in a complete zarr shard
    if [*Mapping(grid, morton).offsets()] != numbers:
        raise CopyNeededError("its chunks lie neither in an order of strides nor in Morton order")
    return LayoutTiled(*form.chunk, outer=morton, inner=inner), low


def new_view(extents: tuple[int, ...], layout: Layout, items: DType) -> AnyView:
    """Return a view of new zeros; the memory contains all elements of cut tiles."""
    size = layout.allocation_size(extents) * items.itemsize
    try:
        mapping, memory = Mapping(extents, layout), bytearray(size)
    except (MemoryError, OverflowError, ExtentsError):
        raise ZarrError(
            f"a copy takes {as_text(size)} bytes of memory, which are not there; pass out=, a view of a file"
        ) from None
    return view_of_bytes(items, memoryview(memory), mapping)


MOST_BYTES: Final[int] = 1 << 26
"""The most bytes of a shard that is read as a whole; larger shards are read chunk by chunk."""


# Any: partners have no types here, and the elements and layout of an array are known when it is opened.
_Opened: TypeAlias = MDView[Any, E, Any, A]


@overload
def from_zarr(
    source: Any, *, copy: Literal[False] | None = None, mode: Literal["r"] = "r", out: None = None
) -> _Opened[AnyRank, ReadOnlyAccessor[Any]]: ...
@overload
def from_zarr(
    source: Any, *, copy: Literal[False] | None = None, mode: Literal["r+"], out: None = None
) -> _Opened[AnyRank, DefaultAccessor[Any]]: ...
@overload
def from_zarr(
    source: Any, *, copy: Literal[True], mode: Literal["r"] = "r", out: None = None
) -> _Opened[AnyRank, DefaultAccessor[Any]]: ...
@overload
def from_zarr(
    source: Any, *, copy: bool | None, mode: Literal["r"] = "r", out: None = None
) -> _Opened[AnyRank, Accessor[Any, Any]]: ...
@overload
def from_zarr(source: Any, *, copy: Literal[True] | None = None, mode: Literal["r"] = "r", out: V) -> V: ...
@answer_calls
def from_zarr(source: Any, *, copy: bool | None = None, mode: str = "r", out: Any = None) -> Any:
    """Return a view of a zarr array.

    An array that is not compressed and lies in one file, as one chunk or one shard, is memory-mapped and not read: the
    tiles of the view are the chunks. The elements of any other array are copied by zarr, chunk by chunk; the tiles of
    the copy are the chunks, or the shards with chunks as inner tiles. A mapped view is pickled as path and offset. Do
    not make its file shorter while the view exists: the system ends a process that accesses bytes beyond the end.

    Parameters
    ----------
    source
        The folder of an array, of version 2 or 3; a zarr array; or another argument of `zarr.open`, such as a store or
        an address.
    copy
        None copies if necessary, True always, False never. The copy of True is writable, and stores to it do not change
        the array.
    mode
        ``"r"`` for a read-only view; ``"r+"`` for a view whose stores reach the file, which is never a copy.
    out
        A view of the same extents to which the elements are copied, and which is returned; such as a view of
        `open_view`.

    Raises
    ------
    CopyNeededError
        ``copy`` is False, or ``mode`` is ``"r+"``, and only a copy is possible.
    ZarrError
        There is no array, or the array is damaged.
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
                way = "from_zarr(..., copy=True) reads it through zarr"
                raise CopyNeededError(f"the array {source} is not mapped: {error}; {way}") from None
    view = _copied(array, out)
    return view if copy or out is not None else readonly(view)


def _check_arguments(copy: Any, mode: Any, out: Any) -> None:  # Any: arguments of the user
    if copy not in (None, True, False):
        refuse("copy", "None, True or False", copy)
    if mode not in {"r", "r+"}:
        refuse("mode", "'r' or 'r+'", mode)
    if mode == "r+" and (copy or out is not None):
        raise ZarrError("stores to a copy do not reach the array: leave mode='r+' out, and write the copy with to_zarr")
    if copy is False and out is not None:
        raise ZarrError("out takes a copy, which copy=False rules out")


def _mapped(array: Any, *, stores: bool) -> AnyView:  # Any: a zarr array
    """Return a view of the file that holds an array; raise `CopyNeededError` if that is impossible."""
    if not isinstance(array.store, import_zarr().storage.LocalStore):
        raise CopyNeededError("it lies in no folder")
    try:
        form = chunk_storage_of(array)
    except NotImplementedError:  # see `chunk_sizes`
        raise CopyNeededError("its chunks differ in size") from None
    if is_empty(form.extents):
        view = new_view(form.extents, LayoutRight(), form.items)
        return view if stores else readonly(view)
    if any(s < e for s, e in zip(form.shard, form.extents, strict=True)):
        what = "chunks" if form.sharding is None else "shards"
        count = size_of(chunk_counts(form.extents, form.shard))
        raise CopyNeededError(f"its {count} {what} lie in as many files, and a view is of one")
    path = Path(array.store.root, array.path, form.key((0,) * len(form.extents)))
    if not path.is_file():
        raise CopyNeededError("nothing is stored yet, all its elements are the fill value")
    with open_regular_file(str(path), stores=stores) as file:
        descriptor = file.fileno()
        data = mapped_bytes(descriptor, str(path), 0, os.fstat(descriptor).st_size, readonly=not stores)
    try:
        places = places_in(data, form)
    except ZarrError as error:
        if isinstance(error, CopyNeededError):
            raise
        raise ZarrError(f"{str(path)!r}: {as_text(error)}") from None
    layout, first = layout_of_chunks(form, places)
    return view_of_bytes(form.items, data[first : max(places) + form.nbytes], Mapping(form.extents, layout))


def _copied(array: Any, out: AnyView | None) -> AnyView:  # Any: a zarr array
    """Return a view of new memory, or ``out``, with the elements of an array."""
    extents, (chunks, shards) = tuple(map(int, array.shape)), chunk_sizes(array)
    target = new_view(extents, _layout(chunks, shards, extents), of_dtype(array.dtype)) if out is None else out
    check_view(target, "out")
    if tuple(target.extents) != extents:
        raise ShapeError(f"out has extents {shape_text(target.extents)}, the array of zarr {shape_text(extents)}")
    unit = chunks if shards is None or size_of(shards) * array.dtype.itemsize > MOST_BYTES else shards
    np = import_numpy()
    for box in product(*cuts_of(extents, unit)):
        part_at(target, box)[...] = np.asarray(_block(array, box))
    return target


def _block(array: Any, box: Sequence[tuple[int, int]]) -> Any:  # Any: arrays
    """Return the elements of a box; raise ZarrError for any error in zarr, which becomes the cause."""
    try:
        return array[tuple([slice(a, z) for a, z in box])]
    except Exception as error:
        raise ZarrError(
            f"zarr cannot read the elements {brief(tuple(box))} of {array}: {type(error).__name__}: {error}"
        ) from error


def _layout(chunks: Sequence[int], shards: Sequence[int] | None, extents: tuple[int, ...]) -> Layout:
    """Return the layout whose tiles are the chunks, or the shards with chunks as inner tiles; C order for one chunk."""
    if all(c >= e for c, e in zip(chunks, extents, strict=True)):
        return LayoutRight()
    return LayoutTiled(*chunks) if shards is None else LayoutTiled(*shards, inner=LayoutTiled(*chunks))
