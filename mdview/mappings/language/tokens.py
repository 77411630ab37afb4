"""Tokens: a text cut into names, numbers, quoted texts and marks, each with its place, and a reader of these.

Expressions of layouts are read from them, and types of C++. Errors over expressions are made here, since they show a
place in the text.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from types import EllipsisType
from typing import Final, NamedTuple, TypeAlias, final

from mdview.base.texts import shown
from mdview.base.values import value
from mdview.errors import NotationError

AROUND: Final = 60
"""How many characters before and behind a place its error shows of a long line."""

LONGEST: Final = 400
"""How many characters a reason has at most."""


@final
class Token(NamedTuple):
    """One word of a text.

    Attributes
    ----------
    kind
        ``"name"``, ``"number"``, ``"quoted"``, ``"mark"``, or ``"end"`` behind the last one.
    text
        Its characters.
    at
        Where it begins.
    """

    kind: str
    text: str
    at: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.at + len(self.text)


class Reader(ABC):
    """Reads the tokens of one text from left to right, one token ahead.

    Attributes
    ----------
    at
        The number of the next token.
    depth
        How many levels of the text it is in.
    """

    def __init__(self, text: str, pattern: re.Pattern[str]) -> None:
        """Cut a text by a pattern whose groups are the kinds of tokens; what matches without a group is left out."""
        self.text: str = text
        self.at: int = 0
        self.depth: int = 0
        self.tokens: list[Token] = []
        at = 0
        while at < len(text):
            match = pattern.match(text, at)
            if match is None or (match.lastgroup == "name" and not match.group().isidentifier()):
                raise self.refusal(at)
            if match.lastgroup is not None:
                self.tokens.append(Token(match.lastgroup, match.group(), at))
            at = match.end()
        self.tokens.append(Token("end", "", len(text.rstrip())))

    @abstractmethod
    def refusal(self, at: int) -> Exception:
        """Return the error over a character that begins no token."""

    @property
    def next(self) -> Token:
        """The token ahead."""
        return self.tokens[self.at]

    def sees(self, *marks: str) -> bool:
        """Tell whether one of these marks is ahead."""
        return self.next.kind == "mark" and self.next.text in marks

    def takes(self, *marks: str) -> bool:
        """Tell whether one of these marks is ahead, and go on behind it."""
        found = self.sees(*marks)
        self.at += found
        return found


def error_at(text: str, place: tuple[int, int], reason: str) -> NotationError:
    """Return the error that shows its line of ``text`` with carets under ``place``, the first and the last end."""
    begin, end = place
    start = text.rfind("\n", 0, begin) + 1
    line, column = text.count("\n", 0, begin) + 1, begin - start + 1
    stop = text.find("\n", begin)
    stop = len(text) if stop < 0 else stop
    first, last = max(start, begin - AROUND), min(stop, max(begin + AROUND, min(end, begin + 2 * AROUND)))
    before = ("…" if first > start else "") + text[first:begin]
    under = text[begin : min(end, last)] or " "
    behind = text[begin + len(under) : last] + ("…" if last < stop else "")
    shown = f"{_printable(before)}{_printable(under)}{_printable(behind)}".rstrip()
    carets = " " * _columns(before) + "^" * max(1, _columns(under))
    reason = reason if len(reason) <= LONGEST else f"{reason[:LONGEST]}…"
    error = NotationError(f"line {line}, column {column}: {reason}\n    {shown}\n    {carets}")
    error.line, error.column = line, column
    return error


def quoted(error: BaseException) -> str:
    """Return the name and the message of another error, in one line."""
    message = shown(error).split("\n", 1)[0]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _printable(text: str) -> str:
    """Return a text of which every character shows: of others a replacement does."""
    return "".join([c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text])


def _columns(text: str) -> int:
    """Count the columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # noqa: PLC0415 - for errors in such texts

    return sum([0 if combining(c) else 2 if east_asian_width(c) in {"W", "F"} else 1 for c in text])


Place: TypeAlias = tuple[int, int]
"""First character and the one behind the last."""


@final
@value
class Constant:
    """A number, a quoted text, True, False or None."""

    given: object
    place: Place


@final
@value
class Entries:
    """A tuple of values."""

    entries: tuple[Node, ...]
    place: Place


@final
@value
class Argument:
    """A value in a call, perhaps with the name of its parameter."""

    name: str | None
    node: Node
    place: Place


@final
@value
class Call:
    """A name, of a module if there is one, with arguments if there are any."""

    module: str
    name: str
    arguments: tuple[Argument, ...]
    place: Place
    is_bare: bool

    @property
    def name_place(self) -> Place:
        """Where the name stands, with its module."""
        at = self.place[0]
        return at, at + len(self.name) + (len(self.module) + 1 if self.module else 0)


Node: TypeAlias = Constant | Entries | Call


@final
@value
class Range:
    """A slice within brackets: ``start:stop:step``, each of which may be left out."""

    bounds: tuple[Node | None, Node | None, Node | None]
    place: Place


@final
@value
class Blank:
    """An ellipsis within brackets."""

    given: EllipsisType
    place: Place


KeyEntry: TypeAlias = Node | Range | Blank


@final
@value
class Key:
    """What stands in brackets."""

    entries: tuple[KeyEntry, ...]
    place: Place


@final
@value
class Tree:
    """A whole expression: a layout, its extents, and the steps after them."""

    layout: Call
    extents: Entries
    steps: tuple[Call | Key, ...]


_PLAIN: Final = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"', "0": "\0"}
_ESCAPE: Final = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)


def unquoted(token: Token, text: str) -> str | bytes:
    """Return the string or the bytes that a token of ``text`` writes."""
    is_bytes = token.text[0] in "bB"
    inner = token.text[1 + is_bytes : -1]

    def read(match: re.Match[str]) -> str:
        at = token.at + 1 + is_bytes + match.start()
        digits = match.group(1) or match.group(2) or match.group(3)
        known = chr(min(int(digits, 16), 0x110000 - 1)) if digits else _PLAIN.get(match.group(4))
        if known is None or (digits and int(digits, 16) >= 0x110000):  # noqa: PLR2004 - of Unicode
            raise error_at(text, (at, at + len(match.group())), "no escape sequence that is known here")
        return known

    found = _ESCAPE.sub(read, inner)
    if not is_bytes:
        return found
    try:
        return found.encode("latin-1")
    except UnicodeEncodeError as error:
        raise error_at(text, (token.at, token.end), "bytes hold characters up to \\xff") from error
