"""An argument of the wrong kind is refused where it is handed over: the error names it and shows what it is.

What needs a class to be recognised is checked beside that class: `mdview.mappings.mapping.check_mapping`,
`mdview.views.base.check_view`, `mdview.layouts.base.check_layout_kind`, `mdview.accessors.base.check_accessor_kind`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from mdview.base.integers import as_integer
from mdview.base.texts import shown, told
from mdview.errors import OperandError, RankError


def kind_text(given: object) -> str:
    """Say what something is, in a few words: what has a short text of its own is shown, else its type is named.

    >>> kind_text(3), kind_text(None), kind_text(int), kind_text([1, 2])
    ('int 3', 'None', 'the class int', 'list')
    """
    if given is None:
        return "None"
    if isinstance(given, type):
        return f"the class {given.__name__}"
    name = type(given).__name__
    if type(given).__module__ == "numpy":
        return told(given).removeprefix("an object of type ")
    return f"{name} {told(given)}" if isinstance(given, int | float | complex | str | bytes) else name


def refuse(name: str, rule: str, given: object, hint: str = "") -> NoReturn:
    """Raise the error that ``name`` must be ``rule`` and is something else; ``hint`` is a way out."""
    message = f"{name} must be {rule}, got {kind_text(given)}{hint and f'; {hint}'}"
    raise OperandError(message)


def check_function(given: object, name: str) -> None:
    """Refuse what cannot be called.

    Raises
    ------
    OperandError
        It cannot; ``name`` says in the message what it stands for.
    """
    if not callable(given):
        refuse(name, "a function", given)


def as_entries(given: Any, name: str) -> tuple[Any, ...]:
    """Return the entries of a sequence or another iterable; a text is none. Any: entries are checked by their user.

    Raises
    ------
    OperandError
        It has no entries; ``name`` says in the message what it stands for.
    """
    if isinstance(given, str | type) or not isinstance(given, Iterable):
        refuse(name, "a sequence", given)
    return tuple(given)


def as_pairs(given: Any, what: str) -> list[tuple[int, int]]:
    """Return pairs of ints, one for each dimension. Any: whatever stands where they belong.

    Raises
    ------
    RankError
        They are no pairs.
    ExtentsTypeError
        Some number is no integer.
    """
    try:
        pairs = [(before, after) for before, after in given]
    except (TypeError, ValueError):
        message = f"{what} takes pairs, one for each dimension, got {told(given)}"
        raise RankError(message) from None
    return [(int(as_integer(b, what)), int(as_integer(a, what))) for b, a in pairs]


def as_entries_of(rank: int, given: Any, what: str) -> tuple[Any, ...]:
    """Return a sequence of one entry for each of ``rank`` dimensions as a tuple. Any: entries of any type.

    Raises
    ------
    RankError
        There are more or fewer.
    OperandError
        It has no entries.
    """
    entries = as_entries(given, what)
    if len(entries) != rank:
        message = f"rank {rank} takes {rank} {what}, got {len(entries)}: {shown(entries)}"
        raise RankError(message)
    return entries
