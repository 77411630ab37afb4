"""NumPy: a view of an array's own memory, under the narrowest layout that says where its elements lie.

The way back is ``np.asarray(view)``, see `mdview.views.export`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from mdview.accessors.base import Accessor
from mdview.accessors.buffers import Storage
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.readonly import ReadOnlyAccessor
from mdview.errors import BufferFormatError
from mdview.layouts.narrowest import narrowest_layout
from mdview.layouts.stride import element_strides
from mdview.layouts.strided import StridedLayout
from mdview.mappings.mapping import Mapping
from mdview.views.export import import_numpy
from mdview.views.view import MDView

if TYPE_CHECKING:
    import numpy as np

E = TypeVar("E", bound="tuple[int, ...]")
AnyInteger = TypeVar("AnyInteger", bound="np.integer[Any]")


@overload
def asview(
    array: np.ndarray[E, np.dtype[np.float64 | np.float32 | np.float16]],
) -> MDView[float, E, StridedLayout, DefaultAccessor[float]]: ...
@overload
def asview(array: np.ndarray[E, np.dtype[np.bool]]) -> MDView[bool, E, StridedLayout, DefaultAccessor[bool]]: ...
@overload
def asview(array: np.ndarray[E, np.dtype[AnyInteger]]) -> MDView[int, E, StridedLayout, DefaultAccessor[int]]: ...
@overload
def asview(
    array: np.ndarray[E, np.dtype[np.complex128 | np.complex64]],
) -> MDView[complex, E, StridedLayout, DefaultAccessor[complex]]: ...
@overload
def asview(array: np.ndarray[E, np.dtype[Any]]) -> MDView[Any, E, StridedLayout, DefaultAccessor[Any]]: ...
def asview(array: np.ndarray[Any, Any]) -> MDView[Any, Any, StridedLayout, DefaultAccessor[Any]]:
    """View of ``array`` that shares its memory; nothing is copied.

    The layout is the narrowest that fits: right, left, padded, stride, or relaxed for negative, zero and interleaved
    strides. A read-only array gives a read-only view. Any: elements that Python has no type for (records, strings).

    Raises
    ------
    BufferFormatError
        ``array`` is no NumPy array, is masked, or its items have no bytes.
    StrideError
        A byte stride is no multiple of the item size.
    """
    numpy = import_numpy()
    if not isinstance(array, numpy.ndarray) or isinstance(array, numpy.ma.MaskedArray):
        message = f"asview takes a NumPy array without mask, got {type(array).__name__}; use MDView for other data"
        raise BufferFormatError(message)
    if array.itemsize == 0:
        message = f"items of type {array.dtype} have 0 bytes and no offsets of their own"
        raise BufferFormatError(message)
    # The strides of extents of 1 mean nothing.
    moving = [0 if n == 1 or array.size == 0 else s for n, s in zip(array.shape, array.strides, strict=True)]
    strides = element_strides(moving, array.itemsize)
    layout, _ = narrowest_layout(array.shape, strides)
    accessor: Accessor[Any, Any] = DefaultAccessor() if array.flags.writeable else ReadOnlyAccessor()
    view = MDView.from_mapping(cast("Any", _storage(array, strides)), Mapping(array.shape, layout), accessor)
    # A checker is told that the view stores, as it is told of the array; a read-only one refuses at run time.
    return cast("MDView[Any, Any, StridedLayout, DefaultAccessor[Any]]", view)


def _storage(array: np.ndarray[Any, Any], strides: tuple[int, ...]) -> Storage:
    """Storage of the run of memory from the lowest to the highest element of ``array``."""
    numpy = import_numpy()
    lowest = array
    if array.size and array.ndim:
        lowest = array[tuple([slice(None, None, -1) if s < 0 else slice(None) for s in strides])]
    reach = [(n - 1) * abs(s) for n, s in zip(array.shape, strides, strict=True)]
    span = 1 + sum(reach) if array.size else 0
    window = numpy.lib.stride_tricks.as_strided(lowest, (span,), (array.itemsize,), writeable=array.flags.writeable)
    try:
        storage = Storage(window)
    except BufferFormatError:
        readonly = not array.flags.writeable
        return Storage.of_items(array, window, array.dtype.str, array.itemsize, readonly=readonly)
    storage.source = array
    return storage
