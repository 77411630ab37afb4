"""The tokenizer of the notation: pieces (names with arguments, tuples, brackets), and errors that show a position.

A piece is a Python expression, and Python's parser makes its syntax tree; ``docs/language.md`` has the grammar.
Nothing is evaluated. The errors of the notation are made here, since they show a position in the text by carets.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias, final

from mdview.base import as_text
from mdview.errors import NotationError

TextSpan: TypeAlias = tuple[int, int]
"""A half-open range of characters of a text."""

DEEPEST: Final = 60
"""The deepest nesting of parentheses in a text, and of compositions in its mapping."""
AROUND: Final = 60
"""The number of characters that an error shows before and after a position in a long line."""
LONGEST: Final = 400
"""The largest number of characters in the reason of an error."""

_ESCAPES: Final = r"""\\[nrt0\\'"]|\\x[0-9a-fA-F]{2}"""
_WIDE_ESCAPES: Final = _ESCAPES + r"|\\u[0-9a-fA-F]{4}|\\U00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4}"
_QUOTED: Final = "|".join(
    [
        *[f"b{q}(?:[^{q}\\\\\\n\x80-\U0010ffff]|{_ESCAPES})*{q}" for q in "'\""],
        *[f"{q}(?:[^{q}\\\\\\n\0]|{_WIDE_ESCAPES})*{q}" for q in "'\""],
    ]
)
_PATH: Final = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_PATTERN: Final = re.compile(
    rf"(?P<space>\s+)|(?P<quoted>{_QUOTED})|(?P<number>0[xX][0-9a-fA-F]+|[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"
    rf"|(?P<name>{_PATH}(?::{_PATH})?)(?!['\"])|(?P<mark>\.\.\.|[()\[\],:=-])"
)
_CLOSING: Final = {"(": ")", "[": "]"}
_JOINED: Final = str.maketrans(".:", "\N{LATIN LETTER SINOLOGICAL DOT}\N{MODIFIER LETTER TRIANGULAR COLON}")
"""Letters that replace ``.`` and ``:``, so that Python's parser reads a path as one name."""
_APART: Final = {new: old for old, new in _JOINED.items()}


@final
class Piece:
    """A part of a text, of which Python's parser makes a syntax tree.

    Attributes
    ----------
    kind
        ``"name"``, ``"call"`` (a name with arguments), ``"("`` (a tuple), ``"["`` (brackets), or another token.
    """

    def __init__(self, text: str, kind: str, begin: int, end: int) -> None:
        """Take the characters of ``text`` from ``begin`` to ``end``."""
        self.text = text
        self.kind = kind
        self.begin = begin
        self.end = end
        self._before = "(_" if kind in _CLOSING else "("
        self._source = ""

    def __str__(self) -> str:
        """Return the characters of the piece."""
        return self.text[self.begin : self.end]

    def parsed(self) -> ast.expr:
        """Return the syntax tree; raise `NotationError` if Python's parser refuses the text."""
        self._source = f"{self._before}{_PATTERN.sub(_for_python, str(self))})"
        try:
            return ast.parse(self._source, mode="eval").body
        except SyntaxError as error:
            at = self._index(error.lineno or 1, error.offset or 1) - 1
            at = min(max(at, self.begin), self.end - 1)
            raise error_at(self.text, (at, at + 1), f"a mistake in writing: {error.msg}") from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise self.refused(f"it cannot be read: {quoted(error)}") from None

    def _index(self, line: int, column: int) -> int:
        """Convert a line and a column of the source that Python's parser has read to a position in the text."""
        before = self._source.split("\n")[: line - 1]
        return self.begin - len(self._before) + sum([len(line_before) + 1 for line_before in before]) + column

    def _place(self, node: ast.expr | ast.keyword) -> TextSpan:
        """Return the range of characters in the text that a node of Python's syntax tree covers, for errors."""
        lines = self._source.encode().split(b"\n")
        ends = (node.lineno, node.col_offset), (node.end_lineno or 1, node.end_col_offset or 1)
        begin, end = [self._index(line, len(lines[line - 1][:column].decode())) for line, column in ends]
        return begin, end

    def refused(self, reason: str, node: ast.expr | ast.keyword | None = None) -> NotationError:
        """Return the error that marks ``node``, or the whole piece if that is None."""
        return error_at(self.text, (self.begin, self.end) if node is None else self._place(node), reason)

    def refused_name(self, reason: str, node: ast.expr) -> NotationError:
        """Return the error that marks the name of a node."""
        return self.refused(reason, node.func if isinstance(node, ast.Call) else node)


def name_of(node: ast.expr) -> str:
    """Return the name of a node, or of the function in a call, with its path; an empty string if there is no name."""
    called = node.func if isinstance(node, ast.Call) else node
    return called.id.translate(_APART) if isinstance(called, ast.Name) else ""


def arguments_of(node: ast.expr) -> list[ast.expr | ast.keyword]:
    """Return the arguments of a call, keywords last."""
    return [*node.args, *node.keywords] if isinstance(node, ast.Call) else []


def _for_python(match: re.Match[str]) -> str:
    """Return a token in a form for Python's parser, with the same length."""
    token = match.group()
    if match.lastgroup == "space":
        return re.sub(r"[^\n]", " ", token)
    return token.translate(_JOINED) if match.lastgroup == "name" else token


_OF_CUTE: Final = re.compile(r"\s*(Sw<|[\d(_,) ]+:)")
"""The beginning of a layout in CuTe's notation, which is a different notation."""


def pieces(text: str, *, spaced: bool = False) -> list[Piece]:
    """Cut a text into names with their arguments, tuples, brackets and other tokens.

    With ``spaced``, parentheses after the first name and a space are a tuple, not the arguments of the name.

    Raises
    ------
    NotationError
        A character begins no token, or parentheses do not match.
    """
    parts: list[Piece] = []
    for piece in _groups(text):
        name = parts[-1] if parts and parts[-1].kind == "name" else None
        if piece.kind != "(" or name is None or (spaced and len(parts) == 1 and name.end < piece.begin):
            parts.append(piece)
        else:
            parts[-1] = Piece(text, "call", name.begin, piece.end)
    return parts


def _groups(text: str) -> Iterator[Piece]:
    """Yield the tokens outside of parentheses and brackets, and each outermost group in these, as pieces."""
    opened: list[tuple[str, int]] = []
    for kind, token, at in _tokens(text):
        what, begin, end = "name" if kind == "name" else token, at, at + len(token)
        if token in _CLOSING:
            opened.append((token, at))
            if len(opened) > DEEPEST:
                raise error_at(text, (at, end), f"more than {DEEPEST} parentheses within each other")
        elif token in _CLOSING.values():
            what, begin = opened.pop() if opened else ("", at)
            if token != _CLOSING.get(what):
                raise error_at(text, (at, end), f"expected {_CLOSING.get(what, 'the end')!r}, got {token!r}")
        if not opened:
            yield Piece(text, what, begin, end)
    if opened:
        mark, begin = opened[-1]
        raise expected(text, [], f"{_CLOSING[mark]!r}", f"; {mark!r} of column {begin + 1} is not closed")


def expected(text: str, found: Sequence[Piece], what: str, hint: str = "") -> NotationError:
    """Return the error that ``what`` is expected instead of the first piece, or of the end of the text."""
    end = len(text.rstrip())
    piece = found[0] if found else Piece(text, "", end, end)
    got = f"got {str(piece)[:AROUND]!a}" if found else "the text ends"
    return piece.refused(f"expected {what}, {got}{hint}")


def _tokens(text: str) -> Iterator[tuple[str | None, str, int]]:
    """Yield the kind, the characters and the position of each token except spaces."""
    at = 0
    while at < len(text):
        match = _PATTERN.match(text, at)
        if match is None:
            is_quote = text[at] in "'\""
            reason = "a quoted text that does not end in its line, or has an escape sequence that is unknown"
            raise error_at(text, (at, at + 1), reason if is_quote else f"unexpected character {text[at]!a}")
        if match.lastgroup != "space":
            yield match.lastgroup, match.group(), at
        at = match.end()


def error_at(text: str, place: TextSpan, reason: str) -> NotationError:
    """Return the error that shows a line of ``text`` with carets under ``place``."""
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
    carets = " " * len(before) + "^" * max(1, len(under))
    reason = reason if len(reason) <= LONGEST else f"{reason[:LONGEST]}…"
    reason += "; CuTe's notation is read by mdview.algebra.from_cute(text)" if _OF_CUTE.match(text) else ""
    error = NotationError(f"line {line}, column {column}: {reason}\n    {shown}\n    {carets}")
    error.line, error.column = line, column
    return error


def quoted(error: BaseException) -> str:
    """Return the class of an error and the first line of its message."""
    message = as_text(error).split("\n", 1)[0]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _printable(text: str) -> str:
    """Return a text with unprintable characters replaced, so that an error can show a position in it."""
    return "".join([c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text])
