"""Formats of items in the notation of `struct`: type codes, NumPy's type strings, ranges, errors for unfit values.

A format is native if a memoryview of that format reads its items. `struct` reads the items of other letters, and
`NarrowFloat` reads floats whose format has a name and no letter, such as ``bfloat16``. Elements of fewer than 8 bits
share bytes (``uint4``), or each element has its own byte (``|uint4``), as in ``ml_dtypes``.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterable, Mapping
from math import inf
from operator import index
from struct import Struct, calcsize
from typing import Any, Final, cast, final

from mdview.base import brief, is_index, kind_text, plural, value
from mdview.base.caches import cached_property
from mdview.errors import AbsentAttributeError, BufferFormatError, ElementError, ElementTypeError, MDViewError
from mdview.memory.narrow_floats import FLOAT4, NARROW, NarrowFloat

NATIVE: Final = {letter: calcsize(letter) for letter in "cbBhHiIlLqQnNfd?"}
"""The native formats, each with the size of an item in bytes."""
NATIVE_ORDER: Final = "<" if sys.byteorder == "little" else ">"
FOREIGN_ORDER: Final = ">!" if sys.byteorder == "little" else "<"
COMPLEX: Final = {"Zf": "ff", "Zd": "dd"}
LETTERS: Final = {
    "b1": "?",
    "i1": "b",
    "i2": "h",
    "i4": "i",
    "i8": "q",
    "u1": "B",
    "u2": "H",
    "u4": "I",
    "u8": "Q",
    "f2": "e",
    "f4": "f",
    "f8": "d",
    "c8": "Zf",
    "c16": "Zd",
    "S1": "c",
}
"""The `struct` letters by kind and size in bytes, as in NumPy: the only table of types. ``l`` is a synonym."""


@final
@value
class NarrowInt:
    """Integers of fewer than 8 bits, with the methods of `struct.Struct` for one number in a byte.

    The bits of the byte above the number are ignored when read and stored as 0.
    """

    bits: int
    is_signed: bool
    size = 1

    @cached_property
    def limits(self) -> tuple[int, int]:
        """The least and the largest number."""
        return (-(1 << self.bits - 1), (1 << self.bits - 1) - 1) if self.is_signed else (0, (1 << self.bits) - 1)

    def unpack_from(self, buffer: Any, offset: int) -> tuple[int]:  # Any: as `struct` takes it
        """Return the number in a byte, as a tuple of one."""
        return (self.decode(*_CODE.unpack_from(buffer, offset)),)

    def pack(self, number: Any) -> bytes:  # Any: other types than integers are refused
        """Return the byte of a number; the errors are the same as for `encode`."""
        return bytes((self.encode(number),))

    @cached_property
    def mask(self) -> int:
        """The mask of the bits of a number, the lowest bits of a byte."""
        return (1 << self.bits) - 1

    def decode(self, code: int) -> int:
        """Return the number of a code."""
        code &= self.mask
        return code - (code << 1 & self.is_signed << self.bits)

    def encode(self, number: Any) -> int:  # Any: see `pack`
        """Return the code of a number.

        Raises
        ------
        TypeError, OverflowError
            ``number`` is not an integer, or is out of range.
        """
        integer, (low, high) = index(number), self.limits
        if not low <= integer <= high:
            raise OverflowError
        return integer & self.mask


_CODE: Final = Struct("=B")
PACKED: Final[dict[str, NarrowInt | NarrowFloat]] = {
    **{f"uint{bits}": NarrowInt(bits, is_signed=False) for bits in (1, 2, 4)},
    **{f"int{bits}": NarrowInt(bits, is_signed=True) for bits in (1, 2, 4)},
    "float4_e2m1fn": FLOAT4,
}
"""Numbers that share bytes, by name; after ``">"`` the first number of a byte has the highest bits."""
NAMED: Final[dict[str, NarrowInt | NarrowFloat]] = {**NARROW, **{f"|{name}": code for name, code in PACKED.items()}}
"""Numbers of types without a letter, each number in its own bytes, by the name of the type in ``ml_dtypes``.

