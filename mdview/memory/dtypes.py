"""A format says what the bytes of an item are, in the notation of `struct`; ``Zf`` and ``Zd`` are complex numbers.

It is native where a memoryview of that format reads it; `struct` reads the others. Callers name a format in several
ways, which `read_dtype` reads: letters of `struct`, NumPy's names and types, types of Python.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from struct import Struct, calcsize
from typing import Any, Final, Protocol, TypeAlias, final

from mdview.base.argument_checks import kind_text
from mdview.base.frozen_values import value
from mdview.base.integers import is_index
from mdview.base.message_texts import told
from mdview.base.optional_libraries import import_numpy
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
_NAMED: Final = {kind: name for name, kind in NAMES.items()}
_TYPES: Final = {bool: "?", int: "q", float: "d", complex: "Zd"}
"""The formats of Python's numbers."""


class TypeOfNumPy(Protocol):
    """A type of NumPy's, ``np.dtype("f8")``."""

    @property
    def subdtype(self) -> object:
        """What the items of an array in an item are, None where an item is no array."""
        ...


DType: TypeAlias = str | type[Any] | TypeOfNumPy
"""What names a format, see `read_dtype`. Any: a class of numbers of Python's or NumPy's."""


@final
@value
class ItemFormat:
    """How an element is written in bytes: its format, and how many bytes it has.

    ``dtype`` is NumPy's type of items that NumPy alone reads, else None. Any: NumPy is loaded on use.
    """

    text: str
    size: int
    dtype: Any = None

    @property
    def name(self) -> str:
        """NumPy's name of a number, ``"float64"``, or its text of any other type, with such names in records.

        >>> [read_dtype(text).name for text in ("d", ">i2", "c")]
        ['float64', '>i2', 'S1']
        """
        if self.dtype is None:
            text = typestr(self.text, self.size)
            return text if text[0] in _FOREIGN_ORDER else _NAMED.get(text[1:], text[1:])
        fields = [(name, self.dtype[name]) for name in self.dtype.names or ()]
        if not fields or any(kind.names or kind.subdtype for _, kind in fields):
            return str(self.dtype)
        named = [(name, of_dtype(kind).name) for name, kind in fields]
        return repr(named) if import_numpy().dtype(named) == self.dtype else str(self.dtype)

    def description(self) -> object:
        """Return how the header of a ``.npy`` file describes it."""
        if self.dtype is None:
            return typestr(self.text, self.size)
        return import_numpy().lib.format.dtype_to_descr(self.dtype)


def read_dtype(given: object) -> ItemFormat:
    """Return the format that ``dtype=`` names: a letter of `struct`, a name or type of NumPy's, a number of Python's.

    >>> read_dtype("float64").text, read_dtype(">i4").text, read_dtype("q").size, read_dtype(complex).text
    ('d', '>i', 8, 'Zd')

    Raises
    ------
    BufferFormatError
        It names none.
    """
    if isinstance(given, type) and given.__module__ == "numpy":
        with suppress(TypeError):
            given = import_numpy().dtype(given)
    if hasattr(given, "subdtype"):
        return of_dtype(given)
    text = _TYPES.get(given, given) if isinstance(given, type) else given
    if isinstance(text, str):
        if text[:1] == "[" or "," in text or _is_long(text.lstrip("<>=|")):
            with suppress(TypeError, ValueError, SyntaxError, RecursionError, MemoryError):
                read = import_module("ast").literal_eval if text[:1] == "[" else str  # 1 ms, for records only
                return of_dtype(import_numpy().dtype(read(text)))
        order, name = (text[0], text[1:]) if text[:1] in {"<", ">", "=", "|"} else ("", text)
        with suppress(BufferFormatError):
            return ItemFormat(*known_format(order.strip("|") + LETTERS.get(NAMES.get(name, name), name)))
    raise BufferFormatError(
        f"dtype {told(given)} names no items: write a letter of struct, 'd' or '>i', Zf or Zd for complex numbers, "
        "or a name of NumPy's, 'float64' or 'S5'"
    )


def of_dtype(dtype: Any) -> ItemFormat:
    """Return the format of NumPy's type: in the notation of `struct`, else NumPy's. Any: NumPy is loaded on use."""
    if dtype.subdtype is not None:
        raise BufferFormatError(f"items are no arrays, got {dtype}; give the array more dimensions")
    kind = LETTERS.get(dtype.str[1:])
    if dtype.kind in "biufc" and kind is not None:
        return ItemFormat(*known_format(dtype.str[0].strip("|") + kind))
    return ItemFormat(dtype.str, dtype.itemsize, dtype)


def _is_long(name: str) -> bool:
    """Tell whether NumPy alone knows the size of a name: dates have a unit, texts and bytes a length."""
    is_date = name.startswith(("datetime64[", "timedelta64[", "M8[", "m8["))
    return is_date or (name[:1] in {"S", "U", "V"} and name[1:].isdecimal() and len(name) <= _LONGEST)


_LONGEST: Final = 10
"""How many characters the name of a text of any length has."""


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
