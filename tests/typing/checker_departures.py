"""Departures of checkers: what one says, or does not say, where all others agree, each by a rule with its reason.

A rule is about the checker and the code that it meets, never about a single test. A test fails for each rule, and for
each case that is listed, where the checker departs no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from checked_modules import code_at

if TYPE_CHECKING:
    from checkers import Diagnostic


class Departure(NamedTuple):
    """What a checker says of correct code, and shall not count as a mistake that it found."""

    checker: str
    code: str
    """A pattern of the line of code."""
    says: Callable[[str], bool]
    """Tells it by the message."""
    reason: str


def are_literals(message: str) -> bool:
    """Tell whether the two types of a message differ by literals that stand for plain ints."""
    types = re.findall(r"`([^`]+)`", message)
    kept = [re.sub(r"(?<!Dim\[)Literal\[\d+\]", "int", each) for each in types]
    return "asserted type" in message and len(kept) == 2 and kept[0] == kept[1] != types[0]


def is_said(pattern: str) -> Callable[[str], bool]:
    return lambda message: re.search(pattern, message) is not None


BARE: Final = r"accessor=(md\.)?\w+Accessor\(\)"
"""An accessor that has its elements from the data."""

DEPARTURES: Final = (
    Departure(
        "ty", r"assert_type\(", are_literals, "A plain int stays a literal in a covariant place: the type is narrower."
    ),
    Departure(
        "ty",
        BARE,
        is_said("Unknown"),
        "An accessor made in the call is typed before the data: its element is open.",
    ),
    Departure(
        "ty",
        r"assert_type\(v, ",
        is_said(r" & ~MDView"),
        "Where `has_extents` said no, the type excludes what it asked.",
    ),
    Departure(
        "ty",
        r"assert_type\(",
        is_said(r"^Type `MDView\[[^`]*, Unknown, \w+@\w+\]` does not match asserted type `MDView\[[^`]*, Layout, "),
        "What a layout tells is not looked up in the bound of a type variable.",
    ),
    Departure(
        "ty", r"assume\(literal", is_said("No overload"), "The literals of plain ints contradict a static extent."
    ),
    Departure(
        "pyrefly", r"transform\(max, ", is_said("Unknown"), "A generic function is not solved with the arguments."
    ),
    Departure("pyrefly", BARE, is_said("Unknown"), "An accessor made in the call is typed before the data."),
    Departure(
        "pyrefly",
        r": MDView\[.*\] = (from_zarr|open_view|asview)\(",
        is_said("is not assignable"),
        "A type variable that only the result has is its default, whatever is declared.",
    ),
    Departure(
        "basedpyright",
        r": float = data\[offset\]",
        is_said("is Any"),
        "Items of data are Any to an accessor; a name of a declared type is reported as well.",
    ),
)

ACCEPTED: Final[dict[tuple[str, str], str]] = {
    ("pyrefly", "own-G6"): "Iterating is not matched with the type of self: rank 0 has no iteration."
}
"""Wrong code that a checker accepts, by checker and case of the contract or program."""


def departures(checker: str, found: Diagnostic) -> list[Departure]:
    """The rules by which a checker says something."""
    code = code_at(found.path, found.line)
    return [
        rule
        for rule in DEPARTURES
        if rule.checker == checker and re.search(rule.code, code) and rule.says(found.message)
    ]
