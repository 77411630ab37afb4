"""The public names: they load on first use, and checkers see the same ones."""

import ast
import pydoc
import sys
from importlib import import_module
from pathlib import Path

from processes import output_of

import mdview

STUB = ast.parse(Path(mdview.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
IMPORTS = [node for node in STUB.body if isinstance(node, ast.ImportFrom)]


def test_checkers_see_the_names_that_load():
    written = {node.name for node in STUB.body if isinstance(node, ast.FunctionDef)}
    imported = {alias.asname or alias.name for node in IMPORTS for alias in node.names}
    assert {*mdview._MODULES, *mdview._SUBMODULES} - {"numba"} <= imported | (written & {"jit"})
    (starred,) = [ast.literal_eval(node.value) for node in STUB.body if isinstance(node, ast.Assign)]
    assert sorted(starred) == mdview.__all__


def test_a_name_is_what_its_module_defines_and_a_star_import_has_it():
    names = {}
    exec("from mdview import *", names)
    assert sorted(set(names) - {"__builtins__"}) == mdview.__all__
    for name, module in mdview._MODULES.items():
        assert (name in mdview.__all__) != (name in mdview._UNSTARRED)
        assert getattr(mdview, name) is getattr(import_module(module), name)
        assert name in dir(mdview)


def test_no_module_takes_the_place_of_a_public_name():
    modules = {path.stem for path in Path(mdview.__file__).parent.iterdir()}
    assert modules.isdisjoint(mdview.__all__)


def test_names_load_in_a_fresh_interpreter_when_they_are_used():
    output_of("import sys, mdview; n = len(sys.modules); mdview.MDView; sys.exit(not len(sys.modules) > n + 5)")


def test_help_is_short_and_shows_of_a_final_class_what_it_adds():
    count = "import pydoc, mdview; print(len(pydoc.render_doc(mdview, renderer=pydoc.plaintext).splitlines()))"
    assert int(output_of(count)) <= (2600 if sys.version_info < (3, 13) else 2800)  # a line for each parameter since
    assert dir(mdview.LayoutTiled) == ["grid", "tile_allocation"]
    assert {"offset", "required_span_size", "is_unique"} <= {*dir(mdview.Layout)} & {*dir(mdview.LayoutTiled(2))}
    of_views = pydoc.render_doc(mdview.MDView, renderer=pydoc.plaintext)
    assert ">>> view" in of_views
    assert "__getitem__" in of_views
    assert "argmax" not in of_views
