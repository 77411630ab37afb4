"""C++ types as values: parsing and printing of the template arguments of mdspan, and limits of index types.

The module relates item formats to C++ types, knows the limits of index types, and reads and writes the text of a view
type. A text is parsed to a tree of names with template arguments, and the tree is then interpreted.
"""

from __future__ import annotations

import re
from math import prod
from struct import calcsize
from typing import Final, NamedTuple, NoReturn, final

from mdview.base import brief, refuse, value
from mdview.errors import CppTypeError

NUMBERS: Final = {
    "b1": "bool",
    "S1": "char",
    **{f"{name[0]}{size}": f"std::{name}{8 * size}_t" for name in ("int", "uint") for size in (1, 2, 4, 8)},
    "f2": "std::float16_t",
    "f4": "float",
    "f8": "double",
    "c8": "std::complex<float>",
    "c16": "std::complex<double>",
}
"""The C++ types of elements, by the kind and size of an element."""

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
"""Kind and size of the types without a namespace; the words of a type are in alphabetical order."""
_NAMED: Final = (
    {text.removeprefix("std::"): kind for kind, text in NUMBERS.items() if text.startswith("std::")}
    | {"byte": "u1", "half": "f2", "__half": "f2", "float32_t": "f4", "float64_t": "f8"}
    | {"size_t": f"u{_WORD}", "ptrdiff_t": f"i{_WORD}", "intptr_t": f"i{_WORD}", "uintptr_t": f"u{_WORD}"}
)
"""Kind and size of the types in ``std`` and similar namespaces; the namespace may be left out."""
_NAMESPACE: Final = re.compile(r"(?:::)?(?:cuda::std|std|Kokkos|thrust)::")
_ALIKE: Final = {"char": {"S1", "i1", "u1"}, "byte": {"u1", "S1"}, "char unsigned": {"u1", "S1"}}
"""The types for bytes of any meaning, with the kinds of items that they read."""
_NO_INDEX: Final = {"byte", "char8_t", "char16_t", "char32_t"}


def _plain_text(spelt: str) -> str:
    """Return a C++ type without its namespace; its words are in alphabetical order."""
    name = " ".join(sorted(_NAMESPACE.sub("", spelt).split()))
    return spelt if name in _KEYWORDS and "::" in spelt else name


def element_kind(spelt: str) -> str | None:
    """Return the kind and size of a C++ type, such as ``f4``; None for an unknown type."""
    name = _plain_text(spelt)
    return _KEYWORDS.get(name) or _NAMED.get(name)


def is_read_as(kind: str, spelt: str) -> bool:
    """Tell whether a C++ type reads items of a kind."""
    return kind in _ALIKE.get(_plain_text(spelt), {element_kind(spelt)})


def index_of(spelt: str) -> tuple[int, bool]:
    """Return the size of an index type in bytes, and whether it is signed.

    Raises
    ------
    CppTypeError
        The type is not an integer type.
    """
    kind = element_kind(spelt)
    if kind is None or kind[0] not in "iu" or _plain_text(spelt) in _NO_INDEX:
        raise CppTypeError(f"an index type is a signed or unsigned integer, as std::int64_t or int, got {brief(spelt)}")
    return int(kind[1:]), kind[0] == "i"


