"""Atomic steps of kernels: every operator in place of a reference does in a kernel what it does in Python."""

from array import array
from threading import Thread

import pytest
from processes import output_of

import mdview as md

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")
kernels = pytest.importorskip("mdview.numba")


IN_PLACE = "v[0] += x; v[0] -= x; v[0] *= x; v[0] //= x; v[0] %= x; v[0] += v[1]; v[0] *= v[1]; v[0] += 2; v[0] -= True"
IN_PLACE_OF_INTEGERS = "v[0] **= x; v[0] &= x; v[0] |= x; v[0] ^= x; v[0] <<= x; v[0] >>= x; v[0] ^= v[1]"
IN_PLACE_OF_FLOATS = "v[0] /= x; v[0] /= v[1]"
TOGETHER = 12
"""Statements in one compiled function: compiling each alone takes much longer, and long functions take long."""


def compiled(*statements):
    """A function, and a kernel of it, that keeps what each statement leaves, from the same items on."""
    lines = ["def f(v, x):", "    first, second = v[0].load(), v[1].load()"]
    for k, statement in enumerate(statements):
        lines += [f"    {statement}", f"    left{k} = v[0].load()", "    v[0], v[1] = first, second"]
    kept = [f"left{k}" for k in range(len(statements))]
    names = {}
    exec("\n".join([*lines, f"    return ({', '.join(kept)},)"]), names)
    return names["f"], numba.njit(names["f"])


def both(functions, items, code, *args):
    """What a function and its kernel give on the same items."""
    return [run(md.atomic(md.asview(np.array(items, code))), *args) for run in functions]


def statements_of(code):
    return f"{IN_PLACE}; {IN_PLACE_OF_FLOATS if code in 'fd' else IN_PLACE_OF_INTEGERS}".split("; ")


@pytest.mark.parametrize("code", ["b", "Q", "q", "f", "d"])
def test_every_step_is_that_of_python(code):
    statements = statements_of(code)
    for first in range(0, len(statements), TOGETHER):
        some = statements[first : first + TOGETHER]
        functions = compiled(*some)
        for x in (3, 1, 2):
            expected, found = both(functions, [5, 2], code, x)
            assert (some, repr(found)) == (some, repr(expected))


def test_a_float_is_added_as_it_is_and_then_rounded():
    add = numba.njit(lambda v, x: kernels.atomic_add(v, 0, x))
    for first, x in [(1.0, 0.1), (16777216.0, 1.5), (3.0, 1e-7)]:
        found, expected = array("f", [first]), array("f", [first])
        add(md.MDView(found, (1,)), x)
        md.atomic(md.MDView(expected, (1,)))[0] += x
        assert found == expected


def test_integers_of_64_bits_wrap_and_those_of_an_unchecked_view():
    @numba.njit
    def steps(v, x):
        v[0] += x
        v[1] = x
        v[2] *= x

    row = np.array([100, 1, 3], "i1")
    steps(md.unchecked(md.atomic(md.asview(row))), 300)
    assert row.tolist() == np.array([400, 300, 900]).astype("i1").tolist()
    row = np.array([2**63 - 1, 0, 3])
    steps(md.atomic(md.asview(row)), 2**62)
    assert row.tolist() == [-(2**63) + 2**62 - 1, 2**62, -(2**62)]


@pytest.mark.parametrize("order", ["seq_cst", "acq_rel", "acquire", "release", "relaxed"])
def test_every_step_is_written_under_the_order_of_the_view(order):
    @numba.njit
    def steps(v):
        v[0] = 2
        v[0] *= 3
        v[0] += 4
        return v[0].load()

    view = md.atomic(md.MDView(array("q", [0]), (1,)), order=order)
    assert steps(view) == 10
    (text,) = steps.inspect_llvm().values()
    if order != "relaxed":
        load, store = {"release": ("monotonic", "release"), "acquire": ("acquire", "monotonic")}.get(
            order, ("seq_cst",) * 2 if order == "seq_cst" else ("acquire", "release")
        )
        assert f" {load}, align" in text
        assert f" {store}, align" in text
        assert f" {order} " in text


def test_integers_that_share_a_byte_have_no_steps():
    with pytest.raises(md.errors.KernelError, match="relayout"):
        numba.njit(lambda v: kernels.atomic_add(v, 1, 1))(md.zeros((4,), dtype="int4"))


def test_a_division_by_zero_in_a_step_is_raised_and_leaves_the_element():
    @numba.njit
    def divide(v, x):
        v[0] //= x

    data = array("q", [7])
    with pytest.raises(ZeroDivisionError):
        divide(md.atomic(md.MDView(data, (1,))), 0)
    assert data.tolist() == [7]


THREADS = """
import threading
from array import array
from threading import Thread
import numba
import mdview as md

@numba.njit(parallel=True, nogil=True)
def count(v, times):
    for k in numba.prange(times):
        v[0] += 1
        v[1] -= 1
        v[2] ^= 1
        v[3] *= -1

v = md.atomic(md.MDView(array("q", [0, 0, 0, 1]), (4,)))
count(v, 2)
threads = [threading.Thread(target=count.py_func, args=(v, 20_000)) for _ in range(2)]
[thread.start() for thread in threads]
count(v, 100_000)
[thread.join() for thread in threads]
total = 140_002
print(v.tolist() == [total, -total, total % 2, 1 if total % 2 == 0 else -1])
"""


def test_threads_of_python_and_of_kernels_step_on_the_same_elements():
    pytest.importorskip("llvmlite")
    found = output_of(THREADS)
    assert found == "True\n"


@pytest.mark.parametrize("code", ["b", "I", "q", "f", "d"])
def test_threads_that_add_in_place_lose_no_count(code):
    """An addition that is a load and a store loses some, or all but those of one thread."""

    @numba.njit(nogil=True)
    def count(v, times):
        for _ in range(times):
            v[1] += 1

    view = md.atomic(md.MDView(array(code, [0, 0]), (2,)), process_local=True)
    times = 30 if code == "b" else 100_000
    count(view, 0)
    threads = [Thread(target=count, args=(view, times)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert view.data.tolist() == [0, 4 * times]
