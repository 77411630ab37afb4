"""Commands on expressions: `draw` shows where the indices of a mapping lie, `explain` says it in words and in C."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from mdview.cli import FAILURE, answer_each, print_error, visible
from mdview.cli.option_parsing import Parser, comma_names, count
from mdview.drawing import to_html, to_svg, to_text
from mdview.interop.files.atomic_replace import replacing
from mdview.mappings.notation.parser import parse
from mdview.views.view_explanation import explain as explained

LOOK: Final = ("title", "walk", "line", "memory", "cells")
PICTURED: Final = frozenset({"title", "walk"})
"""The options that pictures of characters do not have."""
ENDINGS: Final[dict[str, Callable[..., str]]] = {".svg": to_svg, ".html": to_html, ".txt": to_text}


def draw_arguments(parser: Parser) -> None:
    """Add what `draw` takes."""
    parser.add_expressions()
    parser.add_argument("-o", "--output", type=picture, metavar="FILE", help="write FILE.svg, FILE.html or FILE.txt")
    parser.add_argument("--after", metavar="STEPS", help="draw what these steps make of it, too")
    look = parser.add_argument_group("the picture")
    look.add_argument("--walk", action="store_true", help="a line through the indices in the order of memory")
    look.add_argument("--line", type=count, metavar="N", help="places in a row of memory, a cache line; 8 by default")
    look.add_argument("--memory", type=count, metavar="N", help="places of the whole memory, if it is larger")
    look.add_argument("--cells", type=count, metavar="N", help="draw at most so many indices, and places")
    look.add_argument("--title", type=visible, metavar="TEXT", help="what stands above; the expression by default")


def draw(options: Namespace, parser: Parser) -> int:
    """Draw where the indices of an expression lie in memory.

    A cell of the grid shows its place, a place in memory its index.

    for example:
      mdview draw "tiled(2, 3) (4, 6)" "morton (4, 4)"
      mdview draw "morton (8, 8)" --walk -o morton.svg
      mdview draw "right (4, 6)" --after "[1:3, ::-1]" -o slice.html
    """
    look = {name: given for name in LOOK if (given := getattr(options, name))}
    ending = ".txt" if options.output is None else options.output.suffix.lower()
    if ending == ".txt" and PICTURED & {*look}:
        parser.error(f"--{min(PICTURED & {*look})} is for pictures in .svg and .html: give -o FILE.svg")
    if options.output is None:
        return answer_each(options.expressions, lambda text: rendered(text, options.after, to_text, look))
    if len(options.expressions) > 1:
        parser.error("a picture shows one EXPRESSION: write a file for each")
    subject = options.expressions[0]
    try:
        content = rendered(subject, options.after, ENDINGS[ending], look)
        subject = str(options.output)
        with replacing(options.output) as file:
            file.write(f"{content}\n".encode("utf-8", "backslashreplace"))
    except Exception as error:  # noqa: BLE001 - a layout of anyone may fail in any way
        print_error(error, subject)
        return FAILURE
    return 0


def rendered(text: str, after: str | None, draw: Callable[..., str], look: dict[str, Any]) -> str:
    """Return a picture of an expression, and of what the steps ``after`` make of it. Any: options of pictures."""
    return draw(parse(text), None if after is None else parse(f"{text} {after}"), **look)


def picture(text: str) -> Path:
    """Read the name of a picture; its ending says the format."""
    path = Path(text)
    if path.suffix.lower() not in ENDINGS:
        raise ArgumentTypeError(f"the name of a picture ends in .svg, .html or .txt, got {text!r}")
    return path


def explain_arguments(parser: Parser) -> None:
    """Add what `explain` takes."""
    parser.add_expressions()
    parser.add_argument("--c", type=comma_names, metavar="NAMES", help="write a function in C, too, of variables: i,j")


def explain(options: Namespace, _: Parser) -> int:
    """Say where the indices of an expression lie, and why.

    That is why they are or are not strided, unique, exhaustive, contiguous.

    for example:
      mdview explain "tiled(4, 4) (10, 12) [1:6:2, ::-1]"
      mdview explain "morton (8, 8)" "right (8, 8)"
      mdview explain "tiled(2, 3) (4, 6)" --c i,j
    """
    return answer_each(options.expressions, lambda text: explanation(text, options.c))


def explanation(text: str, variables: Sequence[str] | None = None) -> str:
    """Return an expression, what is known of it, the sentences that say why, and its offset in C.

    >>> print(explanation("right (2, 3)", ["i", "j"]).partition("#")[2])
    include <stdint.h>
    <BLANKLINE>
    static inline int64_t offset(int64_t i, int64_t j) {
        return i * INT64_C(3) + j;
    }
    """
    mapping = parse(text)
    lines = [" ".join(text.split()), *[f"  {line}" for line in explained(mapping).splitlines()]]
    if variables is not None:
        lines += ["", "#include <stdint.h>", "", mapping.to_c(variables, function="offset").rstrip()]
    return "\n".join(lines)
