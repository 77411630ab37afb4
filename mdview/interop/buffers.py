"""Buffers: a view of what a `memoryview` sees, of any strides, by means of the standard library.

A memoryview tells where its items lie and reads one at a time; a view wants them in one row. That is the owner's memory
from the lowest to the highest item. Where the owner is itself in no row, or the items are no single numbers, NumPy
reads them.
"""

from __future__ import annotations

from pickle import PickleBuffer
from typing import Any, Final
from warnings import catch_warnings, simplefilter

from mdview.accessors.buffers import Storage, address_of, read_as
from mdview.accessors.formats import native_format
from mdview.accessors.memories import is_array
from mdview.base.texts import told
from mdview.errors import BufferFormatError, MDViewError
from mdview.interop.arrays import AnyView, array_view, moving_strides, span_of, strided_view
from mdview.interop.refusals import contradiction, said
from mdview.views.export import import_numpy

_BYTE: Final = "1s"
"""The format of single bytes that are not in one row. NumPy takes them for texts, in which a zero byte is none."""


def buffer_view(given: Any, exported: memoryview[Any]) -> AnyView:
    """View of what ``given`` exports. Any: an exporter.

    Raises
    ------
    BufferFormatError
        Its items cannot be read, or are found through pointers.
    StrideError
        A byte stride is no multiple of the item size.
    MissingExtraError
        NumPy alone reads it, and is not installed.
    """
    shape, byte_strides = exported.shape or (), exported.strides or ()
    if exported.suboffsets:
        raise contradiction(given, "buffer", "has suboffsets", "its rows are found through pointers; copy it first")
    try:
        item_format = native_format(exported.format, exported.itemsize)
    except BufferFormatError:
        return _by_numpy(given, exported)
    strides = moving_strides(shape, byte_strides, exported.itemsize)
    storage = _whole(given) if exported.contiguous else _part(given, exported, strides, item_format)
    return _by_numpy(given, exported) if storage is None else strided_view(storage, shape, strides)


def _whole(given: Any) -> Storage | None:
    """Hold all of what is in one row; None where a class in Python exports it, unless that is plain items."""
    try:
        return Storage(given)
    except MDViewError:
        raise
    except TypeError:
        return None


def _part(given: Any, exported: memoryview[Any], strides: tuple[int, ...], item_format: str) -> Storage | None:
    """Hold the items from the lowest to the highest one, if these are a part of a row."""
    raw = _run(exported, strides)
    if raw is None:
        return None
    return Storage.of_items(given, read_as(raw, item_format), item_format, exported.itemsize, readonly=raw.readonly)


def _run(exported: memoryview[Any], strides: tuple[int, ...]) -> memoryview[Any] | None:
    """Return the bytes from the lowest to the highest item; None where the owner does not have its own in one row.

    A memoryview of a row has one dimension if it is not all of it: Python does not slice several.
    """
    if exported.ndim != 1:
        return None
    try:
        whole = PickleBuffer(exported.obj).raw()
    except (BufferError, TypeError):
        return None
    if not len(exported):
        return whole[:0].toreadonly() if exported.readonly else whole[:0]
    start = address_of(exported[:1] if strides[0] > 0 else exported[-1:]) - address_of(whole)
    stop = start + span_of(exported.shape or (), strides) * exported.itemsize
    if not 0 <= start <= stop <= whole.nbytes:
        return None
    raw = whole[start:stop]
    return raw.toreadonly() if exported.readonly else raw


def _by_numpy(given: Any, exported: memoryview[Any]) -> AnyView:
    np = import_numpy()
    try:
        with catch_warnings():  # of buffers of ctypes whose format says less than their type, which NumPy then asks
            simplefilter("ignore", RuntimeWarning)
            array = np.asarray(exported)
    except (ValueError, TypeError, NotImplementedError, BufferError, RuntimeError) as error:
        says = f"has items of format {told(exported.format)}, which nothing here reads ({said(error)})"
        raise contradiction(given, "buffer", says, "copy it to items that NumPy has") from None
    if array.dtype.hasobject and not is_array(exported.obj):  # NumPy would count references that are not its own
        raise contradiction(given, "buffer", "has references to objects", "only numbers, texts and records are memory")
    if exported.format == _BYTE:
        return array_view(given, array.view("u1"), "c")
    return array_view(given, array)
