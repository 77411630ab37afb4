"""One name has one meaning: no two modules, classes or type aliases of the package are called alike and differ."""

import ast
from collections import defaultdict
from pathlib import Path

import mdview

PACKAGE = Path(mdview.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
SHARED = {
    "__main__": "the command line of a package",
    "access": "how elements of views are read and stored: scalar code, of views, in kernels",
    "arguments": "what is handed over to functions and to commands, checked",
    "arrays": "what has to do with arrays of a library, in the folder of that library",
    "atomics": "atomic steps, and those of kernels",
    "base": "what the classes of a folder derive from",
    "explaining": "text about a mapping or a view",
    "expressions": "expressions of the language or of offsets, and what a folder makes of them",
    "extents": "extents of numbers, and of symbols",
    "files": "views in files, and the commands on them",
    "items": "items of memory, and those that NumPy reads",
    "mapping": "a mapping of numbers, and of symbols",
    "parts": "parts of views, and of files",
    "reading": "what makes a value of a text or an array",
    "transforms": "index maps, and those of kernels",
    "values": "values: immutable objects, converted ones, and those of C++",
    "writing": "what makes a text or an array of a value",
}
"""Names that modules of several folders have, and what they mean in each."""
ALIKE = {
    "AnyView": "a view of anything, as far as a module has to tell",
    "Box": "a half-open range of each dimension",
}
"""Type aliases that mean the same, in other words."""

SEVERAL = {
    *["facts", "reference", "tiling"],
    *["Access", "Axis", "Block", "Builder", "Digit", "Form", "Grid", "HasMapping", "Index", "Operand", "Order"],
    *["Part", "Parts", "Place", "Range", "Read", "Result", "Row", "Run", "Source", "Term", "ViewType", "Walk"],
}
"""Names that still have several meanings: each is to be replaced, and none is added."""


def module_of(path):
    return path.parent if path.stem == "__init__" else path.with_suffix("")


def aliased(node):
    """The name and the definition of a class or a type alias at the top of a module, or None."""
    match node:
        case ast.ClassDef(name=name) if not name.startswith("_"):
            return name, object()  # no two classes are one
        case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias"), value=value):
            return name, ast.unparse(value).strip("'\"")
    return None


def test_no_two_modules_have_one_name():
    found = defaultdict(list)
    for path in FILES:
        module = module_of(path)
        found[module.name].append(module.relative_to(PACKAGE.parent).as_posix())
    several = {name: places for name, places in found.items() if len(places) > 1 and name not in SHARED}
    assert {name: places for name, places in several.items() if name not in SEVERAL} == {}


def test_no_two_classes_or_aliases_have_one_name():
    found = defaultdict(dict)
    for path in FILES:
        for name, meant in filter(None, map(aliased, ast.parse(path.read_text(encoding="utf-8")).body)):
            found[name].setdefault(meant, module_of(path).relative_to(PACKAGE).as_posix())
    several = {name: [*places.values()] for name, places in found.items() if len(places) > 1 and name not in ALIKE}
    assert {name: places for name, places in several.items() if name not in SEVERAL} == {}
