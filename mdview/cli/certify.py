"""``mdview certify TARGET``: the laws of layouts and accessors, see `mdview.testing`.

Status 0 if every target is accepted, 1 if one is rejected, 2 if one cannot be found, after a verdict on each of the
others.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from mdview.cli.arguments import Parser, shape
from mdview.cli.output import FAILURE, REJECTED, print_lines, report
from mdview.errors import MDViewError

ABOUT: Final = """\
Check layouts or accessors under all laws, and show the smallest counterexample
of each broken one. Status 0: all are accepted, 1: one is rejected, 2: one
cannot be found."""
EXAMPLES: Final = """\
  mdview certify mymodule:LayoutMine "mymodule:LayoutBanded(1, 2)"
  mdview certify "tiled(2, 3)" --extents 4,6 --extents 5,5"""


def run(arguments: Sequence[str]) -> int:
    """Print a verdict on each target."""
    from mdview.testing.target import certify  # noqa: PLC0415 - loads all operations, which --help does not need

    options = parser().read(arguments)
    try:
        verdicts, missing = certify(options.targets, options.extents or ())
    except MDViewError as error:
        report(error)
        return FAILURE
    if verdicts:
        print_lines("\n\n".join(map(str, verdicts)), sys.stdout)
    for reason in missing:
        report(reason)
    if missing:
        return FAILURE
    return 0 if all(verdict.is_accepted for verdict in verdicts) else REJECTED


def parser() -> Parser:
    """Return what the command takes."""
    made = Parser("certify", ABOUT, EXAMPLES)
    made.add_argument(
        "targets",
        nargs="+",
        metavar="TARGET",
        help="MODULE:LAYOUT, a class, or an expression that makes one; or a layout of the language",
    )
    made.add_argument("--extents", type=shape, action="append", metavar="N,M", help="try these; small ones if none")
    return made
