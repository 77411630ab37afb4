"""The text of a C++ type is read to a `CppType`: words, then nested names with arguments, then what they mean."""

from __future__ import annotations

import re
from math import prod
from typing import Final, NamedTuple, NoReturn, final

from mdview.base.arguments import refuse
from mdview.base.texts import shown, told
from mdview.errors import CppTypeError
from mdview.interop.cpp.type_values import (
    ACCESSORS,
    ALIGNED,
    DEFAULT,
    LAYOUTS,
    PADDED,
    RESTRICT,
    CppType,
    index_of,
    limits_of,
    plain_text,
)
from mdview.mappings.language.tokens import Reader

_TOKENS: Final = re.compile(
    r"\s+|//[^\n]*|/\*.*?\*/|(?P<number>\d(?:'?[0-9A-Za-z])*)|(?P<name>[A-Za-z_]\w*)|(?P<mark>::|&&|[<>,*&-])",
    re.DOTALL | re.ASCII,
)
_NUMBER: Final = re.compile(
    r"(?P<digits>0x[0-9a-f]+|0b[01]+|0[0-7]*|[1-9]\d*)(?:u(?:ll?|z)?|(?:ll?|z)u?)?", re.IGNORECASE
)
_IGNORED: Final = {"typename", "template", "class", "struct", "volatile"}
_SIZE: Final = 1 << 64
DEEPEST: Final = 32
"""How deep template arguments may be nested."""


@final
class Node(NamedTuple):
    """A name with template arguments, or a number: ``value``; ``marks`` are what follows a type, ``&`` and ``*``."""

    at: int
    name: str
    arguments: tuple[Node, ...] = ()
    value: int | None = None
    is_const: bool = False
    marks: str = ""
    outer: Node | None = None

    @property
    def last(self) -> str:
        """The name without its namespaces."""
        return self.name.rpartition("::")[2]

    @property
    def namespace(self) -> str:
        """The namespaces of the name."""
        return self.name.rpartition("::")[0].removeprefix("::")

    def text(self) -> str:
        """Spell the name and its arguments."""
        if self.value is not None:
            return shown(self.value)
        inside = f"<{', '.join([('const ' if a.is_const else '') + a.text() for a in self.arguments])}>"
        return self.name + (inside if self.arguments else "") + self.marks


@final
class _Reader(Reader):
    """Reads one text from left to right."""

    def __init__(self, text: str) -> None:
        super().__init__(text, _TOKENS)

    def refusal(self, at: int, rule: str = "") -> CppTypeError:
        rule = rule or f"{self.text[at]!r} is no part of a type"
        return CppTypeError(f"{told(self.text)} is no C++ type that mdview reads: at position {at}, {rule}")

    def fail(self, at: int, rule: str) -> NoReturn:
        raise self.refusal(at, rule)

    def wants(self, what: str) -> NoReturn:
        self.fail(self.next.at, f"{what}, {self.next.text or 'the end'!r} found")

    def expect(self, mark: str) -> None:
        if not self.takes(mark):
            self.wants(f"{mark!r} is expected")

    def whole(self) -> Node:
        node = self.type()
        if self.next.kind != "end":
            self.wants("nothing may follow")
        return node

    def argument(self) -> Node:
        at = self.next.at
        return Node(at, "", value=self.number()) if self.next.kind == "number" or self.sees("-") else self.type()

    def number(self) -> int:
        sign = -1 if self.takes("-") else 1
        found = _NUMBER.fullmatch(self.next.text.replace("'", "")) if self.next.kind == "number" else None
        if found is None:
            self.wants("a number is expected")
        digits = found["digits"]
        try:
            given = int(digits, 8) if digits[0] == "0" and digits.isdecimal() else int(digits, 0)
        except ValueError:  # Python's own bound on digits
            self.fail(self.next.at, f"a number of {len(digits)} digits is too long")
        self.at += 1
        return sign * given

    def type(self) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(self.next.at, f"types are nested deeper than {DEEPEST} levels")
        is_const = self._qualifiers()
        node = self._name()
        is_const |= self._qualifiers()
        marks = ""
        while self.sees("*", "&", "&&"):
            if marks:
                rule = f"one of *, & and && follows a type at most, {marks + self.next.text!r} found"
                self.fail(self.next.at, rule)
            marks = self.next.text
            self.at += 1
            self._qualifiers()
        self.depth -= 1
        return Node(node.at, node.name, node.arguments, None, is_const, marks, node.outer)

    def _qualifiers(self) -> bool:
        found = False
        while self.next.text in _IGNORED | {"const"}:
            found |= self.next.text == "const"
            self.at += 1
        return found

    def _name(self) -> Node:
        at = self.next.at
        words, outer = [""] if self.takes("::") else [], None
        while True:
            words.append(self._word())
            arguments = self._arguments()
            is_last = not self.takes("::")
            if is_last or arguments:
                words, outer = [], Node(at, "::".join(words), arguments, outer=outer)
            if is_last and outer is not None:
                return outer
            self.at += self.next.text == "template"

    def _word(self) -> str:
        """Read one word, or those of an arithmetic type, of which there are several."""
        words: list[str] = []
        while self.next.kind == "name" and self.next.text not in {"const", "volatile"}:
            words.append(self.next.text)
            self.at += 1
            if words[-1] not in {"unsigned", "signed", "long", "short", "int", "char", "double"}:
                break
        if not words:
            self.wants("a name is expected")
        return " ".join(words)

    def _arguments(self) -> tuple[Node, ...]:
        if not self.takes("<") or self.takes(">"):
            return ()
        found = [self.argument()]
        while self.takes(","):
            found.append(self.argument())
        self.expect(">")
        return tuple(found)


