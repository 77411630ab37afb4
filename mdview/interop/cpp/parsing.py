"""The text of a C++ type is read to a `CppType`: first to names with template arguments, then to what they mean."""

from __future__ import annotations

import re
from math import prod
from typing import Final, NamedTuple, NoReturn, TypeAlias, final

from mdview.base.arguments import refuse
from mdview.base.texts import told
from mdview.errors import CppTypeError
from mdview.interop.cpp.types import (
    ACCESSORS,
    ALIGNED,
    DEFAULT,
    INTEGER_WORDS,
    LAYOUTS,
    RESTRICT,
    CppType,
    element_kind,
    index_of,
    limits_of,
)

_BLANK: Final = re.compile(
    r"(?:\s+|//[^\n]*|/\*.*?\*/|(?:typename|template|class|struct|volatile)\b)*", re.DOTALL | re.ASCII
)
_CONST: Final = re.compile(r"const\b")
_NAME: Final = re.compile(r"[A-Za-z_]\w*|-?\d[0-9A-Za-z']*", re.ASCII)
_INTEGER_WORD: Final = re.compile(rf"(?:{'|'.join(INTEGER_WORDS)})\b")
_SIZE: Final = 1 << 64
DEEPEST: Final = 32
"""How deep template arguments may be nested."""


@final
class Node(NamedTuple):
    """A name, as its parts between ``::`` with their template arguments; or a number, which is one part."""

    at: int
    parts: tuple[tuple[str, tuple[Node, ...]], ...]
    is_const: bool = False

    @property
    def name(self) -> str:
        """The last part."""
        return self.parts[-1][0]

    @property
    def digits(self) -> str:
        """The name as a number that Python reads."""
        return self.name.replace("'", "").rstrip("uUlLzZ")

    @property
    def arguments(self) -> tuple[Node, ...]:
        """Template arguments of the last part."""
        return self.parts[-1][1]

    @property
    def namespace(self) -> str:
        """All parts but the last."""
        return "::".join([name for name, _ in self.parts[:-1]])

    def text(self) -> str:
        """Spell the name and its arguments, without ``const``."""
        parts = [(name, ["const " * a.is_const + a.text() for a in arguments]) for name, arguments in self.parts]
        return "::".join([f"{name}<{', '.join(inside)}>" if inside else name for name, inside in parts])


@final
class Parsed(NamedTuple):
    """A type, and what stands behind it: ``marks`` are ``"*"``, ``"&"``, ``"&&"`` or nothing."""

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
    node, marks = reader.whole()
    return Parsed(_mapping(reader, node) if node.name == "mapping" else _mdspan(reader, node), marks)


