"""Array interfaces tell of memory by an address: what they say, and an array of NumPy over it that holds it meanwhile.

``__array_interface__`` is a dictionary of the host, ``__cuda_array_interface__`` one of a device, ``__array_struct__``
a structure of C. Whether an address is right cannot be told. All that can be wrong without looking there is refused.

Memory of a device has a mapping, and subviews, of elements that this process does not read: an access to one is
refused, and so is what would read or write all of them.
"""

from __future__ import annotations

import sys
from math import prod
from types import SimpleNamespace
from typing import Any, Final, NamedTuple, NoReturn, final

from mdview.base.integers import is_index
from mdview.base.texts import counted, told
from mdview.errors import DeviceError
from mdview.index.orders import right_strides
from mdview.interop.arrays import AnyArray, AnyView, moving_strides, span_of, strided_view
from mdview.interop.refusals import contradiction, said
from mdview.memory.dtypes import LETTERS, NAMES
from mdview.memory.storage import Storage
from mdview.views.export import import_numpy

HOST: Final = "__array_interface__"
DEVICE: Final = "__cuda_array_interface__"
_OLDEST: Final = {HOST: 3, DEVICE: 0}
_ADDRESSES: Final = 1 << 64
_LARGEST: Final = 1 << 63


@final
class Interface(NamedTuple):
    """What an array interface tells.

    Attributes
    ----------
    name
        The attribute that it is.
    shape, strides
        Extents, and byte strides; None for those of C order.
    typestr, descr
        What the items are, in NumPy's notation.
    address, readonly
        Where the element of index 0 lies, and whether it is read-only; None where ``data`` is a buffer.
    data, offset
        An object with a buffer, or None, and at which byte of it index 0 lies.
    """

    name: str
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    typestr: str
    descr: object
    address: int | None
    readonly: bool
    data: Any
    offset: int

    def check_reach(self, given: object, itemsize: int) -> None:
        """Refuse elements that lie at no address at all.

        Raises
        ------
        BufferFormatError
            They do.
        """
        if prod(n for n in self.shape if n) * itemsize >= _LARGEST:
            raise contradiction(given, self.name, f"has shape {told(self.shape)}", "no memory is so large")
        if 0 in self.shape or self.address is None:
            return
        low = high = self.address
        for n, s in zip(self.shape, self.strides or (), strict=False):
            low, high = low + min(0, (n - 1) * s), high + max(0, (n - 1) * s)
        high += itemsize if self.strides else itemsize * prod(self.shape)
        if self.address == 0 or low < 0 or high > _ADDRESSES:
            says = f"has elements at the addresses from {low:#x} to {high:#x}"
            raise contradiction(given, self.name, says, "nothing lies there")


def interface_of(given: object, name: str, value: object) -> Interface:
    """Return what an array interface tells.

    Raises
    ------
    BufferFormatError
        It breaks a rule of the protocol.
    """
    if not isinstance(value, dict):
        raise contradiction(given, name, f"is {told(value)}", "the protocol wants a dict")
    version = value.get("version", _OLDEST[name])
    if not _is_size(version) or version < _OLDEST[name]:
        raise contradiction(given, name, f"has version {told(version)}", f"{_OLDEST[name]} is the oldest that is read")
    if value.get("mask") is not None:
        raise contradiction(given, name, "has a mask", "it hides some of its values; say what they are: filled(value)")
    shape, strides, typestr = value.get("shape"), value.get("strides"), value.get("typestr")
    if not isinstance(shape, tuple) or not all(map(_is_size, shape)):
        raise contradiction(given, name, f"has shape {told(shape)}", "it must be a tuple of integers of 0 or more")
    if strides is not None and not (isinstance(strides, tuple) and all(map(_is_integer, strides))):
        raise contradiction(given, name, f"has strides {told(strides)}", "they must be a tuple of integers, or None")
    if strides is not None and len(strides) != len(shape):
        raise contradiction(given, name, f"has {counted(len(strides), 'stride')}", f"the shape has {len(shape)}")
    if not isinstance(typestr, str):
        raise contradiction(given, name, f"has typestr {told(typestr)}", "it must be a text as NumPy has it, '<f8'")
    extents, steps = tuple(map(int, shape)), None if strides is None else tuple(map(int, strides))
    return Interface(name, extents, steps, typestr, value.get("descr"), *_data_of(given, name, value))


def _data_of(given: object, name: str, value: dict[Any, Any]) -> tuple[int | None, bool, Any, int]:
    """Return address and read-only flag, or None and False, and the buffer with the offset in it."""
    data, offset = value.get("data"), value.get("offset", 0)
    if data is None:
        raise contradiction(given, name, "has no data", "it must be a pair of an address and a read-only flag")
    if not isinstance(data, tuple):
        if name == DEVICE:
            rule = "it must be a pair of an address and a read-only flag"
            raise contradiction(given, name, f"has data {told(data)}", rule)
        if not _is_size(offset):
            raise contradiction(given, name, f"has offset {told(offset)}", "it must be an integer of 0 or more")
        return None, False, data, offset
    is_pair = len(data) == 2 and _is_size(data[0]) and data[0] < _ADDRESSES and _is_flag(data[1])  # noqa: PLR2004
    if not is_pair:
        rule = "it must be a pair of an address and a read-only flag"
        raise contradiction(given, name, f"has data {told(data)}", rule)
    return int(data[0]), bool(data[1]), None, 0


def _is_integer(number: object) -> bool:
    return is_index(number) and not isinstance(number, bool)


def _is_size(number: Any) -> bool:
    return _is_integer(number) and number >= 0


