"""Stubs of the package as trees: modules whose signatures for type checkers stand in a file of their own."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INIT = ROOT / "mdview" / "__init__.pyi"
STUBS = sorted({*(ROOT / "mdview").rglob("*.pyi")} - {INIT})


def tree_of(path):
    """The tree of a stub or a source."""
    return ast.parse(path.read_text(encoding="utf-8"))


def definitions(body):
    """Classes and functions by name; of a function with overloads, all of them."""
    found = {}
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    return found


def overloads(body):
    """The overloads among the statements of a stub."""
    functions = [node for node in body if isinstance(node, ast.FunctionDef)]
    return [node for node in functions if "overload" in map(ast.unparse, node.decorator_list)]


def changes_of_layouts():
    """What layouts tell checkers of each change of the index space: the result by layout and change."""
    found = {}
    for path in STUBS:
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef):
                methods = {m.name: ast.unparse(m.returns) for m in node.body if isinstance(m, ast.FunctionDef)}
                found[node.name] = {m.removeprefix("_as_"): r for m, r in methods.items() if m.startswith("_as_")}
    return {layout: changes for layout, changes in found.items() if changes}