A name that is also in `PACKED` is preceded by ``"|"``.
"""
KINDS: Final = (
    {letter: kind[0] for kind, letter in LETTERS.items()}
    | {"l": "i", "n": "i", "L": "u", "N": "u"}
    | {name: name.lstrip("|").replace("b", "f")[0] for name in (*NAMED, *PACKED)}
)
"""NumPy's kinds of items by letter or name."""
WORDS: Final = {"i": "int", "u": "uint", "f": "float", "c": "complex"}
"""The word for each kind in the names of types."""
NAMES: Final = {"bool": "b1"} | {f"{WORDS[kind[0]]}{8 * int(kind[1:])}": kind for kind in LETTERS if kind[0] in WORDS}
"""The kind and size of numbers by their name in NumPy; zarr has the same names."""


def struct_of(item_format: str) -> tuple[Struct | NarrowInt | NarrowFloat, bool]:
    """Return the `Struct` of a format, or a similar object, and whether two values form one complex number."""
    if item_format in NAMED:
        return NAMED[item_format], False
    order, kind = (item_format[0], item_format[1:]) if item_format[0] in "<>!=@" else ("=", item_format)
    return Struct(order + COMPLEX.get(kind, kind)), kind in COMPLEX


def known_format(text: object) -> tuple[str, int]:
    """Return the normal form of a format of numbers, truth values or bytes, and the size of an item in bits.

    Raises
    ------
    BufferFormatError
        ``text`` is not a format of numbers, truth values or bytes.
    """
    if not isinstance(text, str):
        raise BufferFormatError(f"a format is a text as struct has it, 'd' or 'i', got {brief(text)}")
    kind = text.lstrip("@=<>!")
    if text in (kind, f"@{kind}") and kind in NATIVE:
        return kind, 8 * calcsize(kind)
    if kind in PACKED and text in {kind, f"<{kind}", f"={kind}", f">{kind}"}:
        return text.lstrip("<="), PACKED[kind].bits
    is_native = len(text) - len(kind) <= 1 and text[:1] not in FOREIGN_ORDER
    if kind in NAMED and (is_native or NAMED[kind].size == 1):
        return kind, 8 * NAMED[kind].size
    if len(text) - len(kind) <= 1 and kind in KINDS and kind not in {"n", "N", *NAMED, *PACKED}:
        size = struct_of(text)[0].size
        return native_format(text, size), 8 * size
    raise BufferFormatError(
        f"format {brief(text)} names no items: write one letter of struct's, {' '.join(sorted([*NATIVE, 'e']))}, "
        f"or Zf, Zd for complex numbers, perhaps behind a byte order, '>d', or a name without one, 'bfloat16', or "
        f"bits of a byte, {', '.join(PACKED)}"
    )


def native_format(text: str, itemsize: int) -> str:
    """Return the native letter for the format of a buffer, or else a format with a byte order for `struct`.

    After a byte order, the item size determines the type of an integer, because `ctypes` writes longs of 8 bytes with a
    letter that `struct` reads as 4 bytes.

    Raises
    ------
    BufferFormatError
        Items of this format cannot be read.
    """
    order, kind = (text[0], text[1:]) if text[:1] in {"<", ">", "!", "=", "@"} else ("@", text)
    letter = kind if order == "@" or kind in NAMED else LETTERS.get(f"{KINDS.get(kind)}{itemsize}")
    if letter not in KINDS or (NATIVE.get(letter) or struct_of(letter)[0].size) != itemsize:
        raise BufferFormatError(
            f"items of format {text!r} ({itemsize} bytes) cannot be read; wrap a NumPy array with asview(array)"
        )
    return order + letter if order in FOREIGN_ORDER and itemsize > 1 else letter


def typestr(item_format: str, itemsize: int) -> str:
    """Return NumPy's type string for a format: byte order, kind and size, as ``"<f8"``; or a name in ``ml_dtypes``."""
    if item_format in NAMED:
        return item_format
    item_format = item_format.lstrip("=@")
    order, kind = (item_format[0], item_format[1:]) if item_format[0] in "<>!" else ("", item_format)
    mark = "|" if itemsize == 1 else ">" if order == "!" else order or NATIVE_ORDER
    return f"{mark}{KINDS[kind]}{itemsize}"


