"""Stubs of the package as trees: modules whose signatures for type checkers stand in a file of their own."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INIT = ROOT / "mdview" / "__init__.pyi"
STUBS = sorted(path for path in (ROOT / "mdview").rglob("*.pyi") if path != INIT and path.with_suffix(".py").exists())


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
