"""Strided views of NumPy arrays and of memoryviews, and errors for objects that have no memory to share.

A storage holds the items of a view in one row: the owner's memory from the lowest to the highest item. Exports with
items that only NumPy reads become a NumPy array first, see `array_view`. The reverse, ``np.asarray(view)``, is in
`mdview.views.memory_export`.

The error for an object without memory to share contains a hint. Libraries are recognised by the names of their types,
so no library is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Mapping as AbstractMapping
from contextlib import suppress
from math import gcd
from pickle import PickleBuffer
from typing import Any, Final, TypeAlias, cast
from warnings import catch_warnings, simplefilter

from mdview.accessors.accessor import Accessor
from mdview.accessors.policies import DefaultAccessor, ReadOnlyAccessor
from mdview.base import as_text, brief, import_numpy, kind_text
from mdview.base.caches import remember
from mdview.base.message_texts import FROM_VALUES
from mdview.base.optional_libraries import library_of
from mdview.errors import BufferFormatError, StrideError
from mdview.index.extents import MAX_SIZE, right_strides, shape_text
from mdview.layouts.explicit_strides import element_strides, narrowest_layout
from mdview.layouts.strided_layout import StridedLayout
from mdview.mappings.mapping import Mapping
from mdview.memory.data_types import narrow_name
from mdview.memory.exporters import is_array
from mdview.memory.field_items import FieldItems
from mdview.memory.item_formats import PACKED, native_format
from mdview.memory.storage import Storage
from mdview.memory.struct_items import items_of
from mdview.views.derived_views import remaking
from mdview.views.view import MDView
from mdview.views.view_base import ViewBase

_EXPORTS: Final = ("__array__", "__array_interface__", "__dlpack__")

_COMPUTED: Final = {
    "h5py.Dataset": "what is in a file is read by brackets: asview(dataset[...])",
    "netCDF4.Variable": "what is in a file is read by brackets: asview(variable[...])",
    "zarr.Array": "a view of it, or a copy where it must be one, is from_zarr(array)",
    "zarr.Group": "take one of its arrays: from_zarr(group['name'])",
    "dask.Array": "compute it: asview(array.compute())",
    "numpy.generic": "a single value is no memory of its own; make an array of it: asview(np.asarray(value))",
    "_ctypes._Pointer": "its memory is an address; view what it points to: asview(pointer.contents)",
    "numpy.MaskedArray": "it hides some of its values; say what they are: array.filled(value)",
}
"""The hints for types without memory, or with hidden values, whose ``__array__`` may read a whole file."""

_WAYS: Final = {
    "torch.Tensor": "bring it to the host without gradients, asview(tensor.detach().cpu()); one that is conjugated, "
    "negated, sparse or quantized is copied first: resolve_conj(), resolve_neg(), to_dense() or int_repr(); "
    "of numbers that NumPy lacks view the bits: asview(tensor.view(torch.int16)), or torch.int8",
    "pyarrow.BooleanArray": "fill its nulls, which is a copy: asview(array.fill_null(False))",
    "pyarrow.ChunkedArray": "take one of its chunks, asview(array.chunk(0)), or join them: "
    "asview(array.combine_chunks())",
    "pyarrow.RecordBatch": "take one of its columns: asview(batch['name'])",
    "pyarrow.Table": "take one of its columns and join its chunks: asview(table['name'].combine_chunks())",
    "pyarrow.Array": "fill its nulls, which is a copy: asview(array.fill_null(value)); read dates and times as "
    "integers, asview(array.view('int32')); copy texts: asview(array.to_numpy(zero_copy_only=False).astype('U'))",
    "pandas.DataFrame": "take one of its columns, asview(frame['name']), or copy it: asview(frame.to_numpy())",
    "pandas.Series": "of categories take asview(series.cat.codes); else copy it, and say what nulls are: "
    "asview(series.to_numpy(na_value=value))",
    "polars.DataFrame": "take one of its columns, asview(frame['name']), or copy it: asview(frame.to_numpy())",
    "polars.LazyFrame": "compute it: asview(frame.collect()['name'])",
    "polars.Series": "fill the nulls, asview(series.fill_null(value)), or join the chunks, asview(series.rechunk()); "
    "else copy it: asview(series.to_numpy())",
    "PIL.Image": "Pillow hands out copies of an image; make one: asview(np.asarray(image))",
    "multiprocessing.SynchronizedArray": "write asview(array.get_obj())",
    "multiprocessing.Synchronized": "write asview(value.get_obj())",
    "_io.BytesIO": "write asview(stream.getbuffer())",
    "xarray.DataArray": "load it: asview(array.load())",
    "xarray.Dataset": "take one of its variables: asview(dataset['name'].load())",
    "pathlib.*": "a file is opened by open_view(path), an array of zarr by from_zarr(path)",
    "numpy.NpzFile": "take one of its arrays: asview(archive['name'])",
    "dask.*": "compute it: asview(collection.compute())",
    "scipy.*": "a sparse array has no dense memory; make a dense one: asview(matrix.toarray())",
}
"""The hints for objects without memory, by library and type; ``*`` stands for all other types of a library."""


def check_known(source: object) -> None:
    """Check that an object is not of a type that is known to have no memory, before any of its methods is called.

    Raises
    ------
    BufferFormatError
        The object has no memory; the message contains a hint.
    """
    if isinstance(source, ViewBase):
        raise _refusal(source, "it is a view already")
    if isinstance(source, type):
        raise _refusal(source, "give an object of the class")
    way = _way_in(_COMPUTED, source)
    if way is not None:
        raise _refusal(source, way)


def _refusal(source: object, way: str) -> BufferFormatError:
    return BufferFormatError(f"asview shares memory (of a buffer, an array, a tensor), got {kind_text(source)}; {way}")


def no_memory(source: object, reasons: list[str]) -> BufferFormatError:
    """Return the error for an object whose memory no protocol gives; the message has the first of ``reasons``."""
    way = _way_in(_WAYS, source) or _general_way(source)
    if not reasons:
        return _refusal(source, way)
    return BufferFormatError(f"asview shares memory, and {kind_text(source)} gives none: {reasons[0]}; {way}")


def said(error: BaseException) -> str:
    """Return the message of an error of another library, in one line."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return as_text(lines[0].strip().rstrip("."))


