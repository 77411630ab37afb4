"""The functions of `mdview.formats`, one for each format, made from ``chunks.toml`` and the other tables of the folder.

A table describes a format, called a family here, with these keys: ``extents`` lists the name of each extent, or the
number for a fixed extent; ``takes`` lists further parameters; ``let`` has assignments of intermediate values;
``expression`` is a string in the notation of layouts with arithmetic in braces. Instead of ``expression``, a table may
contain ``choose``, a Python expression, and ``variants``, which maps each value of ``choose`` to a string in the
notation.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from functools import partial
from importlib.resources import files
from inspect import Signature, signature
from typing import Any, Final, TypeAlias

from mdview.base import answer_calls, as_text, refuse
from mdview.base.wrong_calls import refuse_call
from mdview.errors import LayoutError, MDViewError, NotationError, OperandError, RankError
from mdview.formats import computed
from mdview.index.extents import as_extents
from mdview.mappings.mapping import AnyMapping
from mdview.mappings.notation.parser import parse

FormatFamily: TypeAlias = Callable[..., AnyMapping]
FamilyRow: TypeAlias = dict[str, Any]
"""The table of a family. ``Any`` stands for a string, a list or a table."""

GROUPS: Final = ("chunks", "images", "records", "quantised", "tensors", "matrices")
"""The names of the files with tables, without their suffix."""
TABLES: Final[dict[str, dict[str, FamilyRow]]] = {
    group: tomllib.loads(files("mdview.formats").joinpath(f"{group}.toml").read_text("utf-8")) for group in GROUPS
}
ROWS: Final = {name: row for table in TABLES.values() for name, row in table.items()}


def expression_of(family: FormatFamily, shape: Sequence[int], *args: object, **kwargs: object) -> str:
    """Return the mapping of a format as text in the notation of layouts; further arguments are those of the format.

    >>> from mdview import formats
    >>> expression_of(formats.bmp, (40, 30, 3))
    'right_padded(4) (40, 90) [::-1] reshape((40, 30, 3)) [..., ::-1]'
    """
    name = getattr(family, "__name__", "")
    if name not in ROWS:
        refuse("family", "one of mdview.formats", family)
    try:
        arguments = signature(family).bind(shape, *args, **kwargs).arguments
    except TypeError:
        refuse_call(family, (shape, *args), kwargs)
    try:
        return _text(name, shape, arguments)
    except (AttributeError, TypeError, ValueError, LookupError) as error:
        if isinstance(error, MDViewError):
            raise
        example = ROWS[name]["examples"][0]
        raise OperandError(f"the arguments of {name} do not fit: {error}; an example is {example}") from error


def _text(name: str, shape: Sequence[int], arguments: dict[str, Any]) -> str:
    """Return a family for given arguments as text in the notation. ``Any`` stands for the type of each parameter."""
    row, extents = ROWS[name], tuple(map(int, as_extents(shape)))
    defaults = {parameter.name: parameter.default for parameter in _signature(name).parameters.values()}
    values = vars(computed) | defaults | arguments | {"shape": extents} | _named(name, extents)
    for line in row.get("let", ()):
        exec(line, values)  # noqa: S102 - a line of a table of this package
    text = row.get("expression") or _variant(name, row, _value(row["choose"], values))
    return re.sub(r"\{((?:[^{}]|\{[^{}]*\})*)\}", lambda match: str(_value(match[1], values)), text)


def _value(code: str, values: dict[str, Any]) -> Any:
    """Return the value of a Python expression from a table of this package."""
    return eval(code, values)  # noqa: S307


def _named(name: str, extents: tuple[int, ...]) -> dict[str, int]:
    """Return the extents by their names in the table; check the rank and the fixed extents."""
    names = ROWS[name].get("extents", "").split()
    if names and (
        len(extents) != len(names) or any(n.isdecimal() and int(n) != e for n, e in zip(names, extents, strict=True))
    ):
        raise RankError(f"the extents of {name} are ({', '.join(names)}), got {as_text(extents)}")
    return dict(zip(names, extents, strict=False))


def _variant(name: str, row: FamilyRow, value: object) -> str:
    """Return the variant of a family for a value of its ``choose``."""
    variants, choice = row["variants"], str(value).lower() if isinstance(value, bool) else str(value)
    if choice not in variants:
        what = re.sub(r"f'|[{}']", "", row["choose"])
        raise LayoutError(f"{what} of {name} is one of {', '.join(map(repr, variants))}, got {value!r}")
    return str(variants[choice])


def _signature(name: str) -> Signature:
    """Return the signature of a family: ``shape`` and the parameters in its ``takes``."""
    return signature(_value(f"lambda shape, {ROWS[name].get('takes', '')}: 0", {}))


def _family(name: str) -> FormatFamily:
    """Return the function of `mdview.formats` for a family."""

    def family(*args: Any, **kwargs: Any) -> AnyMapping:  # Any: checked against the signature
        if not args and "shape" not in kwargs:
            refuse_call(family, args, kwargs)
        try:
            return parse(expression_of(family, *args, **kwargs))
        except NotationError as error:  # its message quotes a text that the caller has not written
            raise (error.__cause__ or error) from None

    family.__name__ = family.__qualname__ = name
    family.__doc__ = "\n".join(documentation(ROWS[name]))
    family.__signature__ = _signature(name)  # type: ignore[attr-defined]
    return answer_calls(family)


def documentation(row: FamilyRow) -> list[str]:
    """Return the lines of the docstring of a family from its table."""
    examples = ", ".join(f"``{text}``" for text in row["examples"])
    lines = [f"{row['summary']}: {examples}.", ""]
    return lines + [
        f"{key.capitalize()}: {row[key]}." for key in ("owner", "items", "edges", "surprise", "checked") if key in row
    ]


def format_names() -> list[str]:
    """Return the names of all families."""
    return [*ROWS]


def find_format(name: str) -> FormatFamily | None:
    """Return the function of a format by its name or by a tag of oneDNN; None if the name is neither."""
    return FAMILIES.get(name) or (partial(FAMILIES["onednn"], tag=name) if computed.read_tag(name) else None)


FAMILIES: Final = {name: _family(name) for name in ROWS}
globals().update(FAMILIES)
