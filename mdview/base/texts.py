"""Text of what a caller hands over: Python refuses to write numbers of thousands of digits, and messages show them.

Whatever in a message may hold a caller's number, or what was computed from it, is `shown`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import log10


def shown(given: object, write: Callable[[object], str] = str) -> str:
    """Return the text of anything; a number that Python does not write is said to be long.

    >>> shown((3, 10**5000)), shown(slice(-(10**5000), None))
    ('(3, <integer of about 5000 digits>)', 'slice(<negative integer of about 5000 digits>, None, None)')
    """
    try:
        return write(given)
    except ValueError:
        return _without_digits(given)


def _without_digits(given: object) -> str:
    if isinstance(given, int):
        return f"<{'negative ' if given < 0 else ''}integer of about {round(given.bit_length() * log10(2))} digits>"
    if type(given) is tuple:
        return f"({_joined(given)}{',' * (len(given) == 1)})"
    if type(given) is list:
        return f"[{_joined(given)}]"
    if isinstance(given, slice | range):
        return f"{type(given).__name__}({_joined([given.start, given.stop, given.step])})"
    return f"<{type(given).__name__} that has no text>"


def _joined(entries: Iterable[object]) -> str:
    return ", ".join([shown(entry, repr) for entry in entries])
