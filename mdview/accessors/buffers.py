"""A storage is what a view's data is made of: items in one row, counted from 0, with a format and an owner.

Anything that exports a contiguous buffer is held by a ``memoryview`` of its one raw run of memory, which keeps the
exporter alive and locked: it can be neither resized nor closed while a view lives. Other sequences (``list``,
``tuple``, ``range``) are held as they are. No bare address is kept.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Sequence
from struct import Struct, calcsize
from typing import Any, Final, cast, final

from mdview.base.arguments import kind_text
from mdview.errors import AccessorError, BufferFormatError

_NATIVE: Final = {"c", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "n", "N", "f", "d", "?"}
_FOREIGN_ORDER: Final = ">!" if sys.byteorder == "little" else "<"
_COMPLEX: Final = {"Zf": "ff", "Zd": "dd"}
_KINDS: Final = {
    **dict.fromkeys("bhilqn", "i"),
    **dict.fromkeys("BHILQN", "u"),
    **dict.fromkeys("efd", "f"),
    **dict.fromkeys(("Zf", "Zd"), "c"),
    "?": "b",
    "c": "S",
}


@final
class Storage:
    """Items in one row.

    Attributes
    ----------
    source
        What the user gave.
    items
        What is indexed: ``items[offset]``.
    length
        How many items there are.
    format
        Element format in the notation of `struct`; ``"O"`` for the objects of a sequence.
    itemsize
        Bytes from one item to the next.
    readonly
        Whether storing is impossible.
    """

    __slots__ = ("__weakref__", "format", "items", "itemsize", "length", "readonly", "source")

    source: Any  # any exporter or sequence: its type is the user's
    items: Any
    length: int
    format: str
    itemsize: int
    readonly: bool

    def __init__(self, source: Any, item_format: str | None = None) -> None:
        """Hold a contiguous buffer or a sequence; with ``item_format``, read the bytes of a buffer as such items."""
        self.source = source
        try:
            exported = memoryview(source)  # what is no buffer raises TypeError here
        except TypeError:
            self._hold_sequence(source)
        except (ValueError, BufferError) as error:
            raise BufferFormatError(f"the buffer of {type(source).__name__} cannot be read: {error}") from None
        else:
            if item_format is not None or type(source) is memoryview or not self._hold_row(exported):
                self._hold_buffer(exported, item_format)

    @classmethod
    def of_items(cls, source: object, items: Any, item_format: str, itemsize: int, *, readonly: bool) -> Storage:
        """Hold ``items`` that index by themselves, made from ``source`` by whoever knows how."""
        self = object.__new__(cls)
        self.source, self.items, self.length = source, items, len(items)
        self.format, self.itemsize, self.readonly = item_format, itemsize, readonly
        return self

    def _hold_sequence(self, source: Any) -> None:  # Any: tested by its methods, as a sequence has no common base
        kind = type(source)
        if not (hasattr(kind, "__getitem__") and hasattr(kind, "__len__")) or isinstance(source, dict | set):
            message = (
                f"data must be a buffer (array.array, mmap, ...) or a sequence (list, ...), got {kind_text(source)}"
            )
            raise BufferFormatError(message)
        self.items = source
        try:
            self.length = len(source)
        except (ValueError, OverflowError) as error:
            raise BufferFormatError(f"the length of {kind.__name__} is no size: {error}") from None
        self.format = "O"
        self.itemsize = calcsize("P")
        self.readonly = not hasattr(kind, "__setitem__")

    def _hold_row(self, exported: memoryview) -> bool:
        """Hold a buffer as it is, if it is one row of items that a memoryview reads, and tell whether it is."""
        item_format = exported.format
        if exported.ndim != 1 or item_format not in _NATIVE or not exported.c_contiguous or not exported.nbytes:
            return False
        self.items, self.length, self.format = exported, len(exported), item_format
        self.itemsize, self.readonly = exported.itemsize, exported.readonly
        return True

    def _hold_buffer(self, exported: memoryview, item_format: str | None) -> None:
        self.format = item_format or native_format(exported.format, exported.itemsize)
        self.readonly = exported.readonly
        try:
            raw = self._raw(exported)
        except BufferError:
            message = (
                f"the buffer has shape {exported.shape} and byte strides {exported.strides}: it is not one run of "
                f"memory; wrap a NumPy array with asview(array), or copy it"
            )
            raise BufferFormatError(message) from None
        self.items = raw.cast(cast("Any", self.format)) if self.format in _NATIVE else StructItems(raw, self.format)
        self.itemsize = self.items.itemsize
        self.length = len(self.items)

    def recast(self, item_format: str) -> Storage:
        """Storage of the same bytes as items of another format."""
        raw = self.items.raw if isinstance(self.items, StructItems) else self.items
        try:
            size = calcsize(item_format)
        except (struct.error, TypeError) as error:
            message = f"format {item_format!r} cannot be read: {error}"
            raise BufferFormatError(message) from None
        if not isinstance(raw, memoryview) or size == 0:
            message = f"items of format {self.format!r} cannot be read as {item_format!r}"
            raise BufferFormatError(message)
        whole = raw.cast("B")
        usable = whole[: len(whole) // size * size]
        native = item_format in _NATIVE
        items: Any = usable.cast(cast("Any", item_format)) if native else StructItems(usable, item_format)
        return Storage.of_items(self.source, items, item_format, size, readonly=self.readonly)

    @property
    def item_alignment(self) -> int:
        """What the address of an item must be a multiple of: its size, for a complex number that of a part."""
        return self.itemsize // 2 if "Z" in self.format else self.itemsize

    def _raw(self, exported: memoryview) -> memoryview:
        """Bytes of the buffer in one row.

        Of its owner, never of a memoryview of it: CPython crashes when it collects a cycle with a buffer of a buffer.
        """
        if exported.nbytes and exported.c_contiguous and exported.format in _NATIVE:
            return exported.cast("B")
        if not exported.contiguous:
            raise BufferError
        from pickle import PickleBuffer  # noqa: PLC0415 - 2 ms that a view of a plain buffer need not wait for

        whole = PickleBuffer(exported.obj).raw()
        start = address_of(exported) - address_of(whole) if exported.nbytes < whole.nbytes else 0
        raw = whole[start : start + exported.nbytes]
        return raw.toreadonly() if exported.readonly else raw

    def address(self) -> int:
        """Address of item 0 in bytes, for checks of alignment; not kept, as only the buffer keeps it valid."""
        buffer = self.items.raw if isinstance(self.items, StructItems) else self.items
        if not isinstance(buffer, memoryview):
            message = f"a {type(self.source).__name__} has no address; alignment needs a buffer"
            raise AccessorError(message)
        return address_of(buffer)

    def _travels(self) -> bool:
        """Tell whether the source comes back from a pickle with the same bytes in the same places."""
        kind = type(self.source)
        if isinstance(self.source, bytes | bytearray | array):
            return True
        return kind.__module__ == "numpy" and memoryview(self.source).c_contiguous

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the source, with the format that its bytes are read in here, which need not be its own.

        What cannot travel as itself (memoryview, mmap) travels as its bytes.
        """
        if not isinstance(self.items, memoryview | StructItems):
            return Storage, (self.source,)
        is_recast = self._travels() and Storage(self.source).format != self.format
        if is_recast and native_order(self.source):
            return Storage, (self.source, self.format)
        if self._travels() and not is_recast:
            return Storage, (self.source,)
        raw = self.items.raw if isinstance(self.items, StructItems) else self.items
        return Storage, (bytes(raw) if self.readonly else bytearray(raw), self.format)


