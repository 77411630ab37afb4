"""Types of elements: a ``dtype=`` argument becomes a format and a size in bits; likely names for a wrong type.

`read_dtype` reads all spellings of a type: `struct` letters, names and types of NumPy and ``ml_dtypes``, Python types.
"""

from __future__ import annotations

import re
from contextlib import suppress
from importlib import import_module
from typing import Any, Final, Literal, Protocol, TypeAlias, cast, final

from mdview.base import answer_calls, brief, import_numpy, value
from mdview.base.caches import remembered_by_value
from mdview.base.optional_libraries import import_ml_dtypes
from mdview.base.wrong_calls import closest
from mdview.errors import BufferFormatError, MissingExtraError
from mdview.memory import item_formats
from mdview.memory.item_formats import KINDS, LETTERS, NAMED, NAMES, NATIVE_ORDER, PACKED, known_format, typestr

_NAMED: Final = {kind: name for name, kind in NAMES.items()}
_TYPES: Final = {bool: "?", int: "q", float: "d", complex: "Zd"}
"""The formats of Python's number types."""
_SPELT: Final = {"half": "e", "single": "f", "double": "d", "bf16": "bfloat16"} | {
    kind.__name__: letter for kind, letter in _TYPES.items()
}
"""Other names of formats: names of C types and of Python's number types, and a short name of ``bfloat16``."""
_SPELLINGS: Final = (
    "a letter of struct, 'd' or '>i', Zf or Zd for complex numbers, or a name, 'float64', 'S5', 'bfloat16' or 'uint4'"
)
_VALUES: Final[dict[str, type]] = {"b": bool, "i": int, "u": int, "f": float, "c": complex, "S": bytes}
"""The Python type of an item of each kind."""
_USER_TYPES: Final = 256
"""The lowest type number that NumPy assigns to the types of other libraries."""


class TypeOfNumPy(Protocol):
    """A NumPy data type, such as ``np.dtype("f8")``."""

    @property
    def subdtype(self) -> object:
        """The type of the entries if an item is an array, else None."""
        ...


DTypeLike: TypeAlias = str | type[Any] | TypeOfNumPy
"""The spellings of a format, see `read_dtype`. ``Any`` stands for a Python or NumPy number class."""