@final
class Parsed(NamedTuple):
    """A type, and what stands around it: ``marks`` are ``"*"``, ``"&"`` or nothing."""

    type: CppType
    marks: str


def parse(text: object) -> Parsed:
    """Read the text of a type ``mdspan<...>`` or ``layout::mapping<...>``.

    Raises
    ------
    CppTypeError
        It is none; the message tells the position and the rule.
    """
    if not isinstance(text, str):
        refuse("a C++ type", "a text, 'std::mdspan<float, std::dims<2>>'", text)
    reader = _Reader(text)
    node = reader.whole()
    if node.last == "mapping":
        return Parsed(_mapping(reader, node), node.marks)
    return Parsed(_mdspan(reader, node), node.marks)


def _count(reader: _Reader, node: Node, least: int, most: int) -> None:
    given = len(node.arguments)
    if not least <= given <= most:
        rule = str(least) if least == most else f"{least} to {most}"
        reader.fail(node.at, f"{node.name} takes {rule} template arguments, {given} given")


def _mdspan(reader: _Reader, node: Node) -> CppType:
    if node.last not in {"mdspan", "restrict_mdspan"}:
        reader.fail(node.at, f"mdspan<...> or layout::mapping<...> is expected, {told(node.name)} found")
    _count(reader, node, 2, 4)
    element = node.arguments[0]
    if element.value is not None or element.marks:
        reader.fail(element.at, "an element type is expected, no number, pointer or reference")
    index, extents = _extents(reader, node.arguments[1])
    default = Node(node.at, "layout_right")
    layout, padding = _layout(reader, [*node.arguments[2:], default][0], index)
    _check_size(reader, node.arguments[1], index, extents)
    accessor, alignment = RESTRICT if node.last == "restrict_mdspan" else DEFAULT, 0
    if len(node.arguments) > 3:  # noqa: PLR2004 - the fourth is the accessor
        accessor, alignment = _accessor(reader, node.arguments[3], element)
    namespace = "cuda::std" if node.last == "restrict_mdspan" else node.namespace
    return CppType(namespace, element.text(), element.is_const, index, extents, layout, padding, accessor, alignment)


def _mapping(reader: _Reader, node: Node) -> CppType:
    """Read ``std::layout_left::mapping<...>``, or the same of a layout with arguments."""
    layout = node.outer or Node(node.at, node.namespace)
    if not layout.name:
        reader.fail(node.at, "the layout of the mapping is missing: std::layout_right::mapping<...>")
    _layout(reader, layout, "std::int64_t")  # what stands before the extents is told first
    _count(reader, node, 1, 3)
    index, extents = _extents(reader, node.arguments[0])
    name, padding = _layout(reader, layout, index)
    _check_size(reader, node.arguments[0], index, extents)
    return CppType(node.arguments[0].namespace, "", False, index, extents, name, padding)  # noqa: FBT003 - a field


