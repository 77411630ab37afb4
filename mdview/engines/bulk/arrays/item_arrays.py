"""The items of a view as one row of a NumPy array, over the same memory, and numbers in another format.

Storing numbers of another format one by one has Python's numbers stand between the two. An integer goes into an integer
format if it fits and is refused if it does not, and into a floating-point format by way of a double. A float goes into
no integer format. Any number has a truth. `struct`, which packs what no memoryview does (halves, complex numbers, the
other byte order), refuses what is too large for a float.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mdview.base.caches import remember
from mdview.errors import MissingExtraError
from mdview.memory.data_types import narrow_name, numpy_type
from mdview.memory.field_items import FieldItems, repacked
from mdview.memory.item_formats import typestr
from mdview.memory.struct_items import PackedItems, StructItems

Array = NDArray[Any]  # Any: of whatever format the items are
Type = np.dtype[Any]

_NUMBERS: Final = "biufc"
_ADDED: Final = 2
"""The ``isbuiltin`` of types that others have added to NumPy, for which buffers have no format."""

_types: dict[tuple[str, int], np.dtype[Any]] = {}


def row_of(items: object) -> Array | None:
    """Array over ``items``, or None where they are Python objects, or of a type that takes ``ml_dtypes``.

    >>> row_of(memoryview(b"ab")), row_of([1, 2])
    (array([97, 98], dtype=uint8), None)
    """
    if type(items) is memoryview:
        return np.frombuffer(items, _types.get((items.format, items.itemsize)) or type_of(items))
    if isinstance(items, StructItems):
        try:
            return np.frombuffer(items.raw, type_of(items))
        except MissingExtraError:
            return None
    if isinstance(items, SCATTERED):
        return gathered(lying(items), items)
    if not isinstance(items, np.ndarray):
        return None
    return None if items.dtype.hasobject or not items.flags.c_contiguous else items


def type_of(items: Any) -> np.dtype[Any]:
    """NumPy's type of items in memory. Any: a memoryview, or what `struct` reads."""
    key = items.format, items.itemsize
    return _types.get(key) or remember(_types, key, numpy_type(typestr(*key)))


Scattered: TypeAlias = PackedItems | FieldItems
SCATTERED: Final = (PackedItems, FieldItems)
"""Items of which no array has one after the other: several share a byte, or others lie between."""


