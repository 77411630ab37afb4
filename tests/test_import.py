"""Importing mdview loads the standard library and typing_extensions, and nothing else."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from processes import output_of

ALLOWED = {*sys.stdlib_module_names, "__main__", "mdview", "typing_extensions"}
PROBE = "import sys, json; sys.path += json.loads(sys.argv[1]); {}; print(json.dumps(sorted(sys.modules)))"


def folder_of(name):
    """Folder from which a module or package is imported."""
    origin = Path(find_spec(name).origin)
    return str(origin.parents[1] if origin.name == "__init__.py" else origin.parent)


def loaded_by(statement):
    """Modules that a statement leaves loaded in an interpreter that has run nothing else, no .pth file either.

    NumPy is within its reach, so that a stray import of it would succeed and be seen.
    """
    folders = json.dumps([folder_of(name) for name in ("mdview", "typing_extensions", "numpy")])
    command = [sys.executable, "-I", "-S", "-c", PROBE.format(statement), folders]
    run = subprocess.run(command, capture_output=True, check=True, text=True)
    return set(json.loads(run.stdout))


def foreign(modules):
    """Those that are neither mdview nor what it may need."""
    return {name.partition(".")[0] for name in modules} - ALLOWED


@pytest.fixture(scope="module")
def loaded():
    """What the use of every public name loads, on top of the import: names may be loaded late."""
    return loaded_by("import mdview; [getattr(mdview, name) for name in mdview.__all__]")


def test_import_loads_nothing_foreign():
    assert foreign(loaded_by("import mdview")) == set()


def test_public_names_load_nothing_foreign(loaded):
    assert foreign(loaded) == set()
    assert "typing_extensions" in loaded
    assert len([name for name in loaded if name.startswith("mdview.")]) > 50


def test_nothing_foreign_is_loaded_by_what_may_use_numpy_later():
    statement = "; ".join([f"import mdview.{name}" for name in ("cli", "drawing", "interop.cpp", "testing", "lazy")])
    assert foreign(loaded_by(statement)) == set()


USE = """
import importlib, pkgutil, mdview
for module in pkgutil.walk_packages(mdview.__path__, "mdview."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
try:
    mdview.MDView(bytearray(12), (3, 4))[5, 0]
except IndexError as error:
    print(error)
from mdview.testing import check_layout, examine_layout
class Beyond(mdview.Layout):
    def offset(self, extents, index): return index[0] + 1
    def required_span_size(self, extents): return extents[0]
check_layout(mdview.LayoutTiled(2, 3), (4, 6))
print("bounds" in [finding.law.name for finding in examine_layout(Beyond(), (3,)).broken])
"""


@pytest.mark.parametrize("options", [["-X", "dev"], pytest.param(["-OO"], marks=pytest.mark.deep)], ids=" ".join)
def test_every_module_works_without_a_warning_and_without_docstrings(options):
    told = output_of(USE, options=["-W", "error", *options], cwd=Path(__file__).parents[1])
    assert told == "index 5 is out of range for extent 3 of dimension 0\nTrue\n"


def test_the_check_notices_numpy():
    assert foreign(loaded_by("import mdview; import numpy")) == {"numpy"}


def test_the_tools_and_what_only_some_users_need_wait(loaded):
    for module in ("ctypes", "argparse", "zipfile", "asyncio", "unittest", "multiprocessing"):
        assert module not in loaded
    assert not loaded & {f"mdview.{name}" for name in ("cli", "testing", "numba", "symbolic")}
