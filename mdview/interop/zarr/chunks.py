"""Chunks: where the elements of an array of zarr lie in its files, as zarr's own codecs and shard indices say.

zarr reads and writes metadata, codecs and checksums. What it does not tell is the layout of a file as a whole: that of
its chunks, in the order in which the index of a shard has them, with strided elements in each.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from pathlib import Path
from typing import Any, Final, final

from mdview.base.partners import import_numpy, import_zarr
from mdview.base.texts import shown, told
from mdview.base.values import value
from mdview.engines.bulk.whole_views import MOST_DIMENSIONS
from mdview.errors import CopyNeededError, ExtentsError, ZarrError
from mdview.index.extents import size_of
from mdview.index.orders import right_strides
from mdview.interop.files.headers import AnyView, view_of_bytes
from mdview.interop.files.opening import file_name
from mdview.layouts.base import Layout, indices
from mdview.layouts.morton import LayoutMorton
from mdview.layouts.stride import LayoutStride, narrowest_layout
from mdview.layouts.strided import StridedLayout
from mdview.layouts.tiled import LayoutTable, LayoutTiled
from mdview.mappings.mapping import AnyMapping, Mapping
from mdview.memory.dtypes import NAMES, ItemFormat, of_dtype

MISSING: Final = (1 << 64) - 1
"""Where a chunk begins that is not stored: all its elements are the fill value."""
ENTRY: Final = 16
"""Bytes of the index of a shard for each chunk."""
NUMBERS: Final = {*NAMES.values(), "M8", "m8"}
"""NumPy's kinds and sizes of elements that are mapped: numbers and dates."""
MOST_METADATA: Final = 1 << 24
"""How many bytes of metadata are read of a folder: beyond, zarr would take many times as much memory."""
NAMED: Final = 8
"""How many arrays of a group an error names."""
ENDIANS: Final = {"little": "<", "big": ">"}


@final
@value
class Form:
    """What is needed to find an element in the files of an array.

    ``inner`` is the layout of a chunk. ``shard`` is what a file holds; ``sharding`` is the codec that finds chunks in
    it, None where it is one chunk; ``key`` gives its path from the place of a shard. Any: of zarr.
    """

    extents: tuple[int, ...]
    chunk: tuple[int, ...]
    shard: tuple[int, ...]
    items: ItemFormat
    inner: StridedLayout
    sharding: Any
    key: Callable[[tuple[int, ...]], str]

    @property
    def nbytes(self) -> int:
        """The bytes of a chunk."""
        return size_of(self.chunk) * self.items.size

    @property
    def counts(self) -> tuple[int, ...]:
        """How many chunks a shard has along each dimension."""
        return grid_of(self.shard, self.chunk)

    @property
    def index_is_first(self) -> bool:
        """Whether a shard begins with its index."""
        return bool(self.sharding.to_dict()["configuration"]["index_location"] == "start")


def opened_array(source: Any) -> Any:  # Any: what zarr opens, and an array of zarr
    """Return an array of zarr; ZarrError if it opens none."""
    zarr = import_zarr()
    found = source if isinstance(source, zarr.Array) else opened_node(source)
    if not isinstance(found, zarr.Array):
        names = ", ".join(map(repr, sorted(islice(found.array_keys(), NAMED))))
        raise ZarrError(f"{told(source)} is a group of zarr, no array; open one of those in it{names and f': {names}'}")
    if found.ndim > MOST_DIMENSIONS:
        raise ZarrError(f"{told(source)} has {found.ndim} dimensions; an array has at most {MOST_DIMENSIONS}")
    return found


def opened_node(source: Any) -> Any:  # Any: likewise
    """Return an array or a group of zarr; ZarrError if it opens none."""
    zarr = import_zarr()
    if isinstance(source, str | os.PathLike) and "://" not in os.fspath(source):
        _check_metadata(Path(file_name(source)))
    try:
        if isinstance(source, str | os.PathLike) and Path(source).is_file():
            source = zarr.storage.ZipStore(Path(source), mode="r")
        return zarr.open(source, mode="r")
    except Exception as error:
        raise ZarrError(f"{told(source)} is no array of zarr: {type(error).__name__}: {shown(error)}") from error


