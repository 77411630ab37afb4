"""Mutants: copies of a module with one operator, comparison or number of its arithmetic changed.

What is no arithmetic is left as it is: annotations, docstrings, the texts of errors and reprs.
"""

import ast
import copy
from typing import NamedTuple

SWAPS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
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
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.AnnAssign | ast.Assert) or _is_message(node):
            roots.append(node)
        elif isinstance(node, ast.FunctionDef):
            roots += [node.returns, *[a.annotation for a in ast.walk(node.args) if isinstance(a, ast.arg)]]
            roots += [node] if node.name in {"__repr__", "__reduce__"} else node.decorator_list
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
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in SWAPS:
        return [f"{type(node.op).__name__} to {SWAPS[type(node.op)].__name__}"]
    if isinstance(node, ast.Compare):
        # `is None` and `in` are decisions, too; each operator of a chain is a place of its own.
        return [f"{type(op).__name__} to {SWAPS[type(op)].__name__}" for op in node.ops]
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return [f"{node.value} to {node.value + 1}", f"{node.value} to {node.value - 1}"]
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        return [f"{node.value} to {not node.value}"]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        return [f"without {type(node.op).__name__}"]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in NAMES:
        return [f"{node.func.id} to {NAMES[node.func.id]}"]
    return []


def _apply(node, part):
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign):
        node.op = SWAPS[type(node.op)]()
    elif isinstance(node, ast.Compare):
        node.ops[part] = SWAPS[type(node.ops[part])]()
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        node.value = not node.value
    elif isinstance(node, ast.Constant):
        node.value += 1 if part == 0 else -1
    elif isinstance(node, ast.UnaryOp):
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else node.op
        if isinstance(node.op, ast.Not):  # twice is not at all
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
    else:
        node.func.id = NAMES[node.func.id]
