"""A format says what the bytes of an item are, in the notation of `struct`; ``Zf`` and ``Zd`` are complex numbers.

It is native where a memoryview of that format reads it; `struct` reads the others.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from struct import Struct, calcsize
from typing import Final

from mdview.base.texts import told
from mdview.errors import BufferFormatError

NATIVE: Final = {"c", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "n", "N", "f", "d", "?"}
_FOREIGN_ORDER: Final = ">!" if sys.byteorder == "little" else "<"
COMPLEX: Final = {"Zf": "ff", "Zd": "dd"}
_KINDS: Final = {
    **dict.fromkeys("bhilqn", "i"),
    **dict.fromkeys("BHILQN", "u"),
    **dict.fromkeys("efd", "f"),
    **dict.fromkeys(("Zf", "Zd"), "c"),
    "?": "b",
    "c": "S",
}


@lru_cache(maxsize=64)
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
        message = f"a format is a text as struct has it, 'd' or 'i', got {told(text)}"
        raise BufferFormatError(message)
    kind = text.lstrip("@=<>!")
    if text in (kind, f"@{kind}") and kind in NATIVE:
        return kind, calcsize(kind)
    if len(text) - len(kind) <= 1 and kind in _KINDS and kind not in "nN":
        size = struct_of(text)[0].size
        return native_format(text, size), size
    message = (
        f"format {told(text)} names no items: write one letter of struct's, {' '.join(sorted(NATIVE | {'e'}))}, "
        f"or Zf, Zd for complex numbers, perhaps behind a byte order, '>d'"
    )
    raise BufferFormatError(message)


def native_format(text: str, itemsize: int) -> str:
    """Return the native one-letter format of a buffer's format, or the format itself where `struct` must read it."""
    order, kind = (text[0], text[1:]) if text[:1] in {"<", ">", "!", "=", "@"} else ("@", text)
    if itemsize < 1 or (kind not in NATIVE and kind not in COMPLEX and kind != "e"):
        message = f"items of format {text!r} ({itemsize} bytes) cannot be read; wrap a NumPy array with asview(array)"
        raise BufferFormatError(message)
    if order in _FOREIGN_ORDER and itemsize > 1:
        return order + kind
    if kind not in NATIVE:
        return kind
    if order == "@":
        return kind
    letters = {"i": "bhiq", "u": "BHIQ", "f": "fd", "b": "?", "S": "c"}[_KINDS[kind]]
    return next(letter for letter in letters if calcsize(letter) == itemsize)


def typestr(item_format: str, itemsize: int) -> str:
    """NumPy's type string of a buffer format: byte order, kind, size, ``"<f8"``."""
    item_format = item_format.lstrip("=@")
    order, kind = (item_format[0], item_format[1:]) if item_format[0] in "<>!" else ("", item_format)
    native = "<" if sys.byteorder == "little" else ">"
    mark = "|" if itemsize == 1 else ">" if order == "!" else order or native
    return f"{mark}{_KINDS[kind]}{itemsize}"
