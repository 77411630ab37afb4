"""Refusals: what has no memory that a view could share, and what to write instead.

Libraries are known by the names of their types, so that none of them is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping as AbstractMapping
from typing import Any, Final

from mdview.base.arguments import kind_text
from mdview.base.partners import class_of, library_of
from mdview.base.texts import shown
from mdview.errors import BufferFormatError
from mdview.views.base import ViewBase

_EXPORTS: Final = ("__array__", "__array_interface__", "__array_struct__", "__dlpack__")

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
"""What has no memory, or hides values of it, by library and type. Their ``__array__`` may read a whole file."""

_WAYS: Final = {
    "pyarrow.BooleanArray": "cast it, which is a copy: asview(array.cast('uint8'))",
    "pyarrow.ChunkedArray": "take one of its chunks, asview(array.chunk(0)), or join them: "
    "asview(array.combine_chunks())",
    "pyarrow.RecordBatch": "take one of its columns: asview(batch['name'])",
    "pyarrow.Table": "take one of its columns and join its chunks: asview(table['name'].combine_chunks())",
    "pyarrow.Array": "fill its nulls, which is a copy: asview(array.fill_null(value)); other items than numbers lie in "
    "its buffers: asview(array.buffers()[-1])",
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
"""What to write instead where nothing gives memory, by library and type; ``*`` stands for all others."""


def check_known(given: object) -> None:
    """Refuse what is known to have no memory before anything of it is called.

    Raises
    ------
    BufferFormatError
        It says what to write instead.
    """
    if isinstance(given, ViewBase):
        raise _refusal(given, "it is a view already")
    if isinstance(given, type):
        raise _refusal(given, "give an object of the class")
    way = _way_in(_COMPUTED, given)
    if way is not None:
        raise _refusal(given, way)


def _refusal(given: object, way: str) -> BufferFormatError:
    return BufferFormatError(f"asview shares memory (of a buffer, an array, a tensor), got {kind_text(given)}; {way}")


def no_memory(given: object, reasons: list[str]) -> BufferFormatError:
    """Return the error that no protocol gives the memory of something; the first reason is told."""
    way = _torch_way(given) if class_of(type(given), "torch.Tensor") else None
    way = way or _way_in(_WAYS, given) or _general_way(given)
    if not reasons:
        return _refusal(given, way)
    return BufferFormatError(f"asview shares memory, and {kind_text(given)} gives none: {reasons[0]}; {way}")


def said(error: BaseException) -> str:
    """Return what an error of others says, in one line."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return shown(lines[0].strip().rstrip("."))


def contradiction(given: object, name: str, says: str, rule: str) -> BufferFormatError:
    """Return the error that what something tells of its memory cannot be."""
    return BufferFormatError(f"the {name} of {kind_text(given)} {says}; {rule}")


def _way_in(ways: AbstractMapping[str, str], given: object) -> str | None:
    """Return what a table says of a type or of one that it derives from."""
    kind = type(given)
    names = [*[f"{library_of(each)}.{each.__name__}" for each in kind.__mro__], f"{library_of(kind)}.*"]
    return next((ways[name] for name in names if name in ways), None)


def _torch_way(tensor: Any) -> str:
    """Return what gives a tensor of torch memory of the host that NumPy's types describe. Any: torch is not loaded."""
    if tensor.device.type != "cpu":
        return "copy it to the host: asview(tensor.cpu())"
    if tensor.requires_grad:
        return "leave its gradients behind: asview(tensor.detach())"
    if tensor.is_conj():
        return "carry out its conjugation, which is a copy: asview(tensor.resolve_conj())"
    if tensor.is_neg():
        return "carry out its negation, which is a copy: asview(tensor.resolve_neg())"
    if "strided" not in str(tensor.layout):
        return "make a dense one: asview(tensor.to_dense())"
    if tensor.is_quantized:
        return "view its integers: asview(tensor.int_repr())"
    bits = 8 * tensor.element_size()
    return f"view the bits, asview(tensor.view(torch.int{bits})), or copy it: asview(tensor.float())"


def _general_way(given: object) -> str:
    if isinstance(given, list | tuple | range):
        return "use MDView for a sequence: MDView(data, extents)"
    if isinstance(given, str):
        return "encode it: asview(text.encode())"
    if any(hasattr(type(given), name) for name in _EXPORTS):
        return "if a copy will do, write asview(np.asarray(array))"
    if hasattr(type(given), "extents"):
        return "a mapping has no data; use MDView.from_mapping(data, mapping)"
    return "use MDView for other data: MDView(data, extents)"