def _is_flag(flag: Any) -> bool:
    """Tell whether this is a truth value, perhaps one of NumPy's, or 0 or 1."""
    return (isinstance(flag, int) or type(flag).__module__ == "numpy") and str(flag) in {"False", "True", "0", "1"}


_CAPSULE = "PyCapsule"


def array_at(given: object, value: object) -> AnyArray:
    """Array of the memory that ``__array_interface__`` tells of.

    Raises
    ------
    BufferFormatError
        It breaks a rule of the protocol.
    """
    np = import_numpy()
    interface = interface_of(given, HOST, value)
    dtype = _dtype_of(given, interface)
    interface.check_reach(given, dtype.itemsize)
    shape, strides = interface.shape, interface.strides
    try:
        if interface.address is None:  # NumPy tests that all elements lie in the buffer, which an array of bytes locks
            locked = np.asarray(memoryview(interface.data).cast("B"))
            return np.ndarray(shape, dtype, locked, interface.offset, strides)
        data = interface.address, interface.readonly
        tells = {"version": 3, "shape": shape, "typestr": dtype.str, "data": data, "strides": strides}
        return np.asarray(SimpleNamespace(__array_interface__=tells, owner=given)).view(dtype)
    except (TypeError, ValueError, BufferError, OverflowError) as error:
        raise contradiction(given, HOST, f"tells of no array: {said(error)}", "see NumPy's array interface") from None


def array_in(given: object, capsule: object) -> AnyArray:
    """Array of the memory that ``__array_struct__`` tells of.

    Raises
    ------
    BufferFormatError
        It is none, or tells of no memory.
    """
    name = "__array_struct__"
    if type(capsule).__name__ != _CAPSULE:
        raise contradiction(given, name, f"is {told(capsule)}", "the protocol wants a capsule")
    try:
        array = import_numpy().asarray(SimpleNamespace(__array_struct__=capsule, owner=given))
    except (TypeError, ValueError, BufferError) as error:
        raise contradiction(given, name, f"tells of no array: {said(error)}", "see NumPy's array interface") from None
    if array.dtype.hasobject or (array.size and not address_in(array)):
        raise contradiction(given, name, "tells of no memory", "it has objects, or the address 0")
    if array.dtype.kind in "UmM":  # NumPy takes bytes of texts for characters, and knows no unit of dates
        says = f"tells of items of kind {array.dtype.kind!r}, which it cannot describe"
        raise contradiction(given, name, says, "use __array_interface__")
    return array


def address_in(array: AnyArray) -> int:
    """Address of the element of index 0."""
    return int(array.__array_interface__["data"][0])


def _dtype_of(given: object, interface: Interface) -> Any:  # Any: a type of NumPy's
    """Return what the items are; records by their fields, as far as they are told."""
    np = import_numpy()
    try:
        dtype = np.dtype(interface.typestr)
        if dtype.kind == "V" and isinstance(interface.descr, list):
            fields = np.dtype(interface.descr)
            dtype = fields if fields.itemsize == dtype.itemsize else dtype
    except (TypeError, ValueError, KeyError, OverflowError, SyntaxError) as error:
        raise contradiction(given, HOST, f"has typestr {told(interface.typestr)}", said(error)) from None
    if dtype.hasobject:
        raise contradiction(given, HOST, "has references to objects", "only numbers, texts and records are memory")
    return dtype


_NATIVE: Final = "=<|" if sys.byteorder == "little" else "=>|"


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

    def __getitem__(self, _: object) -> NoReturn:
        """Refuse."""
        self._refuse()

    def __setitem__(self, _: object, value: object) -> NoReturn:
        """Refuse."""
        self._refuse()

    def __iter__(self) -> NoReturn:
        """Refuse."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise DeviceError(
            f"the elements of this view lie in the memory of a device, at {self.address:#x}, and cannot be read or "
            f"written here; copy them to the host first: {_way(self._source)}"
        )


def device_view(given: object, value: object) -> AnyView:
    """View of the device memory that ``__cuda_array_interface__`` tells of.

    Raises
    ------
    BufferFormatError
        It breaks a rule of the protocol, or has items that are no numbers.
    StrideError
        A byte stride is no multiple of the item size.
    """
    tells = interface_of(given, DEVICE, value)
    mark, kind = tells.typestr[:1], tells.typestr[1:]
    if kind not in NAMES.values() or mark not in ("<", ">", "=", *["|"] * kind.endswith("1")):
        says = f"has items of type {tells.typestr!r}"
        raise contradiction(given, DEVICE, says, "device memory holds numbers or truth values, '<f4'")
    item_format = f"{'=' if mark in _NATIVE else mark}{LETTERS[kind]}"  # marked: no memoryview reads it
    size = int(kind[1:])
    tells.check_reach(given, size)
    shape = tells.shape
    steps = tells.strides or [s * size for s in right_strides(shape)]
    strides = moving_strides(shape, steps, size)
    lowest = sum([(n - 1) * s for n, s in zip(shape, strides, strict=True) if s < 0]) * size if prod(shape) else 0
    items = DeviceItems(given, (tells.address or 0) + lowest, span_of(shape, strides, size), item_format, size)
    storage = Storage.of_items(given, items, item_format, size, readonly=tells.readonly)
    return strided_view(storage, shape, strides)


def _way(source: object) -> str:
    ways = {"cupy": "asview(array.get())", "torch": "asview(tensor.cpu())", "numba": "asview(array.copy_to_host())"}
    library = type(source).__module__.partition(".")[0]
    return ways.get(library, "the library that made it can")