def arrays_in(path: Path) -> Iterator[tuple[str, Any]]:  # Any: an array of zarr
    """Yield the path and the array of a folder of zarr, or of each array of a group in it."""
    node = opened_node(path)
    if not hasattr(node, "members"):
        yield str(path), opened_array(node)
        return
    for name, each in sorted(node.members(max_depth=None)):
        if not hasattr(each, "members"):
            yield str(path / name), each


def _check_metadata(folder: Path) -> None:
    for path in [folder / name for name in ("zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata")]:
        if path.is_file() and path.stat().st_size > MOST_METADATA:
            raise ZarrError(
                f"{str(path)!r} has more than the {MOST_METADATA} bytes of metadata that are read of an array"
            )


def form_of(array: Any) -> Form:  # Any: an array of zarr
    """Return the form of an array.

    Raises
    ------
    CopyNeededError
        Only zarr reads it: its elements are no numbers in a row.
    """
    zarr, about, extents = import_zarr(), array.metadata, tuple(map(int, array.shape))
    axes, dtype, sharding = list(range(len(extents))), array.dtype, None
    if about.zarr_format == 2:  # noqa: PLR2004 - of the format
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
            names = ", ".join([shown(codec.to_dict().get("name"), repr) for codec in codecs])
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
    return Form(extents, chunk, shard, of_dtype(dtype), inner, sharding, about.encode_chunk_key)


