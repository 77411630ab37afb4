"""The commands of the command line (info, relayout, draw, explain, certify): arguments and functions.

`info` and `relayout` take files, `draw` and `explain` expressions, `certify` names of layouts and accessors. A command
has two functions: one of its name, which returns the exit status for parsed arguments, and has the help as docstring;
and ``NAME_arguments``, which adds the arguments to the parser.
"""

from __future__ import annotations

import json
import re
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import starmap
from pathlib import Path
from typing import Any, Final

from mdview import Accessor, Layout, cli, open_view, relayout_file
from mdview.base import as_text
from mdview.cli import FAILURE, Parser, answer_each, print_error
from mdview.drawing import to_html, to_svg, to_text
from mdview.drawing.mapping_summary import fact_rows, facts_text
from mdview.errors import CopyNeededError, NotationError, TargetError
from mdview.index.extents import as_extents
from mdview.interop.files.atomic_replace import replace_file
from mdview.interop.files.npy_headers import of_storage
from mdview.interop.zarr.zarr_import import arrays_in, chunk_sizes, from_zarr
from mdview.mappings.notation import parser as notation
from mdview.memory.data_types import of_dtype, read_dtype
from mdview.testing import Verdict, examine_accessor, examine_layout
from mdview.testing.certification import item_maker
from mdview.views.view_base import storage_of
from mdview.views.view_explanation import explain as explained


def info_arguments(parser: Parser) -> None:
    """Add the arguments of `info`."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help=".npy, raw bytes, or a folder of zarr")
    parser.add_argument("--json", action="store_true", help="write an object of JSON a line, for each array")
    parser.add_files("--layout")


def info(options: Namespace, parser: Parser) -> int:
    """Say how the elements of files lie, without reading them.

    for example:
      mdview info table.npy
      mdview info samples.raw --shape 1000,500 --format float32 --offset 64
      mdview info tiles.raw --shape 100,120 --format u1 --layout "tiled(4, 4)"
      mdview info mine.npy --import mymodule
      mdview info -- -a-name-with-a-dash.npy
    """
    raw, write = parser.raw(options), _json if options.json else _text

    def described(path: Path) -> str:
        if any((path / name).is_file() for name in ("zarr.json", ".zarray", ".zgroup")):
            return "\n".join(starmap(write, _of_zarr(path)))
        with open_view(path, **raw, layouts=options.layouts) as view:
            return write(str(path), _of_view(view))

    return answer_each(options.files, described, "" if options.json else "\n")


def _of_view(view: Any) -> dict[str, str]:  # Any: a view of any file
    items = of_storage(storage_of(view))
    return fact_rows(view.mapping, items.name, items.bits)


def _text(name: str, about: dict[str, str]) -> str:
    return f"{cli.visible(name)}\n{facts_text(about)}"


def _json(name: str, about: dict[str, str]) -> str:
    return json.dumps({"file": name, **about})


def _of_zarr(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield name and facts of each array: the layout of its elements in a file, or the chunks and codecs of zarr."""
    for name, array in arrays_in(folder):
        try:
            with from_zarr(array, copy=False) as view:
                yield name, _of_view(view)
        except CopyNeededError:
            chunks, shards = chunk_sizes(array)
            kept = {"shape": array.shape, "format": of_dtype(array.dtype).name, "chunks": chunks}
            kept |= {"shards": shards} if shards else {}
            yield name, {each: str(fact) for each, fact in kept.items()}


def relayout_arguments(parser: Parser) -> None:
    """Add the arguments of `relayout`."""
    parser.add_argument("source", type=Path, metavar="IN", help=".npy, or raw bytes")
    parser.add_argument("target", type=Path, metavar="OUT", help=".npy; with any other ending, bytes without a header")
    parser.add_argument(
        "--layout",
        type=cli.read_layout,
        required=True,
        metavar="LAYOUT",
        help="of OUT: right, left, 'tiled(64, 64)', any other",
    )
    parser.add_argument("--force", action="store_true", help="replace OUT if it exists")
    memory = "of files in memory at a time, 64M or 1G; 128M if it is left out"
    parser.add_argument("--max-memory", type=cli.size, default=1 << 27, metavar="BYTES", help=memory)
    parser.add_files("--from")


