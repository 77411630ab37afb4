"""Protocols that tell of memory by an address or a tensor, and the array of NumPy over it that holds it meanwhile.

``__array_interface__`` is a dictionary of the host, ``__cuda_array_interface__`` one of a device, ``__array_struct__``
a structure of C; NumPy reads all of them. Whether an address is right cannot be told. What can be wrong without looking
there is refused.

Memory of a device has a mapping, and subviews, of elements that this process does not read: an access to one is
refused, and so is what would read or write all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final, NoReturn, TypeAlias, final

from mdview.base.partners import class_of, import_numpy
from mdview.base.texts import told
from mdview.errors import DeviceError, MDViewError
from mdview.interop.arrays import AnyArray, AnyView, array_view, form_of, strided_view
from mdview.interop.refusals import contradiction, said
from mdview.memory.storage import Storage

DEVICE: Final = "__cuda_array_interface__"
_ON_HOST: Final = {1, 3, 11, 13}
"""Kinds of devices whose memory the host reads, in DLPack's numbers: the CPU, pinned, and managed memory."""
_ADDRESSES: Final = 1 << 64
_REFUSALS: Final = (TypeError, ValueError, KeyError, BufferError, OverflowError, SyntaxError)
"""What NumPy raises where a protocol tells of no array."""

Answer: TypeAlias = "AnyView | str | None"
"""A view; or why there is none, as the object says; or None where it does not know the protocol."""


def by_protocol(given: Any, name: str) -> Answer:
    """View of the memory that both arrays have which are made of an attribute, one after the other. Any: of any type.

    Raises
    ------
    BufferFormatError
        What the attribute tells is no memory.
    StrideError
        A byte stride is no multiple of the item size.
    MissingExtraError
        NumPy is not there.
    """
    try:
        getattr(given, name)
    except AttributeError:
        return None
    except Exception as error:  # noqa: BLE001 - whatever a library raises
        return said(error)
    import_numpy()
    try:
        first, second = [PROTOCOLS[name](given, name) for _ in range(2)]
    except MDViewError:
        raise
    except Exception as error:  # noqa: BLE001 - likewise
        return said(error)
    if first.size and first.ctypes.data != second.ctypes.data:
        return f"its {name} makes a copy each time"
    return _device_view(given, first) if name == DEVICE else array_view(given, first)


def _interface(given: Any, name: str) -> AnyArray:
    """Array of the memory that a dictionary tells of; none of the memory is read."""
    np, value = import_numpy(), getattr(given, name)
    if not isinstance(value, dict):
        raise contradiction(given, name, f"is {told(value)}", "the protocol wants a dict")
    if value.get("mask") is not None:
        raise contradiction(given, name, "has a mask", "it hides some of its values; say what they are: filled(value)")
    try:
        array = _told_array(given, value, is_device=name == DEVICE)
    except _REFUSALS as error:
        raise contradiction(given, name, f"tells of no array: {said(error)}", "see NumPy's array interface") from None
    low, high = np.lib.array_utils.byte_bounds(array) if array.size else (1, 1)
    if low <= 0 or high > _ADDRESSES:
        says = f"has elements at the addresses from {low:#x} to {high:#x}"
        raise contradiction(given, name, says, "nothing lies there")
    return array


def _told_array(given: object, value: dict[str, Any], *, is_device: bool) -> AnyArray:
    """Return the array that a dictionary tells of, by NumPy's own rules."""
    np, dtype, data = import_numpy(), import_numpy().dtype(value["typestr"]), value.get("data")
    shape, strides = value.get("shape"), value.get("strides")
    if dtype.kind == "V" and isinstance(value.get("descr"), list):
        fields = np.dtype(value["descr"])
        dtype = fields if fields.itemsize == dtype.itemsize else dtype
    if dtype.hasobject:
        raise TypeError("it has references to objects, and only numbers, texts and records are memory")
    if isinstance(data, tuple):
        tells = {"version": 3, "shape": shape, "typestr": dtype.str, "data": data, "strides": strides}
        return np.asarray(SimpleNamespace(__array_interface__=tells, owner=given)).view(dtype)
    if is_device or data is None:
        raise TypeError("data must be a pair of an address and a read-only flag")
    # NumPy tests that all elements lie in the buffer, which an array of bytes locks.
    return np.ndarray(shape, dtype, np.asarray(memoryview(data).cast("B")), value.get("offset", 0), strides)


