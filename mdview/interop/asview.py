"""asview: a view of the memory that an object of any library has already; nothing is ever copied.

Arrays of NumPy are met most often and have the shortest way. All else is asked by protocol, in order: the buffer, which
Python itself locks; the array interfaces, which name an address; DLPack; the memory of a device; and ``__array__``, if
it promises not to copy. One that gives memory decides, and one that contradicts itself is refused. What only says no
leaves it to the next.

What memory is an object's own? It gives the same one twice. A protocol that makes a copy gives two.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar, overload

from mdview.accessors.base import ShapedArray
from mdview.accessors.policies import DefaultAccessor, ReadOnlyAccessor
from mdview.interop.arrays import KNOWN, AnyArray, AnyView, array_view, buffer_view, strided_view
from mdview.interop.interfaces import PROTOCOLS, Answer, by_protocol
from mdview.interop.refusals import check_known, no_memory, said
from mdview.layouts.strided import LayoutRight, StridedLayout
from mdview.memory.items import is_array, is_ndarray
from mdview.memory.mapped_regions import is_shared_memory
from mdview.memory.storage import Storage
from mdview.views.protocols import AnyRank
from mdview.views.view import MDView

if TYPE_CHECKING:
    from mmap import mmap
    from multiprocessing.shared_memory import SharedMemory

    from typing_extensions import Buffer


_PLAIN: Final = frozenset({array, bytearray, bytes, memoryview})
"""Types of plain buffers, about which nothing else need be asked."""


class HasArrayInterface(Protocol):
    """Tells of memory of the host by an address."""

    @property
    def __array_interface__(self) -> Any: ...


class HasArrayStruct(Protocol):
    """Tells of memory of the host by a structure of C."""

    @property
    def __array_struct__(self) -> Any: ...


class HasDLPack(Protocol):
    """Gives a tensor to other libraries."""

    @property
    def __dlpack__(self) -> Any: ...


class HasDeviceInterface(Protocol):
    """Tells of memory of a device by an address there."""

    @property
    def __cuda_array_interface__(self) -> Any: ...


class HasArray(Protocol):
    """Makes an array of NumPy, perhaps without a copy."""

    @property
    def __array__(self) -> Any: ...


Exporter: TypeAlias = "Buffer | HasArrayInterface | HasArrayStruct | HasDLPack | HasDeviceInterface | HasArray"
"""What may have memory to share. Any: what the protocols give is told nowhere."""


def _view_of(given: Any) -> AnyView:
    """View of what something holds, by the first protocol that gives memory. Any: of whatever type.

    Raises
    ------
    BufferFormatError
        No protocol gives memory, or one contradicts itself.
    StrideError
        A byte stride is no multiple of the item size, or strides reach further than memory does.
    MissingExtraError
        NumPy alone reads such memory, and is not installed.
    """
    if type(given) not in _PLAIN:
        check_known(given)
        if is_array(given):
            return array_view(given, given)
        if is_shared_memory(given):
            storage = Storage(given)
            return strided_view(storage, (storage.length,), (1,))
    reasons: list[str] = []
    for answer in _answers(given):
        if isinstance(answer, str):
            reasons.append(answer)
        elif answer is not None:
            return answer
    raise no_memory(given, reasons)


def _answers(given: Any) -> Iterator[Answer]:  # Any: of whatever type
    """Ask something for its memory, by one protocol after the other."""
    yield _by_buffer(given)
    for name in PROTOCOLS:
        yield by_protocol(given, name)


def _by_buffer(given: Any) -> Answer:  # Any: of whatever type
    try:
        exported = memoryview(given)
    except TypeError:
        return None
    except Exception as error:  # noqa: BLE001 - whatever an exporter raises
        return said(error)
    return buffer_view(given, exported)


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
def asview(source: memoryview[T]) -> MDView[T, AnyRank, StridedLayout, DefaultAccessor[T]]: ...
@overload
def asview(  # type: ignore[overload-overlap] # pyright: ignore[reportOverlappingOverload] - read-only
    source: bytes,
) -> MDView[int, tuple[int], LayoutRight, ReadOnlyAccessor[int]]: ...
@overload
def asview(source: Exporter) -> MDView[Any, AnyRank, StridedLayout, DefaultAccessor[Any]]: ...
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
        A byte stride is no multiple of the item size, or strides reach further than memory does.
    MissingExtraError
        NumPy alone reads such memory, and is not installed.
    """
    if is_ndarray(source):
        given: AnyArray = source
        kind = given.dtype  # the key is `array_key`, which takes longer
        key = given.shape, given.strides, kind.char, kind.isnative, kind.itemsize, given.flags.writeable, None
        known = KNOWN.get(key)
        if known is None:
            return array_view(given, given)
        storage, view_of = known
        return view_of(storage(given))
    return _view_of(source)
