"""Multidimensional views of memory: std::mdspan for Python.

usage: mdview COMMAND ...

commands:
    info      say how the elements of files lie: .npy, zarr, or raw bytes
    draw      draw where the indices of an expression lie in memory
    explain   say what an expression is, and why
    certify   check the laws of a layout or accessor of your own
    relayout  write a file again under another layout

An EXPRESSION is a layout, extents, and any number of slices and operations,
in quotes, so that the shell leaves it as it is:
    "right (4, 6)"
    "tiled(2, 3) (4, 6) [1:3, ::2]"
    "mymodule:LayoutMine(8) (10, 12) flip(0)"

for example:
    $ mdview info table.npy
    $ mdview info samples.raw --shape 1000,500 --format float32 --offset 64
    $ mdview draw "tiled(2, 3) (4, 6)"
    $ mdview draw "morton (8, 8)" --walk -o morton.svg
    $ mdview draw "right (4, 6)" --after "[1:3, ::-1]" -o slice.html
    $ mdview explain "tiled(4, 4) (10, 12) [1:6:2]" --c i,j
    $ mdview certify mymodule:LayoutMine
    $ mdview relayout rows.npy tiles.npy --layout "tiled(64, 64)"

options:
  -h, --help  this text; after a command, what it takes
  --version   the version of mdview

Exit status: 0 all is well, 1 a target is rejected, 2 something is wrong.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Final, TextIO, TypeVar

from mdview import __version__
from mdview.errors import MDViewError, NotationError

__all__ = ["main"]

T = TypeVar("T")

COMMANDS: Final = {
    "info": "file_commands",
    "draw": "expression_commands",
    "explain": "expression_commands",
    "certify": "certify_command",
    "relayout": "file_commands",
}
"""The module of each command, which is loaded when the command is asked for.

It has two functions for each: one of the command's name, whose docstring is the help, and which returns the exit status
for what a parser has read; and ``NAME_arguments``, which tells the parser what there is to read.
"""
REJECTED: Final = 1
FAILURE: Final = 2
INTERRUPTED: Final = 130
MOST_TEXT: Final = 300
"""How many characters of an error are shown: those of other libraries may quote a whole file."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, 1 for what is rejected, or 2 after an error on standard error.

    Parameters
    ----------
    argv
        The arguments; those of the process if None.

    Raises
    ------
    SystemExit
        The arguments themselves are wrong (status 2), or ask for help (status 0); or the output cannot be written (2).
    """
    given = sys.argv[1:] if argv is None else list(argv)
    is_new = "" not in sys.path  # modules in the current folder count, behind those that are installed
    sys.path += [""] * is_new
    try:
        status = _command(given)
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        if is_new:
            sys.path.remove("")
    write_output("", sys.stdout)  # and what modules printed that a command has imported
    return status


def _command(given: list[str]) -> int:
    """Run the command that is named, or say what there is."""
    if given[:1] == ["help"]:
        given = [*given[1:2], "--help"]
    first = given[0] if given else ""
    if first in COMMANDS:
        # Both know this module, and the overview needs neither.
        module, arguments = [import_module(f"mdview.cli.{name}") for name in (COMMANDS[first], "option_parsing")]
        command = getattr(module, first)
        parser = arguments.Parser(first, command.__doc__)
        getattr(module, f"{first}_arguments")(parser)
        status: int = command(parser.read(given[1:]), parser)
        return status
    if first in {"-V", "--version"}:
        print_lines(f"mdview {__version__}", sys.stdout)
    elif given and first not in {"-h", "--help"}:
        _wrong(_unknown(first))
    else:
        write_output(__doc__ or "", sys.stdout)
        if not given:
            _wrong(f"a COMMAND is needed: {', '.join(COMMANDS)}")
    return 0


def _wrong(message: str) -> None:
    print_lines(f"mdview: error: {one_line(message)}", sys.stderr)
    raise SystemExit(FAILURE)


def _unknown(name: str) -> str:
    """Say that there is no such command, and which one may be meant."""
    from difflib import get_close_matches  # noqa: PLC0415 - for an error only

    close = get_close_matches(name[:40].lower().lstrip("-"), COMMANDS, 1, 0.5)
    rest = f"did you mean {close[0]}?" if close else f"there is {', '.join(COMMANDS)}; see mdview --help"
    return f"there is no {'option' if name.startswith('-') else 'COMMAND'} {name!r}; {rest}"


# Output: lines to a stream that may be narrow, full or closed, and errors as people read them.

OPTIONS: Final = {
    "dtype": "--format",
    "mapping": "--shape",
    "max_memory": "--max-memory",
}
"""The option for each parameter of a function that an error may speak of."""
_PARAMETER: Final = re.compile(rf"\b({'|'.join(OPTIONS)})=(?:'[^']*'|\w+)?|\b(max_memory)\b")


def answer_each(given: Iterable[T], answer: Callable[[T], str]) -> int:
    """Print the answer to each argument and return the exit status; an error keeps no other from being answered."""
    status, before = 0, ""
    for one in given:
        try:
            text = answer(one)
        except Exception as error:  # noqa: BLE001 - a layout of anyone may fail in any way
            print_error(error, str(one))
            status = FAILURE
        else:
            print_lines(f"{before}{text}", sys.stdout)
            before = "\n"
    return status


def print_lines(text: str, stream: TextIO | None) -> None:
    """Write a line, or several."""
    write_output(f"{text}\n", stream)


def write_output(text: str, stream: TextIO | None) -> None:
    """Write at once; what the stream's encoding lacks is escaped, and a stream without a reader is closed.

    Raises
    ------
    SystemExit
        The output cannot be written for another reason; a line of error says so.
    """
    if stream is None or stream.closed:
        return
    encoding = stream.encoding or "utf-8"
    try:
        if text:
            stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except OSError as error:
        with suppress(OSError):
            stream.close()
        if stream is sys.stdout and not isinstance(error, BrokenPipeError):
            print_lines(f"mdview: error: the output cannot be written: {error.strerror}", sys.stderr)
            raise SystemExit(FAILURE) from None


def print_error(error: Exception, subject: str = "") -> None:
    """Print an error: where an expression is wrong with its carets, all else in one line with its subject."""
    if isinstance(error, NotationError) and error.line is not None:
        first, *carets = str(error).split("\n")
        print_lines("\n".join([f"mdview: error: {one_line(first)}", *map(_of_one_width, carets)]), sys.stderr)
        return
    line = line_of(error)
    before = f"{one_line(subject)}: " if subject and subject not in line else ""
    print_lines(f"mdview: error: {before}{one_line(line)}", sys.stderr)


def _of_one_width(line: str) -> str:
    """Return a line in which each character that the stream cannot write is one other, so that carets stay below."""
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    return visible(line).encode(encoding, "replace").decode(encoding)


def line_of(error: Exception) -> str:
    """Return what an error says; one that mdview does not raise on purpose says its type, too."""
    if isinstance(error, MDViewError):
        said = re.sub(r"pass layouts=\[.*?\], or (--import \S+) on the command line", r"pass \1", str(error))
        return _PARAMETER.sub(lambda found: OPTIONS[found[1] or found[2]], said)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"{type(error).__name__}: {error}"


def one_line(text: str, most: int = MOST_TEXT) -> str:
    """Return a text of any origin as one bounded line."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= most else f"{line[: most - 1]}…"


def visible(text: str) -> str:
    """Return a text with what is not printable escaped: line ends, controls, undecodable bytes of a name."""
    return "".join([c if c.isprintable() else c.encode("unicode_escape").decode() for c in text])
