"""NumPy arrays over the items of a view, and conversions of numbers between formats by Python's rules.

A store of one element converts a Python number to the format of the items. An integer that does not fit an integer
format is refused; in a floating-point format it is stored by way of a double. A float is refused by integer formats.
Any number can be stored as a truth value. `struct`, which packs formats that no memoryview supports (halves, complex
numbers, the other byte order), refuses numbers that are too large for a float. Conversions of arrays follow the same
rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mdview.errors import MissingExtraError
from mdview.memory.data_types import narrow_name, numpy_type
from mdview.memory.item_formats import FOREIGN_ORDER, KINDS, NATIVE, integer_limits, typestr
from mdview.memory.struct_items import ByteItems, is_scattered

Array = NDArray[Any]  # Any: items of any format
Type = np.dtype[Any]

UNITS: Final = (16, 8, 4, 2, 1)
"""Sizes in bytes of items that processors move by one instruction."""
LARGEST: Final = max(UNITS)
WORDS: Final = {unit: f"u{unit}" if unit < LARGEST else "c16" for unit in UNITS}
"""NumPy types of these sizes."""
_IN_ALL: Final = 128
"""The least natural number that some numeric type cannot represent."""
_EXTENDED: Final = 63
"""Bits of the fraction of x86's long double."""
_EXTENDED_BYTES: Final = 10
_BYTES: Final = [bytes((k,)) for k in range(256)]
_NUMBERS: Final = "biufc"
_ADDED: Final = 2
"""The value of ``isbuiltin`` for types that other libraries add to NumPy; buffers have no format for these types."""

_TYPES: Final[dict[str, Type]] = {
    order + letter: numpy_type(typestr(order + letter, size))
    for letter, size in {**NATIVE, "e": 2, "Zf": 8, "Zd": 16}.items()
    for order in ("", FOREIGN_ORDER[0])
}
"""NumPy types by format, for numbers and bytes, without the types of ``ml_dtypes``."""


def row_of(items: Any) -> Array | None:
    """Return an array over items, or a copy of scattered items.

    The result is None if the items are Python objects, or if their type needs ``ml_dtypes`` and it is not installed.

    >>> row_of(memoryview(b"ab")), row_of([1, 2])
    (array([97, 98], dtype=uint8), None)
    """
    if type(items) is memoryview:
        return np.frombuffer(items, type_of(items))
    if isinstance(items, np.ndarray):
        return None if items.dtype.hasobject or not items.flags.c_contiguous else items
    if not isinstance(items, ByteItems):
        return None
    try:
        copied: Array | None = items.numbers(0, len(items)) if is_scattered(items) else None
        return np.frombuffer(items.raw, type_of(items)) if copied is None else copied
    except MissingExtraError:
        return None


def have_number_type(items: Any) -> bool:
    """Tell whether items are scattered and have a NumPy type."""
    try:
        return is_scattered(items) and items.dtype is not None
    except MissingExtraError:
        return False


def type_of(items: Any) -> np.dtype[Any]:
    """Return the NumPy type of items in memory, which are a memoryview or items that `struct` reads."""
    return _TYPES.get(items.format) or numpy_type(typestr(items.format, items.itemsize))


def value_words(row: Array) -> Array:
    """Return the bytes of the values of items, without padding bytes, as an array of words as long as possible.

    >>> value_words(np.zeros(2, np.dtype("i1, i4", align=True))).shape
    (10,)
    """
    size = row.itemsize
    held = _value_bytes(row.dtype)
    if len(held) < size:
        return row.view("u1").reshape(-1, size)[:, held].reshape(-1)
    return row.view(f"u{gcd(size, LARGEST // 2)}")


def _value_bytes(dtype: Type) -> list[int]:
    """Return the positions of the bytes of an item that represent its value.

    Bytes between fields, and unused bytes, are left out. The long double of x86 uses 10 of 12 or 16 bytes.
    """
    size, parts = dtype.itemsize, dtype.fields
    if parts is not None:
        return sorted({field[1] + k for field in parts.values() for k in _value_bytes(field[0])})
    if dtype.subdtype is not None:
        step = dtype.base.itemsize
        return [begin + k for begin in range(0, size, step) for k in _value_bytes(dtype.base)]
    number = size // 2 if dtype.kind == "c" else size
    is_extended = dtype.kind in "fc" and dtype.char in "gG" and np.finfo(dtype).nmant == _EXTENDED
    return [k for k in range(size) if not is_extended or k % number < _EXTENDED_BYTES]


def row_array(row: Array, shape: tuple[int, ...], start: int, steps: tuple[int, ...]) -> Array:
    """Return an array over ``row`` with a start and strides in bytes; NumPy checks its bounds."""
    if row.dtype.kind not in "mMV" and row.dtype.isbuiltin != _ADDED:
        return np.ndarray(shape, row.dtype, row, start, steps)
    as_void = row.view(f"V{row.itemsize}")  # buffers cannot have dates, durations, or records of them
    return np.ndarray(shape, as_void.dtype, as_void, start, steps).view(row.dtype)


def as_bytes(array: Array) -> Array:
    """Return an array over the same items; records, strings and dates are viewed as bytes, so that a copy is exact."""
    is_number = array.dtype.kind in _NUMBERS and array.dtype.isbuiltin != _ADDED
    return array if is_number else array.view(f"V{array.itemsize}")


