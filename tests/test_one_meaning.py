"""One name has one meaning: no two modules, classes, type aliases or functions of the package have one and differ."""

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


LAYERS = [
    # A verb of views is the same verb of mappings and of index maps, and each engine has its way to do it.
    ("operations", "mappings.mapping_manipulation", "index.rearrangement"),
    ("operations", "engines.bulk.bulk_dispatch", "engines.bulk.arrays.bulk_execution", "engines.bulk.reference_loop"),
    # A command of the command line does what the function of its name does.
    ("cli", "drawing", "operations", "views.explanation", "algebra.nested_forms", "conformance.__main__"),
    # Facts of C++ are asked for, answered and spelt under the names that the standard has for them.
    ("conformance",),
    # Public functions of two modules that do the same with other operands.
    ("algebra.composition", "algebra.f2"),
    ("algebra.f2", "interop.writers"),
    ("iteration", "layouts.offset_analysis"),
    ("symbolic", "mappings", "operations", "engines", "expressions"),
]
"""The modules, by how their names begin, within which functions of one name do the same at several places."""


def functions(path):
    """The names of the public functions at the top of a module."""
    found = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)]
    return {node.name for node in found if not node.name.startswith("_")}


def is_one_layer(modules):
    return any(all(module.startswith(layer) for module in modules) for layer in LAYERS)


def test_no_two_functions_have_one_name():
    found = defaultdict(list)
    for path in FILES:
        module = ".".join(module_of(path).relative_to(PACKAGE).parts)
        for name in functions(path):
            found[name].append(module)
    several = {name: modules for name, modules in found.items() if len(modules) > 1}
    assert {name: modules for name, modules in several.items() if not is_one_layer(modules)} == {}
