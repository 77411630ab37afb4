"""Short texts for error messages: any value in one bounded line, sizes in bytes, plurals.

Python refuses to write numbers of thousands of digits, and messages show them: whatever may hold a caller's number, or
what was computed from it, is `as_text`. Whatever else a caller hands over may be long, and is `brief`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import log10
from types import BuiltinFunctionType, FunctionType
from typing import Any, Final, cast

MOST: Final = 100
"""How many characters of something `brief` has at most."""
DEEPEST: Final = 3
"""How many sequences within each other it shows."""


def as_text(given: object, write: Callable[[object], str] = str) -> str:
    """Return the text of anything; a number that Python does not write is said to be long, what is too deep left out.

    >>> as_text((3, 10**5000)), as_text(slice(-(10**5000), None))
    ('(3, <integer of about 5000 digits>)', 'slice(<negative integer of about 5000 digits>, None, None)')
    """
    try:
        return write(given)
    except ValueError:
        return _without_digits(given)
    except RecursionError:
        return f"{type(given).__name__}(...)"


def brief(given: object, depth: int = 0) -> str:
    """Return what a message says of anything: its repr where that is short, without parts that have parts, or its type.

    ``depth`` tells how many sequences it stands in.

    >>> brief([1, "a"]), brief(int), brief(object())
    ("[1, 'a']", 'the class int', 'an object of type object')
    """
    kind = type(given)
    if isinstance(given, type):
        return f"the class {given.__name__}"
    if isinstance(given, FunctionType | BuiltinFunctionType) or kind.__name__ == "ufunc":
        return f"the function {cast('type', given).__name__!r}"
    if kind.__module__ == "numpy":  # whose own texts depend on its version
        return _of_numpy(given)
    if isinstance(given, tuple | list) and kind in {tuple, list}:
        return _of_entries(given, depth)
    try:
        text, rest, _ = as_text(given, repr).partition("\n")
    except Exception:  # noqa: BLE001 - whatever its own text fails by, the error to be told is another one
        return f"an object of type {kind.__name__}"
    return _of_text(given, "" if rest and not text.startswith(f"{kind.__name__}(") else text)


def _of_numpy(given: Any) -> str:
    """Return the type and the value of a number or a text of NumPy, the type of all else. Any: NumPy's."""
    name = type(given).__name__
    made = given.item() if any(base.__name__ == "generic" for base in type(given).__mro__) else None
    return f"{name} {made!r}" if isinstance(made, int | float | complex | str | bytes) else f"an object of type {name}"


def _of_text(given: object, text: str) -> str:
    """Return the text of something, shorter if it is long, or its type where there is none."""
    name = type(given).__name__
    if isinstance(given, int | str | bytes) and len(text) > MOST:
        return _without_digits(given) if isinstance(given, int) else f"{text[:MOST]}…"
    if len(text) > MOST:
        text = _folded(text)
    if 0 < len(text) <= MOST and " at 0x" not in text and "<class " not in text:
        return text
    return f"{name}(...)" if text.startswith(f"{name}(") else f"an object of type {name}"


def _of_entries(given: Sequence[object], depth: int) -> str:
    name = type(given).__name__
    if len(given) > MOST or (depth >= DEEPEST and given):
        return f"a {name} of {plural(len(given), 'entry', 'entries')}"
    comma = "," * (len(given) == 1 and name == "tuple")
    text = f"{', '.join([brief(entry, depth + 1) for entry in given])}{comma}"
    text = f"({text})" if name == "tuple" else f"[{text}]"
    return text if len(text) <= MOST else f"a {name} of {plural(len(given), 'entry', 'entries')}"


def _folded(text: str) -> str:
    """Return a call without the arguments of the calls in it; nothing where parentheses do not match."""
    kept: list[str] = []
    calls: list[bool] = []  # whether each open parenthesis is that of a call inside
    for k, character in enumerate(text):
        if character == ")":
            if not calls:
                return ""
            is_call = calls.pop()
            character = "...)" if is_call and text[k - 1] != "(" else ")"  # noqa: PLW2901 - what is kept of it
        if not any(calls):
            kept.append(character)
        if character == "(":
            calls.append(bool(calls) and (text[k - 1].isalnum() or text[k - 1] == "_"))
    return "" if calls else "".join(kept)


def plural(count: int, what: str, several: str = "") -> str:
    """Return a number of things in words; ``several`` is the plural where that is not ``what`` and an s.

    >>> plural(1, "stride"), plural(2, "stride"), plural(0, "index", "indices")
    ('1 stride', '2 strides', '0 indices')
    """
    return f"{as_text(count)} {what if count == 1 else several or what + 's'}"


def size_text(bits: int) -> str:
    """Return a size in bytes, in bits where these are no whole bytes.

    >>> size_text(32), size_text(12)
    ('4 bytes', '12 bits')
    """
    return plural(bits, "bit") if bits % 8 else plural(bits // 8, "byte")


def plural_takes(count: int, what: str, several: str = "") -> str:
    """Return that many things, and that they take something.

    >>> plural_takes(1, "axis", "axes"), plural_takes(2, "axis", "axes")
    ('1 axis takes', '2 axes take')
    """
    return f"{plural(count, what, several)} take{'s' if count == 1 else ''}"


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
    return ", ".join([as_text(entry, repr) for entry in entries])
