"""A format says what the bytes of an item are, in the notation of `struct`; ``Zf`` and ``Zd`` are complex numbers.

It is native where a memoryview of that format reads it; `struct` reads the others.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterable, Mapping
from struct import Struct, calcsize
from typing import Any, Final

from mdview.base.arguments import kind_text
from mdview.base.integers import is_index
from mdview.base.texts import told
from mdview.errors import BufferFormatError, ElementError, ElementTypeError, MDViewError

NATIVE: Final = {letter: calcsize(letter) for letter in "cbBhHiIlLqQnNfd?"}
"""Native formats, and the bytes of an item."""
_FOREIGN_ORDER: Final = ">!" if sys.byteorder == "little" else "<"
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
"""Letters of `struct` by NumPy's kind of an item and its bytes: the one table of types. ``l`` is another name there."""
KINDS: Final = {letter: kind[0] for kind, letter in LETTERS.items()} | {"l": "i", "n": "i", "L": "u", "N": "u"}
"""NumPy's kinds of items by letter."""
_WORDS: Final = {"i": "int", "u": "uint", "f": "float", "c": "complex"}
NAMES: Final = {"bool": "b1"} | {f"{_WORDS[kind[0]]}{8 * int(kind[1:])}": kind for kind in LETTERS if kind[0] in _WORDS}
"""NumPy's names of numbers, which are also those of zarr."""


def struct_of(item_format: str) -> tuple[Struct, bool]:
    """Return what reads a format, and whether its two values are one complex number."""
    order, kind = (item_format[0], item_format[1:]) if item_format[0] in "<>!=@" else ("=", item_format)
    return Struct(order + COMPLEX.get(kind, kind)), kind in COMPLEX


def known_format(text: object) -> tuple[str, int]:
    """Return the format of single numbers, truth values or bytes that a text names, and the bytes of one.

    Raises
    ------
    BufferFormatError
        It names none.
    """
    if not isinstance(text, str):
        raise BufferFormatError(f"a format is a text as struct has it, 'd' or 'i', got {told(text)}")
    kind = text.lstrip("@=<>!")
    if text in (kind, f"@{kind}") and kind in NATIVE:
        return kind, calcsize(kind)
    if len(text) - len(kind) <= 1 and kind in KINDS and kind not in "nN":
        size = struct_of(text)[0].size
        return native_format(text, size), size
    raise BufferFormatError(
        f"format {told(text)} names no items: write one letter of struct's, {' '.join(sorted([*NATIVE, 'e']))}, "
        f"or Zf, Zd for complex numbers, perhaps behind a byte order, '>d'"
    )


def native_format(text: str, itemsize: int) -> str:
    """Return the native one-letter format of a buffer's format, or the format itself where `struct` must read it.

    Behind a byte order the size counts and not the letter: `ctypes` has longs of 8 bytes there, `struct` has none.
    """
    order, kind = (text[0], text[1:]) if text[:1] in {"<", ">", "!", "=", "@"} else ("@", text)
    found = kind if order == "@" else LETTERS.get(f"{KINDS.get(kind)}{itemsize}")
    if found not in KINDS or (NATIVE.get(found) or struct_of(found)[0].size) != itemsize:
        raise BufferFormatError(
            f"items of format {text!r} ({itemsize} bytes) cannot be read; wrap a NumPy array with asview(array)"
        )
    return order + found if order in _FOREIGN_ORDER and itemsize > 1 else found


def typestr(item_format: str, itemsize: int) -> str:
    """NumPy's type string of a buffer format: byte order, kind, size, ``"<f8"``."""
    item_format = item_format.lstrip("=@")
    order, kind = (item_format[0], item_format[1:]) if item_format[0] in "<>!" else ("", item_format)
    native = "<" if sys.byteorder == "little" else ">"
    mark = "|" if itemsize == 1 else ">" if order == "!" else order or native
    return f"{mark}{KINDS[kind]}{itemsize}"


def kind_of(item_format: str, itemsize: int) -> str:
    """Return kind and bytes of items in this machine's byte order, ``"f8"``; the empty text for any others."""
    try:
        found, size = known_format(item_format)
    except BufferFormatError:
        return ""
    return typestr(found, size)[1:] if size == itemsize and found[0] not in "<>!" else ""


REFUSALS: Final = (TypeError, ValueError, OverflowError, struct.error)
"""What items raise for a value that they do not take."""

_LARGEST: Final = {"e": "65504", "f": "3.4e38", "Zf": "3.4e38"}
_WHOLE: Final = frozenset(letter for letter, kind in KINDS.items() if kind in "iu")


def refusal(items: Any, value: object, error: Exception) -> Exception:
    """Return the error that says why ``items`` do not take ``value``; an error of ours stays as it is.

    Any: a memoryview, items that `struct` reads, an array.
    """
    if isinstance(error, MDViewError):
        return error
    item_format = getattr(items, "format", None)
    if type(item_format) is not str:
        return _refusal_of_array(items, value, error)
    kind = item_format.lstrip("<>=!@")
    is_large = isinstance(error, ValueError | OverflowError)
    if isinstance(error, struct.error):
        is_large = kind in _WHOLE and is_index(value)
    if is_large and not isinstance(value, str):
        limits = "" if kind == "c" else _range(kind)
        message = f"items of format {item_format!r} take {_taken(kind)}{limits}, got {kind_text(value)}"
        return ElementError(f"{message}; change the value, or choose a wider format")
    return ElementTypeError(
        f"items of format {item_format!r} take {_taken(kind)}, got {kind_text(value)}{_way(value, kind)}"
    )


def _refusal_of_array(items: Any, value: object, error: Exception) -> Exception:
    dtype = getattr(items, "dtype", None)
    if dtype is None:  # a sequence of the user's own refuses in its own words
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
    is_signed = KINDS[kind] == "i"
    bits = 8 * calcsize(kind) - is_signed
    return f" from {-(2**bits) if is_signed else 0} to {2**bits - 1}"


def _way(value: object, kind: str) -> str:
    if isinstance(value, str | bytes | bytearray) or not isinstance(value, Iterable):
        is_fraction = isinstance(value, float) or hasattr(type(value), "is_integer")  # those of NumPy have it, too
        return "; round it first" if is_fraction and kind in _WHOLE else "; convert it first"
    if hasattr(type(value), "__getitem__") and not isinstance(value, Mapping):
        return "; an element takes one value, and a slice takes a sequence of its shape"
    return "; make a list of it, and store that through a slice"
