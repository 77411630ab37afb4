"""``mdview draw EXPRESSION``: a picture of indices and of the memory they lie in, on the terminal or in a file."""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, cast, final

from mdview.base.values import value
from mdview.cli.arguments import Parser, count
from mdview.cli.output import FAILURE, one_line, print_lines, report, visible
from mdview.drawing import side_by_side, to_html, to_svg, to_text
from mdview.drawing.scene import LINE, MOST_CELLS, MOST_TITLE, Look, title_of
from mdview.errors import WritingError
from mdview.interop.files.replacing import replacing
from mdview.mappings.language.reading import expression, names, parse
from mdview.mappings.mapping import AnyMapping

ABOUT: Final = """\
Draw where the indices of an expression lie in memory, on the terminal or into
a file. A cell of the grid shows its place, a place in memory its index."""
EXAMPLES: Final = """\
  mdview draw "tiled(2, 3) (4, 6)"
  mdview draw "morton (8, 8)" --walk -o morton.svg
  mdview draw "right (4, 6)" --after "[1:3, ::-1]" -o slice.html
  mdview draw "right (4, 6) [1:] transposed()" --steps -o steps.svg
  mdview draw "right (4, 4)" "left (4, 4)" "morton (4, 4)" -o orders.svg"""
LOOK: Final = ("title", "walk", "line", "memory", "cells")
PICTURED: Final = frozenset({"title", "walk"})
"""What pictures of characters have not."""
STEP: Final = re.compile(r"\s*(?:\[|(\w+)\s*\()")
"""How a step begins: with a bracket, or with a name that is none of a layout, and its arguments."""


def run(arguments: Sequence[str]) -> int:
    """Draw each expression; into a file all or none."""
    made = parser()
    options = made.read(arguments)
    look = cast("Look", {name: given for name in LOOK if (given := getattr(options, name))})
    unfit = _unfit(options, {*look})
    if unfit:
        made.error(unfit)
    return _shown(options, look) if options.output is None else _written(options, look)


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


def _shown(options: Namespace, look: Look) -> int:
    """Print pictures; what is wrong with one expression does not keep the others from being drawn."""
    status, colour = 0, has_colours(options.colour)
    for number, text in enumerate(options.expressions):
        try:
            picture = as_text(drawings(text, options), look, colour=colour)
        except Exception as error:  # noqa: BLE001 - a layout of anyone may fail in any way
            report(error, one_line(text))
            status = FAILURE
        else:
            print_lines(f"\n{picture}" if number else picture, sys.stdout)
    return status


def _written(options: Namespace, look: Look) -> int:
    """Write one picture of all expressions."""
    path = options.output
    try:
        found = [drawing for text in options.expressions for drawing in drawings(text, options)]
        is_coloured = path.suffix.lower() == ".txt" and options.colour == "always"
        content = as_text(found, look, colour=True) if is_coloured else FORMATS[path.suffix.lower()](found, look)
    except Exception as error:  # noqa: BLE001 - a layout of anyone may fail in any way
        report(error, one_line("; ".join(options.expressions)))
        return FAILURE
    try:
        with replacing(path) as file:
            file.write(f"{content}\n".encode("utf-8", "backslashreplace"))
    except (WritingError, OSError, ValueError) as error:
        report(error, "" if isinstance(error, WritingError) else str(path))
        return FAILURE
    return 0


def drawings(text: str, options: Namespace) -> list[Drawing]:
    """Return what is drawn of an expression: its mapping, each stage on the way there, or before and after."""
    if options.steps:
        return [Drawing(stage.mapping, None, _title(stage.text)) for stage in expression(text).stages]
    after: str | None = options.after
    if after is None:
        return [Drawing(parse(text), None)]
    step = STEP.match(after)
    is_step = step is not None and step.group(1) not in names()
    return [Drawing(parse(text), parse(f"{text} {after}" if is_step else after))]


def _title(text: str) -> str:
    """Return the text of a stage as one bounded line."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= MOST_TITLE else f"{line[: MOST_TITLE - 1]}…"


def has_colours(wish: str) -> bool:
    """Tell whether the terminal is written to in colours."""
    if wish != "auto":
        return wish == "always"
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout is not None and not sys.stdout.closed and sys.stdout.isatty()


def parser() -> Parser:
    """Return what the command takes."""
    made = Parser("draw", ABOUT, EXAMPLES)
    made.add_argument("expressions", nargs="+", metavar="EXPRESSION", help="a layout, extents, and steps")
    made.add_argument("-o", "--output", type=picture_path, metavar="FILE", help="write FILE.svg, FILE.html or FILE.txt")
    made.add_argument("--after", metavar="STEPS", help="draw what these steps, or another expression, make of it, too")
    made.add_argument("--steps", action="store_true", help="draw each stage: layout and extents, then every step")
    look = made.add_argument_group("the picture")
    look.add_argument("--walk", action="store_true", help="a line through the indices in the order of memory")
    look.add_argument("--line", type=count, metavar="N", help="places in a row of memory, a cache line; 8 by default")
    look.add_argument("--memory", type=count, metavar="N", help="places of the whole memory, if it is larger")
    look.add_argument("--cells", type=count, metavar="N", help="draw at most so many indices, and places")
    look.add_argument("--title", type=visible, metavar="TEXT", help="what stands above; the expression by default")
    look.add_argument(
        "--colour",
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colours of the text; auto, the default: on terminals, unless NO_COLOR is set",
    )
    return made


@final
@value
class Drawing:
    """What is drawn: a mapping, perhaps what has become of it, and its title among others, its expression if None."""

    mapping: AnyMapping
    after: AnyMapping | None
    title: str | None = None


def picture_path(text: str) -> Path:
    """Read the name of a picture; its ending says the format."""
    path = Path(text)
    if path.suffix.lower() not in FORMATS:
        raise ArgumentTypeError(f"the name of a picture ends in .svg, .html or .txt, got {text!r}")
    return path


def as_text(drawings: Sequence[Drawing], look: Look, *, colour: bool = False) -> str:
    """Return pictures of characters, one below the other."""
    line, memory, cells = look.get("line", LINE), look.get("memory"), look.get("cells", MOST_CELLS // 2)
    return "\n\n".join(
        [to_text(d.mapping, d.after, colour=colour, line=line, memory=memory, cells=cells) for d in drawings]
    )


def as_svg(drawings: Sequence[Drawing], look: Look) -> str:
    """Return one picture, of several drawings side by side."""
    if len(drawings) == 1:
        return to_svg(drawings[0].mapping, drawings[0].after, **look)
    titles = [each.title or title_of(each.mapping) for each in drawings]
    return side_by_side(*[each.mapping for each in drawings], titles=titles, walk=look.get("walk", False))


def as_html(drawings: Sequence[Drawing], look: Look) -> str:
    """Return a page of one drawing."""
    (drawing,) = drawings
    return to_html(drawing.mapping, drawing.after, **look)


FORMATS: Final[dict[str, Callable[[Sequence[Drawing], Look], str]]] = {
    ".svg": as_svg,
    ".html": as_html,
    ".txt": as_text,
}
"""How a picture is made, by the ending of its name."""