@final
@value
class DType:
    """The representation of an element in memory: its format and its size in bits.

    ``dtype`` is the NumPy type of items that only NumPy reads, else None. Any: NumPy is loaded on use.
    """

    format: str
    bits: int
    dtype: Any = None

    @property
    def name(self) -> str:
        """The name of the type in NumPy: ``"float64"`` for a numeric type, the type string or the repr otherwise.

        For a record, it is a list of the names and the types of its fields, if NumPy reads the list as the same type.

        >>> [read_dtype(text).name for text in ("d", ">i2", "c")]
        ['float64', '>i2', 'S1']
        """
        if self.dtype is None:
            text = self.format if self.bits % 8 else typestr(self.format, self.itemsize)
            is_name = self.bits % 8 or text in NAMED or text[0] in item_formats.FOREIGN_ORDER
            return text if is_name else _NAMED.get(text[1:], text[1:])
        fields = [(name, self.dtype[name]) for name in self.dtype.names or ()]
        if not fields or any(kind.names or kind.subdtype for _, kind in fields):
            return str(self.dtype)
        named = [(name, of_dtype(kind).name) for name, kind in fields]
        return repr(named) if import_numpy().dtype(named) == self.dtype else str(self.dtype)

    @property
    def itemsize(self) -> int:
        """The size of an item in bytes.

        Raises
        ------
        AbsentAttributeError
            Several items share a byte.
        """
        if self.bits % 8:
            raise item_formats.no_itemsize(self.format)
        return self.bits // 8

    @answer_calls
    def nbytes(self, count: int) -> int:
        """Return the number of bytes of ``count`` items, rounded up to whole bytes.

        >>> read_dtype("float32").nbytes(3), read_dtype("uint4").nbytes(3)
        (12, 2)
        """
        return -(-count * self.bits // 8)

    @answer_calls
    def count(self, nbytes: int) -> int:
        """Return the number of whole items in ``nbytes`` bytes."""
        return 8 * nbytes // (self.bits or 8)

    @property
    def type(self) -> type:
        """The Python type of a loaded element, or `object` if only NumPy reads the items.

        >>> [read_dtype(name).type.__name__ for name in ("i4", "bfloat16", "c16", "?")]
        ['int', 'float', 'complex', 'bool']
        """
        return _VALUES.get(KINDS.get(self.format.lstrip("@=<>!"), ""), object)

    @property
    def byteorder(self) -> Literal["<", ">", "|"]:
        """The order of the bytes of an item, or of the items in a byte: little, big, or ``"|"`` if there is none."""
        if self.dtype is not None:
            order = str(self.dtype.str)[0]
        elif self.bits % 8:
            order = ">" if self.format[0] == ">" else "<"
        else:
            order = "|" if self.itemsize == 1 else typestr(self.format, self.itemsize)[0]
        return NATIVE_ORDER if order not in {"<", ">", "|"} else cast("Any", order)

    def description(self) -> object:
        """Return the description of the type in the header of a ``.npy`` file: raw bytes if NumPy has no such type.

        Raises
        ------
        BufferFormatError
            The type belongs to another library, and NumPy would write it as raw bytes without a name.
        """
        if self.bits % 8:
            return "|u1"
        if self.format in NAMED:
            return f"{self.byteorder}V{self.itemsize}"
        if self.dtype is None:
            return typestr(self.format, self.itemsize)
        if self.dtype.num >= _USER_TYPES:
            raise BufferFormatError(
                f"no header names items of type {self.dtype}, which would come back as bytes; convert them: "
                "asview(array.astype('f4'))"
            )
        return import_numpy().lib.format.dtype_to_descr(self.dtype)


def read_dtype(dtype: object) -> DType:
    """Return the type for ``dtype=``: a `struct` letter, a NumPy name or type, or a Python number class.

    Narrow numbers have the same names as in ``ml_dtypes``, which need not be installed. Numbers of up to 4 bits share
    bytes. The first number of a byte has the lowest bits, or the highest bits if the name begins with ``">"``. If the
    name begins with ``"|"``, each number has its own byte, as in arrays of ``ml_dtypes``.

    >>> read_dtype("float64").format, read_dtype(">i4").format, read_dtype("q").itemsize, read_dtype(complex).format
    ('d', '>i', 8, 'Zd')
    >>> [read_dtype(name).bits for name in ("bfloat16", "float8_e4m3fn", "int4", "|int4")]
    [16, 8, 4, 8]

    Raises
    ------
    BufferFormatError
        ``dtype`` describes no type of items.
    """
    kind = _read_text(dtype) if type(dtype) is str else None
    if kind is not None:
        return kind
    if isinstance(dtype, type) and dtype.__module__ in {"numpy", "ml_dtypes"}:
        with suppress(TypeError):
            dtype = import_numpy().dtype(dtype)
    if hasattr(dtype, "subdtype"):
        return of_dtype(dtype)
    text = _TYPES.get(dtype, dtype) if isinstance(dtype, type) else dtype
    kind = _read_text(text) if isinstance(text, str) else None
    if kind is not None:
        return kind
    way = " or ".join(map(repr, _likely_names(text) if isinstance(text, str) else ())) or _SPELLINGS
    raise BufferFormatError(f"dtype {brief(dtype)} names no items: write {way}")


@remembered_by_value(256)
def _read_text(text: str) -> DType | None:
    """Return the type that a string describes, or None.

    Results are cached, since reading takes 3 µs, as long as all other steps of `empty`.
    """
    if text[:1] == "[" or "," in text or _is_long(text.lstrip("<>=|")):
        with suppress(TypeError, ValueError, SyntaxError, RecursionError, MemoryError):
            read = import_module("ast").literal_eval if text[:1] == "[" else str  # 1 ms, for records only
            return of_dtype(import_numpy().dtype(read(text)))
    order, name = (text[0], text[1:]) if text[:1] in {"<", ">", "=", "|"} else ("", text)
    with suppress(BufferFormatError):
        order = order if name in PACKED else order.strip("|")
        return DType(*known_format(order + LETTERS.get(NAMES.get(name, name), _SPELT.get(name, name))))
    return None


def _likely_names(text: str) -> list[str]:
    """Return the type names that a misspelt string may mean: names that begin with it, else names that contain it.

    If there are no such names, the result is the most similar name, if there is one. A leading ``f`` before a digit is
    read as ``float``, and ``i``, ``u`` and ``c`` as ``int``, ``uint`` and ``complex``.

    >>> _likely_names("f32"), _likely_names("e5m2"), _likely_names("flaot64"), _likely_names("x")
    (['float32'], ['float8_e5m2', 'float8_e5m2fnuz'], ['float64'], [])
    """
    names = [name for name in (*NAMES, *NAMED, *PACKED) if name[0] != "|"]
    word = re.sub(r"^(fp?|i|u|c)(?=\d)", lambda kind: item_formats.WORDS[kind[0][0]], text.lower())
    likely = [name for name in names if word in name] if word[2:] else []
    first = [name for name in likely if name.startswith(word)]
    return first or likely or [name for name in [closest(text, names)] if name]


def of_dtype(dtype: Any) -> DType:
    """Return the `DType` for a NumPy type. ``Any`` stands for ``np.dtype``, as NumPy is loaded on use.

    The format is in the notation of `struct`, or the name of a narrow number, or NumPy's type string for all other
    types.
    """
    if dtype.subdtype is not None:
        raise BufferFormatError(f"items are no arrays, got {dtype}; give the array more dimensions")
    narrow = narrow_name(dtype)
    if narrow is not None:
        return DType(narrow, 8 * dtype.itemsize)
    kind = LETTERS.get(dtype.str[1:])
    if dtype.kind in "biufc" and kind is not None:
        return cast("DType", _read_text(dtype.str[0].strip("|") + kind))
    return DType(dtype.str, 8 * dtype.itemsize, dtype)


def narrow_name(dtype: Any) -> str | None:  # Any: NumPy is loaded on use
    """Return the name of a type of ``ml_dtypes`` whose numbers mdview reads itself; None for any other type.

    Raises
    ------
    BufferFormatError
        The type has the foreign byte order, in which ``ml_dtypes`` itself reads wrong numbers.
    """
    name = dtype.type.__name__ if dtype.num >= _USER_TYPES else ""
    name = f"|{name}" if name in PACKED else name
    if name not in NAMED:
        return None
    if dtype.byteorder not in {"=", NATIVE_ORDER, "|"} and dtype.itemsize > 1:
        raise BufferFormatError(f"items of {name} are in this machine's byte order; copy them: array.astype({name!r})")
    return str(name)


def numpy_type(named: Any) -> Any:
    """Return the NumPy type for a `typestr`, which may be the name of an ``ml_dtypes`` type, or for a NumPy type.

    ``Any`` stands for the string or the type, and for a NumPy type, as NumPy is loaded on use.

    Raises
    ------
    MissingExtraError
        The type needs ``ml_dtypes``, which is not installed or is too old to have the type.
    """
    if not isinstance(named, str) or named not in NAMED:
        return import_numpy().dtype(named)
    name = named.lstrip("|")
    kind = getattr(import_ml_dtypes(), name, None)
    if kind is None:
        raise MissingExtraError(f"this needs a newer ml_dtypes, which has {name}")
    return import_numpy().dtype(kind)


def _is_long(name: str) -> bool:
    """Tell whether only NumPy reads a name: the name of a date type with a unit, or of a string type with a length."""
    is_date = name.startswith(("datetime64[", "timedelta64[", "M8[", "m8["))
    return is_date or (name[:1] in {"S", "U", "V"} and name[1:].isdecimal() and len(name) <= _LONGEST)


_LONGEST: Final = 10
"""The most characters in the name of a string type."""
