"""The matrix: what takes a view and what has memory, each as its line says, and the page of both, with its programs."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import matrix_page
import numpy as np
import pytest
from consumers import CONSUMERS
from expectations import expected
from processes import output_of
from producers import PRODUCERS, REFUSED, kept
from running import outcomes, produced
from variants import VARIANTS

import mdview as md
from mdview import MDView, asview
from mdview.errors import BufferFormatError


@pytest.mark.parametrize("name", CONSUMERS)
def test_a_consumer_does_as_its_rules_say(name):
    consumer = CONSUMERS[name]
    if find_spec(consumer.package) is None:
        pytest.skip(f"{consumer.package} is not installed")
    found = outcomes(name)
    rules = {each: expected(consumer, variant) for each, variant in VARIANTS.items()}
    assert [(each, found[each], rule) for each, rule in rules.items() if not rule.holds(found[each])] == []


def test_each_rule_decides_somewhere():
    for consumer in CONSUMERS.values():
        used = [consumer.decided(variant) for variant in VARIANTS.values()]
        assert all(rule in used for rule in consumer.rules if rule.kinds)


WAY = re.compile(r"asview\((?:[^()]|\([^()]*\))*\)")
GIVEN = ("array", "values", "batch", "dataset", "frame", "image", "pointer", "series", "stream", "table", "value")
"""What refusals call the object that they speak of."""


@pytest.mark.parametrize("name", PRODUCERS)
def test_a_producer_gives_what_its_line_says(name):
    producer = PRODUCERS[name]
    package = producer.package.partition(".")[0]
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    found = produced(name)
    assert producer.gives(found), found


@pytest.mark.parametrize("name", [name for name, each in PRODUCERS.items() if "asview" in each.way or "(" in each.way])
def test_some_way_that_a_refusal_names_leads_to_a_view(name):
    producer, keep, leads = PRODUCERS[name], kept(), False
    if producer.is_alone or producer.outcome != REFUSED or find_spec(producer.package.partition(".")[0]) is None:
        pytest.skip(f"{producer.package} is not installed, or has a process of its own")
    given = producer.make(keep)
    with pytest.raises(BufferFormatError) as told:
        asview(given)
    for way in WAY.findall(str(told.value)):
        names = {"asview": asview, "np": np, "value": 0, **dict.fromkeys(GIVEN, given)}
        for name_of in ({}, {"value": 0}):
            try:
                # No view is kept: Python closes a BytesIO before its views in one cycle, such as the error's with us.
                leads |= isinstance(eval(way, names | name_of), MDView)  # noqa: S307 - our own words
            except Exception:  # noqa: BLE001, S112 - another way is for another object of the type
                continue
    assert leads or not WAY.search(str(told.value))


PAGE = Path(__file__).parents[3] / "docs" / "interop.md"


def test_the_tables_are_those_of_the_rules():
    written = PAGE.read_text(encoding="utf-8")
    assert matrix_page.with_tables(written) == written, "run python docs/generate_interop.py"


PROGRAMS = dict(re.findall(r"^### ([^\n]+)\n+```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL))
IMPORT = re.compile(r"^(?:from|import) (\w+)", re.MULTILINE)
PARTNERS = {
    *("NumPy", "torch", "JAX", "pyarrow", "pandas", "polars", "h5py", "ctypes", "mmap", "Shared memory"),
    "array, bytes, hashlib, files, sockets",
    *("nanobind", "pybind11"),  # run in tests/examples, where their modules are built
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs(name):
    for package in IMPORT.findall(PROGRAMS[name]):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    command = [sys.executable, "-W", "error::ResourceWarning", "-c", PROGRAMS[name]]
    folders = os.pathsep.join(filter(None, [str(PAGE.parents[1]), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": folders}
    done = subprocess.run(command, check=False, timeout=300, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


def test_each_partner_has_a_program_of_a_few_lines():
    assert set(PROGRAMS) == PARTNERS
    for program in PROGRAMS.values():
        assert len([line for line in program.splitlines() if not IMPORT.match(line)]) <= 6


VIEWS = {
    "plain": lambda view: view,
    "part": lambda view: view[1:, ::2],
    "flipped": md.flip,
    "tiled": lambda view: md.relayout(view, "tiled(2, 2)"),
    "padded": lambda view: md.pad(view, 1, "edge"),
}
SPELLINGS = {
    "dask": ("dask.array", lambda _, v: md.interop.dask.to_dask(v).compute()),
    "zarr": ("zarr", lambda zarr, v: zarr.array(np.asarray(v))[...]),
    "Pillow": ("PIL.Image", lambda image, v: np.asarray(image.fromarray(np.asarray(v)))),
    "polars": ("polars", lambda pl, v: np.array(pl.Series(np.asarray(v[0])).to_list())[None]),
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("partner", SPELLINGS)
def test_a_partner_takes_the_spelling_of_the_page(partner, view):
    package, call = SPELLINGS[partner]
    module = pytest.importorskip(package, reason=f"{package} is not installed")
    given = VIEWS[view](md.asview(np.arange(24, dtype="u1").reshape(4, 6)))
    expected = np.array(given.tolist())
    assert np.asarray(call(module, given)).tolist() == (expected[:1] if partner == "polars" else expected).tolist()


PROGRAM = """
import sys
from array import array
from mdview import MDView, asview
from mdview.errors import BufferFormatError
class Memory:
    def __init__(self, numbers): self.numbers = numbers
    def __getattr__(self, name): return getattr(self.numbers, name)
view = asview(array("d", range(6)))
memory = view[::2].memoryview()
assert memory.tolist() == [0.0, 2.0, 4.0]
for given in ([1], "text", Memory([1]), object()):
    try:
        asview(given)
    except BufferFormatError:
        pass
    else:
        raise AssertionError(given)
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""
LIBRARIES = {"h5py", "jax", "matplotlib", "numba", "pandas", "PIL", "polars", "pyarrow", "torch", "xarray", "zarr"}


def test_asview_and_exports_load_no_partner():
    done = output_of(PROGRAM)
    assert LIBRARIES.isdisjoint(done.split())
