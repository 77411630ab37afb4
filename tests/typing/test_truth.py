"""What a checker reveals of an expression is true of its value: over many functions, views, accessors and sources."""

from __future__ import annotations

import ast
import re
from collections import abc
from collections.abc import Iterator
from itertools import islice
from types import NoneType

import pytest
from checkers import CHECKERS
from public import PUBLIC
from truth_expressions import HELPERS, IMPORTS, module

import mdview as md
from mdview.views.explanation import Flags

LEAST = 3000
REVEALED = re.compile(r"Revealed type(?: is|:) [\"`](.*)[\"`]$|revealed type: (.*)$|^Type of .* is \"(.*)\"$")
OPEN = {"Any", "Unknown", "object", "@_", "AnyArray", "Incomplete"}
"""Names of types that say nothing."""
CLASSES = {"int": (int,), "float": (int, float), "complex": (int, float, complex), "str": str, "bool": bool}
CLASSES |= {"None": NoneType, "bytes": bytes, "Flags": Flags}


def parsed(text: str) -> ast.expr:
    """A type as a checker writes it, as a tree: names without modules, and no marks of inference."""
    text = re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Za-z])", "", text.replace("?", "").replace("@_", "Unknown"))
    return ast.parse(text, mode="eval").body


def parts(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def with_defaults(node: ast.Subscript) -> list[ast.expr]:
    """The type arguments of a view or a mapping, and what stands for those that a checker leaves out."""
    names = {"MDView": ("Any", "Any", "LayoutRight", "DefaultAccessor"), "Mapping": ("Any", "LayoutRight")}
    given, all_of_them = parts(node), names[ast.unparse(node.value)]
    return [*given, *[ast.Name(id=name) for name in all_of_them[len(given) :]]]


def fits(node: ast.expr, value: object) -> bool:  # noqa: PLR0912 - one case for each form of type
    """Tell whether a value is of a type."""
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return fits(left, value) or fits(right, value)
        case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
            return fits(left, value) and fits(right, value)
        case ast.Constant(value=constant):
            return constant is value
        case ast.Name(id=name) if name in OPEN:
            return True
        case ast.Name(id=name):
            return isinstance(value, CLASSES.get(name) or PUBLIC.get(name) or getattr(abc, name))
        case ast.Subscript(value=ast.Name(id="Literal")):
            return value in [ast.literal_eval(part) for part in parts(node)]
        case ast.Subscript(value=ast.Name(id="tuple")):
            return isinstance(value, tuple) and fits_tuple(parts(node), value)
        case ast.Subscript(value=ast.Name(id="list" | "Iterator"), slice=item):
            return isinstance(value, list | Iterator) and all(fits(item, each) for each in value)
        case ast.Subscript(value=ast.Name(id="Dim"), slice=literal):
            return type(value) is md.Dim and fits(literal, int(value))
        case ast.Subscript(value=ast.Name(id="Union")):
            return any(fits(part, value) for part in parts(node))
        case ast.Subscript(value=ast.Name(id="MDView")):
            element, extents, layout, accessor = with_defaults(node)
            placed = fits_mapping(extents, layout, value) and fits(accessor, value.accessor)
            return placed and all(fits(element, each) for each in first_elements(value))
        case ast.Subscript(value=ast.Name(id="Mapping")):
            return fits_mapping(*with_defaults(node), value)
        case ast.Subscript(value=kind):
            return fits(kind, value)
    raise AssertionError(ast.unparse(node))


def fits_tuple(items: list[ast.expr], value: tuple[object, ...]) -> bool:
    match items:
        case [ast.Tuple(elts=[])]:
            return value == ()
        case [item, ast.Constant(value=value_)] if value_ is ...:
            return all(fits(item, each) for each in value)
        case [*first, ast.Starred(value=rest)]:
            return (
                len(value) >= len(first) and fits(rest, value[len(first) :]) and fits_tuple(first, value[: len(first)])
            )
    return len(items) == len(value) and all(fits(item, each) for item, each in zip(items, value, strict=True))


def fits_mapping(extents: ast.expr, layout: ast.expr, value: object) -> bool:
    return isinstance(value, md.MDView | md.Mapping) and fits(extents, value.extents) and fits(layout, value.layout)


def first_elements(view: md.MDView) -> list[object]:
    """A few elements of a view, by value; none where they have none, as the conjugate of a text."""
    try:
        every = view.tolist()
    except (AttributeError, TypeError):
        return []
    while isinstance(every, list) and every and isinstance(every[0], list):
        every = every[0]
    return list(islice(every, 3)) if isinstance(every, list) else [every]


def revealed(message: str) -> str | None:
    found = REVEALED.search(message)
    return next(filter(None, found.groups())) if found else None


@pytest.fixture(scope="module")
def expressions():
    """The text of the module, and each expression that runs with its value, by line."""
    text, found, views = module()
    names: dict[str, object] = {}
    exec(IMPORTS + HELPERS, names)
    for name, made in views.items():
        names[name] = eval(made, names)  # noqa: S307 - of the generator
    values = {}
    for line, expression in found.items():
        try:
            values[line] = expression, eval(expression, names)  # noqa: S307 - likewise
        except (md.errors.MDViewError, AttributeError):
            continue
    return text, values


def contradictions(said, values):
    """The number of types that were compared, and what contradicts its value."""
    found, compared = [], 0
    for line, (expression, value) in values.items():
        told = next(filter(None, map(revealed, said.get(line, ()))), None)
        if told is not None:
            compared += 1
            if not fits(parsed(told), value):
                found.append(f"{expression}: {told}, but {value!r:.120}")
    return compared, found


@pytest.mark.deep
@pytest.mark.parametrize("checker", ["mypy", "pyrefly", "ty"])
def test_no_type_contradicts_its_value(checker, expressions, tmp_path):
    text, values = expressions
    (tmp_path / "truth.py").write_text(text, encoding="utf-8")
    said: dict[int, list[str]] = {}
    for diagnostic in CHECKERS[checker](tmp_path):
        said.setdefault(diagnostic.line, []).append(diagnostic.message)
    compared, found = contradictions(said, values)
    assert compared >= LEAST
    assert found == []
