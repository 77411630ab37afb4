"""Short texts for error messages: any value in one bounded line, kinds of arguments, sizes in bytes, plurals.

`as_text` is for numbers, since Python refuses to write thousands of digits. `brief` is for all other arguments, since
their text may be long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log10
from types import BuiltinFunctionType, FunctionType
from typing import Any, Final, cast

MOST: Final = 100
"""The largest number of characters in a result of `brief`."""
DEEPEST: Final = 3
"""The largest number of levels of nested sequences in a result of `brief`."""

FROM_VALUES: Final = "asview(np.array(values)), or MDView(data, extents)"
"""The ways to view a list: the first for nested and flat lists, the second for flat lists alone."""


def as_text(argument: object, write: Callable[[object], str] = str) -> str:
    """Return the text of an object; integers that are too long are described, objects nested too deeply abbreviated.

    >>> as_text((3, 10**5000)), as_text(slice(-(10**5000), None))
    ('(3, <integer of about 5000 digits>)', 'slice(<negative integer of about 5000 digits>, None, None)')
    """
    try:
        return write(argument)
    except ValueError:
        return _without_digits(argument)
    except RecursionError:
        return f"{type(argument).__name__}(...)"


def brief(argument: object, depth: int = 0) -> str:
    """Return a short text of any object.

    The text is the repr if it is short, else the repr without the arguments of nested calls if that is short, else the
    type.

    ``depth`` is the number of sequences around the object.

    >>> brief([1, "a"]), brief(int), brief(object())
    ("[1, 'a']", 'the class int', 'an object of type object')
    """
    kind = type(argument)
    if isinstance(argument, type):
        return f"the class {argument.__name__}"
    if isinstance(argument, FunctionType | BuiltinFunctionType) or kind.__name__ == "ufunc":
        return f"the function {cast('type', argument).__name__!r}"
    if kind.__module__ == "numpy":  # the repr depends on the version of NumPy
        return _of_numpy(argument)
    if isinstance(argument, tuple | list) and kind in {tuple, list}:
        return _of_entries(argument, depth)
    try:
        text, rest, _ = as_text(argument, repr).partition("\n")
    except Exception:  # noqa: BLE001 - an error of a repr must not hide the error to report
        return f"an object of type {kind.__name__}"
    return _of_text(argument, "" if rest and not text.startswith(f"{kind.__name__}(") else text)


def kind_text(argument: object) -> str:
    """Describe an object for a message: a number or a string by type and text, most other objects by type alone.

    >>> kind_text(3), kind_text(None), kind_text(int), kind_text([1, 2])
    ('int 3', 'None', 'the class int', 'list')
    """
    if argument is None:
        return "None"
    if isinstance(argument, type):
        return f"the class {argument.__name__}"
    name = type(argument).__name__
    if type(argument).__module__ == "numpy":
        return brief(argument).removeprefix("an object of type ")
    text = brief(argument)
    if text.startswith("<"):  # a long number
        return f"an {text[1:-1]}"
    return f"{name} {text}" if isinstance(argument, int | float | complex | str | bytes) else name


def instance_text(kind: type) -> str:
    """Return the call that makes an instance of a class, with its required arguments.

    >>> class Grid:
    ...     def __init__(self, *tile: int, fill: int = 0): ...
    >>> instance_text(Grid), instance_text(object)
    ('Grid(*tile)', 'object()')
    """
    from inspect import Parameter, signature  # noqa: PLC0415 - for an error only

    try:
        parameters = signature(kind).parameters.values()
    except ValueError:  # a class written in C
        return f"{kind.__name__}(...)"
    needed = [
        str(p).partition(":")[0].strip()
        for p in parameters
        if p.kind is Parameter.VAR_POSITIONAL or (p.default is Parameter.empty and p.kind is not Parameter.VAR_KEYWORD)
    ]
    return f"{kind.__name__}({', '.join(needed)})"


def _of_numpy(argument: Any) -> str:
    """Return type and value of a NumPy scalar, or the type of another NumPy object."""
    name = type(argument).__name__
    number = argument.item() if any(base.__name__ == "generic" for base in type(argument).__mro__) else None
    return (
        f"{name} {number!r}" if isinstance(number, int | float | complex | str | bytes) else f"an object of type {name}"
    )


def _of_text(argument: object, text: str) -> str:
    """Return the text of an object, shortened if it is long, or its type if ``text`` is too long or has an address."""
    name = type(argument).__name__
    if isinstance(argument, int | str | bytes) and len(text) > MOST:
        return _without_digits(argument) if isinstance(argument, int) else f"{text[:MOST]}…"
    short = _folded(text) if len(text) > MOST else text
    if 0 < len(short) <= MOST and " at 0x" not in short and "<class " not in short:
        return short
    return f"{name}(...)" if text.startswith(f"{name}(") else f"an object of type {name}"


def _of_entries(argument: Sequence[object], depth: int) -> str:
    name = type(argument).__name__
    if len(argument) > MOST or (depth >= DEEPEST and argument):
        return f"a {name} of {plural(len(argument), 'entry', 'entries')}"
    comma = "," * (len(argument) == 1 and name == "tuple")
    text = f"{', '.join([brief(entry, depth + 1) for entry in argument])}{comma}"
    text = f"({text})" if name == "tuple" else f"[{text}]"
    return text if len(text) <= MOST else f"a {name} of {plural(len(argument), 'entry', 'entries')}"


def _folded(text: str) -> str:
    """Return the text of a call without the arguments of nested calls; empty if ``text`` is not an expression."""
    import ast  # noqa: PLC0415 - for an error only

    try:
        call = ast.parse(text, mode="eval").body
        for node in ast.walk(call):
            if isinstance(node, ast.Call) and node is not call and (node.args or node.keywords):
                node.args, node.keywords = [ast.Constant(...)], []
        return ast.unparse(call)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def plural(count: int, what: str, several: str = "") -> str:
    """Return a number with its noun; ``several`` is the plural, by default ``what`` with an s.

    >>> plural(1, "stride"), plural(2, "stride"), plural(0, "index", "indices")
    ('1 stride', '2 strides', '0 indices')
    """
    return f"{as_text(count)} {what if count == 1 else several or what + 's'}"


def size_text(bits: int) -> str:
    """Return a size in bytes, or in bits if it is not a whole number of bytes.

    >>> size_text(32), size_text(12)
    ('4 bytes', '12 bits')
    """
    return plural(bits, "bit") if bits % 8 else plural(bits // 8, "byte")


def plural_takes(count: int, what: str, several: str = "") -> str:
    """Return a number with its noun and the verb "take", singular or plural.

    >>> plural_takes(1, "axis", "axes"), plural_takes(2, "axis", "axes")
    ('1 axis takes', '2 axes take')
    """
    return f"{plural(count, what, several)} take{'s' if count == 1 else ''}"


def _without_digits(argument: Any) -> str:  # Any: an object whose text Python refuses to write
    if isinstance(argument, int):
        sign = "negative " if argument < 0 else ""
        return f"<{sign}integer of about {round(argument.bit_length() * log10(2))} digits>"
    if type(argument) in {tuple, list}:
        return _of_entries(argument, 0)
    if isinstance(argument, slice | range):
        return f"{type(argument).__name__}{_of_entries((argument.start, argument.stop, argument.step), 0)}"
    return f"<{type(argument).__name__} that has no text>"
