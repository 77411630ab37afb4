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

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, Final, NoReturn, TextIO, TypeVar, final

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
        from mdview.cli import commands  # noqa: PLC0415 - which knows this module, and takes a while to load

        command = getattr(commands, first)
        parser = Parser(first, command.__doc__)
        getattr(commands, f"{first}_arguments")(parser)
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

OPTIONS: Final = {"dtype": "--format", "mapping": "--shape", "max_memory": "--max-memory"}
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


# Arguments: a parser whose errors are one line, and the kinds of values that options take.


@final
class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and which prints as the commands do."""

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
        """Read arguments, with options among the others; what follows ``--`` is no option."""
        return self.parse_args(arguments) if "--" in arguments else self.parse_intermixed_args(arguments)

    def add_expressions(self) -> None:
        """Take expressions, one at least."""
        self.add_argument("expressions", nargs="+", metavar="EXPRESSION", help="a layout, extents, and steps")

    def add_files(self, layout_option: str) -> None:
        """Take what files, and raw bytes among them, are said to be; ``layout_option`` says how raw bytes lie."""
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
        """Return what `open_view` is told of raw bytes, nothing where nothing is said. Any: values of parameters."""
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
        """Say what is wrong in one line, and end."""
        hint = "; a name that begins with '-' follows after --" if message.startswith("unrecognized") else ""
        self.exit(FAILURE, f"mdview: error: {one_line(message + hint)}\n")

    def _print_message(self, message: str, file: Any = None) -> None:  # Any: a stream that texts are written to
        write_output(message, file)


def shape(text: str) -> tuple[int, ...]:
    """Read extents, ``3,4``; none at all are those of a single element."""
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
    """Read a number of bytes, ``64M`` among them."""
    found = SIZE.fullmatch(text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(f"a number of bytes is wanted, 64M or 1000000, got {text!r}")
    return int(found[1]) * UNITS[found[2].lower()]


def comma_names(text: str) -> tuple[str, ...]:
    """Read names with commas between them."""
    return tuple([name.strip() for name in text.split(",") if name.strip()])


def item_format(text: str) -> str:
    """Read how an element is written."""
    _read("mdview.memory.data_types", "read_dtype", text)
    return text


def read_layout(text: str) -> Layout:
    """Read a layout of the language, ``tiled(4, 4)``."""
    found: Layout = _read("mdview.mappings.notation.parser", "parse_layout", text)
    return found


def _read(module: str, name: str, text: str) -> Any:  # Any: what the function gives
    """Read a text by a function of a module that is loaded when it is needed; its error is that of the argument."""
    try:
        return getattr(import_module(module), name)(text)
    except (MDViewError, UnicodeError) as error:
        raise argparse.ArgumentTypeError(str(error).split("\n", 1)[0]) from None


def imported(name: str) -> list[type[Layout]]:
    """Import a module, and return the layouts that it and its submodules define."""
    from mdview.layouts.layout import Layout  # noqa: PLC0415 - where it is asked for only

    try:
        import_module(name)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a user's module fails by
        raise argparse.ArgumentTypeError(f"{name!r} cannot be imported: {type(error).__name__}: {error}") from None
    kinds: list[type[Layout]] = [*Layout.__subclasses__()]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return [kind for kind in kinds if f"{kind.__module__}.".startswith(f"{name}.")]
