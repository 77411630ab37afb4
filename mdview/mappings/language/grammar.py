"""The grammar: tokens become a tree. ``docs/language.md`` states it; each method here reads one of its rules."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NoReturn, TypeVar, final

from mdview.mappings.language.tokens import (
    Argument,
    Blank,
    Call,
    Constant,
    Entries,
    Key,
    KeyEntry,
    Node,
    Range,
    Reader,
    Token,
    Tree,
    error_at,
    unquoted,
)

T = TypeVar("T")

DEEPEST: Final = 60
"""How many parentheses, and layouts of steps, may stand within each other."""
_PATTERN: Final = re.compile(
    r"""\s+
    | (?P<quoted> b?"(?:[^"\\\n]|\\.)*" | b?'(?:[^'\\\n]|\\.)*' )
    | (?P<number> 0x[0-9a-f]+ | (?:[0-9]+(?:_[0-9]+)*)(?:\.[0-9]+)?(?:e[+-]?[0-9]+)? )
    | (?P<name> [^\W\d]\w* )
    | (?P<mark> \.\.\. | [()\[\],:=.-] )""",
    re.VERBOSE | re.IGNORECASE,
)
CONSTANTS: Final[dict[str, bool | None]] = {"True": True, "False": False, "None": None}


def parsed(text: str) -> Tree:
    """Return the tree of a text; `NotationError` where it breaks the grammar."""
    return _Parser(text).expression()


def parsed_layout(text: str) -> Call:
    """Return the tree of a text that is a layout alone; `NotationError` where it is more, or breaks the grammar."""
    parser = _Parser(text)
    call = parser.call()
    if parser.next.kind != "end":
        parser.fail("nothing behind the layout")
    return call


def parsed_steps(text: str) -> tuple[Call | Key, ...]:
    """Return the trees of a text that is steps alone; `NotationError` where it breaks the grammar."""
    return _Parser(text).steps()


@final
class _Parser(Reader):
    """Reads the expressions, layouts and steps of a text."""

    def __init__(self, text: str) -> None:
        super().__init__(text, _PATTERN)

    def refusal(self, at: int) -> Exception:
        """Return the error over a character."""
        is_quote = self.text[at] in "'\""
        reason = (
            "a quoted text that does not end in its line" if is_quote else f"unexpected character {self.text[at]!a}"
        )
        return error_at(self.text, (at, at + 1), reason)

    @property
    def last_end(self) -> int:
        return self.tokens[self.at - 1].end

    def expression(self) -> Tree:
        """Layout, extents, steps, and nothing behind them."""
        if self.next.kind == "end":
            self.fail("a layout")
        layout = self.call(adjacent=True)
        if not self.sees("("):
            self.fail("the extents in parentheses, as in right (4, 6)")
        return Tree(layout, self.entries(), self.steps())

    def steps(self) -> tuple[Call | Key, ...]:
        """Steps, and nothing behind them."""
        found: list[Call | Key] = []
        while self.next.kind != "end":
            found.append(self.step())
        return tuple(found)

    def step(self) -> Call | Key:
        """Brackets, or an operation with its arguments."""
        if self.sees("["):
            return self.key()
        if self.next.kind != "name":
            hint = "; arguments of a layout follow its name without a space" if self.sees("(") else ""
            self.fail("a slice in brackets, an operation, or the end", hint)
        step = self.call()
        if step.is_bare:
            self.fail("the operation's arguments in parentheses")
        return step

    def call(self, *, adjacent: bool = False) -> Call:
        """Read a name with arguments; if ``adjacent``, only what follows the name without a space are arguments."""
        first = self.expect_name("a layout")
        module, name = "", self.dotted(first)
        if self.takes(":"):
            module, name = name, self.dotted(self.expect_name("the name of a class"))
        elif "." in name:
            self.fail("':' and the name of a class")
        end = self.last_end
        if not self.sees("(") or (adjacent and self.next.at != end):
            return Call(module, name, (), (first.at, end), is_bare=True)
        arguments = self.listed("(", ")", self.argument)
        return Call(module, name, arguments, (first.at, self.last_end), is_bare=False)

    def dotted(self, first: Token) -> str:
        """Read names with dots in between."""
        names = [first.text]
        while self.takes("."):
            names.append(self.expect_name("a name").text)
        return ".".join(names)

    def argument(self) -> Argument:
        """Read a value, perhaps behind the name of its parameter."""
        first, name = self.next, None
        if first.kind == "name" and self.tokens[self.at + 1].text == "=":
            name, self.at = first.text, self.at + 2
        node = self.value()
        return Argument(name, node, (first.at, self.last_end))

    def value(self) -> Node:
        """Read a constant, a tuple, or a call."""
        token = self.next
        if token.kind == "name" and token.text not in CONSTANTS:
            return self.call()
        return self.entries() if self.sees("(") else self.constant()

    def entries(self) -> Entries:
        """Read values in parentheses."""
        first = self.next.at
        found = self.listed("(", ")", self.value)
        return Entries(found, (first, self.last_end))

    def key(self) -> Key:
        """Read what brackets hold."""
        first = self.next.at
        entries = self.listed("[", "]", self.key_entry)
        return Key(entries, (first, self.last_end))

    def key_entry(self) -> KeyEntry:
        """Read an index, a slice, an ellipsis or None."""
        first = self.next
        if self.takes("..."):
            return Blank(..., (first.at, first.end))
        if first.kind == "name" and first.text == "None":
            return self.constant()
        bounds: list[Node | None] = [self.bound()]
        while len(bounds) < 3 and self.takes(":"):  # noqa: PLR2004 - start, stop, step
            bounds.append(self.bound())
        if len(bounds) == 1:
            if bounds[0] is None:
                self.fail("an index, a slice, '...' or None")
            return bounds[0]
        start, stop, step = (*bounds, None)[:3]
        return Range((start, stop, step), (first.at, self.last_end))

    def bound(self) -> Node | None:
        """Read a number, perhaps static; None where there is nothing."""
        if self.next.kind == "name":
            if self.next.text != "dim" or self.tokens[self.at + 1].text != "(":
                self.fail("an index, a slice, '...' or None")
            return self.call()
        return self.constant() if self.next.kind == "number" or self.sees("-") else None

    def constant(self) -> Constant:
        """Read a number, a quoted text, True, False or None."""
        first = self.next
        self.at += 1
        if first.kind == "name" and first.text in CONSTANTS:
            return Constant(CONSTANTS[first.text], (first.at, first.end))
        if first.kind == "quoted":
            return Constant(unquoted(first, self.text), (first.at, first.end))
        negative, token = first.text == "-", first
        if negative:
            token = self.next
            self.at += 1
        if token.kind != "number":
            self.at -= 1
            self.fail("a number" if negative else "a value")
        number = self.number(token)
        return Constant(-number if negative else number, (first.at, token.end))

    def number(self, token: Token) -> int | float:
        """Return the number that a token writes."""
        text = token.text.lower()
        if text.startswith("0x"):
            return int(text, 16)
        try:
            return float(text) if "." in text or "e" in text else int(text)
        except ValueError as error:  # Python's own bound on digits
            reason = f"a number of {len(text)} digits is too long; write it in hexadecimal, 0x..."
            raise error_at(self.text, (token.at, token.end), reason) from error

    def listed(self, opening: str, closing: str, read: Callable[[], T]) -> tuple[T, ...]:
        """Read what stands between two marks, with commas in between and perhaps behind."""
        begin = self.next
        self.at += 1
        self.depth += 1
        if self.depth > DEEPEST:
            raise error_at(self.text, (begin.at, begin.end), f"more than {DEEPEST} parentheses within each other")
        found: list[T] = []
        while not self.takes(closing):
            if found:
                if not self.takes(","):
                    self.fail(f"',' or {closing!r}", self.unclosed(begin))
                if self.takes(closing):
                    break
            if self.next.kind == "end":
                self.fail(f"a value or {closing!r}", self.unclosed(begin))
            found.append(read())
        self.depth -= 1
        return tuple(found)

    def expect_name(self, what: str) -> Token:
        """Take a name."""
        token = self.next
        if token.kind != "name" or token.text in CONSTANTS:
            self.fail(what)
        self.at += 1
        return token

    def unclosed(self, opening: Token) -> str:
        """Say, at the end of the text, which mark has no partner."""
        return f"; {opening.text!r} of column {opening.at + 1} is not closed" if self.next.kind == "end" else ""

    def fail(self, expected: str, hint: str = "") -> NoReturn:
        """Refuse the next token: something else was expected there."""
        token = self.next
        got = "the text ends" if token.kind == "end" else f"got {_short(token.text)}"
        raise error_at(self.text, (token.at, max(token.end, token.at + 1)), f"expected {expected}, {got}{hint}")


def _short(text: str) -> str:
    return ascii(text if len(text) <= 40 else f"{text[:40]}...")  # noqa: PLR2004 - of a message
