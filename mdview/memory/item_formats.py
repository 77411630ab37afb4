"""Formats of items in the notation of `struct`, extended by ``Zf`` and ``Zd`` for complex numbers.

It is native where a memoryview of that format reads it; `struct` reads the others, and `NarrowFloat` the floats that
have a name and no letter, ``bfloat16``. Several elements of fewer than 8 bits share a byte, ``uint4``. Callers name a
format in several ways, which `read_dtype` reads: letters of `struct`, NumPy's names and types, those of ``ml_dtypes``,
types of Python.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from struct import Struct, calcsize
from typing import Any, Final, Literal, Protocol, TypeAlias, cast, final

from mdview.base.argument_checks import kind_text
from mdview.base.frozen_values import value
from mdview.base.integers import is_index
from mdview.base.message_texts import counted, told
from mdview.base.optional_libraries import import_ml_dtypes, import_numpy
from mdview.errors import AbsentAttributeError, BufferFormatError, ElementError, ElementTypeError, MDViewError
from mdview.memory.narrow_floats import NARROW, NarrowFloat

NATIVE: Final = {letter: calcsize(letter) for letter in "cbBhHiIlLqQnNfd?"}
"""Native formats, and the bytes of an item."""
_NATIVE_ORDER: Final = "<" if sys.byteorder == "little" else ">"
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
PACKED: Final = {"uint1": 1, "uint2": 2, "uint4": 4, "int2": 2, "int4": 4}
"""Bits of integers of which several share a byte; behind ``">"`` the first one of a byte has its highest bits."""
KINDS: Final = (
    {letter: kind[0] for kind, letter in LETTERS.items()}
    | {"l": "i", "n": "i", "L": "u", "N": "u"}
    | dict.fromkeys(NARROW, "f")
    | {name: name[0] for name in PACKED}
)
"""NumPy's kinds of items by letter, or by the name of a narrow float or of a packed integer."""
_WORDS: Final = {"i": "int", "u": "uint", "f": "float", "c": "complex"}
NAMES: Final = {"bool": "b1"} | {f"{_WORDS[kind[0]]}{8 * int(kind[1:])}": kind for kind in LETTERS if kind[0] in _WORDS}
"""NumPy's names of numbers, which are also those of zarr."""
_NAMED: Final = {kind: name for name, kind in NAMES.items()}
_TYPES: Final = {bool: "?", int: "q", float: "d", complex: "Zd"}
"""The formats of Python's numbers."""
_VALUES: Final[dict[str, type]] = {"b": bool, "i": int, "u": int, "f": float, "c": complex, "S": bytes}
"""The Python type of an item of each kind."""
_USER_TYPES: Final = 256
"""The number of the first type that others than NumPy have added to it."""


class TypeOfNumPy(Protocol):
    """A type of NumPy's, ``np.dtype("f8")``."""

    @property
    def subdtype(self) -> object:
        """The items of an array within an item, None where an item is no array."""
        ...


DTypeLike: TypeAlias = str | type[Any] | TypeOfNumPy
"""The spellings of a format, see `read_dtype`. Any: a class of numbers of Python's or NumPy's."""


