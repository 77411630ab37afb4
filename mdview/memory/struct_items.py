"""Items that a memoryview has no name for, read and written one at a time in bytes: by `struct`, or as bits."""

from __future__ import annotations

import struct
from abc import abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from operator import index
from typing import Any, Final, NoReturn, cast, final

from mdview.base.argument_checks import kind_text
from mdview.base.integers import is_index
from mdview.base.optional_libraries import class_of, loaded
from mdview.errors import BufferFormatError
from mdview.memory.data_types import DType
from mdview.memory.item_formats import NATIVE, PACKED, REFUSALS, limits, refusal, struct_of, typestr
from mdview.memory.narrow_floats import NARROW


class ByteItems(Sequence[Any]):
    """Items in a run of bytes that no memoryview indexes; abstract.

    Attributes
    ----------
    raw
        The bytes.
    format
        What an item is.
    """

    __slots__ = ("format", "raw")

    def __init__(self, raw: memoryview, item_format: str) -> None:
        """Take the bytes, and what an item is."""
        self.raw: memoryview = raw
        self.format: str = item_format

    @property
    @abstractmethod
    def bits(self) -> int:
        """Bits from one item to the next."""

    @property
    def kind(self) -> DType:
        """How an item is written."""
        return DType(self.format, self.bits)

    @property
    def form(self) -> Any:  # Any: a format, or a class and what it takes beside bytes
        """What makes such items of bytes again."""
        return self.format


@final
class StructItems(ByteItems):
    """Items of a format that ``memoryview`` cannot index (half, complex, foreign byte order), through `struct`."""

    __slots__ = ("_is_complex", "_pack", "_put", "_unpack", "itemsize")

    itemsize: int

    @property
    def bits(self) -> int:
        """Bits of an item."""
        return 8 * self.itemsize

    def __init__(self, raw: memoryview, item_format: str) -> None:
        """Read and write items of ``item_format`` in the bytes ``raw``; what is left behind the last one is dropped."""
        form, self._is_complex = struct_of(item_format)
        self.itemsize = form.size
        super().__init__(raw if raw.nbytes % form.size == 0 else raw[: -(raw.nbytes % form.size)], item_format)
        # A number that is refused must leave the item as it is, and `pack_into` clears it first: it gets bytes.
        self._pack: Any = form.pack  # Any: of as many values as an item has parts
        self._put, self._unpack = struct.Struct(f"{form.size}s").pack_into, form.unpack_from

    def __len__(self) -> int:
        """Count the items."""
        return self.raw.nbytes // self.itemsize

    def __getitem__(self, offset: Any) -> Any:  # Any: items are what the format says
        """Item at ``offset``; negative ones count from the end."""
        try:
            values = self._unpack(self.raw, offset * self.itemsize)
        except (struct.error, OverflowError):
            _refuse_offset()
        return complex(*values) if self._is_complex else values[0]

    def __setitem__(self, offset: int, value: Any) -> None:
        """Make ``value`` the item at ``offset``."""
        try:
            values = ((number := complex(value)).real, number.imag) if self._is_complex else (value,)
            self._put(self.raw, offset * self.itemsize, self._pack(*values))
        except REFUSALS as error:  # the value may be wrong, or the offset
            place: object = offset
            if not is_index(place) or self.raw.readonly:
                raise
            if not -len(self) <= offset < len(self):
                _refuse_offset()
            raise refusal(self, value, error) from error

    def put(self, offset: int, values: Sequence[Any]) -> None:
        """Make ``values`` the items from ``offset`` on; if one is refused, none is stored."""
        numbers = values
        if self._is_complex:
            numbers = [part for number in map(complex, values) for part in (number.real, number.imag)]
        packed = b"".join(map(self._pack, values)) if self.format in NARROW else self._packed(numbers)
        self.raw[offset * self.itemsize :][: len(packed)] = packed

    def _packed(self, numbers: Sequence[Any]) -> bytes:
        order, letter = self.format[0] if self.format[0] in "<>!=@" else "=", self.format[-1]
        return struct.pack(f"{order}{len(numbers)}{letter}", *numbers)

    def at(self, offsets: Iterable[int]) -> Iterator[Any]:
        """Iterate over the items at these offsets; each is read when it is asked for, as if by itself."""
        array: Any = getattr(loaded("numpy"), "ndarray", None) if self._is_complex else None
        if array is None:
            return self._each(offsets)
        # It makes complex numbers in a third of the time; a half that is no number may come out differently.
        return map(array((len(self),), typestr(self.format, self.itemsize), self.raw).item, offsets)

    def _each(self, offsets: Iterable[int]) -> Iterator[Any]:
        raw, unpack, size, is_complex = self.raw, self._unpack, self.itemsize, self._is_complex
        try:
            for offset in offsets:
                values = unpack(raw, offset * size)
                yield complex(*values) if is_complex else values[0]
        except (struct.error, OverflowError):
            _refuse_offset()