def relayout(options: Namespace, parser: Parser) -> int:
    r"""Write the elements of a file to a file under another layout.

    It takes little memory. OUT gets its name when it is complete: an error, or a
    crash, leaves what was there. A run that was stopped is run again, and starts
    over. OUT may be IN.

    for example:
      mdview relayout rows.npy tiles.npy --layout "tiled(64, 64)"
      mdview relayout tiles.npy rows.npy --layout right --force
      mdview relayout scan.raw scan.npy --layout left \
          --shape 4000,3000 --format u2 --offset 512
      mdview relayout tiles.raw rows.raw --layout right \
          --shape 4000,3000 --format u2 --from "tiled(64, 64)" --max-memory 64M
    """
    given = parser.raw(options)
    if options.target.exists() and not options.force:
        parser.error(f"{str(options.target)!r} exists; --force replaces it, once the new file is complete")
    for name in ("max_memory", "layouts"):
        given[name] = getattr(options, name)
    try:
        relayout_file(options.source, options.target, options.layout, progress=_has_bar(), **given)
    except Exception as error:  # noqa: BLE001 - a layout of anyone may fail in any way
        is_about_source = getattr(error, "filename", None) in {None, str(options.source)}
        print_error(error, str(options.source if is_about_source else options.target))
        return FAILURE
    return 0


def _has_bar() -> bool:
    """Tell whether progress is shown: on a terminal, with the extra ``progress``."""
    stream = sys.stderr
    return stream is not None and not stream.closed and stream.isatty() and find_spec("tqdm") is not None


LOOK: Final = ("title", "walk", "line", "memory", "cells")
ENDINGS: Final[dict[str, Callable[..., str]]] = {".svg": to_svg, ".html": to_html, ".txt": to_text}


def draw_arguments(parser: Parser) -> None:
    """Add the arguments of `draw`."""
    parser.add_expressions()
    parser.add_argument("-o", "--output", type=picture, metavar="FILE", help="write FILE.svg, FILE.html or FILE.txt")
    parser.add_argument("--after", metavar="STEPS", help="draw what these steps make of it, too")
    look = parser.add_argument_group("the picture")
    look.add_argument("--walk", action="store_true", help="a line through the indices in the order of memory")
    look.add_argument(
        "--line", type=cli.count, metavar="N", help="places in a row of memory, a cache line; 8 by default"
    )
    look.add_argument("--memory", type=cli.count, metavar="N", help="places of the whole memory, if it is larger")
    look.add_argument("--cells", type=cli.count, metavar="N", help="draw at most so many indices, and places")
    look.add_argument("--title", type=cli.visible, metavar="TEXT", help="what stands above; the expression by default")


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
    if ending == ".txt" and options.walk:
        parser.error("--walk is for pictures in .svg and .html: give -o FILE.svg")
    if options.output is None:
        return answer_each(options.expressions, lambda text: rendered(text, options.after, to_text, look))
    if len(options.expressions) > 1:
        parser.error("a picture shows one EXPRESSION: write a file for each")
    subject = options.expressions[0]
    try:
        content = rendered(subject, options.after, ENDINGS[ending], look)
        subject = str(options.output)
        data = f"{content}\n".encode("utf-8", "backslashreplace")
        replace_file(options.output, lambda file: file.write(data))
    except Exception as error:  # noqa: BLE001 - a layout of anyone may fail in any way
        print_error(error, subject)
        return FAILURE
    return 0


def rendered(text: str, after: str | None, draw: Callable[..., str], look: dict[str, Any]) -> str:
    """Return a picture of an expression, and of the result of the steps ``after``. Any: options of pictures."""
    texts = [text] if after is None else [text, f"{text} {after}"]
    title = " → ".join([cli.visible(" ".join(each.split())) for each in texts])
    return draw(*map(notation.parse, texts), **{"title": title, **look})


def picture(text: str) -> Path:
    """Read the name of a picture; its ending says the format."""
    path = Path(text)
    if path.suffix.lower() not in ENDINGS:
        raise ArgumentTypeError(f"the name of a picture ends in .svg, .html or .txt, got {text!r}")
    return path


