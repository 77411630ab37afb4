"""A law is one sentence about what a layout or an accessor promises, and the check that finds where it does not hold.

A law is written as a search, which looks at one subject and yields a `Finding` for each place where the law breaks; its
check returns the first one, or None. Each law is stated here once by its name and its sentence; everything that runs
laws (`check_layout`, the command, reports) shows these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, final

from mdview.base.values import value

# Any: each group of laws has its own kind of subject.
Check: TypeAlias = "Callable[[Any], Finding | None]"
Findings: TypeAlias = "Iterator[Finding]"
Search: TypeAlias = "Callable[[Any], Findings]"


@final
@value
class Finding:
    """Where a law does not hold.

    ``place`` has pairs of a label and a text, ``expected`` is what should be there, ``got`` is what is.
    """

    place: tuple[tuple[str, str], ...]
    expected: str
    got: str


@final
@value
class Law:
    """One promise by its ``name``: ``statement`` says it, ``check`` looks for the first place that breaks it."""

    name: str
    statement: str
    check: Check


def found(expected: object, got: object, **place: object) -> Finding:
    """Make the finding of a check; texts are shown as they are, anything else by its ``repr``."""
    return Finding(tuple([(label, as_text(thing)) for label, thing in place.items()]), as_text(expected), as_text(got))


def as_text(thing: object) -> str:
    """Return a text as it is, anything else as its ``repr``, or what stands in for a broken one."""
    if isinstance(thing, str):
        return thing
    try:
        return repr(thing)
    except Exception as error:  # noqa: BLE001 - a repr that raises is one of the things looked for
        return f"<{type(thing).__name__}, whose repr raises {type(error).__name__}>"


def flattened(nested: object) -> list[Any]:
    """Return the elements of nested lists, such as ``tolist`` gives, in order. Any: of whatever type they are."""
    return [x for part in nested for x in flattened(part)] if isinstance(nested, list) else [nested]


def law(name: str, statement: str) -> Callable[[Search], Law]:
    """Make the search below a law, ``@law("span", "the span is ...")``, whose check gives the first place found."""
    return lambda search: Law(name, statement, lambda case: next(search(case), None))
