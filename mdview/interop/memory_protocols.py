"""Import of memory without a copy (`asview`): buffers, array interfaces, DLPack capsules, ``__array__``, Arrow.

NumPy arrays are the most frequent sources and have the shortest path. For other objects the protocols are tried in
order: the buffer, which Python locks; the array interface, which names an address; DLPack; and ``__array__``, if it
promises not to copy. The first protocol that gives memory is used. A protocol that contradicts itself is an error.

Each protocol after the buffer is called twice: different memory means that the object makes a copy, which is refused.
An address cannot be verified, but contradictions in the facts about the memory are refused.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from math import prod
from operator import index
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar, cast, overload

from mdview.accessors.accessor import ShapedArray
from mdview.accessors.policies import DefaultAccessor, ReadOnlyAccessor
from mdview.base import answer_calls, brief, class_of, image_bounds, import_numpy
from mdview.errors import MDViewError
from mdview.index.extents import right_strides
from mdview.interop import strided_arrays
from mdview.interop.strided_arrays import KNOWN, AnyArray, StridedView, array_view, contradiction, said, strided_view
from mdview.layouts.strided_layout import LayoutRight, StridedLayout
from mdview.memory.exporters import PLAIN, is_array, is_ndarray
from mdview.memory.storage import Storage
from mdview.views.typing_protocols import AnyRank
from mdview.views.view import MDView

_ADDRESSES: Final = 1 << 64
_REFUSALS: Final = (TypeError, ValueError, KeyError, BufferError, OverflowError, SyntaxError)
"""The exceptions that NumPy raises if a protocol does not describe an array."""

SharedArray: TypeAlias = tuple[Any, ...]
"""The arguments of `array_view`: an array over memory, and the item format if NumPy has no type for the items."""
Answer: TypeAlias = "StridedView | str | None"
"""A view; the reason why the protocol gives no memory; or None if the object does not have the protocol."""


def by_protocol(source: Any, name: str) -> Answer:
    """Return the answer of the protocol with the attribute ``name``; ``source`` may have any type.

    Raises
    ------
    BufferFormatError
        The facts about the memory contradict each other.
    StrideError
        A byte stride is not a multiple of the item size.
    MissingExtraError
        NumPy is not installed.
    """
    try:
        getattr(source, name)
    except AttributeError:
        return None
    except Exception as error:  # noqa: BLE001 - any error of a library
        return said(error)
    import_numpy()
    try:
        first, second = [PROTOCOLS[name](source, name) for _ in range(2)]
    except MDViewError:
        raise
    except Exception as error:  # noqa: BLE001 - any error of a library
        return said(error)
    if first[0].size and first[0].ctypes.data != second[0].ctypes.data:
        return f"its {name} makes a copy each time"
    return array_view(source, *first)


def _interface(source: Any, name: str) -> SharedArray:
    """Return an array over the memory that an array interface describes; the memory is not read."""
    value = getattr(source, name)
    if not isinstance(value, dict):
        raise contradiction(source, name, f"is {brief(value)}", "the protocol wants a dict")
    if value.get("mask") is not None:
        raise contradiction(source, name, "has a mask", "it hides some of its values; say what they are: filled(value)")
    try:
        array = _told_array(value, source, source)
    except _REFUSALS as error:
        raise contradiction(source, name, f"tells of no array: {said(error)}", "see NumPy's array interface") from None
    return (array,)


def _told_array(interface: dict[str, Any], source: object, owner: Any) -> AnyArray:  # Any: an owner of any type
    """Return the array that an array interface describes, by NumPy's rules; the array keeps the owner alive.

    The bytes of the array are checked first: they lie within the buffer of the interface, if it has one, and are not
    more than ``source.nbytes``.
    """
    np, dtype, shape, strides = import_numpy(), _told_dtype(interface), interface["shape"], interface.get("strides")
    data, memory = interface.get("data"), range(1, _ADDRESSES)
    if data is None or not all(isinstance(part, tuple) for part in (shape, strides or ())):
        raise TypeError("shape must be a tuple, strides too, and data a pair of an address and a read-only flag")
    if not isinstance(data, tuple):
        owner = np.asarray(memoryview(data).cast("B"))  # an array locks the buffer
        memory = range(owner.ctypes.data, owner.ctypes.data + owner.size)
        data = memory.start + index(interface.get("offset", 0)), not owner.flags.writeable
    shape = tuple([index(n) for n in shape])
    steps = tuple([index(n) for n in (right_strides(shape, dtype.itemsize) if strides is None else strides)])
    if min(shape, default=0) < 0 or len(steps) != len(shape):
        raise ValueError(f"its shape {brief(shape)} is negative, or its strides {brief(strides)} are not as many")
    size = dtype.itemsize * prod([n for n, step in zip(shape, steps, strict=True) if step])
    if isinstance(owned := getattr(source, "nbytes", None), int) and size > owned:
        raise ValueError(f"its elements have {size} bytes, and its nbytes is {owned}")
    data = index(data[0]), *data[1:]
    if bounds := image_bounds(shape, steps):
        low, high = data[0] + bounds[0], data[0] + bounds[1] + dtype.itemsize
        if low < memory.start or high > memory.stop:
            says = f"its elements lie at the addresses from {low:#x} to {high:#x}"
            raise ValueError(f"{says}, and its memory from {memory.start:#x} to {memory.stop:#x}")
    told_steps = None if 0 in shape else strides and steps  # over an empty array all strides are valid
    tells = {"version": 3, "shape": shape, "typestr": dtype.str, "data": data, "strides": told_steps}
    return np.asarray(SimpleNamespace(__array_interface__=tells, owner=owner)).view(dtype)


def _told_dtype(interface: dict[str, Any]) -> Any:  # Any: a NumPy type
    """Return the type of the items that an array interface describes."""
    dtype = import_numpy().dtype(interface["typestr"])
    if dtype.kind == "V" and isinstance(interface.get("descr"), list):
        fields = import_numpy().dtype(interface["descr"])
        dtype = fields if fields.itemsize == dtype.itemsize else dtype
    if dtype.hasobject or dtype.subdtype is not None:
        raise TypeError(
            f"items of type {dtype} are no memory: only numbers, texts and records are, not objects or arrays"
        )
    return dtype


def _tensor(source: Any, _: str) -> SharedArray:
    """Return an array over the memory of a DLPack tensor; the array owns the tensor."""
    try:
        kind, number = map(int, source.__dlpack_device__())
    except Exception:  # noqa: BLE001 - without a device the tensor is requested
        kind, number = 1, 0
    from mdview.memory import dlpack_capsules as capsules  # noqa: PLC0415 - loads ctypes

    if kind not in capsules.ON_HOST:
        raise BufferError(f"it lies on the device ({kind}, {number}) of DLPack")
    if class_of(type(source), "torch.Tensor"):
        source.numpy()  # locks the size of the storage, and refuses a pending negation: DLPack does neither
        source = source.detach()  # keeps this storage if the tensor gets another storage later
    try:
        capsule = source.__dlpack__(max_version=capsules.READS, copy=False)
    except TypeError as error:
        if "argument" not in str(error):  # another error than unknown arguments
            raise
        capsule = source.__dlpack__()
    return _taken(source, capsule)


def _taken(source: object, capsule: object) -> SharedArray:
    """Consume the tensor of a capsule, and return an array over its memory."""
    from mdview.memory.dlpack_capsules import take_tensor  # noqa: PLC0415 - loads ctypes

    owner, interface, *form = take_tensor(capsule)
    return _told_array(interface, source, owner), *form


def _uncopied(source: Any, name: str) -> SharedArray:
    """Return the array of ``__array__(copy=False)``; an object without the parameter ``copy`` raises an error."""
    np = import_numpy()
    result = getattr(source, name)(copy=False)
    if not isinstance(result, np.ndarray) or isinstance(result, np.ma.MaskedArray):
        raise contradiction(source, name, f"gives {brief(result)}", "it must give an array of NumPy without a mask")
    if result.flags.writeable and class_of(type(source), "pandas.Index"):  # a write would break look-ups by label
        result = result.view()
        result.flags.writeable = False
    return (result,)


PROTOCOLS: Final[dict[str, Callable[[Any, str], SharedArray]]] = {
    "__array_interface__": _interface,
    "__dlpack__": _tensor,
    "__array__": _uncopied,
}
"""The functions that make an array by each attribute, in the order of use. ``Any`` stands for any object."""


if TYPE_CHECKING:
    from mmap import mmap
    from multiprocessing.shared_memory import SharedMemory

    from typing_extensions import Buffer, CapsuleType


class HasArrayInterface(Protocol):
    """An object that describes memory of the host by an address."""

    @property
    def __array_interface__(self) -> Any: ...


class HasDLPack(Protocol):
    """An object that exports a tensor to other libraries."""

    @property
    def __dlpack__(self) -> Any: ...


class HasArray(Protocol):
    """An object that makes a NumPy array, perhaps without a copy."""

    @property
    def __array__(self) -> Any: ...


Exporter: TypeAlias = "Buffer | HasArrayInterface | HasDLPack | HasArray | CapsuleType"
"""Objects that may share memory. Their elements are ``Any``, since the protocols declare no type."""


def _view_of(source: Any) -> StridedView:
    """Return a view of the memory of an object, by the first protocol that gives memory; it may have any type.

    Raises
    ------
    BufferFormatError
        No protocol gives memory, or a protocol contradicts itself.
    StrideError
        A byte stride is not a multiple of the item size, or strides reach further than any memory.
    MissingExtraError
        Only NumPy reads such memory, and NumPy is not installed.
    """
    if type(source) not in PLAIN:
        strided_arrays.check_known(source)
        if is_array(source):
            return array_view(source, source)
        for name, view_of in _BY_CLASS.items():
            if class_of(type(source), name) and not getattr(source, "null_count", 0):
                return view_of(source)
    reasons: list[str] = []
    for name in ("", *PROTOCOLS):
        answer = by_protocol(source, name) if name else _by_buffer(source)
        if isinstance(answer, str):
            reasons.append(answer)
        elif answer is not None:
            return answer
    raise strided_arrays.no_memory(source, reasons)


def _bits_of_arrow(source: Any) -> StridedView:  # Any: a `pyarrow.BooleanArray` without nulls
    """Return a view of truth values that are stored as bits; the first bit may lie inside a byte."""
    row = import_numpy().frombuffer(source.buffers()[1] or b"", "u1")
    row.flags.writeable = False  # arrays of Arrow are immutable
    view: Any = array_view(source, row, "uint1", (source.offset + len(source),))[source.offset :]
    return cast("StridedView", view)


def _lists_of_arrow(source: Any) -> StridedView:  # Any: a `pyarrow.FixedSizeListArray` without nulls
    """Return a view of lists of equal length: a view of their items with one more dimension; lists may be nested."""
    from mdview.operations.manipulation import reshape  # noqa: PLC0415 - no other memory needs it

    items: Any = _view_of(source.flatten())
    return cast("StridedView", reshape(items, (len(source), source.type.list_size, *items.extents[1:])))


def _tensors_of_arrow(source: Any) -> StridedView:  # Any: a `pyarrow.FixedShapeTensorArray` without nulls
    """Return a view of tensors as Arrow defines them: the values are in C order over permuted dimensions.

    The protocols of pyarrow 26 return wrong elements if a permutation is not its own inverse.
    """
    from mdview.operations.manipulation import permute_dims, reshape  # noqa: PLC0415 - no other memory needs them

    shape = source.type.shape
    values: Any = reshape(_view_of(source.storage.flatten()), (len(source), *shape))
    axes = source.type.permutation or range(len(shape))
    return cast("StridedView", permute_dims(values, (0, *[1 + axis for axis in axes])))


_BY_CLASS: Final[dict[str, Callable[[Any], StridedView]]] = {
    "multiprocessing.SharedMemory": lambda given: strided_view(Storage(given), (given.size,), (1,)),
    "pyarrow.BooleanArray": _bits_of_arrow,
    "pyarrow.FixedShapeTensorArray": _tensors_of_arrow,
    "pyarrow.FixedSizeListArray": _lists_of_arrow,
}
"""The functions for classes whose protocols give no memory, or wrong elements.

