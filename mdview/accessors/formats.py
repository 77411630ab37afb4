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

NATIVE: Final = {letter: calcsize(letter) for letter in "cbBhHiIlLqQnNfd?"}
"""Native formats, and the bytes of an item."""
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
_LETTERS: Final = {"i": "bhiq", "u": "BHIQ", "f": "efd", "c": ("Zf", "Zd"), "b": "?", "S": "c"}
"""The letters of a kind of items, each of another size."""


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
        f"format {told(text)} names no items: write one letter of struct's, {' '.join(sorted([*NATIVE, 'e']))}, "
        f"or Zf, Zd for complex numbers, perhaps behind a byte order, '>d'"
    )
    raise BufferFormatError(message)


def native_format(text: str, itemsize: int) -> str:
    """Return the native one-letter format of a buffer's format, or the format itself where `struct` must read it.

    Behind a byte order the size counts and not the letter: `ctypes` has longs of 8 bytes there, `struct` has none.
    """
    order, kind = (text[0], text[1:]) if text[:1] in {"<", ">", "!", "=", "@"} else ("@", text)
    letters = (kind,) if order == "@" else _LETTERS.get(_KINDS.get(kind, ""), ())
    known = (letter for letter in letters if letter in _KINDS)
    found = next((letter for letter in known if (NATIVE.get(letter) or struct_of(letter)[0].size) == itemsize), None)
    if found is None:
        message = f"items of format {text!r} ({itemsize} bytes) cannot be read; wrap a NumPy array with asview(array)"
        raise BufferFormatError(message)
    return order + found if order in _FOREIGN_ORDER and itemsize > 1 else found


def typestr(item_format: str, itemsize: int) -> str:
    """NumPy's type string of a buffer format: byte order, kind, size, ``"<f8"``."""
    item_format = item_format.lstrip("=@")
    order, kind = (item_format[0], item_format[1:]) if item_format[0] in "<>!" else ("", item_format)
    native = "<" if sys.byteorder == "little" else ">"
    mark = "|" if itemsize == 1 else ">" if order == "!" else order or native
    return f"{mark}{_KINDS[kind]}{itemsize}"
