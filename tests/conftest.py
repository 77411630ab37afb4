"""Two tiers: ``pytest`` runs each family once on small inputs, ``pytest --deep`` adds what takes long, and all inputs.

A test marked ``deep`` runs in the deep tier only, and so do the tests in the folders of `DEEP_FOLDERS`. How much of a
family the quick tier tries is said by `share` and `some` of `effort`.
"""

import gc
import linecache
import os
import re
import tomllib
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType

import pytest
from effort import share
from hypothesis import HealthCheck, settings

HERE = Path(__file__).parent
DEEP_FOLDERS = (
    "browser",
    "conformance/cpp",
    "examples",
    "fuzz",
    "interop/cpp",
    "interop/dask_arrays",
    "interop/heavy",
    "interop/matrix",
    "interop/zarr_arrays",
)
"""Folders whose tests ask compilers, browsers or partners, or take long."""

collect_ignore = ["conftest.py", "junk.py", "refusals.py"]
"""Not collected for doctests: a module with the name of others, and tables whose samples tests make by importing."""

CONTRACTS = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
LAYERS = CONTRACTS["contracts"][0]["layers"][::-1]
HEIGHTS = {folder: k for k, layer in enumerate(LAYERS) for folder in re.findall(r"\w+", layer)}
"""How many layers lie below the folder of a name; what is in no such folder is of all layers."""

INTEROP, PARTNERS = HERE.parent / "mdview" / "interop", ("dask", "zarr")
"""Modules whose names begin with a partner have doctests that need it."""


def pytest_addoption(parser):
    parser.addoption("--deep", action="store_true", help="run the long families too, and all inputs of each")


def pytest_configure(config):
    """Say how much is tried, for this process and for those that tests start, and choose the profile of Hypothesis.

    In continuous integration (variable CI) a run is repeatable.
    """
    os.environ.setdefault("MDVIEW_EFFORT", "1" if config.getoption("--deep") else "0")
    settings.register_profile(
        "mdview",
        max_examples=int(os.environ.get("MDVIEW_EXAMPLES", "0")) or share(100, 25),
        deadline=None,
        derandomize=bool(os.environ.get("CI")),
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("mdview")


def pytest_ignore_collect(collection_path, config):
    """Leave out the folders of the deep tier, so that the quick one does not import them."""
    if not config.getoption("--deep") and collection_path.is_dir():
        return collection_path in {HERE / folder for folder in DEEP_FOLDERS} or None
    return None


def expression_of(function):
    """Return the text of what a lambda returns."""
    lines = linecache.getlines(function.__code__.co_filename)
    places = [place for place in function.__code__.co_positions() if None not in place and place[:2] != (0, 0)]
    spans = [((line, begin), (last, end)) for line, last, begin, end in places if (line, begin) != (last, end)]
    (line, begin), (last, end) = min(first for first, _ in spans), max(last for _, last in spans)
    text, tail = ["".join(lines[first - 1 : last]).encode() for first in (line, last)]
    return " ".join(text[begin : len(text) - len(tail) + end].decode().split())


def pytest_make_parametrize_id(val):
    """Name a case by the expression of a lambda, or by the text of a layout, a mapping or an accessor."""
    if isinstance(val, FunctionType) and val.__name__ == "<lambda>":
        return expression_of(val)[:60]
    is_described = type(val).__module__.startswith(("mdview.layouts", "mdview.mappings", "mdview.accessors"))
    text = repr(val) if is_described else " at 0x"
    return None if " at 0x" in text else text[:60]  # an address is another one in another process


def height_of(item):
    """Return how many layers lie below a test: below its folder, which has the name of one of mdview, or below all.

    The definitions of layouts come before, since the samples of every folder have layouts.
    """
    if item.path == HERE / "layouts" / "test_definitions.py":
        return -1
    folder = item.path.relative_to(HERE.parent).parts[1]
    return HEIGHTS.get(folder, len(LAYERS))


def pytest_collection_modifyitems(config, items):
    """Leave out the tests of the deep tier, and doctests whose partner is not installed; begin with the lowest layer.

    So the first test that fails is one of the nearest to what is wrong.
    """
    items.sort(key=height_of)
    for item in items:
        partner = next((name for name in PARTNERS if item.path.match(f"{INTEROP}/{name}*.py")), None)
        if partner and find_spec(partner) is None:
            item.add_marker(pytest.mark.skip(reason=f"{partner} is not installed"))
    if not config.getoption("--deep"):
        kept, deep = [], []
        for item in items:
            (deep if item.get_closest_marker("deep") else kept).append(item)
        items[:] = kept
        config.hook.pytest_deselected(items=deep)


def pytest_collection_finish():
    """Freeze the tests themselves, a million objects, so that collections of garbage do not traverse them."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def refusals():
    """Return the table of calls; the test that asks for it makes the samples, not the collection."""
    return import_module("refusals")


@pytest.fixture(scope="module", autouse=True)
def quick_collections():
    """Freeze what there is, so that collections traverse only what the tests of this module make."""
    gc.collect()
    gc.freeze()
