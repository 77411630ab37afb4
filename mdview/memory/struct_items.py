"""Items that a memoryview cannot index: formats of `struct`, and packed numbers of 1, 2 or 4 bits."""

from __future__ import annotations

import struct
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn, final

from mdview.base import class_of, import_numpy, is_index, loaded_module
from mdview.errors import BufferFormatError
from mdview.memory.data_types import DType, numpy_type
from mdview.memory.item_formats import KINDS, NAMED, NATIVE, PACKED, REFUSALS, NarrowInt, refusal, struct_of, typestr
from mdview.memory.narrow_floats import NarrowFloat

if TYPE_CHECKING:
    from typing_extensions import TypeIs


class ByteItems(Sequence[Any]):
    """Items in a run of bytes that a memoryview cannot index; abstract.

    Attributes
    ----------
    raw
        The bytes.
    format
        The format of an item.
    bits
        Bits from one item to the next.
    """

    __slots__ = ("bits", "format", "raw")

    def __init__(self, raw: memoryview, item_format: str, bits: int) -> None:
        """Take the bytes, the format of an item, and the distance in bits from one item to the next."""
        self.raw: memoryview = raw
        self.format: str = item_format
        self.bits: int = bits

    @property
    def kind(self) -> DType:
        """The type of an item."""
        return DType(self.format, self.bits)

    @property
    def form(self) -> Any:  # Any: a format, or a class and its further arguments
        """The argument with which `formed` makes items of this class and format over other bytes."""
        return self.format


class ScatteredItems(ByteItems):
    """Items that are not a contiguous array, as items share bytes or other data lies between them; abstract.

    ``Any`` stands for NumPy arrays throughout, as NumPy is loaded on use. An array contains copies of the items, its
    *numbers*, each in bytes of its own.

    Attributes
    ----------
    limits
        The least and the largest integer, if the items have fewer bits than the numbers of an array; else None.
    """

    __slots__ = ("limits",)

    limits: tuple[int, int] | None

    @property
    @abstractmethod
    def dtype(self) -> Any:
        """The NumPy type of an array of the items.

        Raises
        ------
        MissingExtraError
            The type is defined by ``ml_dtypes``, which is not installed.
        """

    @abstractmethod
    def numbers(self, first: int, stop: int, out: Any = None) -> Any:
        """Return a copy of the items from ``first`` up to ``stop``, in ``out`` if it is given."""

    @abstractmethod
    def take(self, places: Any) -> Any:
        """Return a copy of the items at some positions."""

    @abstractmethod
    def store(self, first: int, numbers: Any) -> None:
        """Store numbers from position ``first`` on."""

    @abstractmethod
    def put(self, places: Any, numbers: Any) -> None:
        """Store numbers at distinct positions."""