@final
@value
class DType:
    """How an element is written in memory: its format, and how many bits it has.

    ``dtype`` is NumPy's type of items that NumPy alone reads, else None. Any: NumPy is loaded on use.
    """

    format: str
    bits: int
    dtype: Any = None

    @property
    def name(self) -> str:
        """NumPy's name of a number, ``"float64"``, or its text of any other type, with such names in records.

        >>> [read_dtype(text).name for text in ("d", ">i2", "c")]
        ['float64', '>i2', 'S1']
        """
        if self.dtype is None:
            text = self.format if self.bits % 8 else typestr(self.format, self.itemsize)
            return (
                text if self.bits % 8 or text in NARROW or text[0] in _FOREIGN_ORDER else _NAMED.get(text[1:], text[1:])
            )
        fields = [(name, self.dtype[name]) for name in self.dtype.names or ()]
        if not fields or any(kind.names or kind.subdtype for _, kind in fields):
            return str(self.dtype)
        named = [(name, of_dtype(kind).name) for name, kind in fields]
        return repr(named) if import_numpy().dtype(named) == self.dtype else str(self.dtype)

    @property
    def itemsize(self) -> int:
        """Bytes of an item.

        Raises
        ------
        AbsentAttributeError
            Several items share a byte.
        """
        if self.bits % 8:
            raise no_itemsize(self.format)
        return self.bits // 8

    def nbytes(self, count: int) -> int:
        """Return how many bytes so many items take, the last one perhaps in part.

        >>> read_dtype("float32").nbytes(3), read_dtype("uint4").nbytes(3)
        (12, 2)
        """
        return -(-count * self.bits // 8)

    def count(self, nbytes: int) -> int:
        """Return how many items lie in so many bytes."""
        return 8 * nbytes // (self.bits or 8)

    @property
    def type(self) -> type:
        """Python's type of an element that is read, `object` where NumPy alone reads it.

        >>> [read_dtype(name).type.__name__ for name in ("i4", "bfloat16", "c16", "?")]
        ['int', 'float', 'complex', 'bool']
        """
        return _VALUES.get(KINDS.get(self.format.lstrip("@=<>!"), ""), object)

    @property
    def byteorder(self) -> Literal["<", ">", "|"]:
        """Order of the bytes of an item, or of the items of a byte: little, big, or ``"|"`` for what has none."""
        if self.dtype is not None:
            order = str(self.dtype.str)[0]
        elif self.bits % 8:
            order = ">" if self.format[0] == ">" else "<"
        else:
            order = "|" if self.itemsize == 1 else typestr(self.format, self.itemsize)[0]
        return _NATIVE_ORDER if order not in {"<", ">", "|"} else cast("Any", order)

    def read_as(self, name: str) -> DType:
        """Return the narrow float that raw bytes of its size are.

        Raises
        ------
        BufferFormatError
            They are no such bytes.
        """
        size = NARROW[name].size
        if self.bits != 8 * size or getattr(self.dtype, "kind", "") != "V" or self.dtype.names:
            raise BufferFormatError(
                f"{name} is {size} raw bytes, '|V{size}', and not {self.format!r}; leave out dtype="
            )
        return DType(name, 8 * size)

    def description(self) -> object:
        """Return how the header of a ``.npy`` file describes it: bytes where NumPy has no name for it.

        Raises
        ------
        BufferFormatError
            The type is another library's, which NumPy writes as bytes without a name.
        """
        if self.bits % 8:
            return "|u1"
        if self.format in NARROW:
            return f"{self.byteorder}V{self.itemsize}"
        if self.dtype is None:
            return typestr(self.format, self.itemsize)
        if self.dtype.num >= _USER_TYPES:
            raise BufferFormatError(
                f"no header names items of type {self.dtype}, which would come back as bytes; convert them: "
                "asview(array.astype('f4'))"
            )
        return import_numpy().lib.format.dtype_to_descr(self.dtype)


def read_dtype(given: object) -> DType:
    """Return the format that ``dtype=`` names: a letter of `struct`, a name or type of NumPy's, a number of Python's.

    The names of narrow floats are those of ``ml_dtypes``, which need not be installed.

    >>> read_dtype("float64").format, read_dtype(">i4").format, read_dtype("q").itemsize, read_dtype(complex).format
    ('d', '>i', 8, 'Zd')
    >>> read_dtype("bfloat16").bits, read_dtype("float8_e4m3fn").bits
    (16, 8)

    Raises
    ------
    BufferFormatError
        It names none.
    """
    if isinstance(given, type) and given.__module__ in {"numpy", "ml_dtypes"}:
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
            return DType(*known_format(order.strip("|") + LETTERS.get(NAMES.get(name, name), name)))
    raise BufferFormatError(
        f"dtype {told(given)} names no items: write a letter of struct, 'd' or '>i', Zf or Zd for complex numbers, "
        "or a name, 'float64', 'S5', 'bfloat16' or 'uint4'"
    )


def of_dtype(dtype: Any) -> DType:
    """Return the format of NumPy's type: in the notation of `struct`, else NumPy's. Any: NumPy is loaded on use."""
    if dtype.subdtype is not None:
        raise BufferFormatError(f"items are no arrays, got {dtype}; give the array more dimensions")
    narrow = narrow_name(dtype)
    if narrow is not None:
        return DType(narrow, 8 * dtype.itemsize)
    kind = LETTERS.get(dtype.str[1:])
    if dtype.kind in "biufc" and kind is not None:
        return DType(*known_format(dtype.str[0].strip("|") + kind))
    return DType(dtype.str, 8 * dtype.itemsize, dtype)


def narrow_name(dtype: Any) -> str | None:  # Any: NumPy is loaded on use
    """Return the name of a narrow float that a type of ``ml_dtypes`` is; None for any other type.

    Raises
    ------
    BufferFormatError
        It is in the other byte order, in which ``ml_dtypes`` itself reads other numbers.
    """
    name = dtype.type.__name__ if dtype.num >= _USER_TYPES else ""
    if name not in NARROW:
        return None
    if dtype.byteorder not in {"=", _NATIVE_ORDER, "|"} and dtype.itemsize > 1:
        raise BufferFormatError(f"items of {name} are in this machine's byte order; copy them: array.astype({name!r})")
    return str(name)


def numpy_type(named: Any) -> Any:
    """Return NumPy's type of a `typestr`; that of a narrow float is one of ``ml_dtypes``. Any: may be a type itself.

    Raises
    ------
    MissingExtraError
        It takes ``ml_dtypes``, which is not installed.
    """
    if isinstance(named, str) and named in NARROW:
        named = getattr(import_ml_dtypes(), named)
    return import_numpy().dtype(named)


def _is_long(name: str) -> bool:
    """Tell whether NumPy alone knows the size of a name: dates have a unit, texts and bytes a length."""
    is_date = name.startswith(("datetime64[", "timedelta64[", "M8[", "m8["))
    return is_date or (name[:1] in {"S", "U", "V"} and name[1:].isdecimal() and len(name) <= _LONGEST)


_LONGEST: Final = 10
"""How many characters the name of a text of any length has."""


def struct_of(item_format: str) -> tuple[Struct | NarrowFloat, bool]:
    """Return what reads a format, and whether its two values are one complex number."""
    if item_format in NARROW:
        return NARROW[item_format], False
    order, kind = (item_format[0], item_format[1:]) if item_format[0] in "<>!=@" else ("=", item_format)
    return Struct(order + COMPLEX.get(kind, kind)), kind in COMPLEX


def known_format(text: object) -> tuple[str, int]:
    """Return the format of single numbers, truth values or bytes that a text names, and the bits of one.

    Raises
    ------
    BufferFormatError
        It names none.
    """
    if not isinstance(text, str):
        raise BufferFormatError(f"a format is a text as struct has it, 'd' or 'i', got {told(text)}")
    kind = text.lstrip("@=<>!")
    if text in (kind, f"@{kind}") and kind in NATIVE:
        return kind, 8 * calcsize(kind)
    if kind in PACKED and text in {kind, f"<{kind}", f"={kind}", f">{kind}"}:
        return text.lstrip("<="), PACKED[kind]
    is_native = len(text) - len(kind) <= 1 and text[:1] not in _FOREIGN_ORDER
    if kind in NARROW and (is_native or NARROW[kind].size == 1):
        return kind, 8 * NARROW[kind].size
    if len(text) - len(kind) <= 1 and kind in KINDS and kind not in {"n", "N", *NARROW, *PACKED}:
        size = struct_of(text)[0].size
        return native_format(text, size), 8 * size
    raise BufferFormatError(
        f"format {told(text)} names no items: write one letter of struct's, {' '.join(sorted([*NATIVE, 'e']))}, "
        f"or Zf, Zd for complex numbers, perhaps behind a byte order, '>d', or a name without one, 'bfloat16', or "
        f"bits of a byte, {', '.join(PACKED)}"
    )


def native_format(text: str, itemsize: int) -> str:
    """Return the native one-letter format of a buffer's format, or the format itself where `struct` must read it.

    Behind a byte order the size counts and not the letter: `ctypes` has longs of 8 bytes there, `struct` has none.
    """
    order, kind = (text[0], text[1:]) if text[:1] in {"<", ">", "!", "=", "@"} else ("@", text)
    found = kind if order == "@" or kind in NARROW else LETTERS.get(f"{KINDS.get(kind)}{itemsize}")
    if found not in KINDS or (NATIVE.get(found) or struct_of(found)[0].size) != itemsize:
        raise BufferFormatError(
            f"items of format {text!r} ({itemsize} bytes) cannot be read; wrap a NumPy array with asview(array)"
        )
    return order + found if order in _FOREIGN_ORDER and itemsize > 1 else found


def typestr(item_format: str, itemsize: int) -> str:
    """NumPy's type string of a buffer format: byte order, kind, size, ``"<f8"``; a narrow float has its name alone."""
    if item_format in NARROW:
        return item_format
    item_format = item_format.lstrip("=@")
    order, kind = (item_format[0], item_format[1:]) if item_format[0] in "<>!" else ("", item_format)
    mark = "|" if itemsize == 1 else ">" if order == "!" else order or _NATIVE_ORDER
    return f"{mark}{KINDS[kind]}{itemsize}"


def type_code(item_format: str, itemsize: int) -> str:
    """Return kind and bytes of items in this machine's byte order, ``"f8"``; the empty text for any others."""
    try:
        found, bits = known_format(item_format)
    except BufferFormatError:
        return ""
    return (
        typestr(found, itemsize)[1:] if bits == 8 * itemsize and found[0] not in "<>!" and found not in NARROW else ""
    )


REFUSALS: Final = (TypeError, ValueError, OverflowError, struct.error)
"""The exceptions of items for a value that they do not take."""

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
    low, high = limits(kind)
    return f" from {low} to {high}"


def limits(kind: str) -> tuple[int, int]:
    """Return the least and the largest integer of a format without its byte order."""
    is_signed = KINDS[kind] == "i"
    bits = (PACKED.get(kind) or 8 * calcsize(kind)) - is_signed
    return -(2**bits) if is_signed else 0, 2**bits - 1


def no_itemsize(item_format: str) -> AbsentAttributeError:
    """Return the error that elements have no size in bytes."""
    kind = item_format.lstrip(">")
    bits = PACKED[kind]
    return AbsentAttributeError(
        f"elements of format {item_format!r} have {counted(bits, 'bit')} and share bytes, so there is no itemsize; "
        f"view.nbytes has the bytes of all, relayout(view, view.layout, '{KINDS[kind]}1') one element in a byte"
    )


def _way(value: object, kind: str) -> str:
    if isinstance(value, str | bytes | bytearray) or not isinstance(value, Iterable):
        is_fraction = isinstance(value, float) or hasattr(type(value), "is_integer")  # those of NumPy have it, too
        return "; round it first" if is_fraction and kind in _WHOLE else "; convert it first"
    if hasattr(type(value), "__getitem__") and not isinstance(value, Mapping):
        return "; an element takes one value, and a slice takes a sequence of its shape"
    return "; make a list of it, and store that through a slice"
