"""The answer of the explorer page for an expression; the same function runs while the docs are built, and in the page.

An answer holds only texts by name, so that it can be sent as JSON: the picture as HTML, the sentences of `explain`,
facts, and the mapping in other languages. If there is no such text, the message of the error takes its place.
"""

# ruff: noqa: INP001 - Sphinx and the page find it by its name on the path
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import mdview
from mdview.drawing.figures import figure
from mdview.drawing.mapping_summary import fact_rows
from mdview.errors import MDViewError, NotationError
from mdview.interop.cpp import cpp_type
from mdview.mappings.notation import formatter

if TYPE_CHECKING:
    from collections.abc import Callable

    from mdview.mappings.mapping import AnyMapping

LETTERS: Final = "ijk"
OF_ELEMENTS: Final = ("format", "size")
"""Facts about elements, which a mapping does not have."""

Answer = dict[str, Any]
"""Texts, and lists of texts, by name."""


def answer(expression: str) -> Answer:
    """Return the texts for ``expression``, or the error message if it is wrong.

    >>> answer("right (2, 3)")["explained"][0]
    'LayoutRight() over extents (2, 3): 6 indices.'
    >>> print(answer("right (2, 3")["error"].partition(":")[0])
    line 1, column 12
    """
    try:
        mapping = mdview.parse(expression)
    except NotationError as error:
        return {"expression": expression, "error": str(error)}
    return {
        "expression": expression,
        "figure": figure(mapping),
        "explained": mdview.explain(mapping).split("\n"),
        "facts": [[name, text] for name, text in fact_rows(mapping).items() if name not in OF_ELEMENTS],
        "written": _told(lambda: formatter.format(mapping)),
        "python": _python(mapping),
        "cpp": _told(lambda: cpp_type(mapping)),
        "c": _told(lambda: mapping.to_c(_names(mapping.rank), function="offset").strip()),
    }


def _told(ask: Callable[[], str]) -> str:
    """Return the text of a call, or the message of its error."""
    try:
        return ask()
    except MDViewError as error:
        return f"None: {error}."


def _python(mapping: AnyMapping) -> str:
    """Return code that makes the mapping: by its classes if all are public, else by its expression."""
    made = repr(mapping)
    names = dict.fromkeys(re.findall(r"\b[A-Za-z]\w*(?=\()", made))
    if all(name in mdview.__all__ for name in names):
        return f"from mdview import {', '.join(names)}\n\nmapping = {made}"
    return f"from mdview import parse\n\nmapping = parse({formatter.format(mapping)!r})"


def _names(rank: int) -> list[str]:
    return list(LETTERS[:rank]) if rank <= len(LETTERS) else [f"i{dimension}" for dimension in range(rank)]