@final
class PackedItems(ByteItems):
    """Integers of 1, 2 or 4 bits, of which several share a byte of ``raw``; all of them together fill its bytes.

    Attributes
    ----------
    low, high
        The least and the largest one.
    is_big
        Whether the first item of a byte has its highest bits, ``bitorder="big"`` of `numpy.packbits`, not the lowest.
    """

    __slots__ = ("_signs", "high", "is_big", "low")

    high: int
    is_big: bool
    low: int

    def __init__(self, raw: memoryview, item_format: str) -> None:
        """Read and write the items of a format in bytes."""
        super().__init__(raw, item_format)
        kind = item_format.lstrip(">")
        self.is_big = kind != item_format
        self.low, self.high = limits(kind)
        self._signs = -2 * self.low  # twice the bit of the sign

    @property
    def bits(self) -> int:
        """Bits of an item."""
        return PACKED[self.format.lstrip(">")]

    def __len__(self) -> int:
        """Count the items."""
        return self.raw.nbytes * 8 // self.bits

    def _place(self, offset: int) -> tuple[int, int]:
        """Return the byte of an item, and by how many bits it is shifted there."""
        byte, bit = divmod(offset * self.bits, 8)
        return byte, 8 - self.bits - bit if self.is_big else bit

    def __getitem__(self, offset: Any) -> Any:  # Any: slices are refused by the buffer
        """Item at ``offset``; negative ones count from the end."""
        byte, shift = self._place(offset)
        code = self.raw[byte] >> shift & (1 << self.bits) - 1
        return code - (code << 1 & self._signs)

    def __setitem__(self, offset: int, value: Any) -> None:
        """Make ``value`` the item at ``offset``; the others of its byte are written again as they are."""
        try:
            number = index(value)
        except TypeError as error:
            raise refusal(self, value, error) from error
        if not self.low <= number <= self.high:
            raise refusal(self, value, OverflowError())
        byte, shift = self._place(offset)
        mask = (1 << self.bits) - 1
        self.raw[byte] = self.raw[byte] & ~(mask << shift) | (number & mask) << shift


BYTE_ITEMS: Final = (memoryview, ByteItems)
"""Types of items in a run of bytes that is reached without NumPy."""


def raw_of(items: Any) -> Any:
    """Return the bytes of items that this module reads, and any others as they are. Any: items of whatever type."""
    return items.raw if type(items) is not memoryview and isinstance(items, ByteItems) else items


def bits_of(items: Any) -> int:
    """Return the bits from one item in memory to the next. Any: items of whatever type."""
    return items.bits if isinstance(items, ByteItems) else 8 * getattr(items, "itemsize", 1)


def _refuse_offset() -> NoReturn:
    raise IndexError("item offset out of range") from None


_EXPORTS: Final = ("__array__", "__array_interface__", "__array_struct__", "__dlpack__", "__arrow_c_array__")
_NO_MEMORY: Final = "is no memory; look at its data: MDView(view.data, ...), or use reshape(view, extents)"
_MEANINGS: Final = (*_EXPORTS, "__arrow_c_stream__", "__dataframe__", "iloc", "keys")
"""Attributes of objects whose ``__getitem__`` does not count items, or that are whole arrays."""

UNMASKED: Final[set[type]] = {array, bytearray, bytes, memoryview}
"""Types of data that masks nothing."""


def check_sequence(given: Any) -> None:
    """Refuse data that is no sequence. Any: tested by its methods, as a sequence has no common base.

    Raises
    ------
    BufferFormatError
        It says what to write instead.
    """
    kind = type(given)
    if isinstance(given, Sequence):
        return
    if hasattr(kind, "extents"):
        _refuse(given, _NO_MEMORY)
    if any(hasattr(kind, name) for name in _EXPORTS):
        _refuse(given, "is an array of its own; view its memory, if it has some to share: asview(data)")
    is_labelled = isinstance(given, Mapping | AbstractSet) or any(hasattr(kind, name) for name in _MEANINGS)
    if is_labelled or not (hasattr(kind, "__getitem__") and hasattr(kind, "__len__")):
        message = f"data must be a buffer (array.array, mmap, ...) or a sequence (list, ...), got {kind_text(given)}"
        raise BufferFormatError(f"{message}; list(data) makes one" if hasattr(kind, "__iter__") else message)


def check_no_view(given: object) -> None:
    """Refuse a view, whose accessor and mapping would not be asked; the newest Pythons read its memory as a buffer.

    Raises
    ------
    BufferFormatError
        It is one.
    """
    if all(hasattr(type(given), name) for name in ("extents", "mapping", "accessor")):
        _refuse(given, _NO_MEMORY)


def check_unmasked(given: object) -> None:
    """Refuse a masked array, whose masked values would be read as others are.

    Raises
    ------
    BufferFormatError
        It is one.
    """
    kind = type(given)
    if kind.__module__.startswith("numpy.ma"):
        _refuse(given, "hides some of its values; say what they are: array.filled(value)")
    if kind.__module__ == "numpy" and kind.__name__ == "ndarray":
        UNMASKED.add(kind)


