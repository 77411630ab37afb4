"""``mdview explain EXPRESSION``: what the mapping of an expression is, and why, in facts and in sentences."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from mdview.base.texts import shown
from mdview.cli.arguments import Parser, names
from mdview.cli.output import FAILURE, one_line, print_lines, report
from mdview.drawing.facts import facts
from mdview.mappings.language.reading import parse
from mdview.mappings.language.writing import format as expression_of
from mdview.views.explaining import explain

ABOUT: Final = """\
Say where the indices of an expression lie, and why they are or are not strided,
unique, exhaustive, contiguous."""
EXAMPLES: Final = """\
  mdview explain "tiled(4, 4) (10, 12) [1:6:2, ::-1]"
  mdview explain "morton (8, 8)" "right (8, 8)"
  mdview explain "tiled(2, 3) (4, 6)" --c i,j"""
LEFT_OUT: Final = {"format", "layout", "size"}
"""Facts about elements, of which a mapping knows nothing, and what its text says."""


def run(arguments: Sequence[str]) -> int:
    """Explain each expression; what is wrong with one does not keep the others from being explained."""
    options = parser().read(arguments)
    status = 0
    for number, text in enumerate(options.expressions):
        try:
            about = explanation(text, options.c)
        except Exception as error:  # noqa: BLE001 - a layout of anyone may fail in any way
            report(error, one_line(text))
            status = FAILURE
        else:
            print_lines(f"\n{about}" if number else about, sys.stdout)
    return status


def explanation(text: str, variables: Sequence[str] | None = None) -> str:
    """Return the canonical text of an expression, what is known of it, and the sentences that say why.

    >>> print(explanation("right (2, 3)", ["i", "j"]).splitlines()[-1])
      in C:        ((int64_t)i * INT64_C(3) + (int64_t)j)
    """
    mapping = parse(text)
    about = {"mapping": shown(mapping, repr)}
    about |= {name: fact for name, fact in facts(mapping).items() if name not in LEFT_OUT}
    lines = [expression_of(mapping), *[f"  {fact + ':':<12} {said}" for fact, said in about.items()]]
    lines += ["", *[f"  {sentence}" for sentence in explain(mapping).splitlines()]]
    if variables is not None:
        lines += ["", f"  {'in C:':<12} {mapping.to_c(variables)}"]
    return "\n".join(lines)


def parser() -> Parser:
    """Return what the command takes."""
    made = Parser("explain", ABOUT, EXAMPLES)
    made.add_argument("expressions", nargs="+", metavar="EXPRESSION", help="a layout, extents, and steps")
    made.add_argument("--c", type=names, metavar="NAMES", help="write the offset in C, too, of variables: i,j")
    return made
