"""C++ types as values: number types, and what the template arguments of a view or a mapping say.

Which format of an item is which type, what an index type can hold, and the text that spells a type of views;
`mdview.interop.cpp.parsing` reads such a text.
"""

from __future__ import annotations

import re
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
INTEGER_WORDS: Final = frozenset({"signed", "unsigned", "short", "long", "int", "char"})
_KEYWORDS: Final = {
    "bool": "b1",
    "char": "S1",
    "char signed": "i1",
    "char unsigned": "u1",
    "float": "f4",
    "double": "f8",
    "char8_t": "u1",
    "char16_t": "u2",
    "char32_t": "u4",
    "_Float16": "f2",
    **{
        " ".join(sorted(f"{sign} {length} {word}".split())): f"{'u' if sign == 'unsigned' else 'i'}{size}"
        for sign in ("", "signed", "unsigned")
        for length, size in (("", 4), ("short", 2), ("long", _LONG), ("long long", 8))
        for word in ("int", "")
        if sign or length or word
    },
}
"""Kind and bytes of the types that are in no namespace, whose words stand in the order of the alphabet."""
_NAMED: Final = (
    {text.removeprefix("std::"): kind for kind, text in NUMBERS.items() if text.startswith("std::")}
    | {"byte": "u1", "half": "f2", "__half": "f2", "float32_t": "f4", "float64_t": "f8"}
    | {"size_t": f"u{_WORD}", "ptrdiff_t": f"i{_WORD}", "intptr_t": f"i{_WORD}", "uintptr_t": f"u{_WORD}"}
)
"""Kind and bytes of the types of ``std`` and its like, which may also be spelt without it."""
_NAMESPACE: Final = re.compile(r"(?:::)?(?:cuda::std|std|Kokkos|thrust)::")
_ALIKE: Final = {"char": {"S1", "i1", "u1"}, "byte": {"u1", "S1"}, "char unsigned": {"u1", "S1"}}
"""Types that stand for bytes of any meaning, and which items they read."""
_NO_INDEX: Final = {"byte", "char8_t", "char16_t", "char32_t"}


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


def _plain_text(spelt: str) -> str:
    """Return a type without its namespace, its words in the order of the alphabet."""
    name = " ".join(sorted(_NAMESPACE.sub("", spelt).split()))
    return spelt if name in _KEYWORDS and "::" in spelt else name


def element_kind(spelt: str) -> str | None:
    """Return kind and bytes of a C++ type, None for one that mdview does not know."""
    name = _plain_text(spelt)
    return _KEYWORDS.get(name) or _NAMED.get(name)


def is_read_as(kind: str, spelt: str) -> bool:
    """Tell whether a C++ type reads items of a kind."""
    return kind in _ALIKE.get(_plain_text(spelt), {element_kind(spelt)})


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
    if kind is None or kind[0] not in "iu" or _plain_text(spelt) in _NO_INDEX:
        raise CppTypeError(f"an index type is a signed or unsigned integer, as std::int64_t or int, got {told(spelt)}")
    return int(kind[1:]), kind[0] == "i"


def limits_of(spelt: str) -> tuple[int, int]:
    """Return the least and the greatest number of an index type; raises as `index_of`."""
    size, is_signed = index_of(spelt)
    bits = 8 * size
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)


STRIDE: Final = "layout_stride"
RELAXED: Final = "layout_stride_relaxed"
LAYOUTS: Final = ("layout_right", "layout_left", STRIDE, RELAXED, "layout_right_padded", "layout_left_padded")
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
        word = self.layout.split("_")[1]
        return word if word != "stride" else None

    @property
    def is_padded(self) -> bool:
        """Whether the layout pads."""
        return self.layout.endswith("_padded")

    def __str__(self) -> str:
        """Spell the type; a default accessor is left out."""
        index, layout, element = self.index, self._layout_text(), f"{'const ' * self.is_const}{self.element}"
        numbers = [self._name("dynamic_extent") if e is None else str(e) for e in self.extents]
        extents = f"{self._name('extents')}<{', '.join([index, *numbers])}>"
        if not self.element:
            return f"{layout}::mapping<{extents}>"
        accessor = {
            DEFAULT: "",
            ALIGNED: f", {self._name(ALIGNED)}<{element}, {self.alignment}>",
            RESTRICT: f", cuda::{RESTRICT}<{self._name(DEFAULT)}<{element}>>",
        }
        return f"{self._name('mdspan')}<{element}, {extents}, {layout}{accessor[self.accessor]}>"

    def _name(self, name: str) -> str:
        return f"{self.namespace}::{name}" if self.namespace else name

    def _layout_text(self) -> str:
        if self.layout == RELAXED:
            return f"cuda::{RELAXED}"
        if not self.is_padded:
            return self._name(self.layout)
        name = f"Kokkos::Experimental::{self.layout}" if self.namespace == "Kokkos" else self._name(self.layout)
        return f"{name}<{self._name('dynamic_extent') if self.padding is None else self.padding}>"