@final
class _Reader:
    """Reads one text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = self.depth = 0
        self.takes("")

    def takes(self, wanted: str | re.Pattern[str]) -> str:
        """Return what is ahead if it is wanted, and go on behind it and blanks; the empty text for anything else."""
        found = re.compile(wanted).match(self.text, self.at)
        if found is not None:
            behind = _BLANK.match(self.text, found.end())
            self.at = behind.end() if behind else found.end()
        return found.group() if found else ""

    def fail(self, at: int, rule: str) -> NoReturn:
        raise CppTypeError(f"{told(self.text)} is no C++ type that mdview reads: at position {at}, {rule}")

    def wants(self, what: str) -> NoReturn:
        ahead = self.text[self.at : self.at + 1]
        self.fail(self.at, f"{what}, {repr(ahead) if ahead else 'the end'} found")

    def whole(self) -> tuple[Node, str]:
        node = self.node()
        marks = self.takes(r"&&|[*&]")
        self.const()
        if self.at < len(self.text):
            self.wants("nothing may follow")
        return node, marks

    def node(self) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(self.at, f"types are nested deeper than {DEEPEST} levels")
        is_const, at = self.const(), self.at
        self.takes("::")
        parts = [self.part()]
        while self.takes("::"):
            parts.append(self.part())
        self.depth -= 1
        return Node(at, tuple(parts), self.const() or is_const)

    def const(self) -> bool:
        start = self.at
        while self.takes(_CONST):
            pass
        return self.at > start

    def part(self) -> tuple[str, tuple[Node, ...]]:
        """Read a number, a word, or those of an integer type, and the template arguments behind it."""
        words, arguments = [self.takes(_NAME) or self.wants("a name is expected")], []
        while words[-1] in INTEGER_WORDS and (word := self.takes(_INTEGER_WORD)):
            words.append(word)
        if self.takes("<") and not self.takes(">"):
            arguments.append(self.node())
            while self.takes(","):
                arguments.append(self.node())
            if not self.takes(">"):
                self.wants("'>' is expected")
        return " ".join(words), tuple(arguments)

    def arguments(self, node: Node, least: int, most: int) -> tuple[Node, ...]:
        """Return the arguments of a node, of which there must be so many."""
        given = len(node.arguments)
        if not least <= given <= most:
            rule = str(least) if least == most else f"{least} to {most}"
            self.fail(node.at, f"{node.name} takes {rule} template arguments, {given} given")
        return node.arguments

    def number(self, node: Node, what: str, least: int, most: int) -> int:
        """Return the value of a number between bounds."""
        try:
            found = int(node.digits, 0)
        except ValueError:  # of no number, and of one with too many digits for Python
            found = least - 1
        if not least <= found <= most:
            self.fail(node.at, f"{what} from {least} to {most} is expected, {told(node.text())} found")
        return found


def _mdspan(reader: _Reader, node: Node) -> CppType:
    if node.name not in {"mdspan", "restrict_mdspan"}:
        reader.fail(node.at, f"mdspan<...> or layout::mapping<...> is expected, {told(node.text())} found")
    element, extents, *rest = reader.arguments(node, 2, 4)
    if not element.name.isidentifier() and " " not in element.name:
        reader.fail(element.at, f"an element type is expected, {told(element.text())} found")
    index, statics = _extents(reader, extents)
    layout, padding = _layout(reader, rest[0], index) if rest else ("layout_right", None)
    is_restrict = node.name == "restrict_mdspan"
    accessor, alignment = _accessor(reader, rest[1], element) if rest[1:] else (RESTRICT if is_restrict else DEFAULT, 0)
    namespace = "cuda::std" if is_restrict else node.namespace
    return CppType(namespace, element.text(), element.is_const, index, statics, layout, padding, accessor, alignment)


def _mapping(reader: _Reader, node: Node) -> CppType:
    """Read ``std::layout_left::mapping<...>``, or the same of a layout with arguments."""
    if not node.namespace:
        reader.fail(node.at, "the layout of the mapping is missing: std::layout_right::mapping<...>")
    (extents,) = reader.arguments(node, 1, 1)
    index, statics = _extents(reader, extents)
    layout, padding = _layout(reader, Node(node.at, node.parts[:-1]), index)
    return CppType(extents.namespace, "", False, index, statics, layout, padding)  # noqa: FBT003 - a field


def _extents(reader: _Reader, node: Node) -> tuple[str, Statics]:
    """Return the index type and the static extents of a type of extents."""
    numbers: Statics
    if node.name == "extents" and node.arguments:
        index = _index(reader, node.arguments[0])
        numbers = tuple([_static(reader, each, index, "extent") for each in node.arguments[1:]])
    elif node.name == "dextents":
        first, rank = reader.arguments(node, 2, 2)
        index, numbers = _index(reader, first), (None,) * reader.number(rank, "a rank", 0, 64)
    elif node.name == "dims":
        rank, *given = reader.arguments(node, 1, 2)
        index, numbers = "std::size_t", (None,) * reader.number(rank, "a rank", 0, 64)
        index = _index(reader, given[0]) if given else index
    else:
        rule = f"extents<index, ...>, dextents<index, rank> or dims<rank> is expected, {told(node.text())} found"
        reader.fail(node.at, rule)
    size, most = prod([1 if e is None else e for e in numbers]), limits_of(index)[1]
    if None not in numbers and size > most:
        reader.fail(node.at, f"static extents have at most {most} indices, as {index} counts them, {size} found")
    return index, numbers


Statics: TypeAlias = tuple[int | None, ...]


def _index(reader: _Reader, node: Node) -> str:
    try:
        index_of(node.text())
    except CppTypeError as error:
        reader.fail(node.at, str(error))
    return node.text()


def _static(reader: _Reader, node: Node, index: str, what: str) -> int | None:
    """Return a static extent or padding, None for a dynamic one."""
    if node.name == "dynamic_extent" or node.digits in {"-1", str(_SIZE - 1)}:
        return None
    return reader.number(node, f"dynamic_extent or a static {what} of {index}", 0, limits_of(index)[1])


def _layout(reader: _Reader, node: Node, index: str) -> tuple[str, int | None]:
    if node.name not in LAYOUTS:
        reader.fail(node.at, f"a layout is one of {', '.join(LAYOUTS)}; {told(node.text())} found")
    given = reader.arguments(node, 0, 1 if node.name.endswith("_padded") else 0)
    return node.name, _static(reader, given[0], index, "padding") if given else None


def _accessor(reader: _Reader, node: Node, element: Node) -> tuple[str, int]:
    """Return the name of an accessor to elements of this type, and its alignment."""
    if node.name not in ACCESSORS:
        reader.fail(node.at, f"an accessor is one of {', '.join(ACCESSORS)}; {told(node.text())} found")
    count = 2 if node.name == ALIGNED else 1
    inner, *rest = reader.arguments(node, count, count)
    if node.name == RESTRICT:
        if inner.name != DEFAULT:
            reader.fail(inner.at, f"{RESTRICT} is read around {DEFAULT} alone, {told(inner.text())} found")
        (inner,) = reader.arguments(inner, 1, 1)
    own, its = [element_kind(each.text()) or each.text() for each in (inner, element)]
    if own != its or inner.is_const != element.is_const:
        texts = ["const " * each.is_const + each.text() for each in (inner, element)]
        reader.fail(inner.at, f"the accessor has elements of {texts[0]!r}, the view of {texts[1]!r}")
    alignment = reader.number(rest[0], "an alignment", 1, _SIZE) if rest else 0
    if alignment & (alignment - 1):
        reader.fail(rest[0].at, "an alignment is a power of two in bytes")
    return node.name, alignment
