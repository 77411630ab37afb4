"""asview: a view of the memory that something has already, whoever made it; nothing is ever copied.

Arrays of NumPy are met most often and have the shortest way. For all else see `mdview.interop.protocols`.
"""

from __future__ import annotations

import sys
from array import array
from typing import TYPE_CHECKING, Any, TypeVar, overload

from mdview.accessors.default import DefaultAccessor
from mdview.accessors.readonly import ReadOnlyAccessor
from mdview.accessors.serving import ShapedArray
from mdview.interop import arrays, protocols
from mdview.layouts.right import LayoutRight
from mdview.layouts.strided import StridedLayout
from mdview.views.view import MDView

if TYPE_CHECKING:
    from mmap import mmap
    from multiprocessing.shared_memory import SharedMemory

E = TypeVar("E", bound="tuple[int, ...]")
T = TypeVar("T")
I = TypeVar("I", int, float, str)


@overload
def asview(source: ShapedArray[E, T]) -> MDView[T, E, StridedLayout, DefaultAccessor[T]]: ...
@overload
def asview(source: array[I]) -> MDView[I, tuple[int], LayoutRight, DefaultAccessor[I]]: ...
@overload
def asview(source: bytearray | mmap | SharedMemory) -> MDView[int, tuple[int], LayoutRight, DefaultAccessor[int]]: ...
@overload
def asview(source: memoryview[T]) -> MDView[T, tuple[int, ...], StridedLayout, DefaultAccessor[T]]: ...
@overload
def asview(  # type: ignore[overload-overlap] # pyright: ignore[reportOverlappingOverload] - read-only
    source: bytes,
) -> MDView[int, tuple[int], LayoutRight, ReadOnlyAccessor[int]]: ...
@overload
def asview(source: protocols.Exporter) -> MDView[Any, tuple[int, ...], StridedLayout, DefaultAccessor[Any]]: ...
def asview(source: Any) -> MDView[Any, Any, Any, Any]:
    """View of what ``source`` holds, which shares its memory; nothing is copied.

    The source exports a buffer, or an array by ``__array_interface__``, ``__array_struct__``, ``__dlpack__`` or
    ``__array__(copy=False)``, or the memory of a device by ``__cuda_array_interface__``; the first of these that gives
    memory is taken. Of a `SharedMemory` it is the bytes. The view keeps the source alive and, where it can be locked,
    locked.

    The layout is the narrowest that fits: right, left, padded, stride, or relaxed for negative, zero and interleaved
    strides. Memory that is read-only, or does not say that it is not, gives a read-only view. Of device memory there
    are the mapping and subviews; its elements are not read. Any: elements that Python has no type for (records).

    Raises
    ------
    BufferFormatError
        ``source`` has no memory to share, hides values (masks, nulls), contradicts itself, or has items without bytes.
    StrideError
        A byte stride is no multiple of the item size.
    MissingExtraError
        NumPy alone reads such memory, and is not installed.
    """
    if type(source) is getattr(sys.modules.get("numpy"), "ndarray", None):
        given: arrays.AnyArray = source
        dtype = given.dtype
        key = given.shape, given.strides, dtype.char, dtype.isnative, dtype.itemsize, given.flags.writeable
        known = arrays.KNOWN.get(key)
        if known is None:
            return arrays.first_view(given, key)
        storage, view_of = known
        return view_of(storage(given))
    return protocols.view_of(source)
