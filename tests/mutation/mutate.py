"""Mutants: copies of a module with one operator, comparison, number, condition or call of it changed.

What decides no answer is left as it is: annotations, docstrings, the texts of errors and reprs.
"""

import ast
import copy
from collections.abc import Callable
from typing import NamedTuple

PAIRS = [
    *((ast.Add, ast.Sub), (ast.LShift, ast.RShift), (ast.BitAnd, ast.BitOr), (ast.And, ast.Or), (ast.Eq, ast.NotEq)),
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Is, ast.IsNot), (ast.In, ast.NotIn)),
]
"""Operators that take each other's place."""
SWAPS = dict(PAIRS) | {second: first for first, second in PAIRS}
SWAPS |= {ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.BitXor: ast.BitOr}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


class Site(NamedTuple):
    """A place that can be changed: the node's number in walking order, which part of it, and what changes."""

    node: int
    part: int
    line: int
    change: str


def sites(source):
    """All places of a module that can be changed, in order."""
    tree = ast.parse(source)
    left_out = _left_out(tree)
    found = []
    for number, node in enumerate(ast.walk(tree)):
        if id(node) not in left_out:
            found += [Site(number, part, node.lineno, change) for part, change in enumerate(_changes(node))]
    return found


def mutant(source, site):
    """Source of the module with one place changed."""
    tree = copy.deepcopy(ast.parse(source))
    node = list(ast.walk(tree))[site.node]
    _apply(node, site.part)
    return ast.unparse(tree)


def _left_out(tree):
    """Identities of the nodes that are no arithmetic."""
    roots = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert) or _is_message(node):
            roots.append(node)
        elif isinstance(node, ast.AnnAssign):
            roots.append(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            roots += [node.returns, *[a.annotation for a in ast.walk(node.args) if isinstance(a, ast.arg)]]
            roots += [node] if node.name == "__repr__" else node.decorator_list
        elif isinstance(node, ast.ClassDef):
            roots += [*node.decorator_list, *node.bases]
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            roots.append(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"cast", "TypeVar"}:
            roots.append(node.args[0])
    return {id(node) for root in roots if root is not None for node in ast.walk(root)} | _keywords(tree)


def _is_message(node):
    """Tell whether a statement builds the text of an error."""
    return isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "message" for t in node.targets)


def _keywords(tree):
    """Identities of the values of ``strict=``, which only guards against mistakes."""
    return {
        id(node)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        for keyword in call.keywords
        if keyword.arg == "strict"
        for node in ast.walk(keyword.value)
    }


def _changes(node):
    """What can be changed at a node, in words."""
    return next((kind.words(node) for kind in KINDS if kind.fits(node)), [])


def _apply(node, part):
    next(kind for kind in KINDS if kind.fits(node)).apply(node, part)


class Kind(NamedTuple):
    """A kind of change: which nodes it fits, what it is in words, one for each part, and how it is made."""

    fits: Callable
    words: Callable
    apply: Callable


def _swap_comparison(node, part):
    node.ops[part] = SWAPS[type(node.ops[part])]()


def _drop_operator(node, part):
    if isinstance(node.op, ast.Not):  # twice is not at all
        node.operand = ast.UnaryOp(ast.Not(), node.operand)
    else:
        node.op = ast.UAdd()


KINDS = [
    Kind(
        lambda n: isinstance(n, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(n.op) in SWAPS,
        lambda n: [f"{type(n.op).__name__} to {SWAPS[type(n.op)].__name__}"],
        lambda n, part: setattr(n, "op", SWAPS[type(n.op)]()),
    ),
    # `is None` and `in` are decisions, too; each operator of a chain is a place of its own.
    Kind(
        lambda n: isinstance(n, ast.Compare),
        lambda n: [f"{type(op).__name__} to {SWAPS[type(op)].__name__}" for op in n.ops],
        _swap_comparison,
    ),
    Kind(
        lambda n: isinstance(n, ast.Constant) and type(n.value) is int,
        lambda n: [f"{n.value} to {n.value + 1}", f"{n.value} to {n.value - 1}"],
        lambda n, part: setattr(n, "value", n.value + (1 if part == 0 else -1)),
    ),
    Kind(
        lambda n: isinstance(n, ast.Constant) and type(n.value) is bool,
        lambda n: [f"{n.value} to {not n.value}"],
        lambda n, part: setattr(n, "value", not n.value),
    ),
    Kind(
        lambda n: isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.Not | ast.USub),
        lambda n: [f"without {type(n.op).__name__}"],
        _drop_operator,
    ),
    Kind(
        lambda n: isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in NAMES,
        lambda n: [f"{n.func.id} to {NAMES[n.func.id]}"],
        lambda n, part: setattr(n.func, "id", NAMES[n.func.id]),
    ),
    # A condition of no operator; the others are changed at their operators.
    Kind(
        lambda n: (
            isinstance(n, ast.If | ast.IfExp | ast.While) and isinstance(n.test, ast.Name | ast.Call | ast.Attribute)
        ),
        lambda n: ["with Not"],
        lambda n, part: setattr(n, "test", ast.UnaryOp(ast.Not(), n.test)),
    ),
    Kind(
        lambda n: isinstance(n, ast.Expr) and isinstance(n.value, ast.Call),
        lambda n: ["without the call"],
        lambda n, part: setattr(n, "value", ast.Constant(None)),
    ),
]