def _extents(reader: _Reader, node: Node) -> tuple[str, tuple[int | None, ...]]:
    if node.last == "extents":
        _count(reader, node, 1, 65)
        index = _index(reader, node.arguments[0])
        return index, tuple([_extent(reader, each, index) for each in node.arguments[1:]])
    if node.last == "dextents":
        _count(reader, node, 2, 2)
        return _index(reader, node.arguments[0]), (None,) * _rank(reader, node.arguments[1])
    if node.last == "dims":
        _count(reader, node, 1, 2)
        rank, *given = node.arguments
        return _index(reader, given[0]) if given else "std::size_t", (None,) * _rank(reader, rank)
    rule = f"extents<index, ...>, dextents<index, rank> or dims<rank> is expected, {told(node.text())} found"
    return reader.fail(node.at, rule)


def _index(reader: _Reader, node: Node) -> str:
    try:
        index_of(node.name)
    except CppTypeError as error:
        reader.fail(node.at, str(error))
    if node.arguments or node.marks or node.value is not None:
        reader.fail(node.at, f"an index type is an integer type, got {told(node.text())}")
    return node.name


def _rank(reader: _Reader, node: Node) -> int:
    if node.value is None or not 0 <= node.value <= 64:  # noqa: PLR2004 - far above any rank in use
        reader.fail(node.at, f"a rank from 0 to 64 is expected, {told(node.text())} found")
    return node.value


def _extent(reader: _Reader, node: Node, index: str, what: str = "extent") -> int | None:
    if node.last == "dynamic_extent" or node.value in {-1, _SIZE - 1}:
        return None
    if node.value is None:
        reader.fail(node.at, f"a static {what} or dynamic_extent is expected, {told(node.text())} found")
    if not 0 <= node.value <= limits_of(index)[1]:
        most = limits_of(index)[1]
        reader.fail(node.at, f"a static {what} of {index} is from 0 to {most}, {shown(node.value)} found")
    return node.value


def _check_size(reader: _Reader, node: Node, index: str, extents: tuple[int | None, ...]) -> None:
    """Refuse static extents of more indices than the index type counts: C++ has no mapping of them."""
    known = [e for e in extents if e is not None]
    size, most = prod(known), limits_of(index)[1]
    if len(known) == len(extents) and size > most:
        reader.fail(node.at, f"static extents have at most {most} indices, as {index} counts them, {size} found")


def _layout(reader: _Reader, node: Node, index: str) -> tuple[str, int | None]:
    if node.last not in LAYOUTS:
        reader.fail(node.at, f"a layout is one of {', '.join(LAYOUTS)}; {told(node.text())} found")
    if node.last not in PADDED.values():
        if node.arguments:
            reader.fail(node.at, f"{node.last} takes no template arguments")
        return node.last, None
    _count(reader, node, 0, 1)
    padding = node.arguments[0] if node.arguments else Node(node.at, "dynamic_extent")
    return node.last, _extent(reader, padding, index, "padding")


def _accessor(reader: _Reader, node: Node, element: Node) -> tuple[str, int]:
    if node.last not in ACCESSORS:
        reader.fail(node.at, f"an accessor is one of {', '.join(ACCESSORS)}; {told(node.text())} found")
    _count(reader, node, 1, 2 if node.last == ALIGNED else 1)
    inner = node.arguments[0]
    if node.last == RESTRICT:
        _count(reader, inner, 1, 1)
        if inner.last != DEFAULT:
            reader.fail(inner.at, f"{RESTRICT} is read around {DEFAULT} alone, {told(inner.text())} found")
        inner = inner.arguments[0]
    if (plain_text(inner.text()), inner.is_const) != (plain_text(element.text()), element.is_const):
        texts = ["const " * each.is_const + each.text() for each in (inner, element)]
        reader.fail(inner.at, f"the accessor has elements of {texts[0]!r}, the view of {texts[1]!r}")
    if node.last != ALIGNED:
        return node.last, 0
    alignment = node.arguments[-1].value
    if alignment is None or alignment < 1 or alignment & (alignment - 1):
        reader.fail(node.arguments[-1].at, "an alignment is a power of two in bytes")
    return node.last, alignment