def contradiction(source: object, name: str, says: str, rule: str) -> BufferFormatError:
    """Return the error for an exporter whose facts about its memory contradict each other."""
    return BufferFormatError(f"the {name} of {kind_text(source)} {says}; {rule}")


def _way_in(ways: AbstractMapping[str, str], source: object) -> str | None:
    """Return the entry of a table for the type of an object, a base of the type, or its library; else None."""
    kind = type(source)
    names = [*[f"{library_of(base)}.{base.__name__}" for base in kind.__mro__], f"{library_of(kind)}.*"]
    return next((ways[name] for name in names if name in ways), None)


def _general_way(source: object) -> str:
    if isinstance(source, list | tuple | range):
        return f"write {FROM_VALUES}"
    if isinstance(source, str):
        return "encode it: asview(text.encode())"
    if any(hasattr(type(source), name) for name in _EXPORTS):
        return "if a copy will do, write asview(np.asarray(array))"
    if hasattr(type(source), "__cuda_array_interface__"):
        return "its memory is that of a device; copy it to the host first, as array.get() does for CuPy"
    if hasattr(type(source), "extents"):
        return "a mapping has no data; use MDView.from_mapping(data, mapping)"
    return "use MDView for other data: MDView(data, extents)"


AnyArray: TypeAlias = Any
"""A NumPy array. It is ``Any``, since its type does not declare that it is a buffer."""
StridedView: TypeAlias = "MDView[Any, Any, StridedLayout, DefaultAccessor[Any]]"

KNOWN: Final[dict[tuple[object, ...], tuple[Callable[[Any], Storage], Callable[[Storage], StridedView]]]] = {}
"""The functions that make a storage of memory and a view of the storage, by the facts about the memory.

The key is `array_key` for a NumPy array, and extents, strides and format for a storage. ``Any`` stands for arrays.
"""


def array_key(array: AnyArray, item_format: str | None = None) -> tuple[object, ...]:
    """Return the facts about an array that determine the functions in `KNOWN`."""
    dtype = array.dtype
    return (
        array.shape, array.strides, dtype.num, dtype.isnative, dtype.itemsize, array.flags.writeable, item_format
    )  # fmt: skip


