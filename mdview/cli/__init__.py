"""The command line of mdview: std::mdspan, views of memory, from a shell.

usage: mdview COMMAND ...

commands:
    info      say how the elements of files lie: .npy, zarr, or raw bytes
    draw      draw where the indices of an expression lie in memory
    explain   say what an expression is, and why
    certify   check the laws of a layout or accessor of your own
    relayout  write a file again under another layout

An EXPRESSION is a layout or the name of a format, extents, and any number of
slices and operations, in quotes, so that the shell leaves it as it is:
    "right (4, 6)"
    "nChw16c (1, 32, 4, 4)"
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

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from inspect import cleandoc
from io import TextIOWrapper
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar, final

from mdview import __version__
from mdview.errors import MDViewError, NotationError

if TYPE_CHECKING:
    from mdview.layouts.layout import Layout

__all__ = ["main"]

T = TypeVar("T")

COMMANDS: Final = ("info", "draw", "explain", "certify", "relayout")
REJECTED: Final = 1
FAILURE: Final = 2
INTERRUPTED: Final = 130
SHADOWED: Final = (
    "another project, which pip install mdview brings, has replaced a file of this one; pip uninstall mdview, then "
    "pip install --force-reinstall mdview-layouts"
)
MOST_TEXT: Final = 300
"""The most characters of an error that are shown: those of other libraries may quote a whole file."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, 1 for what is rejected, or 2 after an error on standard error.

    Parameters
    ----------
    argv
        The arguments; those of the process if None.
    """
    name, *rest = list(sys.argv[1:] if argv is None else argv) or ["--help"]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # characters that the encoding lacks are escaped
    is_new = "" not in sys.path  # modules in the current folder are importable, after installed ones
    sys.path += [""] * is_new
    try:
        status = _command(name, rest)
        print(end="", flush=True)
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:  # commands handle errors of files, so this one is of the output
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # at exit Python writes the rest
        if not isinstance(error, BrokenPipeError):
            print(f"mdview: error: the output cannot be written: {error.strerror}", file=sys.stderr)
        return FAILURE
    finally:
        if is_new:
            sys.path.remove("")
    return status


def _commands() -> ModuleType:
    """Return the module of the commands, which imports this one and loads slowly."""
    try:
        return import_module("mdview.cli.commands")
    except ImportError as error:
        if error.name != "mdview":
            raise
        print(f"mdview: error: {SHADOWED}", file=sys.stderr)
        raise SystemExit(FAILURE) from None


def _command(name: str, arguments: Sequence[str]) -> int:
    """Run the command of a name, or list the commands."""
    if name in COMMANDS:
        commands = _commands()
        command = getattr(commands, name)
        parser = Parser(name, command.__doc__)
        getattr(commands, f"{name}_arguments")(parser)
        try:
            status: int = command(parser.read(arguments), parser)
        except SystemExit as stop:  # raised by the parser after help, or for wrong arguments
            return FAILURE if stop.code else 0
        return status
    if name in {"-h", "--help"}:
        print(__doc__)
    elif name == "--version":
        print(f"mdview {__version__}")
    else:
        rule = f"there is no COMMAND {name!r}; there is {', '.join(COMMANDS)}; see mdview --help"
        print(f"mdview: error: {one_line(rule)}", file=sys.stderr)
        return FAILURE
    return 0


# Answers and errors as text.


def answer_each(given: Iterable[T], answer: Callable[[T], str], gap: str = "\n") -> int:
    """Print the answer to each argument, with a gap between two, and return the exit status; errors stop none."""
    status, before = 0, ""
    for one in given:
        try:
            text = answer(one)
        except Exception as error:  # noqa: BLE001 - a layout of a user may raise anything
            print_error(error, str(one))
            status = FAILURE
        else:
            print(f"{before}{text}")
            before = gap
    return status


def print_error(error: Exception, subject: str = "") -> None:
    """Print an error: with carets for a wrong expression, any other in one line with its subject."""
    if isinstance(error, NotationError) and error.line is not None:
        first, *carets = str(error).split("\n")
        print("\n".join([f"mdview: error: {one_line(first)}", *map(visible, carets)]), file=sys.stderr)
        return
    line = line_of(error)
    before = f"{one_line(subject)}: " if subject and subject not in line else ""
    print(f"mdview: error: {before}{one_line(line)}", file=sys.stderr)


OPTIONS: Final = {"dtype": "--format", "mapping": "--shape", "max_memory": "--max-memory"}
"""The option for each parameter that the text of an error may name."""
_PARAMETER: Final = re.compile(rf"\b({'|'.join(OPTIONS)})=(?:'[^']*'|\w+)?|\b(max_memory)\b")


def line_of(error: Exception) -> str:
    """Return the message of an error, with its type if mdview does not raise it on purpose."""
    if isinstance(error, MDViewError):
        said = re.sub(r"pass layouts=\[.*?\], or (--import \S+) on the command line", r"pass \1", str(error))
        return _PARAMETER.sub(lambda found: OPTIONS[found[1] or found[2]], said)
    return (isinstance(error, OSError) and error.strerror) or f"{type(error).__name__}: {error}"


def one_line(text: str, most: int = MOST_TEXT) -> str:
    """Return a text of any origin as one bounded line."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= most else f"{line[: most - 1]}…"


