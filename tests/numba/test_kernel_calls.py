"""Calls of kernels: `jit`, the entry point, compiled code on disk, and code that must not be found there."""

import subprocess
import sys
import tomllib
from array import array
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import pytest

import mdview as md

numba = pytest.importorskip("numba")
kernels = pytest.importorskip("mdview.numba")

ROOT = Path(__file__).parents[2]


def numbered(*extents, layout=None):
    mapping = md.Mapping(extents, layout or md.LayoutRight())
    return md.MDView.from_mapping(array("d", range(mapping.required_span_size)), mapping)


@kernels.jit
def last(v):
    return v[-1]


@kernels.jit
def dot(v, w):
    total = 0.0
    for i in range(len(v)):
        total += v[i] * w[i]
    return total


@kernels.jit
def axpy(v, w, out):
    for i in range(len(v)):
        out[i] = v[i] + w[i]


@kernels.jit(error_model="numpy")
def mixed(v, w, x, factor=2.0):
    return v[0] + w[0] + x[0] * factor


@kernels.jit
def nothing():
    return 5


@pytest.mark.parametrize("again", [1, 3])
def test_a_call_finds_the_code_of_its_views(again):
    v, w, out = numbered(4), numbered(4, layout=md.LayoutStride((2,))), numbered(4)
    for _ in range(again):
        assert last(v) == 3.0
        assert last(w) == 6.0
        assert dot(v, w) == 28.0
        assert dot(w, v) == 28.0
        assert axpy(v, w, out) is None
        assert out.tolist() == [0.0, 3.0, 6.0, 9.0]


def test_other_arguments_go_by_way_of_numba():
    np = pytest.importorskip("numpy")
    for _ in range(2):
        assert last(np.arange(3.0)) == 2.0
        assert nothing() == 5
        assert mixed(numbered(1), numbered(1), np.ones(1)) == 2.0
        assert mixed(numbered(1), numbered(1), x=np.ones(1), factor=3.0) == 3.0
        assert mixed(numbered(1), numbered(1), numbered(1), 4.0) == 0.0


def test_errors_pass_through():
    for _ in range(2):
        with pytest.raises(IndexError):
            last(numbered(0))


def test_kernels_call_it_and_it_keeps_its_name():
    @numba.njit
    def twice(v):
        return 2 * last(v)

    assert twice(numbered(3)) == 4.0
    assert (last.__name__, last.py_func(numbered(3)), last.dispatcher(numbered(3))) == ("last", 2.0, 2.0)


def test_a_kernel_of_many_views():
    @kernels.jit
    def total(a, b, c, d):
        return a[0] + b[0] + c[0] + d[0]

    view = numbered(1)
    assert total(view, view, view, view) == total(view, view, view, view) == 0.0


@numba.extending.register_jitable
def firsts(rest):
    total = 0.0
    if len(rest) > 0:
        total += rest[0][0]
    if len(rest) > 1:
        total += rest[1][0]
    return total


@kernels.jit
def some(v, *rest):
    return v[0] + 10 * firsts(rest)


@kernels.jit
def all_of(*rest):
    return len(rest)


@kernels.jit
def three(u, v, *, w):
    return u[0] + 10 * v[0] + 100 * w[0]


@kernels.jit
def defaults(u, v=2.0, w=3.0):
    return u[0] + 10 * v + 100 * w


def test_a_kernel_of_any_number_of_arguments():
    one, whole, other = numbered(2)[1:], md.MDView(array("q", [7]), (1,)), numbered(3)[::2][1:]
    for _ in range(3):  # the first call compiles, the others find the code
        assert some(one) == 1.0
        assert some(one, whole) == 71.0
        assert some(one, other, whole) == some(one, whole, other) == 91.0
        assert some(other, one, whole, one) == 82.0
        assert [all_of(*[one] * n) for n in range(5)] == [0, 1, 2, 3, 4]
        assert all_of((one, whole)) == 1
        with pytest.raises(TypeError):
            some()


def test_arguments_by_name_and_those_left_out():
    one, whole = numbered(2)[1:], md.MDView(array("q", [7]), (1,))
    for _ in range(3):
        assert three(one, whole, w=one) == three(v=whole, w=one, u=one) == 171.0
        assert defaults(one) == 321.0
        assert defaults(one, 1.0) == 311.0
        assert defaults(one, w=1.0) == 121.0
        assert defaults(one, 1.0, 1.0) == 111.0
        with pytest.raises(TypeError):
            defaults()


def test_what_has_a_numba_type_and_is_no_view_goes_by_way_of_numba():
    numbers = numba.typed.List([4.0, 5.0])
    for _ in range(3):
        assert last(numbers) == 5.0
        assert dot(numbers, numbered(2)) == dot(numbered(2), numbers) == 5.0


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
        return v[1:]

    v = MDView(array("d", range(40)), (4,), Mine())
    w = part(v)
    tiled = MDView(array("d", range(40)), (6, 4), LayoutTiled(2, 2))
    print(third(v), w[0], part(tiled)[0, 1], sum(third.stats.cache_hits.values()))
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
    assert outcome(7, "index[0] ^ (3 - 1)") == ["1.0", "3.0", "3.0", "1"]
    assert outcome(7, "2 ^ index[0]") == ["1.0", "3.0", "3.0", "0"]


@pytest.mark.deep
def test_without_numba_the_error_names_the_extra():
    code = "import sys; sys.modules['numba'] = None; import mdview.numba"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert "MissingExtraError: kernels need Numba; install the extra: pip install 'mdview-layouts[numba]'" in run.stderr
