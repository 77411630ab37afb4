"""Number types of C++: which format of an item is which type, and what an index type can hold."""

from __future__ import annotations

from collections import Counter
from struct import calcsize
from typing import Final

from mdview.accessors.formats import known_format, typestr
from mdview.base.texts import told
from mdview.errors import BufferFormatError, CppTypeError

NUMBERS: Final = {
    "b1": "bool",
    "S1": "char",
    **{
        f"{kind}{size}": f"std::{name}{8 * size}_t"
        for kind, name in (("i", "int"), ("u", "uint"))
        for size in (1, 2, 4, 8)
    },
    "f2": "std::float16_t",
    "f4": "float",
    "f8": "double",
    "c8": "std::complex<float>",
    "c16": "std::complex<double>",
}
"""How an element is spelt, by its kind and bytes."""

_LETTERS: Final = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q"} | {
    "b1": "?",
    "S1": "c",
    "f2": "e",
    "f4": "f",
    "f8": "d",
    "c8": "Zf",
    "c16": "Zd",
}
_LONG: Final = calcsize("l")
_WORD: Final = calcsize("P")
_KINDS: Final = (
    {text.removeprefix("std::"): kind for kind, text in NUMBERS.items()}
    | {
        "byte": "u1",
        "char8_t": "u1",
        "char16_t": "u2",
        "char32_t": "u4",
        "_Float16": "f2",
        "half": "f2",
        "__half": "f2",
    }
    | {"size_t": f"u{_WORD}", "ptrdiff_t": f"i{_WORD}", "intptr_t": f"i{_WORD}", "uintptr_t": f"u{_WORD}"}
    | {"signed char": "i1", "unsigned char": "u1", "short": "i2", "unsigned short": "u2", "int": "i4", "unsigned": "u4"}
    | {"long": f"i{_LONG}", "unsigned long": f"u{_LONG}", "long long": "i8", "unsigned long long": "u8"}
    | {"float32_t": "f4", "float64_t": "f8"}
)
_ORDER: Final = ("unsigned", "signed", "short", "long", "char")
_WORDS: Final = frozenset({*_ORDER, "int"})
_KEYWORDS: Final = _WORDS | {"bool", "float", "double", "char8_t", "char16_t", "char32_t", "_Float16"}
"""Types that are in no namespace."""

_NO_INDEX: Final = {"byte", "char"}
_ALIKE: Final = {"char": {"S1", "i1", "u1"}, "byte": {"u1", "S1"}, "unsigned char": {"u1", "S1"}}
"""Types that stand for bytes of any meaning, and which items they read."""


def element_text(item_format: str, itemsize: int) -> str:
    """Spell the C++ type of items of a format.

    Raises
    ------
    BufferFormatError
        They are Python objects, records, or in a foreign byte order.
    """
    kind = kind_of(item_format, itemsize)
    if kind not in NUMBERS:
        what = "are Python objects" if item_format == "O" else f"have the format {told(item_format)}"
        message = (
            f"elements that {what} are no C++ numbers; hold numbers of this machine's byte order, as array('d') does, "
            "or copy them there: relayout(view, LayoutRight(), 'd')"
        )
        raise BufferFormatError(message)
    return NUMBERS[kind]


def kind_of(item_format: str, itemsize: int) -> str:
    """Return kind and bytes of native items, as NumPy names them, ``"f8"``; the empty text for any others."""
    try:
        found, size = known_format(item_format)
    except BufferFormatError:
        return ""
    text = typestr(found, size)
    return text[1:] if size == itemsize and text[0] in (_NATIVE, "|") else ""


_NATIVE: Final = typestr("d", 8)[0]


def plain_text(spelt: str) -> str:
    """Return a type without namespaces and needless words; what is no type of C++ stays as it is."""
    name = spelt.replace("cuda::std::", "").replace("std::", "").replace("Kokkos::", "").replace("thrust::", "")
    name = name.removeprefix("::")
    if "<" in name:
        return name.replace(" ", "")
    words = name.split()
    if "::" in spelt:
        return spelt if _KEYWORDS.intersection(words) else name
    return _fewest_words(words) if _WORDS.issuperset(words) else name


def _fewest_words(words: list[str]) -> str:
    """Return an integer type without ``int`` and ``signed`` where the other words say as much."""
    times = Counter(words)
    is_wrong = ("char" in times and times.keys() & {"int", "short", "long"}) or {"signed", "unsigned"} <= times.keys()
    if is_wrong or any(count > (2 if word == "long" else 1) for word, count in times.items()):
        return " ".join(words)
    kept = [word for word in words if word != "int" and (word != "signed" or "char" in times)]
    return " ".join(sorted(kept, key=_ORDER.index)) or "int"


def element_kind(spelt: str) -> str | None:
    """Return kind and bytes of a C++ type, None for one that mdview does not know."""
    return _KINDS.get(plain_text(spelt))


def is_read_as(kind: str, spelt: str) -> bool:
    """Tell whether a C++ type reads items of a kind."""
    return kind in _ALIKE.get(plain_text(spelt), {element_kind(spelt)})


def format_of(spelt: str) -> str:
    """Return the item format of a C++ type.

    Raises
    ------
    CppTypeError
        It is none that Python has items of.
    """
    kind = element_kind(spelt)
    if kind is None:
        message = (
            f"the element type {told(spelt)} is no number that Python reads; write one as {', '.join(NUMBERS.values())}"
        )
        raise CppTypeError(message)
    return _LETTERS[kind]


def index_of(spelt: str) -> tuple[int, bool]:
    """Return the bytes of an index type, and whether it is signed.

    Raises
    ------
    CppTypeError
        It is no integer type.
    """
    kind = element_kind(spelt)
    if kind is None or kind[0] not in "iu" or plain_text(spelt) in _NO_INDEX or plain_text(spelt).startswith("char"):
        message = f"an index type is a signed or unsigned integer, as std::int64_t or int, got {told(spelt)}"
        raise CppTypeError(message)
    return int(kind[1:]), kind[0] == "i"


def limits_of(spelt: str) -> tuple[int, int]:
    """Return the least and the greatest number of an index type; raises as `index_of`."""
    size, is_signed = index_of(spelt)
    bits = 8 * size
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
