"""``mdview certify TARGET``: the laws of layouts and accessors, see `mdview.testing`.

A target is ``package.module:Layout``, perhaps with arguments, ``module:LayoutBanded(1, 2)``, an accessor likewise, or a
layout as expressions write it, ``tiled(2, 3)``. Status 0 if every target is accepted, 1 if one is rejected, 2 if one
cannot be found, after a verdict on each of the others.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from mdview.accessors.base import Accessor
from mdview.base.texts import shown
from mdview.cli.arguments import Parser, item_format, shape
from mdview.cli.output import FAILURE, REJECTED, print_lines, report
from mdview.errors import MDViewError, NotationError, TargetError
from mdview.index.extents import as_extents
from mdview.interop.files.headers import ItemFormat
from mdview.layouts.base import Layout
from mdview.mappings.language.reading import layout

if TYPE_CHECKING:
    from mdview.testing.laws import Verdict

ABOUT: Final = """\
Check layouts or accessors under all laws, and show the smallest counterexample
of each broken one. Status 0: all are accepted, 1: one is rejected, 2: one
cannot be found."""
EXAMPLES: Final = """\
  mdview certify mymodule:LayoutMine "mymodule:LayoutBanded(1, 2)"
  mdview certify "tiled(2, 3)" --extents 4,6 --extents 5,5
  mdview certify "mymodule:Calibrated(0.01, -40)" --dtype int16"""


def run(arguments: Sequence[str]) -> int:
    """Print a verdict on each target."""
    options = parser().read(arguments)
    try:
        verdicts, missing = certify(options.targets, options.extents or (), options.dtype)
    except MDViewError as error:
        report(error)
        return FAILURE
    if verdicts:
        print_lines("\n\n".join(map(str, verdicts)), sys.stdout)
    for reason in missing:
        report(reason)
    if missing:
        return FAILURE
    return 0 if all(verdict.is_accepted for verdict in verdicts) else REJECTED


def parser() -> Parser:
    """Return what the command takes."""
    made = Parser("certify", ABOUT, EXAMPLES)
    made.add_argument(
        "targets",
        nargs="+",
        metavar="TARGET",
        help="MODULE:LAYOUT or MODULE:ACCESSOR, a class, or an expression that makes one; or a layout of the language",
    )
    made.add_argument("--dtype", type=item_format, default="float64", help="of the items of accessors; float64 if none")
    made.add_argument("--extents", type=shape, action="append", metavar="N,M", help="try these; small ones if none")
    return made


PATH: Final = re.compile(r"\w+(\.\w+)*")
"""The name of a module."""


def certify(
    targets: Sequence[str], extents: Sequence[tuple[int, ...]], form: ItemFormat
) -> tuple[list[Verdict], list[TargetError]]:
    """Return a verdict for each target that there is, and why there are not the others.

    Targets of one kind are also compared with each other.

    Parameters
    ----------
    targets
        Texts ``module:expression``; the value is a layout, an accessor, or a class of one that needs no arguments. Or
        layouts as expressions write them, ``tiled(2, 3)``.
    extents
        What to try layouts on; all small extents if there are none.
    form
        The format of the items to try accessors on.
    """
    from mdview.testing.examining import (  # noqa: PLC0415 - loads all operations, which --help does not need
        examine_accessor,
        examine_layout,
        items_of,
    )

    shapes = [as_extents(shape) for shape in extents]
    values, missing = _resolved(targets)
    layouts = [value for value in values if isinstance(value, Layout)]
    accessors = [value for value in values if isinstance(value, Accessor)]
    verdicts = [
        examine_layout(value, *shapes, others=_without(layouts, value))
        if isinstance(value, Layout)
        else examine_accessor(value, items_of(form), others=_without(accessors, value))
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
        raise TargetError(f"{target!r} is neither a layout nor an accessor: {shown(value, repr)}")
    return value


def _written(target: str) -> Layout:
    """Return the layout that a text without a module says."""
    try:
        return layout(target)
    except NotationError as error:
        reason = str(error).partition("\n")[0]
        rule = "a target is package.module:Layout or package.module:Layout(arguments)"
        raise TargetError(f"{rule}, got {target!r}, which is no layout of the language either: {reason}") from None


def _imported(name: str, target: str) -> ModuleType:
    try:
        return import_module(name)
    except (Exception, SystemExit) as error:  # whatever a user's module fails by
        raise TargetError(f"the module of {target!r} cannot be imported: {type(error).__name__}: {error}") from error


def _evaluated(module: ModuleType, expression: str, target: str) -> object:
    """Evaluate in the names of the module; a class is called without arguments."""
    try:
        value: object = eval(expression, {name: getattr(module, name) for name in dir(module)})  # noqa: S307 - the caller's
        return value() if isinstance(value, type) else value
    except (Exception, SystemExit) as error:
        raise TargetError(f"{target!r} cannot be made: {type(error).__name__}: {error}") from error
