"""A law is one sentence about what a layout or an accessor promises, and the check that finds where it does not hold.

A check looks at one subject and returns a `Finding`, the place where the law breaks, or None. Each law is stated here
once by its name and its sentence; everything that runs laws (`check_layout`, the command, reports) shows these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, final

from mdview.base.values import value

# Any: each group of laws has its own kind of subject.
Check: TypeAlias = "Callable[[Any], Finding | None]"


@final
@value
class Finding:
    """Where a law does not hold: the place as pairs of a label and a text, what should be there, and what is."""

    place: tuple[tuple[str, str], ...]
    expected: str
    got: str


@final
@value
class Law:
    """One promise: ``statement`` says it, ``check`` looks for the first place that breaks it."""

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


def law(name: str, statement: str) -> Callable[[Check], Law]:
    """Make the check below a law: ``@law("span", "the span is ...")``."""

    def stated(check: Check) -> Law:
        return Law(name, statement, check)

    return stated
