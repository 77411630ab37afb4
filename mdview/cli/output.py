"""Output: lines to a stream that may be narrow, full or closed, errors as people read them, and exit statuses."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Final, TextIO

from mdview.errors import MDViewError, NotationError

REJECTED: Final = 1
FAILURE: Final = 2
MOST_TEXT: Final = 300
"""How many characters of an error are shown: those of other libraries may quote a whole file."""


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
    """Print an error: where an expression is wrong with its carets, anything else in one line, after its subject."""
    if isinstance(error, NotationError) and error.line is not None:
        first, *carets = str(error).split("\n")
        print_lines("\n".join([f"mdview: error: {one_line(first)}", *map(_of_one_width, carets)]), sys.stderr)
        return
    before = f"{visible(subject)}: " if subject else ""
    print_lines(f"mdview: error: {before}{one_line(line_of(error))}", sys.stderr)


def _of_one_width(line: str) -> str:
    """Return a line in which each character that the stream cannot write is one other, so that carets stay below."""
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    return visible(line).encode(encoding, "replace").decode(encoding)


def line_of(error: Exception) -> str:
    """Return what an error says; one that mdview does not raise on purpose says its type, too."""
    if isinstance(error, OSError) and error.strerror and not isinstance(error, MDViewError):
        return error.strerror
    if isinstance(error, MDViewError):
        return str(error)
    return f"{type(error).__name__}: {error}"


def one_line(text: str) -> str:
    """Return a text of any origin as one bounded line."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= MOST_TEXT else f"{line[: MOST_TEXT - 1]}…"


def visible(text: str) -> str:
    """Return a text with what is not printable escaped: line ends, controls, undecodable bytes of a name."""
    return "".join([c if c.isprintable() else c.encode("unicode_escape").decode() for c in text])
