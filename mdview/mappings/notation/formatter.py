"""Formatter of the notation: the canonical text of a mapping, its layout and its extents."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping as Table
from inspect import Parameter, signature
from typing import Any, Final, cast

from mdview.base import Dim, answer_calls, brief
from mdview.errors import NotationError
from mdview.index.index_map import IndexMap, Radix
from mdview.layouts.layout import Layout
from mdview.mappings.mapping import AnyMapped, AnyMapping, mapping_of
from mdview.mappings.notation.parser import Made, choices, parse


@answer_calls
def format(x: AnyMapped) -> str:  # noqa: A001 - the inverse of `parse`, in analogy to the builtin
    """Return a mapping, or the mapping of a view, as text in the notation: ``parse(format(m)) == m``.

    Raises
    ------
    NotationError
        The mapping has no text: the class of its layout cannot be imported, or a parameter is not a literal.

    >>> from mdview import LayoutTiled, Mapping
    >>> format(Mapping((10, 12), LayoutTiled(4, 4)))
    'tiled(4, 4) (10, 12)'
    """
    mapping = mapping_of(x)
    try:
        return _text(mapping)
    except RecursionError as error:
        raise NotationError("the layouts lie too deep within each other to be written") from error


def _text(mapping: AnyMapping) -> str:
    text = _written(mapping)
    mapping_of_text = parse(text)
    if mapping_of_text != mapping or _written(mapping_of_text) != text:  # another layout, or other static parameters
        raise NotationError(
            f"{brief(mapping.layout)} is not made again by {text!r}; its class needs a constructor whose "
            "parameters are attributes, or `constructor_arguments`"
        )
    return text


def _written(mapping: AnyMapping) -> str:
    """Return the text of the layout and the extents, without a check."""
    return f"{_call(mapping.layout)} {value_text(mapping.extents, 'extents')}"


_NOTHING: Final = Parameter.empty
_BY_POSITION: Final = frozenset({Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD})
_NAMES: Final[Table[object, str]] = {maker: name for name, maker in Made.items()}
_LONG: Final = 2**1024
"""The least number that is written in hexadecimal, since Python limits the decimal digits of a conversion."""


def value_text(given: object, where: str, words: tuple[str, ...] = ()) -> str:
    """Return the text of a value; ``where`` names the value in errors, and strings in ``words`` get no quotes."""
    kind = type(given)
    if isinstance(given, Layout) or kind in {IndexMap, Radix}:
        return _call(given)
    if isinstance(given, tuple) and kind is tuple:
        entries = [value_text(entry, where) for entry in given]
        return f"({', '.join(entries)}{',' * (len(entries) == 1)})"
    if kind.__module__ == "numpy" and getattr(given, "shape", None) == ():  # a number that NumPy has computed
        return value_text(cast("Any", given).item(), where, words)
    text = given if isinstance(given, str) and given in words else _constant(given)
    if text is None:
        raise NotationError(
            f"{where} cannot be written: {brief(given)} is no number, text, tuple, layout, True, False or None; "
            "let the layout take one of these, a name for example, and look up what it stands for"
        )
    return text


def _constant(given: object) -> str | None:
    """Return the text of a number, str, bytes, True, False or None; None for other types, including subclasses."""
    kind = type(given)
    if given is None or kind in {bool, str, bytes}:
        return repr(given)
    if isinstance(given, int) and kind in {int, Dim}:
        text = str(int(given)) if abs(given) < _LONG else hex(given)
        return f"dim({text})" if kind is Dim else text
    if isinstance(given, float) and kind is float and not math.isnan(given):
        return repr(given).replace("inf", "1e999")
    if isinstance(given, complex) and kind is complex:
        real, imaginary = _constant(given.real), _constant(given.imag)
        return None if real is None or imaginary is None else f"complex({real}, {imaginary})"
    return None


def _call(made: object) -> str:
    """Return the text of a call that makes an equal object: the name of its class and the arguments."""
    maker = type(made)
    name = _NAMES.get(maker) or _path(maker)
    arguments = _arguments(made, maker)
    return f"{name}({', '.join(arguments)})" if arguments else name


def _path(kind: type) -> str:
    """Return ``module:Name`` of a class of layouts, as the notation writes it."""
    module, name = kind.__module__, kind.__qualname__
    member: object = sys.modules.get(module)
    for part in name.split("."):
        member = getattr(member, part, None)
    if module == "__main__" or member is not kind:
        raise NotationError(
            f"{name} of {module} cannot be imported elsewhere by its name; define the class at the top of a module"
        )
    return f"{module}:{name}"


def _arguments(made: object, maker: type) -> list[str]:
    """Return the texts of the arguments that differ from their defaults.

    Required arguments, and an optional argument that comes first, are positional; other arguments have names.
    """
    named = made.constructor_arguments() if isinstance(made, Layout) else None
    arguments: list[str] = []
    by_position = True
    for name, parameter in signature(maker).parameters.items():
        if parameter.kind is Parameter.VAR_KEYWORD:
            continue
        default, where = parameter.default, f"the parameter {name} of {maker.__name__}"
        argument = getattr(made, name, _NOTHING) if named is None else named.get(name, default)
        if argument is _NOTHING:
            raise NotationError(
                f"{where} is no attribute of {brief(made)}; let constructor_arguments() return what an equal layout is "
                "made from"
            )
        if parameter.kind is Parameter.VAR_POSITIONAL:
            arguments += [value_text(entry, where) for entry in argument] if isinstance(argument, tuple) else []
        elif argument is default or (type(argument) is type(default) and repr(argument) == repr(default)):  # 1 is True
            by_position = False
        else:
            by_position = by_position and parameter.kind in _BY_POSITION and (default is _NOTHING or not arguments)
            text = value_text(argument, where, choices(maker, name) if isinstance(argument, str) else ())
            arguments.append(text if by_position else f"{name}={text}")
    return arguments