def _structure(given: Any, name: str) -> AnyArray:
    """Array of the memory that a structure of C tells of."""
    capsule = getattr(given, name)
    if type(capsule).__name__ != "PyCapsule":
        raise contradiction(given, name, f"is {told(capsule)}", "the protocol wants a capsule")
    try:
        array = import_numpy().asarray(SimpleNamespace(__array_struct__=capsule, owner=given))
    except _REFUSALS as error:
        raise contradiction(given, name, f"tells of no array: {said(error)}", "see NumPy's array interface") from None
    if array.dtype.hasobject or (array.size and not array.ctypes.data):
        raise contradiction(given, name, "tells of no memory", "it has objects, or the address 0")
    if array.dtype.kind in "UmM":  # NumPy takes bytes of texts for characters, and knows no unit of dates
        says = f"tells of items of kind {array.dtype.kind!r}, which it cannot describe"
        raise contradiction(given, name, says, "use __array_interface__")
    return array


def _tensor(given: Any, _: str) -> AnyArray:
    """Import a tensor; one of an older library, which cannot say that it is read-only, NumPy takes for that."""
    try:
        kind, number = map(int, given.__dlpack_device__())
    except Exception:  # noqa: BLE001 - what does not say is asked for its tensor
        kind, number = 1, 0
    if kind not in _ON_HOST:
        raise BufferError(f"it lies on the device ({kind}, {number}) of DLPack")
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


def _uncopied(given: Any, name: str) -> AnyArray:
    """Ask for an array without a copy; who does not know `copy` does not promise that."""
    np = import_numpy()
    made = getattr(given, name)(copy=False)
    if not isinstance(made, np.ndarray) or isinstance(made, np.ma.MaskedArray):
        raise contradiction(given, name, f"gives {told(made)}", "it must give an array of NumPy without a mask")
    if made.flags.writeable and class_of(type(given), "pandas.Index"):  # where rows are found by their labels
        made = made.view()
        made.flags.writeable = False
    return made


PROTOCOLS: Final[dict[str, Callable[[Any, str], AnyArray]]] = {
    "__array_interface__": _interface,
    "__array_struct__": _structure,
    "__dlpack__": _tensor,
    DEVICE: _interface,
    "__array__": _uncopied,
}
"""What makes an array of each attribute, in the order in which they are asked. Any: of whatever type."""


@final
class DeviceItems:
    """Items in the memory of a device, from the lowest element on: counted, and never read.

    Attributes
    ----------
    address
        Where the first one lies in the memory of the device.
    """

    __slots__ = ("_length", "_source", "address", "format", "itemsize")

    address: int
    format: str
    itemsize: int

    def __init__(self, source: object, address: int, length: int, item_format: str, itemsize: int) -> None:
        """Keep what owns the memory."""
        self._source, self._length = source, length
        self.address, self.format, self.itemsize = address, item_format, itemsize

    def __len__(self) -> int:
        """Count the items."""
        return self._length

    def __getitem__(self, *_: object) -> NoReturn:
        """Refuse to read."""
        ways = {"cupy": "asview(array.get())", "torch": "asview(tensor.cpu())", "numba": "asview(array.copy_to_host())"}
        library = type(self._source).__module__.partition(".")[0]
        raise DeviceError(
            f"the elements of this view lie in the memory of a device, at {self.address:#x}, and cannot be read or "
            f"written here; copy them to the host first: {ways.get(library, 'the library that made it can')}"
        )

    def __setitem__(self, *_: object) -> NoReturn:
        """Refuse to write."""
        self.__getitem__()

    def __iter__(self) -> NoReturn:
        """Refuse to read."""
        self.__getitem__()


def _device_view(given: object, array: AnyArray) -> AnyView:
    """View of memory of a device that the host may not read, as an array describes it."""
    form = form_of(array)
    if form.item_format is None or array.dtype.kind not in "biufc":
        says = f"has items of type {array.dtype.str!r}"
        raise contradiction(given, DEVICE, says, "device memory holds numbers or truth values, '<f4'")
    item_format = form.item_format if form.item_format[0] in "<>!" else f"={form.item_format}"  # no memoryview reads it
    low, _ = import_numpy().lib.array_utils.byte_bounds(array)
    items = DeviceItems(given, low, form.span, item_format, form.itemsize)
    storage = Storage.of_items(given, items, item_format, form.itemsize, readonly=form.readonly)
    return strided_view(storage, array.shape, form.strides)