def _refuse(given: object, why: str) -> None:
    raise BufferFormatError(f"data of type {type(given).__name__} {why}")


def is_ndarray(given: object) -> bool:
    """Tell whether this is an array of NumPy itself, without loading it."""
    kind = type(given)
    return kind.__name__ == "ndarray" and kind.__module__ == "numpy"


def is_array(given: object) -> bool:
    """Tell whether this is an array of NumPy or of a class derived from it, without loading it."""
    return class_of(type(given), "numpy.ndarray") is not None


def bytes_of(owner: Any) -> memoryview:
    """Bytes of an exporter in memory order. Any: an exporter, or an array whose items NumPy alone can read.

    Of the exporter, never of a memoryview of it: CPython crashes when it collects a cycle with a buffer of a buffer.

    Raises
    ------
    BufferFormatError
        It exports no bytes in one run.
    """
    from pickle import PickleBuffer  # noqa: PLC0415 - 2 ms that a view of a plain buffer need not wait for

    try:
        if not is_array(owner) or (not is_ndarray(owner) and owner.dtype.kind not in "mM"):
            return PickleBuffer(owner).raw()
        if owner.dtype.hasobject or not owner.flags.forc:
            raise BufferError
        return memoryview(owner.view(class_of(type(owner), "numpy.ndarray")).ravel("K").view("u1"))
    except (TypeError, ValueError, BufferError):
        raise BufferFormatError(f"a {type(owner).__name__} does not have its bytes in one run") from None


def items_of(raw: memoryview, item_format: str) -> Any:  # Any: a memoryview or items of this module
    """Return the items of a known format that bytes are."""
    if item_format in NATIVE:
        return raw.cast(cast("Any", item_format))
    return PackedItems(raw, item_format) if item_format.lstrip(">") in PACKED else StructItems(raw, item_format)


def read_as(raw: memoryview, item_format: str) -> Any:  # Any: a memoryview or items of this module
    """Return the items of a format that bytes are.

    Raises
    ------
    BufferFormatError
        There is no such format, or it does not divide them.
    """
    try:
        items: Any = items_of(raw, item_format)
        if 8 * raw.nbytes % bits_of(items) == 0:
            return items
        error = f"{raw.nbytes} bytes are no multiple of {items.itemsize}"
    except (struct.error, TypeError, IndexError, ZeroDivisionError) as found:
        error = str(found)  # itself it would keep the items alive, which its traceback names
    raise BufferFormatError(f"format {item_format!r} cannot be read: {error}") from None


def address_of(buffer: memoryview) -> int:
    """Address in bytes of a contiguous buffer's first byte."""
    import ctypes  # noqa: PLC0415 - 10 ms that only alignment checks need

    view = (ctypes.c_void_p * 16)()  # a Py_buffer is 80 bytes whose first field is the address
    get, release = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release
    get(ctypes.py_object(buffer), ctypes.byref(view), 0)
    address = int(view[0] or 0)
    release(ctypes.byref(view))
    return address


# How items travel. Any: an owner is any exporter, a form is a format or NumPy's class of arrays and a dtype.

SLACK: Final = 4096
"""How many bytes that no view reaches may travel for the sake of the owner itself, which then arrives as what it is."""


def can_travel(owner: Any) -> bool:
    """Tell whether an owner comes back from a pickle with the same bytes in the same places."""
    if not is_ndarray(owner):
        return isinstance(owner, bytes | bytearray | array)
    # NumPy turns a foreign byte order round and copies arrays in no order.
    return bool(owner.flags.forc and owner.dtype.isnative and not owner.dtype.hasobject)


def reading_of(items: Any, item_format: str) -> Any:
    """Return how the bytes of items are read: by a format, a class, or NumPy; a map of a file arrives as an array."""
    if isinstance(items, ByteItems):
        return items.form
    if not class_of(type(items), "numpy.ndarray"):
        return item_format
    kind = type(items)
    return class_of(kind, "numpy.ndarray") if class_of(kind, "numpy.memmap") else kind, items.dtype


def formed(region: memoryview, start: int, form: Any) -> tuple[Any, str]:
    """Return the items of a region that begins at byte ``start`` of its exporter, and their format.

    Raises
    ------
    BufferFormatError
        The form does not read bytes.
    """
    if isinstance(form, str):
        return read_as(region, form), form
    if issubclass(form[0], ByteItems):
        found: Any = form[0](region, *form[1:])
        return found, found.format
    kind, dtype = form
    plain = class_of(kind, "numpy.ndarray")
    items = plain((region.nbytes // dtype.itemsize,), dtype, region.obj, start)
    items.flags.writeable = not region.readonly
    return items if kind is plain else items.view(kind), dtype.str
