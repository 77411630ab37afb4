"""Multidimensional views of memory: std::mdspan for Python.

usage: mdview COMMAND ...

commands:
    info      say how the elements of files lie: .npy, .npz, or raw bytes
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
    $ mdview info table.npy images.npz
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

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Final

from mdview import __version__
from mdview.cli.output import FAILURE, one_line, print_lines, write

COMMANDS: Final = ("info", "draw", "explain", "certify", "relayout")
"""Each is a module of this folder, whose docstring is its help, and is loaded when it is asked for.

It has two functions: ``add_arguments`` of a parser, and ``run`` of what that has read, which returns the exit status.
"""
INTERRUPTED: Final = 130


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
    try:
        with _current_folder():
            status = _command(given)
    except KeyboardInterrupt:
        return INTERRUPTED
    write("", sys.stdout)  # and what modules printed that a command has imported
    return status


def _command(given: list[str]) -> int:
    """Run the command that is named, or say what there is."""
    if given[:1] == ["help"]:
        given = [*given[1:2], "--help"]
    first = given[0] if given else ""
    if first in COMMANDS:
        from mdview.cli.arguments import Parser  # noqa: PLC0415 - the overview does not need it

        command = import_module(f"mdview.cli.{first}")
        parser = Parser(first, command.__doc__)
        command.add_arguments(parser)
        status: int = command.run(parser.read(given[1:]), parser)
        return status
    if first in {"-V", "--version"}:
        print_lines(f"mdview {__version__}", sys.stdout)
    elif given and first not in {"-h", "--help"}:
        _wrong(_unknown(first))
    else:
        write(__doc__ or "", sys.stdout)
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


@contextmanager
def _current_folder() -> Iterator[None]:
    """Import modules as ``python -m`` would: those in the current folder count."""
    try:
        here = str(Path.cwd())
    except OSError:  # the folder is gone
        here = ""
    path = [here] if here and here not in sys.path and "" not in sys.path else []
    sys.path += path  # at the end, so that a file beside the data is not taken for a module that is installed
    try:
        yield
    finally:
        for entry in path:
            sys.path.remove(entry)
