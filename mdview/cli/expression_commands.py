"""Commands on expressions: `draw` shows where the indices of a mapping lie, `explain` says it in words and in C."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, final

from mdview.base.message_texts import shown
from mdview.cli.entry_point import FAILURE, answer_each, one_line, report, visible
from mdview.cli.option_parsing import Parser, count, names
from mdview.drawing import side_by_side, to_html, to_svg, to_text
from mdview.drawing.mapping_summary import facts, facts_text
from mdview.drawing.scene import MOST_TITLE
from mdview.interop.files.atomic_replace import replacing
from mdview.mappings.mapping import AnyMapping
from mdview.mappings.notation.parser import expression, parse
from mdview.views.view_explanation import explain as explained

LOOK: Final = ("title", "walk", "line", "memory", "cells")
PICTURED: Final = frozenset({"title", "walk"})
"""What pictures of characters have not."""
ENDINGS: Final = (".svg", ".html", ".txt")
LEFT_OUT: Final = {"format", "layout", "size"}
"""Facts about elements, of which a mapping knows nothing, and what its text says."""


def draw_arguments(parser: Parser) -> None:
    """Add what `draw` takes."""
    parser.add_expressions()
    parser.add_argument("-o", "--output", type=picture, metavar="FILE", help="write FILE.svg, FILE.html or FILE.txt")
    parser.add_argument("--after", metavar="STEPS", help="draw what these steps make of it, too")
    parser.add_argument("--steps", action="store_true", help="draw each stage: layout and extents, then every step")
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
      mdview draw "tiled(2, 3) (4, 6)"
      mdview draw "morton (8, 8)" --walk -o morton.svg
      mdview draw "right (4, 6)" --after "[1:3, ::-1]" -o slice.html
      mdview draw "right (4, 6) [1:] transposed()" --steps -o steps.svg
      mdview draw "right (4, 4)" "left (4, 4)" "morton (4, 4)" -o orders.svg
    """
    look = {name: given for name in LOOK if (given := getattr(options, name))}
    unfit = _unfit(options, {*look})
    if unfit:
        parser.error(unfit)
    if options.output is not None:
        return _written(options, look)
    look["colour"] = has_colours()
    return answer_each(options.expressions, lambda text: rendered(drawings(text, options), ".txt", look))


def _unfit(options: Namespace, given: set[str]) -> str:
    """Say which options do not go together; nothing if all do."""
    is_several = len(options.expressions) > 1 or options.steps
    ending = ".txt" if options.output is None else options.output.suffix.lower()
    if is_several and options.after is not None:
        return "--after is for one EXPRESSION, and not with --steps"
    if ending == ".txt" and given & PICTURED:
        return f"--{min(given & PICTURED)} is for pictures in .svg and .html: give -o FILE.svg"
    if ending == ".html" and is_several:
        return "a page shows one EXPRESSION: write .svg for several, or a file for each"
    if ending == ".svg" and is_several and given - {"walk"}:
        return f"a picture of several takes no --{min(given - {'walk'})}: write a file for each"
    return ""


def _written(options: Namespace, look: dict[str, Any]) -> int:
    """Write one picture of all expressions. Any: options of pictures."""
    path, subject = options.output, "; ".join(options.expressions)
    ending = path.suffix.lower()
    try:
        found = [drawing for text in options.expressions for drawing in drawings(text, options)]
        content = rendered(found, ending, look)
        subject = str(path)
        with replacing(path) as file:
            file.write(f"{content}\n".encode("utf-8", "backslashreplace"))
    except Exception as error:  # noqa: BLE001 - a layout of anyone may fail in any way
        report(error, subject)
        return FAILURE
    return 0


@final
class Drawing(NamedTuple):
    """What is drawn: a mapping, perhaps what has become of it, and its title among others, its expression if empty."""

    mapping: AnyMapping
    after: AnyMapping | None = None
    title: str = ""


def drawings(text: str, options: Namespace) -> list[Drawing]:
    """Return what is drawn of an expression: its mapping, each stage on the way there, or before and after."""
    if options.steps:
        return [Drawing(each.mapping, None, one_line(each.text, MOST_TITLE)) for each in expression(text).stages]
    after = None if options.after is None else parse(f"{text} {options.after}")
    return [Drawing(parse(text), after)]


def rendered(drawings: Sequence[Drawing], ending: str, look: dict[str, Any]) -> str:
    """Return drawings in the format of an ending; pictures of characters stand below each other. Any: see above."""
    if ending == ".txt":
        return "\n\n".join([to_text(each.mapping, each.after, **look) for each in drawings])
    if len(drawings) == 1:
        mapping, after, _ = drawings[0]
        return to_html(mapping, after, **look) if ending == ".html" else to_svg(mapping, after, **look)
    titles = [each.title for each in drawings if each.title]
    return side_by_side(*[each.mapping for each in drawings], titles=titles, **look)


def has_colours() -> bool:
    """Tell whether the output is a terminal that is written to in colours."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout is not None and not sys.stdout.closed and sys.stdout.isatty()


def picture(text: str) -> Path:
    """Read the name of a picture; its ending says the format."""
    path = Path(text)
    if path.suffix.lower() not in ENDINGS:
        raise ArgumentTypeError(f"the name of a picture ends in .svg, .html or .txt, got {text!r}")
    return path


def explain_arguments(parser: Parser) -> None:
    """Add what `explain` takes."""
    parser.add_expressions()
    parser.add_argument("--c", type=names, metavar="NAMES", help="write a function in C, too, of variables: i,j")


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
    about = {"mapping": shown(mapping, repr)}
    about |= {name: fact for name, fact in facts(mapping).items() if name not in LEFT_OUT}
    sentences = [f"  {line}" for line in explained(mapping).splitlines()]
    lines = [" ".join(text.split()), facts_text(about), "", *sentences]
    if variables is not None:
        lines += ["", "#include <stdint.h>", "", mapping.to_c(variables, function="offset").rstrip()]
    return "\n".join(lines)
