"""One name has one meaning: no two modules, classes or type aliases of the package are called alike and differ."""

import ast
from collections import defaultdict
from pathlib import Path

import mdview

PACKAGE = Path(mdview.__file__).parent
FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if path.stem != "__main__"]


def module_of(path):
    return path.parent if path.stem == "__init__" else path.with_suffix("")


def aliased(node):
    """The name and the definition of a class or a type alias at the top of a module, or None."""
    match node:
        case ast.ClassDef(name=name):
            return name, object()  # no two classes are one
        case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias"), value=value):
            return name, ast.unparse(value).strip("'\"")
    return None


def test_no_two_modules_have_one_name():
    found = defaultdict(list)
    for path in FILES:
        module = module_of(path)
        found[module.name].append(module.relative_to(PACKAGE.parent).as_posix())
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_no_two_classes_or_aliases_have_one_name():
    found = defaultdict(dict)
    for path in FILES:
        for name, meant in filter(None, map(aliased, ast.parse(path.read_text(encoding="utf-8")).body)):
            found[name].setdefault(meant, module_of(path).relative_to(PACKAGE).as_posix())
    assert {name: [*places.values()] for name, places in found.items() if len(places) > 1} == {}
