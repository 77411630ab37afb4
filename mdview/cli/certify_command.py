"""The command `certify`: laws of layouts and accessors, by the names of both."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

from mdview.accessors.accessor import Accessor
from mdview.base.message_texts import as_text
from mdview.cli import FAILURE, REJECTED, answer_each, print_error
from mdview.cli.option_parsing import Parser, item_format, shape
from mdview.errors import NotationError, TargetError
from mdview.index.extents import as_extents
from mdview.layouts.layout import Layout
from mdview.mappings.notation.parser import parse_layout
from mdview.memory.data_types import read_dtype
from mdview.testing.certification import examine_accessor, examine_layout, item_maker
from mdview.testing.laws import Verdict

# Any throughout: accessors are of elements of any type.
Target = Layout | Accessor[Any, Any]
PATH: Final = re.compile(r"\w+(\.\w+)*")
"""The name of a module."""


def certify_arguments(parser: Parser) -> None:
    """Add what `certify` takes."""
    parser.add_argument(
        "targets",
        nargs="+",
        metavar="TARGET",
        help="MODULE:LAYOUT or MODULE:ACCESSOR, a class, or an expression that makes one; or a layout of the language",
    )
    parser.add_argument("--dtype", type=item_format, default="float64", help="of the items of accessors; else float64")
    parser.add_argument("--extents", type=shape, action="append", metavar="N,M", help="try these; small ones if none")


def certify(options: Namespace, _: Parser) -> int:
    """Check layouts or accessors under all laws.

    The smallest counterexample of each broken one is shown. Status 0: all are
    accepted, 1: one is rejected, 2: one cannot be found. Targets of one kind are
    also compared with each other.

    for example:
      mdview certify mymodule:LayoutMine "mymodule:LayoutBanded(1, 2)"
      mdview certify "tiled(2, 3)" --extents 4,6 --extents 5,5
      mdview certify "mymodule:Calibrated(0.01, -40)" --dtype int16
    """
    targets: list[Target] = []
    for text in options.targets:
        try:
            targets.append(resolve(text))
        except TargetError as error:
            print_error(error)
    is_accepted: list[bool] = []

    def verdict(target: Target) -> str:
        found = examined(target, targets, options)
        is_accepted.append(found.is_accepted)
        return str(found)

    if answer_each(targets, verdict) or len(targets) < len(options.targets):
        return FAILURE
    return 0 if all(is_accepted) else REJECTED


def examined(target: Target, targets: Sequence[Target], options: Namespace) -> Verdict:
    """Return the verdict on one of several targets."""
    kind = Layout if isinstance(target, Layout) else Accessor
    others: list[Any] = [other for other in targets if other is not target and isinstance(other, kind)]
    if isinstance(target, Layout):
        return examine_layout(target, *map(as_extents, options.extents or ()), others=others)
    return examine_accessor(target, item_maker(read_dtype(options.dtype)), others=others)


def resolve(target: str) -> Target:
    """Return what ``module:expression`` makes, or the layout that a text says.

    The value is a layout, an accessor, or a class of one that needs no arguments.

    Raises
    ------
    TargetError
        There is none.
    """
    module, _, expression = target.partition(":")
    if not PATH.fullmatch(module) or not expression.strip():
        return _written(target)
    try:
        names = import_module(module)
        value = eval(expression, {name: getattr(names, name) for name in dir(names)})  # noqa: S307 - the caller's own
        value = value() if isinstance(value, type) else value
    except (Exception, SystemExit) as error:  # whatever a user's module fails by
        raise TargetError(f"{target!r} cannot be made: {type(error).__name__}: {error}") from error
    if not isinstance(value, Layout | Accessor):
        raise TargetError(f"{target!r} is neither a layout nor an accessor: {as_text(value, repr)}")
    return value


def _written(target: str) -> Layout:
    """Return the layout that a text without a module says."""
    try:
        return parse_layout(target)
    except NotationError as error:
        reason = str(error).partition("\n")[0]
        rule = "a target is package.module:Layout or package.module:Layout(arguments)"
        raise TargetError(f"{rule}, got {target!r}, which is no layout of the language either: {reason}") from None
