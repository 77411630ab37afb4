"""Formats of elements as people write them: a letter of `struct`, or a name that NumPy users know."""

from __future__ import annotations

import re
import struct
from contextlib import suppress
from typing import Final, final

from mdview.accessors.formats import native_format
from mdview.base.values import value
from mdview.errors import BufferFormatError
from mdview.views.export import import_numpy

SIZES: Final = {
    ("int", "i"): {1: "b", 2: "h", 4: "i", 8: "q"},
    ("uint", "u"): {1: "B", 2: "H", 4: "I", 8: "Q"},
    ("float", "f"): {2: "e", 4: "f", 8: "d"},
    ("complex", "c"): {8: "Zf", 16: "Zd"},
    ("bool", "b"): {1: "?"},
}
"""Letters of `struct` by number of bytes, for each kind of number; NumPy has a word for a kind and a letter."""
LETTERS: Final = {
    name: letter
    for (word, short), letters in SIZES.items()
    for size, letter in letters.items()
    for name in (word if word == "bool" else f"{word}{8 * size}", f"{short}{size}")
}
"""Names of NumPy's dtypes, without a byte order."""
LONG: Final = re.compile(r"[<>=|]?(datetime64|timedelta64|M8|m8)\[\w+\]|[<>=|]?[SUV]\d{1,9}")
"""What only NumPy can tell the size of: dates with their unit, texts and bytes with their length."""


@final
@value
class ItemFormat:
    """How an element is written in bytes: its format, and how many it has."""

    text: str
    size: int


def read_format(text: str) -> ItemFormat:
    """Return the format that a text says; ValueError if it says none.

    >>> read_format("float64"), read_format(">i4")
    (ItemFormat(text='d', size=8), ItemFormat(text='>i', size=4))
    """
    if LONG.fullmatch(text):
        dtype = import_numpy().dtype(text)
        return ItemFormat(dtype.str, dtype.itemsize)
    order, name = (text[0], text[1:]) if text[:1] in {"<", ">", "=", "|"} else ("", text)
    if name in LETTERS:
        text = f"{order.strip('|')}{LETTERS[name]}"
    with suppress(struct.error, BufferFormatError, UnicodeError):
        size = struct.calcsize(text.replace("Zf", "ff").replace("Zd", "dd"))  # a complex number is two real ones
        return ItemFormat(native_format(text, size), size)
    message = f"no format of elements: {text!r}"
    raise ValueError(message)
