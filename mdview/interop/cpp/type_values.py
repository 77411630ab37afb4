"""C++ types as values: number types, and what the template arguments of a view or a mapping say.

Which format of an item is which type, what an index type can hold, and the text that spells a type of views;
`mdview.interop.cpp.parsing` reads such a text.
"""

from __future__ import annotations

from collections import Counter
from struct import calcsize
from typing import Final, final

from mdview.base.texts import told
from mdview.base.values import value
from mdview.errors import BufferFormatError, CppTypeError
from mdview.memory.dtypes import LETTERS, kind_of

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
        raise BufferFormatError(
            f"elements that {what} are no C++ numbers; hold numbers of this machine's byte order, as array('d') does, "
            "or copy them there: relayout(view, LayoutRight(), 'd')"
        )
    return NUMBERS[kind]


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
        raise CppTypeError(
            f"the element type {told(spelt)} is no number that Python reads; write one as {', '.join(NUMBERS.values())}"
        )
    return LETTERS[kind]


def index_of(spelt: str) -> tuple[int, bool]:
    """Return the bytes of an index type, and whether it is signed.

    Raises
    ------
    CppTypeError
        It is no integer type.
    """
    kind = element_kind(spelt)
    if kind is None or kind[0] not in "iu" or plain_text(spelt) in _NO_INDEX or plain_text(spelt).startswith("char"):
        raise CppTypeError(f"an index type is a signed or unsigned integer, as std::int64_t or int, got {told(spelt)}")
    return int(kind[1:]), kind[0] == "i"


def limits_of(spelt: str) -> tuple[int, int]:
    """Return the least and the greatest number of an index type; raises as `index_of`."""
    size, is_signed = index_of(spelt)
    bits = 8 * size
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)


RELAXED: Final = "layout_stride_relaxed"
PADDED: Final = {"right": "layout_right_padded", "left": "layout_left_padded"}
DENSE: Final = {"right": "layout_right", "left": "layout_left"}
LAYOUTS: Final = (*DENSE.values(), "layout_stride", RELAXED, *PADDED.values())
DEFAULT: Final = "default_accessor"
ALIGNED: Final = "aligned_accessor"
RESTRICT: Final = "restrict_accessor"
ACCESSORS: Final = (DEFAULT, ALIGNED, RESTRICT)


@final
@value
class CppType:
    """``mdspan<element, extents<index, extents...>, layout, accessor>`` of a namespace.

    Attributes
    ----------
    namespace
        Where ``mdspan`` and ``extents`` are: ``"std"``, ``"cuda::std"``, ``"Kokkos"``.
    element, is_const
        The element type as it is spelt, without and with ``const``; the empty text where the type is a mapping.
    index
        The index type as it is spelt.
    extents
        The static extents, None where one is dynamic.
    layout, padding
        Name of the layout, and its static padding, None where it has none.
    accessor, alignment
        Name of the accessor, and the bytes of an aligned one.
    """

    namespace: str
    element: str
    is_const: bool
    index: str
    extents: tuple[int | None, ...]
    layout: str = "layout_right"
    padding: int | None = None
    accessor: str = DEFAULT
    alignment: int = 0

    @property
    def rank(self) -> int:
        """Count the dimensions."""
        return len(self.extents)

    @property
    def order(self) -> str | None:
        """``"right"`` or ``"left"`` where strides follow from extents, else None."""
        return next((order for names in (DENSE, PADDED) for order, name in names.items() if name == self.layout), None)

    @property
    def is_padded(self) -> bool:
        """Whether the layout pads."""
        return self.layout in PADDED.values()

    def __str__(self) -> str:
        """Spell the type; a default accessor is left out."""
        if not self.element:
            return f"{self.layout_text()}::mapping<{self.extents_text()}>"
        accessor = [] if self.accessor == DEFAULT else [self.accessor_text()]
        parts = [self.element_text(), self.extents_text(), self.layout_text(), *accessor]
        return f"{self._name('mdspan')}<{', '.join(parts)}>"

    def _name(self, name: str) -> str:
        return f"{self.namespace}::{name}" if self.namespace else name

    def element_text(self) -> str:
        """Spell the element type."""
        return f"const {self.element}" if self.is_const else self.element

    def extents_text(self) -> str:
        """Spell the type of the extents."""
        numbers = [self._name("dynamic_extent") if e is None else str(e) for e in self.extents]
        return f"{self._name('extents')}<{', '.join([self.index, *numbers])}>"

    def layout_text(self) -> str:
        """Spell the layout."""
        if self.layout == RELAXED:
            return f"cuda::{RELAXED}"
        if not self.is_padded:
            return self._name(self.layout)
        name = f"Kokkos::Experimental::{self.layout}" if self.namespace == "Kokkos" else self._name(self.layout)
        return f"{name}<{self._name('dynamic_extent') if self.padding is None else self.padding}>"

    def accessor_text(self) -> str:
        """Spell the accessor."""
        if self.accessor == ALIGNED:
            return f"{self._name(ALIGNED)}<{self.element_text()}, {self.alignment}>"
        default = f"{self._name(DEFAULT)}<{self.element_text()}>"
        return f"cuda::{RESTRICT}<{default}>" if self.accessor == RESTRICT else default
