"""Only layouts and conversions know the classes of layouts: everything else asks a layout what it needs to know."""

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

import mdview
import mdview.layouts
from mdview import Layout

PACKAGE = Path(mdview.__file__).parent
CONCRETE = {
    name
    for module in pkgutil.iter_modules(mdview.layouts.__path__, "mdview.layouts.")
    for name, value in vars(importlib.import_module(module.name)).items()
    if isinstance(value, type) and issubclass(value, Layout) and value is not Layout
}
"""Names of all layouts; `Layout` itself tells what is a layout at all."""

MAY = {
    "layouts": "they are the layouts",
    "interop/zarr/tile_tables.py": "it is a layout, whose tiles lie in one of two orders",
    "interop/zarr/planning.py": "tiles within tiles become chunks within shards",
    "conversions": "the C++ draft defines them between pairs of classes",
}
"""Folders and modules that may test types, and why."""

MODULES = sorted(
    path
    for path in PACKAGE.rglob("*.py")
    if not any(path.relative_to(PACKAGE).as_posix().startswith(place) for place in MAY)
)


def type_tests(source):
    """Lines that test for a class of layouts, or hold a table by such classes."""
    tree = ast.parse(source)
    names = CONCRETE | aliases(tree)
    return sorted({node.lineno for node in ast.walk(tree) if any(test(node, names) for test in TESTS)})


def aliases(tree):
    """Names that stand for a class of layouts, or a union or tuple of them."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and is_class(node.value, CONCRETE):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def is_class(node, names):
    """Whether an expression is one of the classes, or a union, tuple, list or set with one."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in names
        case ast.BinOp(op=ast.BitOr()):
            return is_class(node.left, names) or is_class(node.right, names)
        case ast.Tuple() | ast.List() | ast.Set():
            return any(is_class(element, names) for element in node.elts)
        case ast.Call(func=ast.Name(id="frozenset" | "set" | "tuple" | "list")):
            return any(is_class(argument, names) for argument in node.args)
    return False


def is_call(node, names):
    """`isinstance`, `issubclass`, and `register` of a function that is dispatched on a type."""
    if not isinstance(node, ast.Call):
        return False
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    asked = node.args[1:] if called in {"isinstance", "issubclass"} else node.args
    return called in {"isinstance", "issubclass", "register"} and any(is_class(part, names) for part in asked)


def is_comparison(node, names):
    """``type(x) is LayoutRight``, ``type(x) in {...}``, ``x.__class__ == LayoutRight``."""
    return isinstance(node, ast.Compare) and any(is_class(part, names) for part in (node.left, *node.comparators))


def is_table(node, names):
    """A dictionary whose keys are classes."""
    return isinstance(node, ast.Dict) and any(key is not None and is_class(key, names) for key in node.keys)


def is_pattern(node, names):
    """``case LayoutRight():``."""
    return isinstance(node, ast.MatchClass) and is_class(node.cls, names)


TESTS = (is_call, is_comparison, is_table, is_pattern)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_layout_is_told_by_its_type(path):
    assert type_tests(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "isinstance(x, LayoutRight)",
        "isinstance(x, int | StridedLayout)",
        "issubclass(kind, (LayoutLeft, int))",
        "isinstance(x, layouts.LayoutTiled)",
        "type(x) is LayoutRight",
        "type(x) in {LayoutRight, LayoutLeft}",
        "x.__class__ != LayoutMorton",
        "TABLE = {LayoutRight: 1}",
        "@make.register(LayoutRight)\ndef f(x): ...",
        "match x:\n    case LayoutRight(): pass",
        "Dense = LayoutRight | LayoutLeft\nisinstance(x, Dense)",
        "DENSE: Final = frozenset({LayoutRight})\ntype(x) in DENSE",
    ],
)
def test_a_type_test_is_found(source):
    assert type_tests(source)


@pytest.mark.parametrize(
    "source",
    [
        "isinstance(x, Layout)",
        "x == LayoutRight()",
        "def f(x: LayoutRight | None) -> tuple[LayoutLeft, int]: ...",
        "TABLE: dict[str, type[Layout]] = {'right': LayoutRight}",
        "isinstance(x, LayoutError)",
    ],
)
def test_what_is_no_type_test_is_let_through(source):
    assert type_tests(source) == []
