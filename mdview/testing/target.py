"""A target names what to certify: ``package.module:Layout``, or with arguments, ``module:LayoutBanded(1, 2)``.

A layout may also be written as expressions write it: ``tiled(2, 3)``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from mdview.accessors.base import Accessor
from mdview.base.texts import shown
from mdview.errors import NotationError, TargetError
from mdview.index.extents import as_extents
from mdview.layouts.base import Layout
from mdview.mappings.language.reading import layout
from mdview.testing.accessors import examine_accessor
from mdview.testing.layouts import examine_layout
from mdview.testing.verdict import Verdict

PATH: Final = re.compile(r"\w+(\.\w+)*")
"""The name of a module."""


def certify(targets: Sequence[str], extents: Sequence[tuple[int, ...]] = ()) -> tuple[list[Verdict], list[TargetError]]:
    """Return a verdict for each target that there is, and why there are not the others.

    Targets of one kind are also compared with each other.

    Parameters
    ----------
    targets
        Texts ``module:expression``; the value is a layout, an accessor, or a class of one that needs no arguments. Or
        layouts as expressions write them, ``tiled(2, 3)``.
    extents
        What to try layouts on; all small extents by default.
    """
    shapes = [as_extents(shape) for shape in extents]
    values, missing = _resolved(targets)
    layouts = [value for value in values if isinstance(value, Layout)]
    accessors = [value for value in values if isinstance(value, Accessor)]
    verdicts = [
        examine_layout(value, *shapes, others=_without(layouts, value))
        if isinstance(value, Layout)
        else examine_accessor(value, others=_without(accessors, value))
        for value in values
    ]
    return verdicts, missing


def _resolved(targets: Sequence[str]) -> tuple[list[Layout | Accessor[Any, Any]], list[TargetError]]:
    """Return what the targets name, and why some name nothing. Any: elements of any type."""
    values: list[Layout | Accessor[Any, Any]] = []
    missing: list[TargetError] = []
    for target in targets:
        try:
            values.append(resolve(target))
        except TargetError as error:
            missing.append(error)
    return values, missing


def _without(values: list[Any], one: object) -> list[Any]:  # Any: layouts or accessors
    return [value for value in values if value is not one]


def resolve(target: str) -> Layout | Accessor[Any, Any]:  # Any: elements of any type
    """Return the layout or accessor that ``target`` names; `TargetError` where there is none."""
    name, _, expression = target.partition(":")
    if not PATH.fullmatch(name) or not expression.strip():
        return _written(target)
    value = _evaluated(_imported(name, target), expression, target)
    if not isinstance(value, Layout | Accessor):
        message = f"{target!r} is neither a layout nor an accessor: {shown(value, repr)}"
        raise TargetError(message)
    return value


def _written(target: str) -> Layout:
    """Return the layout that a text without a module says."""
    try:
        return layout(target)
    except NotationError as error:
        reason = str(error).partition("\n")[0]
        rule = "a target is package.module:Layout or package.module:Layout(arguments)"
        message = f"{rule}, got {target!r}, which is no layout of the language either: {reason}"
        raise TargetError(message) from None


def _imported(name: str, target: str) -> ModuleType:
    """Import a module as ``python -m`` would: the current directory counts."""
    try:
        here = str(Path.cwd())
    except OSError:  # the folder is gone
        here = ""
    path = [] if not here or here in sys.path or "" in sys.path else [here]
    sys.path[:0] = path
    try:
        return import_module(name)
    except (Exception, SystemExit) as error:  # whatever a user's module fails by
        message = f"the module of {target!r} cannot be imported: {type(error).__name__}: {error}"
        raise TargetError(message) from error
    finally:
        for entry in path:
            sys.path.remove(entry)


def _evaluated(module: ModuleType, expression: str, target: str) -> object:
    """Evaluate in the names of the module; a class is called without arguments."""
    try:
        value: object = eval(expression, {name: getattr(module, name) for name in dir(module)})  # noqa: S307 - the caller's
        return value() if isinstance(value, type) else value
    except (Exception, SystemExit) as error:
        message = f"{target!r} cannot be made: {type(error).__name__}: {error}"
        raise TargetError(message) from error
