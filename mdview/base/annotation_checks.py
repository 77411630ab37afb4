"""Annotation checks: the first argument of a failed call that does not fit the annotation of its parameter.

Annotations are read after a call has raised an error that is not mdview's, so a successful call pays nothing. If all
arguments fit, the error stays as it is, because functions, layouts and accessors of the caller raise errors, too. An
annotation with a name that only type checkers can import admits any argument.
"""

from __future__ import annotations

import builtins
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import Parameter, signature, unwrap
from numbers import Number
from types import NoneType, UnionType
from typing import Any, Final, Literal, SupportsIndex, Union, get_args, get_origin

from mdview.base.integers import is_index
from mdview.base.message_texts import brief

_TEXTS: Final[dict[Any, str]] = {
    int: "an integer",
    SupportsIndex: "an integer",
    Sequence: "a sequence",
    Iterable: "a sequence",
    bool: "True or False",
    Callable: "a function",
    NoneType: "None",
}
"""The words for types in messages. Any: types, and forms of `typing`."""


def misfit(function: Callable[..., object], *args: object, **named: object) -> tuple[str, str, object] | None:
    """Return the name, the annotation in words and the argument of the first parameter that does not fit, or None."""
    call, names = signature(function), vars(builtins) | getattr(unwrap(function), "__globals__", {})
    for name, argument in call.bind(*args, **named).arguments.items():
        parameter = call.parameters[name]
        try:
            hint: Any = eval(parameter.annotation, {}, defaultdict(lambda: Any, names))  # noqa: S307 - mdview's own
        except Exception:  # noqa: BLE001, S112 - a name that only type checkers can import
            continue
        for one in argument if parameter.kind is Parameter.VAR_POSITIONAL else (argument,):
            if not _fits(one, hint):
                return name, _text(hint), one
    return None


def _fits(argument: Any, hint: Any) -> bool:
    """Tell whether an annotation admits an argument; True if the annotation cannot be checked. Any: of any type."""
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind in {Union, UnionType}:
        return any(_fits(argument, part) for part in parts)
    if kind is Literal:
        return any(isinstance(argument, type(part)) and argument == part for part in parts)
    if kind in {int, SupportsIndex}:
        return is_index(argument) and not getattr(argument, "ndim", 0)
    try:
        if kind in {Sequence, Iterable, tuple}:
            part = parts[0] if len({*parts} - {...}) == 1 else Any
            return not isinstance(argument, str | bytes | Iterator) and all(_fits(entry, part) for entry in argument)
        if kind is bool:
            return bool(argument) or True
        kind = Number if kind in {float, complex} else kind
        return not isinstance(kind, type) or isinstance(argument, kind)
    except Exception:  # noqa: BLE001 - no entries, no truth value, or a protocol without isinstance
        return kind not in {Sequence, Iterable, tuple, bool}


def _text(hint: Any) -> str:  # Any: a type, or a form of `typing`
    """Return an annotation in words."""
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind in {Union, UnionType, Literal}:
        return " or ".join(dict.fromkeys(map(repr if kind is Literal else _text, parts)))
    return _TEXTS.get(kind) or getattr(kind, "__name__", None) or brief(hint)
