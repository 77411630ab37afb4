"""Importing mdview loads the standard library and typing_extensions, and nothing else."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

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
    return loaded_by("import mdview; [getattr(mdview, name) for name in dir(mdview)]")


def test_import_loads_nothing_foreign():
    assert foreign(loaded_by("import mdview")) == set()


def test_public_names_load_nothing_foreign(loaded):
    assert foreign(loaded) == set()
    assert {"mdview.views.view", "mdview.layouts.tiled", "mdview.interop.asview", "typing_extensions"} <= loaded


@pytest.mark.parametrize(
    "module", ["mdview.cli", "mdview.cli.info", "mdview.cli.draw", "mdview.drawing.facts", "mdview.interop.asview"]
)
def test_nothing_foreign_is_loaded_by_what_may_use_numpy_later(module):
    assert foreign(loaded_by(f"import {module}")) == set()


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


@pytest.mark.parametrize("options", [["-X", "dev"], ["-OO"]], ids=["development", "without docstrings and asserts"])
def test_every_module_works_without_a_warning_and_without_docstrings(options):
    command = [sys.executable, "-W", "error", *options, "-c", USE]
    run = subprocess.run(command, capture_output=True, check=False, text=True, cwd=Path(__file__).parents[1])
    assert (run.stderr, run.stdout) == ("", "index 5 is out of range for extent 3 of dimension 0\nTrue\n")


@pytest.mark.parametrize("statement", ["import numpy; import mdview", "import mdview; import numpy"])
def test_the_check_notices_numpy(statement):
    assert foreign(loaded_by(statement)) == {"numpy"}


@pytest.mark.parametrize("module", ["ctypes", "argparse", "mmap", "zipfile", "asyncio", "unittest", "multiprocessing"])
def test_what_only_some_users_need_waits(loaded, module):
    assert module not in loaded


def test_the_tools_wait(loaded):
    assert not loaded & {
        "mdview.cli",
        "mdview.testing",
        "mdview.numba",
        "mdview.dask",
        "mdview.zarr",
        "mdview.symbolic",
    }
