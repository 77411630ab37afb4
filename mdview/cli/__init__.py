"""The command line of mdview: a table of the commands and their arguments, and the output of answers and errors.

`mdview.cli.commands` has a function for each command, whose parameters are the arguments of the command.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from inspect import cleandoc
from io import TextIOWrapper
from types import ModuleType
from typing import Any, Final, TypeVar

from mdview import __version__
from mdview.errors import MDViewError, NotationError

__all__ = ["main"]

T = TypeVar("T")

FAILURE: Final = 2
INTERRUPTED: Final = 130
SHADOWED: Final = (
    "another project, which pip install mdview brings, has replaced a file of this one; pip uninstall mdview, then "
    "pip install --force-reinstall mdview-layouts"
)
MOST_TEXT: Final = 300
"""The largest number of characters of an error that are shown: errors of other libraries may quote a whole file."""


def integers(text: str) -> tuple[int, ...]:
    """Return the extents in a string like ``3,4``; an empty string denotes extents of rank 0."""
    return tuple([int(part) for part in text.split(",") if part.strip()])


def argument(*flags: str, **options: Any) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the arguments to pass to argparse's `add_argument`, whose options have various types, hence ``Any``."""
    return flags, options


EXPRESSIONS: Final = argument("expressions", nargs="+", metavar="EXPRESSION", help="a layout, extents, and steps")
RAW: Final = (
    argument("--mapping", metavar="EXPRESSION", help="of raw bytes: where the elements lie"),
    argument("--dtype", help="of raw bytes: float64, '>i4', or fields of a record, 'f8, i4'"),
    argument("--offset", type=int, default=0, metavar="BYTES", help="of raw bytes: where the elements begin"),
    argument("--import", dest="module", metavar="MODULE", help="headers of files may name the layouts in this module"),
)
# An entry is typed ``Any``, as it consists of the purpose, the examples, and then the arguments.
COMMANDS: Final[dict[str, tuple[Any, ...]]] = {
    "info": (
        "say how the elements of files lie: .npy, raw bytes, or a folder of zarr",
        """
        mdview info table.npy
        mdview info samples.raw --mapping "right (1000, 500)" --dtype float32 --offset 64
        """,
        argument("files", nargs="+", metavar="FILE"),
        argument("--json", action="store_true", help="write an object of JSON a line, for each file"),
        *RAW,
    ),
    "draw": (
        "draw where the indices of an expression lie in memory",
        """
        mdview draw "tiled(2, 3) (4, 6)" "morton (4, 4)"
        mdview draw "morton (8, 8)" --walk -o morton.svg
        mdview draw "right (4, 6)" --after "[1:3, ::-1]" -o slice.html
        """,
        EXPRESSIONS,
        argument("-o", "--output", metavar="FILE", help="write FILE.svg, FILE.html or FILE.txt"),
        argument("--after", metavar="STEPS", help="draw what these steps make of it, too"),
        argument("--walk", action="store_true", help="a line through the indices in the order of memory"),
        argument("--line", type=int, metavar="N", help="places in a row of memory; 8 by default"),
        argument("--memory", type=int, metavar="N", help="places of the whole memory, if it is larger"),
        argument("--cells", type=int, metavar="N", help="draw at most so many indices, and places"),
        argument("--title", help="what stands above; the expression by default"),
    ),
    "explain": (
        "say what an expression is, and why",
        """
        mdview explain "tiled(4, 4) (10, 12) [1:6:2, ::-1]"
        mdview explain "tiled(2, 3) (4, 6)" --c i,j
        """,
        EXPRESSIONS,
        argument("--c", metavar="NAMES", help="write a function in C, too, of these variables"),
    ),
    "certify": (
        "check the laws of a layout or accessor of your own",
        """
        mdview certify mymodule:LayoutMine "mymodule:LayoutBanded(1, 2)"
        mdview certify "tiled(2, 3)" --extents 4,6 --extents 5,5
        mdview certify "mymodule:Calibrated(0.01, -40)" --dtype int16
        """,
        argument("targets", nargs="+", metavar="TARGET", help="MODULE:CLASS, MODULE:CALL, or a layout"),
        argument("--dtype", default="float64", help="of the items of accessors; else float64"),
        argument("--extents", type=integers, action="append", metavar="N,M", help="try these"),
    ),
    "relayout": (
        "write a file again under another layout",
        """
        mdview relayout rows.npy tiles.npy --layout "tiled(64, 64)"
        mdview relayout scan.raw scan.npy --layout left --mapping "right (400, 300)" --dtype u2
        """,
        argument("source", metavar="IN", help=".npy, or raw bytes"),
        argument("target", metavar="OUT", help=".npy; with any other ending, bytes without a header"),
        argument("--layout", required=True, help="of OUT: right, left, 'tiled(64, 64)', any other"),
        argument("--force", action="store_true", help="replace OUT if it exists"),
        argument("--max-memory", type=int, default=1 << 27, metavar="BYTES", help="of files in memory at a time"),
        *RAW,
    ),
}
"""The purpose, the examples and the arguments of each command."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    as_written = argparse.RawDescriptionHelpFormatter
    about = "Views of memory, from a shell. Exit status: 0 all is well, 1 a target is rejected, 2 something is wrong."
    result = argparse.ArgumentParser("mdview", description=about)
    result.add_argument("--version", action="version", version=f"mdview {__version__}")
    commands = result.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (purpose, examples, *arguments) in COMMANDS.items():
        about, lines = f"{purpose.capitalize()}.", "\n  ".join(["for example:", *cleandoc(examples).splitlines()])
        command = commands.add_parser(name, help=purpose, description=about, epilog=lines, formatter_class=as_written)
        for flags, options in arguments:
            command.add_argument(*flags, **options)
    return result


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status; errors are printed on standard error.

    The exit status is 1 if a target is rejected, 2 after an error, 130 after an interrupt, and 0 otherwise.

    Parameters
    ----------
    argv
        The arguments, by default those of the process.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # characters that the encoding lacks are escaped
    if "" not in sys.path:
        sys.path.append("")  # modules in the current folder are importable, after installed ones
    options = vars(parser().parse_args((sys.argv[1:] if argv is None else argv) or ["--help"]))
    try:
        status: int = getattr(_commands(), options.pop("command"))(**options)
        print(end="", flush=True)
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:  # of the output: commands handle the errors of files
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # at exit Python writes the rest of it there
        if not isinstance(error, BrokenPipeError):
            print_error(error)
        return FAILURE
    return status


def _commands() -> ModuleType:
    """Return the module with the functions of the commands."""
    try:
        from mdview.cli import commands  # noqa: PLC0415 - it imports this module, and loads slowly
    except ImportError as error:
        if error.name != "mdview":
            raise
        print(f"mdview: error: {SHADOWED}", file=sys.stderr)
        raise SystemExit(FAILURE) from None
    return commands


def answer_each(subjects: Iterable[T], answer: Callable[[T], str], gap: str = "\n") -> int:
    """Print the answer about each subject, with a gap between two answers, and return the exit status.

    An error is printed in place of an answer, and the other answers follow.
    """
    status, before = 0, ""
    for subject in subjects:
        try:
            text = answer(subject)
        except Exception as error:  # noqa: BLE001 - a layout of a user may raise anything
            print_error(error, str(subject))
            status = FAILURE
        else:
            print(f"{before}{text}" if text else "", end="\n" if text else "")
            before = gap
    return status


def print_error(error: Exception, subject: str = "") -> None:
    """Print an error on standard error, in one line with its subject, or with carets at its place in an expression."""
    carets = list[str]()
    if isinstance(error, NotationError) and error.line is not None:
        text, *carets = str(error).split("\n")
    elif isinstance(error, OSError) and error.strerror:
        text = error.strerror
    else:
        text = str(error) if isinstance(error, MDViewError) else f"{type(error).__name__}: {error}"
    before = "" if carets or not subject or subject in text else f"{one_line(subject)}: "
    print("\n".join([f"mdview: error: {before}{one_line(text)}", *map(visible, carets)]), file=sys.stderr)


def one_line(text: str) -> str:
    """Return a string as one line of at most `MOST_TEXT` characters."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= MOST_TEXT else f"{line[: MOST_TEXT - 1]}…"


def visible(text: str) -> str:
    """Return a string with unprintable characters escaped: line ends, controls, undecodable bytes of a name."""
    return "".join([c if c.isprintable() else c.encode("unicode_escape").decode() for c in text])