def lying(items: Scattered, first: int = 0, stop: int | None = None) -> Array:
    """Return the bytes, or the items among others, from an item on, which the first of its byte is, up to another."""
    if isinstance(items, PackedItems):
        end = None if stop is None else -(-stop * items.bits // 8)
        return np.frombuffer(items.raw, np.uint8)[first * items.bits // 8 : end]
    found: Array = items.array[first:stop]
    return found


def gathered(part: Array, items: Scattered) -> Array:
    """Return a copy of the items of a part, one after the other."""
    return unpacked(part, items) if isinstance(items, PackedItems) else part.astype(gathered_type(items))


def gathered_type(items: Scattered) -> Type:
    """Return the type of such a copy."""
    return packed_type(items) if isinstance(items, PackedItems) else np.dtype(repacked(items.array.dtype))


def packed_type(items: PackedItems) -> Type:
    """NumPy's type of packed integers with one in a byte."""
    return np.dtype(np.int8 if items.low else np.uint8)


def unpacked(raw: Array, items: PackedItems) -> Array:
    """Return the integers that bytes hold, one in a byte.

    >>> unpacked(np.array([0x21, 0x8F], np.uint8), PackedItems(memoryview(b""), "int4"))
    array([ 1,  2, -1, -8], dtype=int8)
    """
    bits, count = items.bits, 8 // items.bits
    if bits == 1:
        return np.unpackbits(raw, bitorder="big" if items.is_big else "little")
    words = raw.astype(f"u{count}")
    spread = words << (8 - bits)
    for k in range(2, count):
        spread |= words << k * (8 - bits)
    spread |= words
    spread &= int.from_bytes(bytes([(1 << bits) - 1]) * count)
    found: Array = spread.astype(f"{_order(items)}u{count}", copy=False).view(np.uint8)
    if items.low:
        found ^= items.high + 1
        found -= items.high + 1
    return found.view(packed_type(items))


def packed(numbers: Array, items: PackedItems) -> Array:
    """Return the bytes of integers, or of truth values, that fill these; each is known to be in range."""
    bits, count = items.bits, 8 // items.bits
    if bits == 1:
        return np.packbits(numbers, bitorder="big" if items.is_big else "little")
    codes = numbers.view(np.uint8)
    words = (
        (codes & (1 << bits) - 1 if items.low else codes)
        .view(f"{_order(items)}u{count}")
        .astype(f"u{count}", copy=False)
    )
    joined = words >> (8 - bits)
    for k in range(2, count):
        joined |= words >> k * (8 - bits)
    joined |= words
    return joined.astype(np.uint8)


def _order(items: PackedItems) -> str:
    return ">" if items.is_big else "<"


def in_range(numbers: Array, items: PackedItems) -> bool:
    """Tell whether packed items take all these integers."""
    if not numbers.size or numbers.dtype.kind == "b":
        return True
    return int(numbers.max()) <= items.high and (numbers.dtype.kind == "u" or int(numbers.min()) >= items.low)


def strided(row: Array, shape: tuple[int, ...], start: int, strides: tuple[int, ...]) -> Array:
    """Array over a row, from item ``start`` on; NumPy checks that it stays within it.

    >>> strided(np.arange(6), (2, 2), 1, (3, 1))
    array([[1, 2],
           [4, 5]])
    """
    return row_array(row, shape, start * row.itemsize, steps_of(shape, strides, row.itemsize))


def steps_of(shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> tuple[int, ...]:
    """Return strides in bytes; that of a single index, which may be anything, is 0."""
    return tuple([s * size if n > 1 else 0 for n, s in zip(shape, strides, strict=True)])


def row_array(row: Array, shape: tuple[int, ...], start: int, steps: tuple[int, ...]) -> Array:
    """Array over a row by a first place and steps in bytes; NumPy checks that it stays within it."""
    if row.dtype.kind not in "mMV" and row.dtype.isbuiltin != _ADDED:
        return np.ndarray(shape, row.dtype, row, start, steps)
    as_void = row.view(f"V{row.itemsize}")  # no buffer has times, nor records of them
    return np.ndarray(shape, as_void.dtype, as_void, start, steps).view(row.dtype)


def as_bytes(array: Array) -> Array:
    """Return the same items; records, text and dates as bytes, so that each of them is copied."""
    is_number = array.dtype.kind in _NUMBERS and array.dtype.isbuiltin != _ADDED
    return array if is_number else array.view(f"V{array.itemsize}")


def widened(array: Array) -> Array:
    """Return the same numbers; narrow floats in single precision, which holds them all."""
    return array if narrow_name(array.dtype) is None else array.astype(np.float32)


def is_certain(source: Type, target: Type) -> bool:
    """Tell whether any number of one format fits the other, perhaps rounded."""
    if source == target:
        return True
    if narrow_name(target) is not None:  # each number has a nearest one, or an infinity or NaN
        return source.kind in "biuf" or narrow_name(source) is not None
    if target.kind not in "bf" or source.kind not in "biuf" or target == np.float16 or not target.isnative:
        return target.kind in "iu" and source.kind in "biu" and bool(np.can_cast(source, target, "safe"))
    return True


def as_type(values: Array, target: Type) -> Array | None:
    """Numbers in another format, None where they are to be stored one by one: one does not fit, or the rule is hard."""
    if values.dtype == target:
        return values
    values = widened(values)
    source, kind = values.dtype, "f" if narrow_name(target) else target.kind
    kinds = source.kind + kind
    if source.kind not in "biufc" or kind not in "biufc" or kinds in {"cb", "cf", "ci", "cu", "fi", "fu"}:
        return None
    if not values.size:
        return values.astype(target)
    if kind in "iu":
        return values.astype(target) if is_certain(source, target) or _all_fit(values, target) else None
    with np.errstate(over="ignore", invalid="ignore"):
        if kind != "b":
            values = values.astype(np.complex128 if kind == "c" else np.float64)
        found: Array = values.astype(target)
    return found if is_certain(source, target) or _is_exact_enough(values, found) else None


def _all_fit(values: Array, target: Type) -> bool:
    limits = np.iinfo(target)
    return limits.min <= int(values.min()) and int(values.max()) <= limits.max


def _is_exact_enough(values: Array, found: Array) -> bool:
    """Tell whether `struct` takes all these values: none has become infinite. For halves all are finite."""
    if found.dtype == np.float16 and not np.isfinite(values).all():
        return False
    return bool((np.isinf(_parts(found)) == np.isinf(_parts(values))).all())


def _parts(numbers: Array) -> Array:
    """Real and imaginary parts of complex numbers, side by side."""
    return numbers[..., None].view(np.real(numbers).dtype) if numbers.dtype.kind == "c" else numbers
