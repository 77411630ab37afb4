"""Explaining: the steps of an operation, with the digits of each, and what blocks it."""

from __future__ import annotations

from collections.abc import Callable

from mdview.algebra.cute import to_cute
from mdview.algebra.reading import told_steps
from mdview.base.texts import told
from mdview.errors import MDViewError
from mdview.mappings.mapping import Mapping


def explain(operation: Callable[..., object], *mappings: object, **options: object) -> str:
    """Return what an operation does with its arguments, one step a line, and its result or what blocks it.

    >>> from mdview.algebra import compose, from_cute
    >>> print(explain(compose, from_cute("(6,2):(8,2)"), from_cute("(4,3):(3,1)")))
    compose((6,2):(8,2), (4,3):(3,1))
      digits, fastest first: 6:8 2:2; numbers: 4:3 3:1 from 0
      4:3 becomes 2:24 2:2
      3:1 becomes 3:8
    result: ((2,2),3):((24,2),8)
    """
    lines = [f"{getattr(operation, '__name__', told(operation))}({', '.join(map(_text, mappings))})"]
    with told_steps() as steps:
        try:
            end = f"result: {_text(operation(*mappings, **options))}"
        except (MDViewError, RecursionError) as error:
            end = f"blocked: {type(error).__name__}: {error}"
    return "\n".join([*lines, *[f"  {step}" for step in steps], end])


def _text(given: object) -> str:
    """Return a mapping in CuTe's notation where it has one, anything else as messages tell it."""
    if not isinstance(given, Mapping):
        return f"({', '.join(map(_text, given))})" if isinstance(given, tuple | list) else told(given)
    try:
        return to_cute(given)
    except MDViewError:
        return told(given)