def array_view(
    source: object,
    array: AnyArray,
    item_format: str | None = None,
    extents: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> StridedView:
    """Return a view of the memory of ``array``; the data of the view is ``source``, which shares the memory.

    ``item_format`` is the format of the items if NumPy has no type for them. If items share bytes, ``array`` contains
    the bytes, and ``extents`` and ``strides`` are those of the items, in C order by default.

    An array of a subclass is viewed as a plain array, since a subclass may redefine methods (`np.matrix`).
    """
    plain = import_numpy().ndarray
    row = array if type(array) is plain else plain.view(array, plain)
    if extents is not None and row.itemsize == 1 and item_format in PACKED:
        storage = holder_of(row)[0](row).recast(item_format)
        storage.source = source
        return strided_view(storage, extents, right_strides(extents) if strides is None else strides)
    key = array_key(row, item_format)
    entry = KNOWN.get(key)
    if entry is None:
        hold, its_strides = holder_of(row)
        take = hold if item_format is None else lambda row: hold(row).recast(item_format)
        entry = take, remaking(strided_view(take(row), row.shape, its_strides))
        remember(KNOWN, key, entry)
    storage = entry[0](row)
    storage.source = source
    return entry[1](storage)


def strided_view(storage: Storage, extents: tuple[int, ...], strides: tuple[int, ...]) -> StridedView:
    """Return a view of a storage that begins at the lowest element; strides count elements.

    The static type is that of a writable view; a read-only view refuses stores at run time.
    """
    key = extents, strides, storage.length, storage.format, storage.readonly, type(storage.items)
    entry = KNOWN.get(key)
    if entry is not None:
        return entry[1](storage)
    layout, _ = narrowest_layout(extents, strides)
    accessor: Accessor[Any, Any] = ReadOnlyAccessor() if storage.readonly else DefaultAccessor()
    view = cast("StridedView", MDView.from_mapping(cast("Any", storage), Mapping(extents, layout), accessor))
    remember(KNOWN, key, (Storage, remaking(view)))
    return view


def pitched_strides(extents: Sequence[int], byte_strides: Sequence[int], itemsize: int) -> tuple[tuple[int, ...], int]:
    """Return strides in items, and the pitch: the bytes from one item to the next, more than an item if there are gaps.

    Strides of extents of 1, and all strides of an empty array, are ignored.

    Raises
    ------
    StrideError
        A byte stride is not a multiple of the item size, and items would overlap.
    """
    is_still = 0 in extents
    moving = [0 if n == 1 or is_still else s for n, s in zip(extents, byte_strides, strict=True)]
    pitch = gcd(*moving)
    if pitch < itemsize or pitch % itemsize == 0:
        pitch = itemsize
    return element_strides(moving, pitch), pitch


def span_of(extents: Sequence[int], strides: Sequence[int], itemsize: int) -> int:
    """Return the number of items from the lowest element to the highest element.

    Raises
    ------
    StrideError
        The items take more bytes than any memory has.
    """
    span = 0 if 0 in extents else 1 + sum([(n - 1) * abs(s) for n, s in zip(extents, strides, strict=True)])
    if span * itemsize > MAX_SIZE:
        raise StrideError(
            f"strides {brief(tuple(strides))} of extents {shape_text(extents)} spread elements of {itemsize} "
            f"bytes over {span * itemsize} bytes; no memory is so large"
        )
    return span


def holder_of(array: AnyArray) -> tuple[Callable[[AnyArray], Storage], tuple[int, ...]]:
    """Return a function that makes a storage of an array with the `array_key` of this array, and strides in elements.

    The storage is the run of memory from the lowest element to the highest element.

    Raises
    ------
    BufferFormatError
        The items have no bytes, or bytes outside of the array.
    StrideError
        A byte stride is not a multiple of the item size.
    """
    itemsize, dtype, readonly = array.itemsize, array.dtype, not array.flags.writeable
    _check_items(dtype)
    strides, pitch = pitched_strides(array.shape, array.strides, itemsize)
    run_of, narrow = _run_maker(array, strides, pitch), narrow_name(dtype)
    try:
        item_format: Any = narrow or native_format(memoryview(array).format, itemsize)
    except (ValueError, BufferFormatError):  # no buffer format for the items
        item_format = None

    def hold_buffer(array: AnyArray) -> Storage:
        return Storage.of_items(array, items_of(PickleBuffer(array).raw(), item_format), readonly=readonly)

    def hold_run(array: AnyArray) -> Storage:
        items: Any = run_of(array.view(f"u{itemsize}") if narrow else array)
        if pitch != itemsize:
            items = FieldItems(memoryview(items), dtype, pitch)
        elif item_format is not None:
            items = items_of(memoryview(items.view("u1")), item_format)
        return Storage.of_items(array, items, readonly=readonly)

    is_told = item_format is not None and narrow is None
    return hold_buffer if is_told and array.flags.forc else hold_run, strides


def _check_items(dtype: Any) -> None:  # Any: a NumPy type
    """Check that items have bytes, and that these lie within their array."""
    if dtype.itemsize == 0:
        raise BufferFormatError(f"items of type {dtype} have 0 bytes and no offsets of their own")
    if dtype.kind == "T":  # strings of any length
        raise BufferFormatError(
            f"items of type {dtype} lie outside of their array, and belong to it alone; copy them to texts of "
            'one length, asview(array.astype("U8")), or to objects, asview(array.astype(object))'
        )


def _run_maker(source: AnyArray, strides: tuple[int, ...], pitch: int) -> Callable[[AnyArray], AnyArray]:
    """Return a function that flattens an array with the `array_key` of ``source``; an array with gaps becomes bytes."""
    if source.flags.forc:
        return lambda array: array.ravel("K")
    step, length = source.itemsize, span_of(source.shape, strides, pitch)
    to_lowest = tuple([slice(None, None, -1 if s < 0 else 1) for s in strides])
    readonly, as_strided = not source.flags.writeable, import_numpy().lib.stride_tricks.as_strided
    if pitch == step:
        return lambda array: as_strided(array[to_lowest], (length,), (step,), writeable=not readonly)
    nbytes, first = (length - 1) * pitch + step, (slice(1),) * source.ndim

    def bytes_of(array: AnyArray) -> AnyArray:
        return as_strided(array[to_lowest][first].reshape(1).view("u1"), (nbytes,), (1,), writeable=not readonly)

    return bytes_of


_BYTE: Final = "1s"
"""The format of single bytes. NumPy reads them as strings, which drop zero bytes."""


def buffer_view(source: Any, exported: memoryview[Any]) -> StridedView:
    """Return a view of the buffer that ``source`` has exported.

    Raises
    ------
    BufferFormatError
        The items cannot be read, or are behind pointers.
    StrideError
        A byte stride is not a multiple of the item size.
    MissingExtraError
        Only NumPy reads the items, and NumPy is not installed.
    """
    shape, byte_strides = exported.shape or (), exported.strides or ()
    if exported.suboffsets:
        raise contradiction(source, "buffer", "has suboffsets", "its rows are found through pointers; copy it first")
    if exported.contiguous:
        with suppress(BufferFormatError, TypeError):  # items for NumPy alone, or an exporter written in Python
            return strided_view(Storage(source), shape, pitched_strides(shape, byte_strides, exported.itemsize)[0])
    return _by_numpy(source, exported)


def _by_numpy(source: Any, exported: memoryview[Any]) -> StridedView:
    np = import_numpy()
    try:
        with catch_warnings():  # NumPy warns if it uses the ctypes type instead of the format
            simplefilter("ignore", RuntimeWarning)
            array = np.asarray(exported)
    except (ValueError, TypeError, NotImplementedError, BufferError, RuntimeError) as error:
        says = f"has items of format {brief(exported.format)}, which nothing here reads ({said(error)})"
        raise contradiction(source, "buffer", says, "copy it to items that NumPy has") from None
    if array.dtype.hasobject and not is_array(exported.obj):  # references of another owner
        raise contradiction(source, "buffer", "has references to objects", "only numbers, texts and records are memory")
    if exported.format == _BYTE:
        return array_view(source, array.view("u1"), "c")
    return array_view(source, array)
