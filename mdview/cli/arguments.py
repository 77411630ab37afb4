"""Arguments: a parser whose errors are one line, and the kinds of values that options take."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn, final

from mdview.cli.output import FAILURE, one_line, write

if TYPE_CHECKING:
    from mdview.interop.files.headers import ItemFormat
    from mdview.layouts.base import Layout


@final
class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and which prints as the commands do."""

    def __init__(self, name: str, about: str, examples: str) -> None:
        super().__init__(
            prog=f"mdview {name}",
            description=about,
            epilog=f"examples:\n{examples}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
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

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line, and end."""
        hint = "; a name that begins with '-' follows after --" if message.startswith("unrecognized") else ""
        self.exit(FAILURE, f"mdview: error: {one_line(message + hint)}\n")

    def _print_message(self, message: str, file: Any = None) -> None:  # Any: a stream that texts are written to
        write(message, file)


def shape(text: str) -> tuple[int, ...]:
    """Read extents, ``3,4``; none at all are those of a single element."""
    try:
        return tuple([int(part) for part in text.removesuffix(",").split(",")]) if text.strip() else ()
    except ValueError:
        raise argparse.ArgumentTypeError(f"a shape is integers with commas between them, 3,4, got {text!r}") from None


def offset(text: str) -> int:
    """Read a number of bytes."""
    try:
        if text.isdecimal():
            return int(text)
    except ValueError:  # more digits than Python reads
        pass
    raise argparse.ArgumentTypeError(f"an offset is a number of bytes, 0 or more, got {text!r}")


def count(text: str) -> int:
    """Read a number of places or indices, 1 or more."""
    try:
        if text.isdecimal() and int(text):
            return int(text)
    except ValueError:  # more digits than Python reads
        pass
    raise argparse.ArgumentTypeError(f"a number, 1 or more, is wanted, got {text!r}")


def names(text: str) -> tuple[str, ...]:
    """Read names with commas between them."""
    return tuple([name.strip() for name in text.split(",") if name.strip()])


def item_format(text: str) -> ItemFormat:
    """Read how an element is written."""
    from mdview.interop.files.headers import read_format  # noqa: PLC0415 - for raw bytes only

    try:
        return read_format(text)
    except (TypeError, ValueError, ImportError) as error:
        why = f" ({error})" if isinstance(error, ImportError) else ""
        raise argparse.ArgumentTypeError(
            "a format is one letter of struct, or Zf or Zd (complex), after an order (<, >) if need be, or a dtype of "
            f"NumPy's like float64, <i4, complex128 or datetime64[ns], got {text!r}{why}"
        ) from None


def imported(name: str) -> list[type[Layout]]:
    """Import a module, and return the layouts that it and its submodules define."""
    from mdview.layouts.base import Layout  # noqa: PLC0415 - where it is asked for only

    try:
        import_module(name)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a user's module fails by
        raise argparse.ArgumentTypeError(f"{name!r} cannot be imported: {type(error).__name__}: {error}") from None
    kinds: list[type[Layout]] = [*Layout.__subclasses__()]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return [kind for kind in kinds if f"{kind.__module__}.".startswith(f"{name}.")]


def layout(text: str) -> Layout:
    """Read a layout of the language, ``tiled(4, 4)``."""
    from mdview.errors import MDViewError  # noqa: PLC0415 - for raw bytes only
    from mdview.mappings.language.reading import layout as read  # noqa: PLC0415

    try:
        return read(text)
    except MDViewError as error:
        raise argparse.ArgumentTypeError(str(error).split("\n", 1)[0]) from None
