"""The public names: they load on first use, and checkers see the same ones."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import mdview


def imported_for_checkers() -> dict[str, set[str]]:
    stub = ast.parse(Path(mdview.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {node.module: {alias.name for alias in node.names} for node in imports}


def test_checkers_see_the_names_that_load():
    assert imported_for_checkers() == {module: set(names) for module, names in mdview._NAMES.items()}


def test_checkers_see_names_that_a_star_import_leaves_out_as_public():
    stub = ast.parse(Path(mdview.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    aliases = {alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert aliases - {None} == {*mdview._UNSTARRED}


def test_the_public_list_is_the_names_that_load():
    names = {name for names in mdview._NAMES.values() for name in names}
    assert mdview.__all__ == sorted(names - {*mdview._UNSTARRED})


@pytest.mark.parametrize("name", mdview.__all__)
def test_a_name_is_what_its_module_defines(name):
    module = next(module for module, names in mdview._NAMES.items() if name in names)
    assert getattr(mdview, name) is getattr(import_module(module), name)
    assert name in dir(mdview)


def test_a_star_import_has_every_public_name():
    names = {}
    exec("from mdview import *", names)
    assert set(names) - {"__builtins__"} == set(mdview.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'mdview' has no attribute 'mdspan'"):
        _ = mdview.mdspan


def test_no_module_takes_the_place_of_a_public_name():
    modules = {path.stem for path in Path(mdview.__file__).parent.iterdir()}
    assert modules.isdisjoint(mdview.__all__)


def test_names_load_in_a_fresh_interpreter():
    before, after = "'mdview.views.view' not in sys.modules", "'mdview.views.view' in sys.modules"
    code = f"import sys, mdview; assert {before}; mdview.MDView; assert {after}"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
