"""Copies: what zarr alone reads is read by it, box by box, into a tiled view whose tiles are the chunks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final

from mdview.accessors.buffers import Storage, read_as
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.formats import NATIVE, native_format
from mdview.accessors.readonly import ReadOnlyAccessor
from mdview.base.texts import told
from mdview.errors import BufferFormatError, MissingExtraError, ShapeError, ZarrError
from mdview.index.extents import shape_text, size_of
from mdview.interop.asview import asview
from mdview.layouts.base import Layout
from mdview.layouts.right import LayoutRight
from mdview.layouts.tiled import LayoutTiled
from mdview.mappings.mapping import Mapping
from mdview.operations.algorithms import copy
from mdview.views.base import check_view
from mdview.views.export import import_numpy
from mdview.views.view import MDView

AnyView = MDView[Any, tuple[int, ...], Any, Any]
"""Any: elements of any type, and layouts and accessors that only the file tells."""

MOST_BYTES: Final = 1 << 26
"""Shards up to so many bytes are read whole, larger ones chunk by chunk."""


def import_zarr() -> Any:  # Any: the module, which is not there everywhere
    """Return the module zarr, or raise `MissingExtraError`, which names the extra."""
    try:
        import zarr  # noqa: PLC0415 - optional partners load on use
    except ImportError:
        message = "this array needs zarr itself; install the extra: pip install 'mdview-layouts[zarr]'"
        raise MissingExtraError(message) from None
    return zarr


def opened_array(source: Any) -> Any:  # Any: what zarr opens, and an array of zarr
    """Return an array of zarr; ZarrError if it opens none."""
    zarr = import_zarr()
    if isinstance(source, zarr.Array):
        return source
    try:
        if isinstance(source, str | os.PathLike) and Path(source).is_file():
            source = zarr.storage.ZipStore(Path(source), mode="r")
        found = zarr.open(source, mode="r")
    except Exception as error:
        message = f"zarr opens no array at {told(source)}: {type(error).__name__}: {error}"
        raise ZarrError(message) from error
    if not isinstance(found, zarr.Array):
        names = ", ".join(map(repr, sorted(found.array_keys())))
        message = f"{told(source)} is a group of zarr, no array; open one of those in it: {names or 'there are none'}"
        raise ZarrError(message)
    return found


def copied(array: Any, out: AnyView | None) -> AnyView:  # Any: an array of zarr
    """Return a view of new memory, or ``out``, with the elements of an array."""
    extents = tuple(map(int, array.shape))
    if out is None:
        target = new_view(extents, _layout(array, extents), *_format(array.dtype))
    else:
        check_view(out, "out")
        target = out
        if tuple(out.extents) != extents:
            message = f"out has extents {shape_text(out.extents)}, the array of zarr {shape_text(extents)}"
            raise ShapeError(message)
    unit = array.shards or array.chunks
    if size_of(unit) * array.dtype.itemsize > MOST_BYTES:
        unit = array.chunks
    np = import_numpy()
    for box in boxes(extents, unit):
        block = np.asarray(_block(array, box))
        copy(asview(block), target[tuple([slice(a, z) for a, z in box])] if box else target)
    return target


def _block(array: Any, box: Sequence[tuple[int, int]]) -> Any:  # Any: arrays
    """Return the elements of a box; what zarr raises over a damaged file becomes the cause of ours."""
    try:
        return array[tuple([slice(a, z) for a, z in box])]
    except Exception as error:
        message = f"zarr cannot read the elements {told(tuple(box))} of {array}: {type(error).__name__}: {error}"
        raise ZarrError(message) from error


def boxes(extents: Sequence[int], unit: Sequence[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield the boxes of a grid, for each dimension the first index and one past the last, in C order."""
    return product(*[[(a, min(a + n, e)) for a in range(0, e, n)] for e, n in zip(extents, unit, strict=True)])


def new_view(extents: tuple[int, ...], layout: Layout, item_format: str, itemsize: int) -> AnyView:
    """Return a view of new zeros, with whole tiles where the layout has some."""
    mapping = Mapping(extents, layout)
    size = layout.allocation_size(extents)
    try:
        memory = bytearray(size * itemsize)
    except (MemoryError, OverflowError):
        message = f"a copy takes {size * itemsize} bytes of memory, which are not there; pass out=, a view of a file"
        raise ZarrError(message) from None
    return view_of(memoryview(memory), mapping, item_format, itemsize)


def view_of(data: memoryview, mapping: Any, item_format: str, itemsize: int) -> AnyView:  # Any: any mapping
    """Return a view of bytes, as many as whole items have."""
    items = read_as(data, item_format)
    source: Any = items if item_format in NATIVE else data
    storage: Any = Storage.of_items(source, items, item_format, itemsize, readonly=data.readonly)
    return MDView.from_mapping(storage, mapping, ReadOnlyAccessor() if data.readonly else DefaultAccessor())


def _layout(array: Any, extents: tuple[int, ...]) -> Layout:  # Any: an array of zarr
    """Return the layout whose tiles are the chunks, or the shards with the chunks in them."""
    if not extents or all(c >= e for c, e in zip(array.chunks, extents, strict=True)):
        return LayoutRight()
    if array.shards is None:
        return LayoutTiled(*array.chunks)
    return LayoutTiled(*array.shards, inner=LayoutTiled(*array.chunks))


def _format(dtype: Any) -> tuple[str, int]:  # Any: a type of NumPy
    if dtype.kind in "biufc":
        try:
            return native_format(memoryview(import_numpy().empty(0, dtype)).format, dtype.itemsize), dtype.itemsize
        except (BufferFormatError, ValueError):
            pass
    message = (
        f"elements of type {dtype} are no numbers that a view has; zarr gives them as an array: asview(array[...])"
    )
    raise ZarrError(message)
