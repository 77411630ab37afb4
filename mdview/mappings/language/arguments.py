"""Arguments: layouts and other values as the texts that make them again."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any, Final, cast

from mdview.base.integers import Dim
from mdview.base.texts import told
from mdview.errors import NotationError
from mdview.index.transforms import IndexTransform, Radix
from mdview.layouts.base import Layout
from mdview.mappings.language.building import Made
from mdview.mappings.language.signatures import MISSING, Parameter, choices, parameters_of

_NAMES: Final[Mapping[object, str]] = {maker: name for name, maker in Made.items()}
_LONG: Final = 2**1024
"""Numbers above are written in hexadecimal, since Python bounds the digits that it converts."""


def layout_text(layout: Layout) -> str:
    """Return the text that makes a layout; `NotationError` where there is none."""
    return _call(layout)


def value_text(given: object, where: str, words: tuple[str, ...] = ()) -> str:
    """Return the text of a value; ``where`` says in an error whose it is, ``words`` stand without quotes."""
    kind = type(given)
    if isinstance(given, Layout) or kind in {IndexTransform, Radix}:
        return _call(given)
    if isinstance(given, tuple) and kind is tuple:
        entries = [value_text(entry, where) for entry in given]
        return f"({', '.join(entries)}{',' * (len(entries) == 1)})"
    if kind.__module__ == "numpy" and getattr(given, "shape", None) == ():  # a number that NumPy has computed
        return value_text(cast("Any", given).item(), where, words)
    text = given if isinstance(given, str) and given in words else _constant(given)
    if text is None:
        message = (
            f"{where} cannot be written: {told(given)} is no number, text, tuple, layout, True, False or None; let the "
            "layout take one of these, a name for example, and look up what it stands for"
        )
        raise NotationError(message)
    return text


def _constant(given: object) -> str | None:
    """Return the text of a number, a text, bytes, True, False or None; None of anything else, a subclass included."""
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
    """Return the name of what made an object, with the arguments that it needs."""
    maker = type(made)
    name = _NAMES.get(maker) or _path(maker)
    arguments = _arguments(made, maker)
    return f"{name}({', '.join(arguments)})" if arguments else name


def _path(kind: type) -> str:
    """Return ``module:Name`` of a class."""
    module, name = kind.__module__, kind.__qualname__
    found: object = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if module == "__main__" or found is not kind:
        message = (
            f"{name} of {module} cannot be imported elsewhere by its name; define the class at the top of a module"
        )
        raise NotationError(message)
    return f"{module}:{name}"


def _arguments(made: object, maker: type) -> list[str]:
    """Return the arguments: required ones and a first optional one by position, others by name, defaults left out."""
    own = made.constructor_arguments() if isinstance(made, Layout) else None
    found: list[str] = []
    by_position = True
    for parameter in parameters_of(maker) or ():
        if parameter.takes_all_names:
            continue
        given = _given(made, own, parameter, maker)
        where = f"the parameter {parameter.name} of {maker.__name__}"
        if parameter.is_repeated:
            found += [value_text(entry, where) for entry in given] if isinstance(given, tuple) else []
            continue
        if parameter.default is not MISSING and _same(given, parameter.default):
            by_position = False
            continue
        text = value_text(given, where, choices(maker, parameter.name))
        by_position = by_position and parameter.is_positional and (parameter.default is MISSING or not found)
        found.append(text if by_position else f"{parameter.name}={text}")
    return found


def _given(made: object, own: Mapping[str, object] | None, parameter: Parameter, maker: type) -> object:
    """Return what a parameter was given."""
    found = getattr(made, parameter.name, MISSING) if own is None else own.get(parameter.name, parameter.default)
    if found is MISSING:
        message = (
            f"the parameter {parameter.name} of {maker.__name__} is no attribute of {told(made)}; "
            f"let constructor_arguments() return what an equal layout is made from"
        )
        raise NotationError(message)
    return found


def _same(given: object, default: object) -> bool:
    """Tell whether an argument may be left out: the default is equal to it, and of the same types."""
    if given is default:
        return True
    return type(given) is type(default) and given == default and repr(given) == repr(default)