@final
class StructItems(ByteItems):
    """Items of a format that `struct` reads and ``memoryview`` cannot index (half, complex, foreign byte order)."""

    __slots__ = ("_is_complex", "_pack", "_put", "_unpack", "itemsize")

    def __init__(self, raw: memoryview, item_format: str) -> None:
        """Take the bytes and the format of an item; bytes at the end that do not fill an item are left out."""
        form, self._is_complex = struct_of(item_format)
        self.itemsize: int = form.size
        whole = raw if raw.nbytes % form.size == 0 else raw[: -(raw.nbytes % form.size)]
        super().__init__(whole, item_format, 8 * form.size)
        # `pack_into` of a number clears the item before it refuses the value, so it is packed to bytes first.
        self._pack: Any = form.pack  # Any: takes one value per part of an item
        self._put, self._unpack = struct.Struct(f"{form.size}s").pack_into, form.unpack_from

    def __len__(self) -> int:
        """Return the number of items."""
        return self.raw.nbytes // self.itemsize

    def __getitem__(self, offset: Any) -> Any:  # Any: items of the format
        """Return the item at ``offset``; negative offsets count from the end."""
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
        except REFUSALS as error:  # the value or the offset may be invalid
            position: object = offset
            if not is_index(position) or self.raw.readonly:
                raise
            if not -len(self) <= offset < len(self):
                _refuse_offset()
            raise refusal(self, value, error) from error

    def put(self, offset: int, values: Sequence[Any]) -> None:
        """Store ``values`` from ``offset`` on; if any value is refused, no value is stored."""
        if self.format in NAMED:
            packed = b"".join(map(self._pack, values))
        else:
            if self._is_complex:
                values = [part for number in map(complex, values) for part in (number.real, number.imag)]
            order = self.format[0] if self.format[0] in "<>!=@" else "="
            packed = struct.pack(f"{order}{len(values)}{self.format[-1]}", *values)
        self.raw[offset * self.itemsize :][: len(packed)] = packed

    def at(self, offsets: Iterable[int]) -> Iterator[Any]:
        """Return a lazy iterator over the items at ``offsets``."""
        array: Any = getattr(loaded_module("numpy"), "ndarray", None) if self._is_complex else None
        if array is None:
            return self._each(offsets)
        # NumPy makes complex numbers in a third of the time. It could change a NaN of 16 bits, so it makes no floats.
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
class PackedItems(ScatteredItems):
    """Numbers of 1, 2 or 4 bits, several in each byte of ``raw``.

    Attributes
    ----------
    code
        The conversion between numbers and their codes.
    is_big
        Whether the first item of a byte has the highest bits (``bitorder="big"`` of `numpy.packbits`), not the lowest.
    """

    __slots__ = ("_dtype", "_mask", "_numbers", "code", "is_big")

    code: NarrowInt | NarrowFloat
    is_big: bool
    limits: tuple[int, int] | None

    def __init__(self, raw: memoryview, item_format: str) -> None:
        """Take the bytes and the format of an item."""
        kind = item_format.lstrip(">")
        self.code = PACKED[kind]
        self.is_big = kind != item_format
        super().__init__(raw, item_format, self.code.bits)
        self._numbers: tuple[float, ...] = _NUMBERS[kind]
        self._mask: int = (1 << self.bits) - 1
        self._dtype: Any = None
        self.limits = self.code.limits if isinstance(self.code, NarrowInt) else None

    def __len__(self) -> int:
        """Return the number of items."""
        return self.raw.nbytes * 8 // self.bits

    def _place(self, offset: Any) -> tuple[Any, Any]:  # Any: an int, or an array of them
        """Return the position of the byte of an item, and the number of bits below the item in this byte."""
        bit = offset * self.bits
        return bit >> 3, 8 - self.bits - (bit & 7) if self.is_big else bit & 7

    def __getitem__(self, offset: Any) -> Any:  # Any: the buffer refuses slices
        """Return the item at ``offset``; negative offsets count from the end."""
        byte, shift = self._place(offset)
        return self._numbers[self.raw[byte] >> shift & self._mask]

    def __setitem__(self, offset: int, value: Any) -> None:
        """Store the item at ``offset``; the other items of its byte are rewritten unchanged."""
        try:
            code = self.code.encode(value)
        except REFUSALS as error:
            raise refusal(self, value, error) from error
        byte, shift = self._place(offset)
        self.raw[byte] = self.raw[byte] & ~(self._mask << shift) | code << shift

    @property
    def dtype(self) -> Any:
        """The NumPy type of a number in its own byte: an integer of 8 bits, or a float of ``ml_dtypes``."""
        if self._dtype is None:
            kind = self.format.lstrip(">")
            self._dtype = numpy_type(f"|{kind}" if self.limits is None else f"{KINDS[kind]}1")
        return self._dtype

    @property
    def _bytes(self) -> Any:
        return import_numpy().frombuffer(self.raw, "u1")

    def numbers(self, first: int, stop: int, out: Any = None) -> Any:
        """Return the numbers from ``first`` up to ``stop``, in ``out`` if it is given.

        The numbers are stored to ``out`` in parts that fit a cache.
        """
        count = 8 // self.bits
        if out is not None:
            numbers = out.view(self.dtype)  # ``out`` may have bytes without a type
            for low in range(first - first % count, stop, _STEP * count):
                start, end = max(low, first), min(low + _STEP * count, stop)
                numbers[start - first : end - first] = self.numbers(start, end)
            return out
        begin = first // count
        return self.unpacked(self._bytes[begin : -(-stop // count)])[first - begin * count : stop - begin * count]

    def take(self, places: Any) -> Any:
        """Return the numbers at some positions, gathered byte by byte."""
        at, shift = self._place(places)
        return self._decoded((self._bytes.take(at) >> shift & self._mask).astype("u1"))

    def _decoded(self, codes: Any) -> Any:
        """Replace the codes in an array by their numbers, and return the array."""
        if self._numbers[-1] == -1:  # the code of all ones is -1: integers with a sign
            sign = 1 << self.bits - 1
            codes ^= sign
            codes -= sign
        return codes.view(self.dtype)

    def unpacked(self, part: Any) -> Any:
        """Return all numbers in an array of bytes.

        >>> import numpy as np
        >>> PackedItems(memoryview(b""), "int4").unpacked(np.array([0x21, 0x8F], np.uint8))
        array([ 1,  2, -1, -8], dtype=int8)
        """
        np, bits, count = import_numpy(), self.bits, 8 // self.bits
        if bits == 1:
            return self._decoded(np.unpackbits(part, bitorder="big" if self.is_big else "little"))
        words = part.astype(f"u{count}")
        spread = words << (8 - bits)
        for k in range(2, count):
            spread |= words << k * (8 - bits)
        spread |= words
        spread &= int.from_bytes(bytes([self._mask]) * count)
        return self._decoded(spread.astype(f"{'>' if self.is_big else '<'}u{count}", copy=False).view(np.uint8))

    def put(self, places: Any, numbers: Any) -> None:
        """Store numbers, which must be in range, at distinct positions; other items in the same bytes are unchanged."""
        np, part, (at, shift) = import_numpy(), self._bytes, self._place(places)
        changed = (part.take(at) ^ numbers.view(np.uint8) << shift) & self._mask << shift
        np.bitwise_xor.at(part, at, changed.astype(np.uint8))

    def store(self, first: int, numbers: Any) -> None:
        """Store numbers or truth values, which must be in range, from position ``first`` on."""
        stop, count = first + len(numbers), 8 // self.bits
        begin, end = -(-first // count), stop // count
        if begin < end:
            self._bytes[begin:end] = self.packed(numbers[begin * count - first : end * count - first])
        for low, high in _edges(first, stop, count):
            self.put(import_numpy().arange(low, high), numbers[low - first : high - first])

    def copy_run(self, first: int, source: PackedItems, start: int, length: int) -> bool:
        """Copy a run of items as bytes and return True; return False if formats or positions within a byte differ."""
        count = 8 // self.bits
        distance, bit = divmod(start - first, count)
        if self.format != source.format or bit:
            return False
        begin, end = -(-first // count), (first + length) // count
        if begin < end:
            self._bytes[begin:end] = source._bytes[begin + distance : end + distance]
        for low, high in _edges(first, first + length, count):
            self.store(low, source.numbers(low - first + start, high - first + start))
        return True

    def edit(self, first: int, stop: int, change: Callable[[Any], None]) -> None:
        """Call ``change`` on an array of the numbers from ``first`` up to ``stop``, and store the changed numbers.

        The array may contain further numbers at its end. Bytes that do not change are not written.
        """
        np, count = import_numpy(), 8 // self.bits
        part = self._bytes[first // count : -(-stop // count)]
        before = part.copy()
        row = self.unpacked(before)
        change(row[first % count :])
        octets = self.packed(row)
        np.copyto(part, octets, where=octets != before)

    def packed(self, row: Any) -> Any:
        """Return the bytes of numbers or truth values, which must be in range and fill whole bytes."""
        np, bits, count = import_numpy(), self.bits, 8 // self.bits
        codes = row.view(np.uint8)
        if bits == 1:
            return np.packbits(codes, bitorder="big" if self.is_big else "little")
        octets = np.empty(len(codes) // count, np.uint8)
        for k in range(0, len(octets), _STEP):
            part = codes[k * count : (k + _STEP) * count] & self._mask
            words = part.view(f"{'>' if self.is_big else '<'}u{count}").astype(f"u{count}", copy=False)
            joined = words >> (8 - bits)
            for j in range(2, count):
                joined |= words >> j * (8 - bits)
            joined |= words
            octets[k : k + _STEP] = joined  # the assignment keeps the lowest 8 bits
        return octets


def _edges(first: int, stop: int, count: int) -> list[tuple[int, int]]:
    """Return the ranges of items at both ends of a range that fill only a part of a byte of ``count`` items."""
    begin, end = -(-first // count) * count, stop // count * count
    ranges = [(first, stop)] if begin >= end else [(first, begin), (end, stop)]
    return [(low, high) for low, high in ranges if low < high]


_STEP: Final = 1 << 17
"""The number of bytes that are packed or unpacked at once; they fit a cache."""
_NUMBERS: Final = {name: tuple(map(code.decode, range(1 << code.bits))) for name, code in PACKED.items()}
"""The numbers of each packed format, in the order of their codes."""


BYTE_ITEMS: Final = (memoryview, ByteItems)
"""Types of items in a run of bytes that are read without NumPy."""


def raw_of(items: Any) -> Any:
    """Return the bytes of items of this module, and other items unchanged. ``Any`` stands for items of any type."""
    return items.raw if type(items) is not memoryview and isinstance(items, ByteItems) else items


def is_scattered(items: Any) -> TypeIs[ScatteredItems]:
    """Tell whether items are `ScatteredItems`. ``Any`` stands for items of any type."""
    return ScatteredItems in type(items).__mro__  # isinstance with an abstract class takes five times as long


def bits_of(items: Any) -> int:
    """Return the bits from one item in memory to the next. ``Any`` stands for items of any type."""
    return items.bits if isinstance(items, ByteItems) else 8 * getattr(items, "itemsize", 1)


def _refuse_offset() -> NoReturn:
    raise IndexError("item offset out of range") from None


def items_of(raw: Any, item_format: str) -> Any:  # Any: a memoryview, and one or items of this module
    """Return bytes as items of a format, which is not checked."""
    if item_format in NATIVE:
        return raw.cast(item_format)
    return PackedItems(raw, item_format) if item_format.lstrip(">") in PACKED else StructItems(raw, item_format)


def read_as(raw: memoryview, item_format: str) -> Any:  # Any: a memoryview or items of this module
    """Return bytes as items of a format.

    Raises
    ------
    BufferFormatError
        The format is unknown, or the bytes are not a whole number of items.
    """
    try:
        items: Any = items_of(raw, item_format)
        if 8 * raw.nbytes % bits_of(items) == 0:
            return items
        error = f"{raw.nbytes} bytes are no multiple of {items.itemsize}"
    except (struct.error, TypeError, IndexError, ZeroDivisionError) as found:
        error = str(found)  # the traceback of the error would keep the items alive
    raise BufferFormatError(f"format {item_format!r} cannot be read: {error}") from None


def reading_of(items: Any, item_format: str) -> Any:
    """Return the argument with which `formed` makes such items: a format, a class with arguments, or a NumPy type.

    ``Any`` stands for items of any type.
    """
    if isinstance(items, ByteItems):
        return items.form
    return items.dtype if class_of(type(items), "numpy.ndarray") else item_format


def formed(region: memoryview, start: int, form: Any) -> Any:
    """Return the items of a region that begins at byte ``start`` of its exporter; ``form`` is a result of `reading_of`.

    Raises
    ------
    BufferFormatError
        The bytes cannot be read in this form.
    """
    if isinstance(form, str):
        return read_as(region, form)
    if isinstance(form, tuple):
        return form[0](region, *form[1:])
    items = import_numpy().ndarray((region.nbytes // form.itemsize,), form, region.obj, start)
    items.flags.writeable = not region.readonly
    return items