def type_code(item_format: str, itemsize: int) -> str:
    """Return kind and size of items in native byte order, as ``"f8"``; an empty string for all other items."""
    try:
        letter, bits = known_format(item_format)
    except BufferFormatError:
        return ""
    return (
        typestr(letter, itemsize)[1:] if bits == 8 * itemsize and letter[0] not in "<>!" and letter not in NAMED else ""
    )


REFUSALS: Final = (TypeError, ValueError, OverflowError, struct.error)
"""The exceptions that items raise for a value that they do not take."""

_LARGEST: Final = {"e": "65504", "f": "3.4e38", "Zf": "3.4e38"}
_WHOLE: Final = frozenset(letter for letter, kind in KINDS.items() if kind in "iu")


def refusal(items: Any, value: object, error: Exception) -> Exception:
    """Return the error that explains why ``items`` do not take ``value``; an error of mdview is returned unchanged.

    ``Any`` stands for a memoryview, items that `struct` reads, or an array.
    """
    if isinstance(error, MDViewError):
        return error
    item_format = getattr(items, "format", None)
    if type(item_format) is not str:
        return _refusal_of_array(items, value, error)
    kind = item_format.lstrip("<>=!@")
    is_large = isinstance(error, ValueError | OverflowError)
    if isinstance(error, struct.error):
        is_large = kind != "c" and is_index(value)
    if is_large and not isinstance(value, str):
        limits = "" if kind == "c" else _range(kind)
        message = f"items of format {item_format!r} take {_taken(kind)}{limits}, got {kind_text(value)}"
        return ElementError(f"{message}; change the value, or choose a wider format")
    return ElementTypeError(
        f"items of format {item_format!r} take {_taken(kind)}, got {kind_text(value)}{_way(value, kind)}"
    )


def _refusal_of_array(items: Any, value: object, error: Exception) -> Exception:
    dtype = getattr(items, "dtype", None)
    if dtype is None:  # an error of a user's sequence stays
        return error
    kind = ElementTypeError if isinstance(error, TypeError) else ElementError
    return kind(f"items of type {dtype} do not take {kind_text(value)}; convert it first")


def _taken(kind: str) -> str:
    if kind in _WHOLE:
        return "integers"
    if kind == "c":
        return "bytes of length 1"
    return "complex numbers" if kind.startswith("Z") else "truth values" if kind == "?" else "real numbers"


def _range(kind: str) -> str:
    if kind not in _WHOLE:
        return f" up to {_LARGEST.get(kind, '1.8e308')}"
    low, high = integer_limits(kind)
    return f" from {low} to {high}"


def integer_limits(kind: str) -> tuple[int, int]:
    """Return the least and the largest integer of a format, which is given without a byte order."""
    code = PACKED.get(kind.lstrip("|")) or NarrowInt(8 * calcsize(kind), is_signed=KINDS[kind] == "i")
    return cast("NarrowInt", code).limits


def no_itemsize(item_format: str) -> AbsentAttributeError:
    """Return the error for a request of the item size of elements that share bytes."""
    kind = item_format.lstrip(">")
    bits = PACKED[kind].bits
    return AbsentAttributeError(
        f"elements of format {item_format!r} have {plural(bits, 'bit')} and share bytes, so there is no itemsize; "
        f"view.nbytes has the bytes of all, relayout(view, view.layout, '|{kind}') one element in a byte"
    )


def _way(value: object, kind: str) -> str:
    if isinstance(value, str | bytes | bytearray) or not isinstance(value, Iterable):
        is_fraction = isinstance(value, float) or hasattr(type(value), "is_integer")  # floats of NumPy have it, too
        if not is_fraction or kind not in _WHOLE:
            return "; convert it first"
        is_finite = abs(cast("float", value)) < inf
        first = "round it first: round(x), or np.rint(x).astype(int)" if is_finite else "replace it first"
        return f"; {first}; items of format 'd' hold it"
    if hasattr(type(value), "__getitem__") and not isinstance(value, Mapping):
        return "; an element takes one value, and a slice takes a sequence of its shape"
    return "; make a list of it, and store that through a slice"
