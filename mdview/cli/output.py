"""Output: lines to a stream that may be narrow, full or closed, errors as people read them, and exit statuses."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final, TextIO, TypeVar

from mdview.errors import MDViewError, NotationError

T = TypeVar("T")

REJECTED: Final = 1
FAILURE: Final = 2
MOST_TEXT: Final = 300
"""How many characters of an error are shown: those of other libraries may quote a whole file."""


def answer_each(given: Iterable[T], answer: Callable[[T], str]) -> int:
    """Print the answer to each argument and return the exit status; an error keeps no other from being answered."""
    status, before = 0, ""
    for one in given:
        try:
            text = answer(one)
        except Exception as error:  # noqa: BLE001 - a layout of anyone may fail in any way
            report(error, str(one))
            status = FAILURE
        else:
            print_lines(f"{before}{text}", sys.stdout)
            before = "\n"
    return status


def print_lines(text: str, stream: TextIO | None) -> None:
    """Write a line, or several."""
    write(f"{text}\n", stream)


def write(text: str, stream: TextIO | None) -> None:
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


def report(error: Exception, subject: str = "") -> None:
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
        return str(error)
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