def explain_arguments(parser: Parser) -> None:
    """Add the arguments of `explain`."""
    parser.add_expressions()
    parser.add_argument(
        "--c", type=cli.comma_names, metavar="NAMES", help="write a function in C, too, of variables: i,j"
    )


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
    """Return the explanation of an expression: its facts, their reasons, and its offset in C.

    >>> print(explanation("right (2, 3)", ["i", "j"]).partition("#")[2])
    include <stdint.h>
    <BLANKLINE>
    static inline int64_t offset(int64_t i, int64_t j) {
        return i * INT64_C(3) + j;
    }
    """
    mapping = notation.parse(text)
    lines = [" ".join(text.split()), *[f"  {line}" for line in explained(mapping).splitlines()]]
    if variables is not None:
        lines += ["", "#include <stdint.h>", "", mapping.to_c(variables, function="offset").rstrip()]
    return "\n".join(lines)


# Any throughout: accessors are of elements of any type.
Target = Layout | Accessor[Any, Any]
PATH: Final = re.compile(r"\w+(\.\w+)*")
"""The name of a module."""


def certify_arguments(parser: Parser) -> None:
    """Add the arguments of `certify`."""
    parser.add_argument(
        "targets",
        nargs="+",
        metavar="TARGET",
        help="MODULE:LAYOUT or MODULE:ACCESSOR, a class, or an expression that makes one; or a layout of the language",
    )
    parser.add_argument(
        "--dtype", type=cli.item_format, default="float64", help="of the items of accessors; else float64"
    )
    parser.add_argument(
        "--extents", type=cli.shape, action="append", metavar="N,M", help="try these; small ones if none"
    )


def certify(options: Namespace, _: Parser) -> int:
    """Check layouts or accessors under all laws.

    The smallest counterexample of each broken one is shown. Status 0: all are
    accepted, 1: one is rejected, 2: one cannot be found. Targets of one kind are
    also compared with each other.

    for example:
      mdview certify mymodule:LayoutMine "mymodule:LayoutBanded(1, 2)"
      mdview certify "tiled(2, 3)" --extents 4,6 --extents 5,5
      mdview certify "mymodule:Calibrated(0.01, -40)" --dtype int16
    """
    targets: list[Target] = []
    for text in options.targets:
        try:
            targets.append(resolve(text))
        except TargetError as error:
            print_error(error)
    is_accepted: list[bool] = []

    def verdict(target: Target) -> str:
        found = examined(target, targets, options)
        is_accepted.append(found.is_accepted)
        return str(found)

    if answer_each(targets, verdict) or len(targets) < len(options.targets):
        return FAILURE
    return 0 if all(is_accepted) else cli.REJECTED


def examined(target: Target, targets: Sequence[Target], options: Namespace) -> Verdict:
    """Return the verdict on one of several targets."""
    kind = Layout if isinstance(target, Layout) else Accessor
    others: list[Any] = [other for other in targets if other is not target and isinstance(other, kind)]
    if isinstance(target, Layout):
        return examine_layout(target, *map(as_extents, options.extents or ()), others=others)
    return examine_accessor(target, item_maker(read_dtype(options.dtype)), others=others)


def resolve(target: str) -> Target:
    """Return the value of ``module:expression``, or the layout of a text in notation.

    The value is a layout, an accessor, or a class of one that needs no arguments.

    Raises
    ------
    TargetError
        There is none.
    """
    module, _, expression = target.partition(":")
    if not PATH.fullmatch(module) or not expression.strip():
        return _written(target)
    try:
        names = import_module(module)
        value = eval(expression, {name: getattr(names, name) for name in dir(names)})  # noqa: S307 - the caller's own
        value = value() if isinstance(value, type) else value
    except (Exception, SystemExit) as error:  # a module of a user may raise anything
        raise TargetError(f"{target!r} cannot be made: {type(error).__name__}: {error}") from error
    if not isinstance(value, Layout | Accessor):
        raise TargetError(f"{target!r} is neither a layout nor an accessor: {as_text(value, repr)}")
    return value


def _written(target: str) -> Layout:
    """Return the layout of a text without a module."""
    try:
        return notation.parse_layout(target)
    except NotationError as error:
        reason = str(error).partition("\n")[0]
        rule = "a target is package.module:Layout or package.module:Layout(arguments)"
        raise TargetError(f"{rule}, got {target!r}, which is no layout of the language either: {reason}") from None