def visible(text: str) -> str:
    """Return a text with unprintable characters escaped: line ends, controls, undecodable bytes of a name."""
    return "".join([c if c.isprintable() else c.encode("unicode_escape").decode() for c in text])


# Arguments: a parser whose errors are one line, and the kinds of values that options take.


@final
class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def __init__(self, name: str, about: str | None) -> None:
        about = cleandoc(about or "")
        super().__init__(prog=f"mdview {name}", description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
        self.add_argument(
            "--import",
            dest="layouts",
            type=imported,
            action="extend",
            default=[],
            metavar="MODULE",
            help="import it: headers of files may name the layouts in it, and no others of your own",
        )

    def read(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse arguments, with options in any position; arguments after ``--`` are positional."""
        return self.parse_args(arguments) if "--" in arguments else self.parse_intermixed_args(arguments)

    def add_expressions(self) -> None:
        """Take expressions, one at least."""
        self.add_argument("expressions", nargs="+", metavar="EXPRESSION", help="a layout, extents, and steps")

    def add_files(self, layout_option: str) -> None:
        """Add the options of files; ``layout_option`` names the one for the layout of raw bytes."""
        raw = self.add_argument_group("raw bytes")
        raw.add_argument("--shape", type=shape, metavar="N,M", help="extents; '' for a single element")
        raw.add_argument(
            "--format",
            "--dtype",
            type=item_format,
            metavar="FORMAT",
            help="of an element: as NumPy names it (float64, <i4, bool), a letter of struct (d, >i), or fields of a "
            "record ('f8, i4')",
        )
        raw.add_argument("--offset", type=size, metavar="BYTES", help="where the elements begin; 0 by default")
        raw.add_argument(
            layout_option,
            dest="raw_layout",
            type=read_layout,
            metavar="LAYOUT",
            help="right (the default), or any other",
        )

    def raw(self, options: argparse.Namespace) -> dict[str, Any]:
        """Return the arguments of `open_view` for raw bytes, if they are set. Any: values of parameters."""
        from mdview.layouts.strided_layout import LayoutRight  # noqa: PLC0415 - for files only
        from mdview.mappings.mapping import Mapping  # noqa: PLC0415

        given = [options.shape, options.format, options.offset, options.raw_layout]
        if None in given[:2] and any(option is not None for option in given):
            self.error("raw bytes need both --shape and --format")
        if options.shape is None:
            return {}
        try:
            mapping = Mapping(options.shape, options.raw_layout or LayoutRight())
        except MDViewError as error:
            self.error(str(error))
        return {"mapping": mapping, "dtype": options.format, "offset": options.offset or 0}

    def error(self, message: str) -> NoReturn:
        """Print the error in one line and exit."""
        hint = "; a name that begins with '-' follows after --" if message.startswith("unrecognized") else ""
        self.exit(FAILURE, f"mdview: error: {one_line(message + hint)}\n")


def shape(text: str) -> tuple[int, ...]:
    """Read extents, ``3,4``; an empty text has rank 0."""
    try:
        return tuple([int(part) for part in text.removesuffix(",").split(",")]) if text.strip() else ()
    except ValueError:
        raise argparse.ArgumentTypeError(f"a shape is integers with commas between them, 3,4, got {text!r}") from None


def count(text: str) -> int:
    """Read a number of places or indices, 1 or more."""
    if re.fullmatch(r"[0-9]{1,18}", text) and int(text):
        return int(text)
    raise argparse.ArgumentTypeError(f"a number, 1 or more, is wanted, got {text!r}")


SIZE: Final = re.compile(r"(\d{1,15})\s*([kmg]?)(i?b)?", re.IGNORECASE)
UNITS: Final = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def size(text: str) -> int:
    """Read a number of bytes, such as ``64M``."""
    found = SIZE.fullmatch(text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(f"a number of bytes is wanted, 64M or 1000000, got {text!r}")
    return int(found[1]) * UNITS[found[2].lower()]


def comma_names(text: str) -> tuple[str, ...]:
    """Read names with commas between them."""
    return tuple([name.strip() for name in text.split(",") if name.strip()])


def item_format(text: str) -> str:
    """Check the text of a format, and return it."""
    _read("mdview.memory.data_types", "read_dtype", text)
    return text


def read_layout(text: str) -> Layout:
    """Read a layout of the language, ``tiled(4, 4)``."""
    found: Layout = _read("mdview.mappings.notation.parser", "parse_layout", text)
    return found


def _read(module: str, name: str, text: str) -> Any:  # Any: results of any type
    """Read a text by a function of a module that is loaded now; its error becomes that of the argument."""
    try:
        return getattr(import_module(module), name)(text)
    except (MDViewError, UnicodeError) as error:
        raise argparse.ArgumentTypeError(str(error).split("\n", 1)[0]) from None


def imported(name: str) -> list[type[Layout]]:
    """Import a module, and return the layouts that it and its submodules define."""
    from mdview.layouts.layout import Layout  # noqa: PLC0415 - for this option only

    try:
        import_module(name)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a module of a user may raise anything
        raise argparse.ArgumentTypeError(f"{name!r} cannot be imported: {type(error).__name__}: {error}") from None
    kinds: list[type[Layout]] = [*Layout.__subclasses__()]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return [kind for kind in kinds if f"{kind.__module__}.".startswith(f"{name}.")]