def native_order(source: object) -> bool:
    """Tell whether the bytes of an exporter come back from a pickle as they are; NumPy turns a foreign byte order."""
    return memoryview(cast("Any", source)).format[:1] not in _FOREIGN_ORDER


@final
class StructItems(Sequence[Any]):
    """Items of a format that ``memoryview`` cannot index (half, complex, foreign byte order), through `struct`."""

    __slots__ = ("_complex", "_struct", "format", "raw")

    format: str
    raw: memoryview

    def __init__(self, raw: memoryview, item_format: str) -> None:
        """Read and write items of ``item_format`` in the bytes ``raw``."""
        order, kind = (item_format[0], item_format[1:]) if item_format[0] in "<>!=@" else ("=", item_format)
        self.format = item_format
        self.raw = raw
        self._complex = kind in _COMPLEX
        self._struct = Struct(order + _COMPLEX.get(kind, kind))

    @property
    def itemsize(self) -> int:
        """Bytes of one item."""
        return self._struct.size

    def __len__(self) -> int:
        """Count the items."""
        return self.raw.nbytes // self._struct.size

    def __getitem__(self, offset: Any) -> Any:  # Any: items are what the format says
        """Item at ``offset``; negative ones count from the end."""
        values = self._struct.unpack_from(self.raw, self._position(offset))
        return complex(*values) if self._complex else values[0]

    def __setitem__(self, offset: int, value: Any) -> None:
        """Make ``value`` the item at ``offset``."""
        values = (complex(value).real, complex(value).imag) if self._complex else (value,)
        self._struct.pack_into(self.raw, self._position(offset), *values)

    def _position(self, offset: int) -> int:
        length = len(self)
        place = offset + length if offset < 0 else offset
        if not 0 <= place < length:
            message = "item offset out of range"
            raise IndexError(message)
        return place * self._struct.size


def native_format(text: str, itemsize: int) -> str:
    """Return the native one-letter format of a buffer's format, or the format itself where `struct` must read it."""
    order, kind = (text[0], text[1:]) if text[:1] in {"<", ">", "!", "=", "@"} else ("@", text)
    if itemsize < 1 or (kind not in _NATIVE and kind not in _COMPLEX and kind != "e"):
        message = f"items of format {text!r} ({itemsize} bytes) cannot be read; wrap a NumPy array with asview(array)"
        raise BufferFormatError(message)
    if order in _FOREIGN_ORDER and itemsize > 1:
        return order + kind
    if kind not in _NATIVE:
        return kind
    if order == "@":
        return kind
    letters = {"i": "bhiq", "u": "BHIQ", "f": "fd", "b": "?", "S": "c"}[_KINDS[kind]]
    return next(letter for letter in letters if calcsize(letter) == itemsize)


def typestr(item_format: str, itemsize: int) -> str:
    """NumPy's type string of a buffer format: byte order, kind, size, ``"<f8"``."""
    order, kind = (item_format[0], item_format[1:]) if item_format[0] in "<>!" else ("", item_format)
    native = "<" if sys.byteorder == "little" else ">"
    mark = "|" if itemsize == 1 else ">" if order == "!" else order or native
    return f"{mark}{_KINDS[kind]}{itemsize}"


def address_of(buffer: memoryview) -> int:
    """Address in bytes of a contiguous buffer's first byte."""
    import ctypes  # noqa: PLC0415 - 10 ms that only alignment checks need

    view = (ctypes.c_void_p * 16)()  # a Py_buffer is 80 bytes whose first field is the address
    get, release = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release
    get(ctypes.py_object(buffer), ctypes.byref(view), 0)
    address = int(view[0] or 0)
    release(ctypes.byref(view))
    return address
