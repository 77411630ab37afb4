"""Arguments: a parser whose errors are one line, and the kinds of values that options take."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, final

from mdview.cli.output import FAILURE, one_line, write

if TYPE_CHECKING:
    from mdview.interop.files.item_formats import ItemFormat
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
        message = f"a shape is integers with commas between them, 3,4, got {text!r}"
        raise argparse.ArgumentTypeError(message) from None


def offset(text: str) -> int:
    """Read a number of bytes."""
    try:
        if text.isdecimal():
            return int(text)
    except ValueError:  # more digits than Python reads
        pass
    message = f"an offset is a number of bytes, 0 or more, got {text!r}"
    raise argparse.ArgumentTypeError(message)


def count(text: str) -> int:
    """Read a number of places or indices, 1 or more."""
    try:
        if text.isdecimal() and int(text):
            return int(text)
    except ValueError:  # more digits than Python reads
        pass
    message = f"a number, 1 or more, is wanted, got {text!r}"
    raise argparse.ArgumentTypeError(message)


def names(text: str) -> tuple[str, ...]:
    """Read names with commas between them."""
    return tuple([name.strip() for name in text.split(",") if name.strip()])


def item_format(text: str) -> ItemFormat:
    """Read how an element is written."""
    from mdview.interop.files.item_formats import read_format  # noqa: PLC0415 - for raw bytes only

    try:
        return read_format(text)
    except (TypeError, ValueError, ImportError) as error:
        why = f" ({error})" if isinstance(error, ImportError) else ""
        message = (
            "a format is one letter of struct, or Zf or Zd (complex), after an order (<, >) if need be, or a dtype of "
            f"NumPy's like float64, <i4, complex128 or datetime64[ns], got {text!r}{why}"
        )
        raise argparse.ArgumentTypeError(message) from None


def layout(text: str) -> Layout:
    """Read a layout of the language, ``tiled(4, 4)``."""
    from mdview.errors import MDViewError  # noqa: PLC0415 - for raw bytes only
    from mdview.mappings.language.reading import layout as read  # noqa: PLC0415

    try:
        return read(text)
    except MDViewError as error:
        raise argparse.ArgumentTypeError(str(error).split("\n", 1)[0]) from None
