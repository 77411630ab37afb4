"""Formats of the elements of files, as people and headers write them, and the items that bytes of a format are.

People write a letter of `struct`, or a name that NumPy users know; a header has NumPy's description. Plain numbers are
read without NumPy, all else (records, texts, dates) by it.
"""

from __future__ import annotations

import re
import struct
from contextlib import suppress
from typing import Any, Final, final

from mdview.base.texts import told
from mdview.base.values import value
from mdview.errors import BufferFormatError
from mdview.memory.dtypes import LETTERS, NAMES, native_format, typestr
from mdview.memory.items import read_as
from mdview.memory.storage import Storage
from mdview.views.export import import_numpy

LONG: Final = re.compile(r"[<>=|]?(datetime64|timedelta64|M8|m8)\[\w+\]|[<>=|]?[SUV]\d{1,9}")
"""What only NumPy can tell the size of: dates with their unit, texts and bytes with their length."""
PLAIN: Final = re.compile(r"[<>=|]?[biufc]\d+")
"""How NumPy describes a number."""
NUMBERS: Final = "biufc"
"""NumPy's kinds of numbers."""


@final
@value
class ItemFormat:
    """How an element is written in bytes: its format, and how many it has.

    ``dtype`` is NumPy's type of what NumPy alone reads, else None. Any: NumPy is loaded on use.
    """

    text: str
    size: int
    dtype: Any = None

    def description(self) -> object:
        """Return how a header describes it."""
        if self.dtype is None:
            return typestr(self.text, self.size)
        return import_numpy().lib.format.dtype_to_descr(self.dtype)

    def storage(self, region: memoryview) -> Storage:
        """Hold bytes, as many as whole items have, as items of this format.

        Raises
        ------
        BufferFormatError
            Items without bytes, or those of Python, are in no memory.
        """
        if self.dtype is None:
            items = read_as(region, self.text)
            source = items if isinstance(items, memoryview) else region
            return Storage.of_items(source, items, self.text, self.size, readonly=region.readonly)
        if not self.size or self.dtype.hasobject:
            raise BufferFormatError(f"items of type {self.dtype} have no bytes of their own in a file")
        row = import_numpy().ndarray((region.nbytes // self.size,), self.dtype, region)
        return Storage.of_items(region, row, row.dtype.str, self.size, readonly=region.readonly)


def read_format(text: str) -> ItemFormat:
    """Return the format that a text says; BufferFormatError if it says none.

    >>> read_format("float64").text, read_format(">i4").text, read_format("complex64").size
    ('d', '>i', 8)
    """
    if not isinstance(text, str):
        raise BufferFormatError(f"no format of elements: {told(text)}")
    if LONG.fullmatch(text):
        with suppress(TypeError, ValueError):
            return of_dtype(import_numpy().dtype(text))
    order, name = (text[0], text[1:]) if text[:1] in {"<", ">", "=", "|"} else ("", text)
    given = text
    if (letter := LETTERS.get(NAMES.get(name, name))) is not None:
        text = f"{order.strip('|')}{letter}"
    with suppress(struct.error, BufferFormatError, UnicodeError):
        size = struct.calcsize(text.replace("Zf", "ff").replace("Zd", "dd"))  # a complex number is two real ones
        return ItemFormat(native_format(text, size), size)
    raise BufferFormatError(
        f"no format of elements: {told(given)}; write a letter of struct (d, >i), or a name of NumPy's (float64, S5)"
    )


def of_description(given: object) -> ItemFormat:
    """Return the format that a header describes. NumPy raises what it likes over what describes nothing."""
    if isinstance(given, str) and PLAIN.fullmatch(given):
        with suppress(BufferFormatError):
            return read_format(given)
    return of_dtype(import_numpy().lib.format.descr_to_dtype(given))


def of_dtype(dtype: Any) -> ItemFormat:
    """Return the format of NumPy's type: in the notation of `struct`, else NumPy's. Any: NumPy is loaded on use."""
    if dtype.subdtype is not None:
        raise BufferFormatError(f"items are no arrays, got {dtype}; give the array more dimensions")
    if dtype.kind in NUMBERS:  # the format of a record names each byte between its fields
        with suppress(BufferFormatError, ValueError):
            text = native_format(memoryview(import_numpy().empty(0, dtype)).format, dtype.itemsize)
            return ItemFormat(text, dtype.itemsize)
    return ItemFormat(dtype.str, dtype.itemsize, dtype)


def of_storage(storage: Storage) -> ItemFormat:
    """Return the format of the items of a storage.

    Raises
    ------
    BufferFormatError
        They are Python objects.
    """
    dtype = getattr(storage.items, "dtype", None)
    if storage.format == "O" or (dtype is not None and dtype.hasobject):
        raise BufferFormatError(
            "the elements are Python objects, which no file of numbers holds; say what to write: item_format='d'"
        )
    return ItemFormat(storage.format, storage.itemsize) if dtype is None else of_dtype(dtype)
