"""Calls of kernels: `jit`, the entry point, compiled code on disk, and code that must not be found there."""

import subprocess
import sys
import tomllib
from array import array
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

import mdview as md

numba = pytest.importorskip("numba")
kernels = pytest.importorskip("mdview.numba")

ROOT = Path(__file__).parents[2]


def numbered(*extents, layout=None):
    mapping = md.Mapping(extents, layout or md.LayoutRight())
    return md.MDView.from_mapping(array("d", range(mapping.required_span_size)), mapping)


KERNELS = {
    "none": kernels.jit(lambda: 5),
    "one": kernels.jit(lambda v: v[-1]),
    "two": kernels.jit(lambda v, w: v[1] + 10 * w[1]),
    "three": kernels.jit(lambda u, v, w: u[1] + 10 * v[1] + 100 * w[1]),
    "any": kernels.jit(lambda v, *rest: v[0] + 10 * len(rest)),
    "all": kernels.jit(lambda *rest: len(rest)),
    "by name": kernels.jit(lambda u, v, *, w: u[1] + 10 * v[1] + 100 * w[1]),
    "defaults": kernels.jit(error_model="numpy")(lambda u, v=2.0, w=3.0: u[1] + 10 * v + 100 * w),
}


def calls():
    """Names of kernels, and arguments."""
    row, part, whole = numbered(4), numbered(4, layout=md.LayoutStride((2,))), md.MDView(array("q", [7, 8]), (2,))
    return [
        *[("none", (), {}), ("one", (row,), {}), ("one", (part,), {}), ("one", ([4.0, 5.0],), {})],
        *[("two", args, {}) for args in ((row, part), (part, row), (whole, row), ([1.0, 2.0], row), (row, [1.0, 2.0]))],
        ("three", (row, whole, part), {}),
        *[("any", (row, *[whole, part, row][:n]), {}) for n in range(4)],
        *[("all", (row,) * n, {}) for n in (0, 1, 4)],
        *[("by name", (row, whole), {"w": row}), ("by name", (), {"v": whole, "w": row, "u": row})],
        *[("defaults", (row, *[1.0] * n), {}) for n in range(3)],
        ("defaults", (row,), {"w": 1.0}),
    ]


def compiled_list(x):
    return numba.typed.List(x) if isinstance(x, list) else x


def test_a_call_gives_what_python_gives_however_often():
    for _ in range(3):  # the first call compiles, the others find the code
        for name, args, named in calls():
            kernel = KERNELS[name]
            assert kernel(*map(compiled_list, args), **named) == kernel.py_func(*args, **named), (name, args)


@kernels.jit
def gathered(v, numbers):
    total = v[1]
    for number in numbers.flat:
        total = 2 * total + number
    return total


@kernels.jit
def gathered_fields(v, records):
    total = v[1]
    for record in records:
        total = 2 * total + record["f0"]
    return total


BESIDE = {
    "items": lambda: (gathered, [np.arange(6.0), np.arange(6, dtype="f4"), np.arange(6), np.arange(6) > 2]),
    "steps": lambda: (gathered, [np.arange(12.0)[::2], np.arange(6.0)[::-1], np.arange(6.0)[1:]]),
    "orders": lambda: (gathered, [np.arange(6.0).reshape(s, order=o) for s in ((2, 3), 6) for o in "CF"]),
    "addresses": lambda: (gathered, [np.frombuffer(bytes(range(17)), "d", 2, 1), np.frombuffer(bytes(range(16)), "d")]),
    "records": lambda: (gathered_fields, [np.array([(1, 2.0)], np.dtype("i8, f8", align=a)) for a in (False, True)]),
}


@pytest.mark.parametrize("make", BESIDE.values(), ids=BESIDE)
def test_an_array_beside_a_view_is_read_by_code_of_its_own_type(make):
    row, (kernel, arrays) = numbered(4), make()
    for _ in range(2):
        for array_beside in arrays:
            assert kernel(row, array_beside) == kernel.py_func(row, array_beside)


def test_errors_pass_through():
    for name, args, error in [("one", (numbered(0),), IndexError), ("any", (), TypeError), ("defaults", (), TypeError)]:
        for _ in range(2):
            with pytest.raises(error):
                KERNELS[name](*args)


def test_kernels_call_it_and_it_keeps_its_name():
    @kernels.jit
    def first(v):
        return v[0]

    @numba.njit
    def twice(v):
        return 2 * first(v)

    assert twice(numbered(3)[1:]) == 2.0
    assert (first.__name__, first.py_func(numbered(4)), first.dispatcher(numbered(4))) == ("first", 0.0, 0.0)


def test_options_count_where_the_function_is_given_with_them():
    assert kernels.jit(lambda v: v[0], nogil=True).dispatcher.targetoptions["nogil"]


def test_numba_is_told_where_to_look():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, name = project["entry-points"]["numba_extensions"]["init"].partition(":")
    assert getattr(import_module(module), name)() is None


def run_script(script, folder):
    command = [sys.executable, "-W", "error", str(script)]
    environment = {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


LAYOUT = """
    from mdview import Layout
    STEP = {step}

    class Mine(Layout):
        def offset(self, extents, index):
            return {offset}
        def required_span_size(self, extents):
            return 40
"""

SCRIPT = """
    from array import array
    from layout import Mine
    from numba import njit
    import mdview.numba
    from mdview import LayoutTiled, MDView

    @njit(cache=True)
    def third(v):
        return v[3]

    @njit(cache=True)
    def part(v):
        return v[1:][0]

    v = MDView(array("d", range(40)), (4,), Mine())
    tiled = MDView(array("d", range(40)), (6, 4), LayoutTiled(2, 2))
    print(third(v), part(v), part(tiled[:, 1]), sum(third.stats.cache_hits.values()))
"""


@pytest.mark.deep
def test_compiled_code_is_kept_on_disk_and_an_edited_layout_is_never_served_from_there(tmp_path):
    (tmp_path / "script.py").write_text(dedent(SCRIPT))

    def outcome(step, offset):
        (tmp_path / "layout.py").write_text(dedent(LAYOUT).format(step=step, offset=offset))
        return run_script(tmp_path / "script.py", tmp_path)

    assert outcome(1, "index[0] ^ STEP") == ["2.0", "0.0", "3.0", "0"]
    assert outcome(1, "index[0] ^ STEP") == ["2.0", "0.0", "3.0", "1"]
    assert outcome(5, "index[0] ^ STEP") == ["6.0", "4.0", "3.0", "0"]
    assert outcome(5, "index[0] ^ 2") == ["1.0", "3.0", "3.0", "0"]
    assert outcome(5, "index[0] ^ STEP") == ["6.0", "4.0", "3.0", "1"]


WITHOUT_NUMBA = """
import inspect, pydoc, sys
sys.modules.update(dict.fromkeys(MISSING))
import mdview
assert all(hasattr(module, name) for module in (mdview, mdview.numba) for name in dir(module))
inspect.getmembers(mdview), pydoc.render_doc(mdview)
for function in (mdview.jit, mdview.numba.atomic_add, mdview.numba.tile):
    try:
        function(len)
    except mdview.errors.MissingExtraError as error:
        print(error)
"""


@pytest.mark.parametrize("missing", [["numba"], ["numba", "llvmlite", "numpy"]], ids=["Numba", "Numba and NumPy"])
def test_without_numba_kernels_are_looked_up_and_a_call_names_the_extra(missing):
    code = WITHOUT_NUMBA.replace("MISSING", repr(missing))
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert run.stdout.splitlines() == ["kernels need Numba; install the extra: pip install 'mdview-layouts[numba]'"] * 3
    assert not run.stderr
