"""Arguments: a parser whose errors are one line, and the kinds of values that options take."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from importlib import import_module
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, Final, NoReturn, final

from mdview.cli import FAILURE, one_line, write_output
from mdview.errors import MDViewError

if TYPE_CHECKING:
    from mdview.layouts.layout import Layout


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