def limits_of(spelt: str) -> tuple[int, int]:
    """Return the least and the greatest number of an index type; the errors are those of `index_of`."""
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
    """The C++ type ``mdspan<element, extents<index, extents...>, layout, accessor>``, or the type of a mapping.

    Attributes
    ----------
    namespace
        The namespace of ``mdspan`` and ``extents``: ``"std"``, ``"cuda::std"``, ``"Kokkos"``.
    element, is_const
        The text of the element type without ``const``, and whether it is const. ``element`` is empty in the
        type of a mapping.
    index
        The text of the index type.
    extents
        The static extents; None for a dynamic extent.
    layout, padding
        The name of the layout, and its static padding or None.
    accessor, alignment
        The name of the accessor, and the alignment in bytes of an aligned accessor, else 0.
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
        """The number of dimensions."""
        return len(self.extents)

    @property
    def order(self) -> str | None:
        """``"right"`` or ``"left"`` if strides follow from extents, else None."""
        word = self.layout.split("_")[1]
        return word if word != "stride" else None

    @property
    def is_padded(self) -> bool:
        """Whether the layout is padded."""
        return self.layout.endswith("_padded")

    def __str__(self) -> str:
        """Return the type as text, without a default accessor."""
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


_BLANK: Final = re.compile(
    r"(?:\s+|//[^\n]*|/\*.*?\*/|(?:typename|template|class|struct|volatile)\b)*", re.DOTALL | re.ASCII
)
_CONST: Final = re.compile(rf"(?:const\b{_BLANK.pattern})+", re.DOTALL | re.ASCII)
_NAME: Final = re.compile(r"[A-Za-z_]\w*|-?\d[0-9A-Za-z']*", re.ASCII)
_INTEGER_WORD: Final = re.compile(rf"(?:{'|'.join(INTEGER_WORDS)})\b")
_SIZE: Final = 1 << 64
DEEPEST: Final = 32
"""The deepest nesting of template arguments."""


@final
class CppNode(NamedTuple):
    """A name in the text of a type, with its scope (the names before ``::``) and template arguments; or a number."""

    at: int
    scope: CppNode | None
    name: str
    arguments: tuple[CppNode, ...]
    is_const: bool = False

    @property
    def digits(self) -> str:
        """The text of a number in the form that Python reads."""
        return self.name.replace("'", "").rstrip("uUlLzZ")

    def text(self, *, const: bool = False) -> str:
        """Return the text of the name with its scope and arguments; ``const`` includes the qualifier ``const``."""
        inside = f"<{', '.join([part.text(const=True) for part in self.arguments])}>" if self.arguments else ""
        scope = f"{self.scope.text()}::" if self.scope else ""
        return f"{'const ' * (const and self.is_const)}{scope}{self.name}{inside}"

    def namespace(self) -> str:
        """Return the text of the scope, or an empty string."""
        return self.scope.text() if self.scope else ""


def parse_type(text: object) -> tuple[CppType, str]:
    """Parse ``mdspan<...>`` or ``layout::mapping<...>``; return the type, and the ``*``, ``&`` or ``&&`` after it.

    Raises
    ------
    CppTypeError
        The text is not such a type; the message has the position and the rule.
    """
    if not isinstance(text, str):
        refuse("a C++ type", "a text, 'std::mdspan<float, std::dims<2>>'", text)
    reader = _Reader(text)
    node = reader.node()
    marks = reader.takes(r"&&|[*&]")
    reader.takes(_CONST)
    if reader.at < len(text):
        reader.wants("nothing may follow")
    return (_mapping if node.name == "mapping" else _mdspan)(reader, node), marks


@final
class _Reader:
    """A reader of the text of a C++ type from left to right, which makes nodes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = self.depth = 0
        self.takes("")

    def takes(self, wanted: str | re.Pattern[str]) -> str:
        """Consume and return the next token, with the blanks after it, if it matches ``wanted``; else return ``""``."""
        match = re.compile(wanted).match(self.text, self.at)
        if match is not None:
            behind = _BLANK.match(self.text, match.end())
            self.at = behind.end() if behind else match.end()
        return match.group() if match else ""

    def fail(self, at: int, rule: str) -> NoReturn:
        raise CppTypeError(f"{brief(self.text)} is no C++ type that mdview reads: at position {at}, {rule}")

    def wants(self, what: str) -> NoReturn:
        ahead = self.text[self.at : self.at + 1]
        self.fail(self.at, f"{what}, {repr(ahead) if ahead else 'the end'} found")

    def node(self) -> CppNode:
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(self.at, f"types are nested deeper than {DEEPEST} levels")
        is_const, at = bool(self.takes(_CONST)), self.at
        self.takes("::")
        node = self.part(at, None)
        while self.takes("::"):
            node = self.part(at, node)
        self.depth -= 1
        return CppNode(*node[:4], bool(self.takes(_CONST)) or is_const)

    def part(self, at: int, scope: CppNode | None) -> CppNode:
        """Read a number, a name or the words of an integer type, and the template arguments after it."""
        words, arguments = [self.takes(_NAME) or self.wants("a name is expected")], []
        while words[-1] in INTEGER_WORDS and (word := self.takes(_INTEGER_WORD)):
            words.append(word)
        if self.takes("<") and not self.takes(">"):
            arguments.append(self.node())
            while self.takes(","):
                arguments.append(self.node())
            if not self.takes(">"):
                self.wants("'>' is expected")
        return CppNode(at, scope, " ".join(words), tuple(arguments))

    def arguments(self, node: CppNode, least: int, most: int) -> tuple[CppNode, ...]:
        """Return the arguments of a node, after a check that their number lies in [least, most]."""
        count = len(node.arguments)
        if not least <= count <= most:
            rule = str(least) if least == most else f"{least} to {most}"
            self.fail(node.at, f"{node.name} takes {rule} template arguments, {count} given")
        return node.arguments

    def number(self, node: CppNode, what: str, least: int, most: int) -> int:
        """Return the value of a number, after a check that it lies between bounds."""
        try:
            number = int(node.digits, 0)
        except ValueError:  # not a number, or too many digits for Python
            number = least - 1
        if not least <= number <= most:
            self.fail(node.at, f"{what} from {least} to {most} is expected, {brief(node.text())} found")
        return number