def number_type(dtype: Type) -> Type:
    """Return NumPy's own type for all numbers of an ``ml_dtypes`` type; other types are returned unchanged."""
    kind = KINDS.get(narrow_name(dtype) or "")
    return dtype if kind is None else np.dtype({"f": "f4", "i": "i1", "u": "u1"}[kind])


def widened(array: Array) -> Array:
    """Return an array of the same numbers in NumPy's own type, see `number_type`."""
    target = number_type(array.dtype)
    return array if target is array.dtype else array.astype(target)


def is_certain(source: Type, target: Type) -> bool:
    """Tell whether any number of one type can be stored in the other, perhaps rounded."""
    if source == target:
        return True
    source, narrow = number_type(source), narrow_name(target)
    if narrow is not None:  # each number rounds to a narrow float, an infinity or a NaN
        return source.kind in "biuf" and KINDS[narrow] == "f"
    if target.kind not in "bf" or source.kind not in "biuf" or target == np.float16 or not target.isnative:
        return target.kind in "iu" and source.kind in "biu" and bool(np.can_cast(source, target, "safe"))
    return True


def is_cast(source: Type, target: Type) -> bool:
    """Tell whether any number of one type can be stored in the other, and NumPy's cast has the result of a store."""
    is_long = source.kind in "iu" and source.itemsize > 4  # noqa: PLR2004 - bytes; a double may round longer integers
    return is_certain(source, target) and not (is_long and number_type(target).kind == "f")


def are_comparable(first: Type, second: Type) -> bool:
    """Tell whether NumPy compares elements of these types exactly, as Python does."""
    if first == second:
        return bool(first.kind != "O")
    kinds = {first.kind, second.kind}
    if kinds & set("fc") and kinds <= set("biufc"):  # a double holds integers of 32 bits
        return not any(kind.kind in "iu" and kind.itemsize > 4 for kind in (first, second))  # noqa: PLR2004
    return kinds <= set("biu")


def as_type(values: Array, target: Type) -> Array | None:
    """Return numbers in another type; None if a number does not fit or NumPy's cast differs from stores one by one."""
    if values.dtype == target:
        return values
    values, narrow = widened(values), narrow_name(target)
    source, kind = values.dtype, KINDS[narrow] if narrow else target.kind
    kinds = source.kind + kind
    if source.kind not in "biufc" or kind not in "biufc" or kinds in {"cb", "cf", "ci", "cu", "fi", "fu"}:
        return None
    if not values.size:
        return values.astype(target)
    if kind in "iu":
        lowest, highest = integer_limits(narrow) if narrow else (np.iinfo(target).min, np.iinfo(target).max)
        fits = is_certain(source, target) or within(values, lowest, highest)
        return values.astype(target) if fits else None
    with np.errstate(over="ignore", invalid="ignore"):
        if kind == "c" or (kind == "f" and source.kind in "iu"):
            values = values.astype(np.complex128 if kind == "c" else np.float64)
        found: Array = values.astype(target)
    return found if is_certain(source, target) or _is_exact_enough(values, found) else None


def within(values: Array, lowest: int, highest: int) -> bool:
    """Tell whether all integers or truth values are in a range."""
    if not values.size:
        return True
    return int(values.max()) <= highest and ((values.dtype.kind != "i" and lowest <= 0) or lowest <= int(values.min()))


def _is_exact_enough(values: Array, found: Array) -> bool:
    """Tell whether `struct` accepts all values: finite values stay finite, and for halves all values are finite."""
    if found.dtype == np.float16 and not np.isfinite(values).all():
        return False
    return bool((np.isinf(_parts(found)) == np.isinf(_parts(values))).all())


def _parts(numbers: Array) -> Array:
    """Return real and imaginary parts of complex numbers along a last axis; other numbers are returned unchanged."""
    return numbers[..., None].view(np.real(numbers).dtype) if numbers.dtype.kind == "c" else numbers


def common_type(known: Type, constant: Any) -> Type:
    """Return a type that represents elements of type ``known`` and a constant exactly, or ``object`` if none exists."""
    if type(constant) is int and known.kind in "iufc" and 0 <= constant < _IN_ALL:
        return known
    wanted = np.asarray(constant).dtype
    are_numbers = {known.kind, wanted.kind} <= set("biufc")
    kinds = [known, np.result_type(known, wanted)] if are_numbers else [known]
    return next((each for each in kinds if is_certain(known, each) and _holds(each, constant)), np.dtype(object))


def _holds(known: Type, constant: Any) -> bool:
    """Tell whether an array of a type can represent a constant exactly."""
    try:
        with np.errstate(all="ignore"):
            kept = np.asarray(constant, known)[()]
        if known.kind == "m" and np.asarray(constant).dtype.kind in "biu":
            kept = kept.astype(np.int64)  # NumPy cannot compare a duration with a number of units
        return bool(kept == constant) or bool(constant != constant and kept != kept)  # noqa: PLR0124 - a NaN
    except (TypeError, ValueError, OverflowError):
        return False


def one_by_one(elements: Array, items: Any) -> list[Any]:
    """Return elements with the types of loads one by one; records, strings and dates are NumPy scalars."""
    if elements.dtype.kind not in "SUVMm" or narrow_name(elements.dtype):
        found: list[Any] = elements.ravel().tolist()
        return found
    if isinstance(items, memoryview):
        return [_BYTES[k] for k in elements.view("u1").ravel().tolist()]  # NumPy drops trailing zero bytes
    return list(elements.ravel())


def objects(found: Sequence[Any]) -> Array:
    """Return an array of Python objects."""
    return np.fromiter(found, object, len(found))
