"""Tokens: the text of an expression cut into names, numbers, quoted texts and marks, each with its place.

Errors of the language are made here, since they show a place in the text.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple, final

from mdview.base.texts import shown
from mdview.errors import NotationError

AROUND: Final = 60
"""How many characters before and behind a place its error shows of a long line."""

LONGEST: Final = 400
"""How many characters a reason has at most."""

_PATTERN: Final = re.compile(
    r"""\s+
    | (?P<quoted> b?"(?:[^"\\\n]|\\.)*" | b?'(?:[^'\\\n]|\\.)*' )
    | (?P<number> 0x[0-9a-f]+ | (?:[0-9]+(?:_[0-9]+)*)(?:\.[0-9]+)?(?:e[+-]?[0-9]+)? )
    | (?P<name> [^\W\d]\w* )
    | (?P<mark> \.\.\. | [()\[\],:=.-] )""",
    re.VERBOSE | re.IGNORECASE,
)


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


def tokens(text: str) -> list[Token]:
    """Cut a text; `NotationError` at a character that begins no token."""
    found: list[Token] = []
    at = 0
    while at < len(text):
        match = _PATTERN.match(text, at)
        if match is None or (match.lastgroup == "name" and not match.group().isidentifier()):
            raise error_at(text, (at, at + 1), _unexpected(text[at]))
        if match.lastgroup is not None:
            found.append(Token(match.lastgroup, match.group(), at))
        at = match.end()
    end = len(text.rstrip())
    found.append(Token("end", "", end))
    return found


def _unexpected(character: str) -> str:
    if character in "'\"":
        return "a quoted text that does not end in its line"
    return f"unexpected character {character!a}"


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