def _mdspan(reader: _Reader, node: CppNode) -> CppType:
    if node.name not in {"mdspan", "restrict_mdspan"}:
        reader.fail(node.at, f"mdspan<...> or layout::mapping<...> is expected, {brief(node.text())} found")
    element, extents, *rest = reader.arguments(node, 2, 4)
    if not element.name.isidentifier() and " " not in element.name:
        reader.fail(element.at, f"an element type is expected, {brief(element.text())} found")
    index, statics = _extents(reader, extents)
    layout, padding = _layout(reader, rest[0], index) if rest else ("layout_right", None)
    is_restrict = node.name == "restrict_mdspan"
    accessor, alignment = _accessor(reader, rest[1], element) if rest[1:] else (RESTRICT if is_restrict else DEFAULT, 0)
    namespace = "cuda::std" if is_restrict else node.namespace()
    return CppType(namespace, element.text(), element.is_const, index, statics, layout, padding, accessor, alignment)


def _mapping(reader: _Reader, node: CppNode) -> CppType:
    """Return the type of a mapping, such as ``std::layout_left::mapping<...>``."""
    if node.scope is None:
        reader.fail(node.at, "the layout of the mapping is missing: std::layout_right::mapping<...>")
    (extents,) = reader.arguments(node, 1, 1)
    index, statics = _extents(reader, extents)
    layout, padding = _layout(reader, node.scope, index)
    return CppType(extents.namespace(), "", False, index, statics, layout, padding)  # noqa: FBT003 - a field


def _extents(reader: _Reader, node: CppNode) -> tuple[str, tuple[int | None, ...]]:
    """Return the index type and the static extents of a type of extents."""
    numbers: tuple[int | None, ...]
    if node.name == "extents" and node.arguments:
        index = _index(reader, node.arguments[0])
        numbers = tuple([_static(reader, part, index, "extent") for part in node.arguments[1:]])
    elif node.name == "dextents":
        first, rank = reader.arguments(node, 2, 2)
        index, numbers = _index(reader, first), (None,) * reader.number(rank, "a rank", 0, 64)
    elif node.name == "dims":
        rank, *index_type = reader.arguments(node, 1, 2)
        numbers = (None,) * reader.number(rank, "a rank", 0, 64)
        index = _index(reader, index_type[0]) if index_type else "std::size_t"
    else:
        rule = "extents<index, ...>, dextents<index, rank> or dims<rank> is expected"
        reader.fail(node.at, f"{rule}, {brief(node.text())} found")
    size, most = prod([1 if e is None else e for e in numbers]), limits_of(index)[1]
    if None not in numbers and size > most:
        reader.fail(node.at, f"static extents have at most {most} indices, as {index} counts them, {size} found")
    return index, numbers


def _index(reader: _Reader, node: CppNode) -> str:
    try:
        index_of(node.text())
    except CppTypeError as error:
        reader.fail(node.at, str(error))
    return node.text()


def _static(reader: _Reader, node: CppNode, index: str, what: str) -> int | None:
    """Return a static extent or padding of a C++ type, or None if it is dynamic."""
    if node.name == "dynamic_extent" or node.digits in {"-1", str(_SIZE - 1)}:
        return None
    return reader.number(node, f"dynamic_extent or a static {what} of {index}", 0, limits_of(index)[1])


def _layout(reader: _Reader, node: CppNode, index: str) -> tuple[str, int | None]:
    if node.name not in LAYOUTS:
        reader.fail(node.at, f"a layout is one of {', '.join(LAYOUTS)}; {brief(node.text())} found")
    arguments = reader.arguments(node, 0, 1 if node.name.endswith("_padded") else 0)
    return node.name, _static(reader, arguments[0], index, "padding") if arguments else None


def _accessor(reader: _Reader, node: CppNode, element: CppNode) -> tuple[str, int]:
    """Return name and alignment (or 0) of an accessor in a C++ type; check that it has the view's element type."""
    if node.name not in ACCESSORS:
        reader.fail(node.at, f"an accessor is one of {', '.join(ACCESSORS)}; {brief(node.text())} found")
    count = 2 if node.name == ALIGNED else 1
    inner, *rest = reader.arguments(node, count, count)
    if node.name == RESTRICT:
        if inner.name != DEFAULT:
            reader.fail(inner.at, f"{RESTRICT} is read around {DEFAULT} alone, {brief(inner.text())} found")
        (inner,) = reader.arguments(inner, 1, 1)
    kind, its = [element_kind(part.text()) or part.text() for part in (inner, element)]
    if kind != its or inner.is_const != element.is_const:
        texts = [part.text(const=True) for part in (inner, element)]
        reader.fail(inner.at, f"the accessor has elements of {texts[0]!r}, the view of {texts[1]!r}")
    alignment = reader.number(rest[0], "an alignment", 1, _SIZE) if rest else 0
    if alignment & (alignment - 1):
        reader.fail(rest[0].at, "an alignment is a power of two in bytes")
    return node.name, alignment