def strides_along(counts: Sequence[int], axes: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of a dense block whose dimensions are stored in this order, the fastest last.

    >>> strides_along((2, 3, 4), (2, 0, 1))
    (3, 1, 6)
    """
    stored = right_strides([counts[axis] for axis in axes])
    return tuple([stored[axes.index(r)] for r in range(len(counts))])


# The index of a shard is a chunk of an array: zarr writes and reads it as one in memory.


def index_for(form: Form, order: AnyMapping) -> bytes:
    """Return the index of a shard that has chunks in this order, as a file has it."""
    if form.sharding is None:
        return b""
    np, grid = import_numpy(), tuple(map(int, order.extents))
    first = _index_size(form) if form.index_is_first else 0
    index = np.full((*form.counts, 2), MISSING, "<u8")
    begins = first + form.nbytes * np.reshape([*order.offsets()], grid)
    index[tuple(map(slice, grid))] = np.stack([begins, np.full(grid, form.nbytes)], -1)
    files, key, array = _index_array(form)
    array[...] = index
    return bytes(files[key].to_bytes())


def _index_size(form: Form) -> int:
    """Count the bytes of an index."""
    size = ENTRY * size_of(form.counts)
    try:
        for codec in form.sharding.index_codecs:
            size = codec.compute_encoded_size(size, None)
    except NotImplementedError:
        raise CopyNeededError("the index of its shards is compressed") from None
    return size


def _index_of(raw: bytes, form: Form) -> Any:  # Any: an array of NumPy
    """Return begin and length of each chunk."""
    files, key, array = _index_array(form)
    array[...] = 0
    files[key] = type(files[key]).from_bytes(raw)
    try:
        return array[...]
    except ValueError as error:
        raise ZarrError(f"the checksum of the index of a shard is wrong: it is damaged, or cut: {error}") from error


def _index_array(form: Form) -> tuple[dict[str, Any], str, Any]:  # Any: see `form_of`
    """Return a dictionary of files, the name of one, and an array that it holds, by the codecs of an index."""
    zarr, shape, files = import_zarr(), (*form.counts, 2), dict[str, Any]()
    options = {"dtype": "<u8", "fill_value": 1, "filters": None}
    try:
        first, *others = form.sharding.index_codecs
        array = zarr.create_array(files, shape=shape, chunks=shape, serializer=first, compressors=others, **options)
    except (TypeError, ValueError) as error:
        raise ZarrError(f"the index of its shards has codecs that do not go together: {shown(error)}") from error
    return files, array.metadata.encode_chunk_key((0,) * len(shape)), array


def places_in(data: memoryview, form: Form) -> list[int]:
    """Return at which byte of a shard each chunk begins that holds elements, in C order.

    Raises
    ------
    ZarrError
        The shard is cut, its index is damaged, or leads out of it.
    CopyNeededError
        A chunk is missing, or has other bytes than its elements.
    """
    if form.sharding is None:
        if data.nbytes != form.nbytes:
            raise ZarrError(f"a chunk of {form.nbytes} bytes has {data.nbytes}: it is cut, or something else")
        return [0]
    size = _index_size(form)
    if data.nbytes < size:
        raise ZarrError(f"a shard of {data.nbytes} bytes is cut: its index alone has {size}")
    index = _index_of(bytes(data[:size] if form.index_is_first else data[data.nbytes - size :]), form)
    grid = grid_of(form.extents, form.chunk)
    entries = index[tuple(map(slice, grid))].reshape(-1, 2).tolist()
    for place, (begin, own) in zip(indices(grid), entries, strict=True):
        if begin == own == MISSING:
            raise CopyNeededError(f"chunk {place} is not stored, its elements are the fill value")
        if own != form.nbytes:
            raise CopyNeededError(f"chunk {place} has {own} bytes instead of {form.nbytes}")
        if begin + own > data.nbytes:
            raise ZarrError(
                f"the index of a shard of {data.nbytes} bytes has chunk {place} in the bytes {begin} to {begin + own}"
            )
    return [begin for begin, _ in entries]


def grid_of(extents: Sequence[int], chunk: Sequence[int]) -> tuple[int, ...]:
    """Count the chunks along each dimension."""
    return tuple([-(-e // c) for e, c in zip(extents, chunk, strict=True)])


def layout_of_chunks(form: Form, places: Sequence[int]) -> tuple[Layout, int]:
    """Return the layout of chunks that begin at some bytes, and the first of these bytes.

    Raises
    ------
    CopyNeededError
        Chunks overlap, or are no whole number of chunks apart.
    """
    grid, inner, low = grid_of(form.extents, form.chunk), form.inner, min(places)
    numbers = [(place - low) // form.nbytes for place in places]
    if any((place - low) % form.nbytes for place in places) or len(set(numbers)) != len(numbers):
        raise CopyNeededError("its chunks overlap, or have other bytes between them")
    steps = Mapping(grid, LayoutTable(numbers)).exact_strides()
    if steps is not None and min(steps, default=1) > 0:
        order, _ = narrowest_layout(grid, steps)
        order = order if order.is_monotone() else LayoutStride(steps)
        return (inner if form.chunk == form.extents else LayoutTiled(*form.chunk, outer=order, inner=inner)), low
    morton = LayoutMorton(compact=True, fastest="first")  # zarr's own order, where all bits are there
    is_morton = [*Mapping(grid, morton).offsets()] == numbers
    return LayoutTiled(*form.chunk, outer=morton if is_morton else LayoutTable(numbers), inner=inner), low


# Views of chunks.


def boxes(extents: Sequence[int], unit: Sequence[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield the boxes of a grid, for each dimension the first index and one past the last, in C order."""
    return product(*[[(a, min(a + n, e)) for a in range(0, e, n)] for e, n in zip(extents, unit, strict=True)])


def new_view(extents: tuple[int, ...], layout: Layout, items: ItemFormat) -> AnyView:
    """Return a view of new zeros, with whole tiles where the layout has some."""
    size = layout.allocation_size(extents) * items.size
    try:
        mapping, memory = Mapping(extents, layout), bytearray(size)
    except (MemoryError, OverflowError, ExtentsError):
        raise ZarrError(
            f"a copy takes {shown(size)} bytes of memory, which are not there; pass out=, a view of a file"
        ) from None
    return view_of_bytes(items, memoryview(memory), mapping)