``Any`` stands for an object of the class, without nulls.
"""


def _by_buffer(source: Any) -> Answer:  # Any: an object of any type
    """Return the answer of the buffer protocol, or a view of the tensor in a capsule and consume the capsule."""
    try:
        if type(source).__name__ == "PyCapsule":
            import_numpy()
            return array_view(source, *_taken(source, source))
        exported = memoryview(source)
    except TypeError:
        return None
    except MDViewError:
        raise
    except Exception as error:  # noqa: BLE001 - any error of an exporter
        return said(error)
    return strided_arrays.buffer_view(source, exported)


E = TypeVar("E", bound="tuple[int, ...]")
Anything: TypeAlias = MDView[object, tuple[int, ...], StridedLayout, DefaultAccessor[object]]
T = TypeVar("T")
I = TypeVar("I", int, float, str)


@overload
def asview(  # pyright: ignore[reportOverlappingOverload]
    source: ShapedArray[E, T],
) -> MDView[T, E, StridedLayout, DefaultAccessor[T]]: ...
@overload  # else an array of another type than the context wants would fit as memory of any type
def asview(  # type: ignore[overload-cannot-match] # pyright: ignore[reportOverlappingOverload]
    source: ShapedArray[tuple[int, ...], object],
) -> Anything: ...
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
@answer_calls
def asview(source: Any) -> MDView[Any, Any, Any, Any]:
    """Return a view of the elements of ``source``, which shares its memory; nothing is copied.

    The source exports a buffer, or an array by ``__array_interface__``, ``__dlpack__`` or ``__array__(copy=False)``;
    the first protocol that gives memory is used. The elements of a `SharedMemory` are its bytes, and a DLPack
    capsule is consumed. The view keeps the source alive, and locked if the source supports it.

    The layout is the narrowest layout that fits: right, left, padded, stride, or relaxed for negative, zero and
    interleaved strides. The view is read-only if the memory is read-only, or is not known to be writable. ``Any``
    stands for elements without a Python type, such as records.

    Raises
    ------
    BufferFormatError
        ``source`` has no memory to share, hides values (masks, nulls), contradicts itself, or has items without bytes.
    StrideError
        A byte stride is not a multiple of the item size, or strides reach further than any memory.
    MissingExtraError
        Only NumPy reads such memory, and NumPy is not installed.
    """
    if is_ndarray(source):
        argument: AnyArray = source
        kind = argument.dtype  # the key is `array_key`, which takes longer
        key = argument.shape, argument.strides, kind.num, kind.isnative, kind.itemsize, argument.flags.writeable, None
        entry = KNOWN.get(key)
        if entry is None:
            return array_view(argument, argument)
        storage, view_of = entry
        return view_of(storage(argument))
    return _view_of(source)
