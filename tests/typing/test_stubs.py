"""The stubs: what they promise is what runs, and what they stand for is checked without them."""

from __future__ import annotations

import ast
import inspect
import re
import shutil
import subprocess
import sys
from importlib import import_module
from typing import Generic, TypeVar

import key_table
import pytest
from checkers import CACHE
from stubs import INIT, ROOT, STUBS, definitions, overloads, tree_of

import mdview
from mdview import MDView, subview

VIEW, SUBVIEWS, BRACKETS = (
    ROOT / "mdview" / "views" / f"{name}.pyi" for name in ("view", "derived_views", "view_brackets")
)
LAYOUTS = [path for path in STUBS if path.parent.name == "layouts"]
T = TypeVar("T")


def named(name):
    """A class of the stub of views."""
    return next(node for node in tree_of(VIEW).body if getattr(node, "name", "") == name)


def brackets():
    """The classes of brackets, each beside the method that they stand for."""
    kinds = [node for node in tree_of(BRACKETS).body if re.search(r"Brackets|Storing.", getattr(node, "name", ""))]
    return [(MDView.__setitem__ if "Storing" in node.name else MDView.__getitem__, node) for node in kinds]


def calls(node):
    """Positional and named arguments of the calls that an overload allows, each by its parameter's name."""
    args = node.args
    fixed = [arg.arg for arg in args.posonlyargs]
    either = [arg.arg for arg in args.args]
    named = {arg.arg: arg.arg for arg in args.kwonlyargs}
    yield [*fixed, *either], named
    if args.defaults:
        yield [*fixed, *either][: -len(args.defaults)], {}
    yield fixed, named | {name: name for name in either}
    if args.vararg:
        yield [*fixed, *either, "surplus", "surplus"], named


OVERLOADS = [(getattr(MDView, node.name), node) for node in overloads(named("MDView").body)]
OVERLOADS += [(method, node) for method, kind in brackets() for node in overloads(kind.body)]
OVERLOADS += [(subview, node) for node in overloads(tree_of(SUBVIEWS).body) if node.name == subview.__name__]
# Those that are there for a message allow no call.
OVERLOADS = [(function, node) for function, node in OVERLOADS if "Wanted[" not in ast.unparse(node.args)]


def compare(stub, source, declared):
    """Compare definitions of a stub with those of its source: the public ones are there; what has no overloads is alike.

    Names may be declared as variables, too, which a descriptor is, or a function whose overloads are those of a class.
    """
    mine, theirs = definitions(stub), definitions(source)
    assert {name for name in theirs if not name.startswith("_")} <= mine.keys() | declared
    for name in mine.keys() & theirs.keys():
        said, meant = mine[name], theirs[name][-1]
        if isinstance(meant, ast.ClassDef):
            compare(said[0].body, meant.body, declared)
        elif not overloads(said):
            assert ast.unparse(said[-1].args) == ast.unparse(meant.args), name
            assert ast.unparse(said[-1].returns or ast.Constant(None)) == ast.unparse(
                meant.returns or ast.Constant(None)
            ), name


@pytest.mark.parametrize("path", STUBS, ids=lambda path: path.name)
def test_a_stub_has_the_definitions_of_its_source(path):
    declared = {ast.unparse(node.target) for node in ast.walk(tree_of(path)) if isinstance(node, ast.AnnAssign)}
    compare(tree_of(path).body, tree_of(path.with_suffix(".py")).body, declared)


def test_the_stub_of_the_package_imports_the_public_modules():
    imports = [node for node in tree_of(INIT).body if isinstance(node, ast.ImportFrom) and node.module == "mdview"]
    assert {(name.name, name.asname) for node in imports for name in node.names} == {
        (name, name) for name in mdview._SUBMODULES if name != "numba"
    }


def test_there_are_overloads_to_look_at():
    assert len(OVERLOADS) > 100


def test_each_call_that_an_overload_allows_is_one_of_the_function():
    for function, node in OVERLOADS:
        called = function.__func__ if inspect.ismethod(function) else function
        for positional, named in calls(node):
            bound = inspect.signature(called).bind(*positional, **named)
            fixed = {name: value for name, value in bound.arguments.items() if isinstance(value, str)}
            for name, value in fixed.items():
                assert name == value or node.name == "subview", ast.unparse(node)


class Bare(Generic[T]):
    """Has what this version of Python gives every class."""

    __slots__ = ()


def test_the_stub_has_the_members_of_the_view():
    typed_only = {"_element", "_rank_witness"}
    members = {node.name for node in named("MDView").body}
    made_when_asked = {"__annotations__"}  # Python adds it to a class when somebody first reads it
    own = set(vars(MDView)) - set(vars(Bare)) - made_when_asked - {"__final__"}
    described = {node.target.id for node in named("_Described").body}  # by a base, as this class has a type variable T
    assert members - typed_only == own - described
    assert described == {"T", "shape", "__getitem__", "__setitem__"} <= own


def test_the_keys_of_brackets_are_those_of_the_table():
    """After a change: ``python tests/typing/key_table.py``."""
    assert key_table.STUB.read_text(encoding="utf-8") == key_table.text()


@pytest.mark.parametrize("path", [VIEW, SUBVIEWS, INIT], ids=lambda path: path.name)
def test_the_stub_has_the_public_names_of_the_module(path):
    module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    listed = next(node.value for node in tree_of(path).body if isinstance(node, ast.Assign))
    assert ast.literal_eval(listed) == module.__all__


@pytest.mark.deep
def test_what_a_stub_stands_for_passes_mypy_too(tmp_path):
    """mypy looks at the stub alone where it is not told to look at the source; the runs share what they read besides.

    What mypy has found of the project before is read and left as it is.
    """
    kept, cache = ROOT / ".mypy_cache", tmp_path / "cache"
    if kept.exists():
        shutil.copytree(kept, cache, ignore=shutil.ignore_patterns(CACHE.name))
    for paths in [*[[path] for path in STUBS if path not in LAYOUTS], LAYOUTS, [INIT]]:
        sources = [str(path.relative_to(ROOT).with_suffix(".py")) for path in paths]
        command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", str(cache), *sources]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
        assert done.returncode in {0, 1}, done.stderr
        found = "|".join(map(re.escape, sources))
        assert re.findall(rf"^(?:{found}):.*error: .*$", done.stdout, re.MULTILINE) == []
