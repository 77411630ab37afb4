"""asview: a view of the memory that an object of any library has already; nothing is ever copied.

Arrays of NumPy are met most often and have the shortest way. All else is asked by protocol, in order: the buffer, which
Python itself locks; the array interfaces, which name an address; DLPack; the memory of a device; and ``__array__``, if
it promises not to copy. One that gives memory decides, and one that contradicts itself is refused. What only says no
leaves it to the next.

What memory is an object's own? It gives the same one twice. A protocol that makes a copy gives two.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar, overload

from mdview.accessors.base import ShapedArray
from mdview.accessors.policies import DefaultAccessor, ReadOnlyAccessor
from mdview.base.partners import class_of
from mdview.base.texts import told
from mdview.errors import MDViewError
from mdview.interop import arrays
from mdview.interop.arrays import AnyArray, AnyView, array_view, buffer_view, strided_view
from mdview.interop.interfaces import DEVICE, HOST, address_in, array_at, array_in, device_view
from mdview.interop.refusals import check_known, contradiction, no_memory, said
from mdview.layouts.strided import LayoutRight, StridedLayout
from mdview.memory.base_chain import is_shared_memory
from mdview.memory.items import is_array, is_ndarray
from mdview.memory.storage import Storage
from mdview.views.export import import_numpy
from mdview.views.protocols import AnyRank
from mdview.views.view import MDView

if TYPE_CHECKING:
    from mmap import mmap
    from multiprocessing.shared_memory import SharedMemory

    from typing_extensions import Buffer


_PLAIN: Final = frozenset({array, bytearray, bytes, memoryview})
"""Types of plain buffers, about which nothing else need be asked."""
_ON_HOST: Final = {1, 3, 11, 13}
"""Kinds of devices whose memory the host reads, in DLPack's numbers: the CPU, pinned, and managed memory."""


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

Answer: TypeAlias = "AnyView | str | None"
"""A view; or why there is none, as the object says; or None where it does not know the protocol."""


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
    for ask in (_by_buffer, _by_interface, _by_struct, _by_dlpack, _by_device, _by_array):
        answer = ask(given)
        if isinstance(answer, str):
            reasons.append(answer)
        elif answer is not None:
            return answer
    raise no_memory(given, reasons)


def _by_buffer(given: Any) -> Answer:
    try:
        exported = memoryview(given)
    except TypeError:
        return None
    except Exception as error:  # noqa: BLE001 - whatever an exporter raises
        return said(error)
    return buffer_view(given, exported)


def _by_interface(given: Any) -> Answer:
    return _by_array_of(given, HOST, array_at)


def _by_struct(given: Any) -> Answer:
    return _by_array_of(given, "__array_struct__", array_in)


def _by_dlpack(given: Any) -> Answer:
    if not _has(given, "__dlpack__"):
        return None
    with suppress(Exception):  # what does not say is asked for its tensor
        kind, number = map(int, given.__dlpack_device__())
        if kind not in _ON_HOST:
            return f"it lies on the device ({kind}, {number}) of DLPack"
    return _by_array_of(given, "__dlpack__", _tensor)


def _by_device(given: Any) -> Answer:
    if not _has(given, DEVICE):
        return None
    try:
        value = getattr(given, DEVICE)
    except Exception as error:  # noqa: BLE001 - whatever a library raises
        return said(error)
    return device_view(given, value)


def _by_array(given: Any) -> Answer:
    return _by_array_of(given, "__array__", _uncopied)


def _by_array_of(given: Any, name: str, array_of: Callable[[Any, Any], AnyArray]) -> Answer:
    """View of the memory that both arrays have which are made of an attribute, one after the other."""
    if not _has(given, name):
        return None
    import_numpy()
    try:
        first, second = [array_of(given, getattr(given, name)) for _ in range(2)]
    except MDViewError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a library raises
        return said(error)
    if first.size and address_in(first) != address_in(second):
        return f"its {name} makes a copy each time"
    return array_view(given, first)


def _has(given: Any, name: str) -> bool:
    """Tell whether there is an attribute, even if it raises something of its own."""
    try:
        getattr(given, name)
    except AttributeError:
        return False
    except Exception:  # noqa: BLE001 - it raises that again where it is used
        return True
    return True


def _tensor(given: Any, _: object) -> AnyArray:
    """Import a tensor; one of an older library, which cannot say that it is read-only, NumPy takes for that."""
    if class_of(type(given), "torch.Tensor"):
        given.numpy()  # locks the size of the storage, and refuses a pending negation: DLPack does neither
        given = given.detach()  # keeps the storage if the tensor gets another one
    np = import_numpy()
    try:
        return np.from_dlpack(given, copy=False)
    except TypeError as error:
        if "argument" not in str(error):  # it is not that one of the two is older than `copy`
            raise
        return np.from_dlpack(given)


def _uncopied(given: Any, method: Callable[..., Any]) -> AnyArray:
    """Ask for an array without a copy; who does not know `copy` does not promise that."""
    np = import_numpy()
    made = method(copy=False)
    if not isinstance(made, np.ndarray) or isinstance(made, np.ma.MaskedArray):
        raise contradiction(given, "__array__", f"gives {told(made)}", "it must give an array of NumPy without a mask")
    if made.flags.writeable and class_of(type(given), "pandas.Index"):  # where rows are found by their labels
        made = made.view()
        made.flags.writeable = False
    return made


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
        given: arrays.AnyArray = source
        dtype = given.dtype
        key = given.shape, given.strides, dtype.char, dtype.isnative, dtype.itemsize, given.flags.writeable
        known = arrays.KNOWN.get(key)
        if known is None:
            return arrays.first_view(given, key)
        storage, view_of = known
        return view_of(storage(given))
    return _view_of(source)
