"""Stores in kernels: items take and refuse the values that they take and refuse in Python, however they are stored."""

import re
from dataclasses import dataclass
from typing import final

import pytest

import mdview as md
from mdview.errors import ElementError, ElementTypeError, KernelError

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")
kernels = pytest.importorskip("mdview.numba")


EDGES = sorted({sign * 2**bits + k for bits in (0, 7, 8, 15, 16, 31, 32, 62) for sign in (1, -1) for k in (-1, 0, 1)})
LARGE = [2**63 - 1, -(2**63)]
UNSIGNED = [np.uint64(2**63), np.uint64(2**64 - 1)]  # of a Python int, Numba makes 64 bits with a sign
FLOATS = [1.7, 2.0, -0.0, 1e9, 65520.0, 3.4028235e38, 3.4028235677973366e38, 1e300, float("inf"), float("nan")]
VALUES = [True, *EDGES, *LARGE, *UNSIGNED, *FLOATS, np.float32(1.5), 1j, complex(1.5, -1e300), np.complex64(2 - 1j)]


@numba.njit
def put(v, x):
    v[1] = x


def outcome(store, view, data, *args):
    """What a store leaves, or which error of Python's it ends in."""
    try:
        store(view, *args)
    except (ElementTypeError, KernelError) as error:
        return re.search("first|no atomic step", str(error)) and ElementTypeError
    except ElementError as error:
        return "change the value, or choose a wider format" in str(error) and ElementError
    finally:
        left = data.tobytes()
    return left


def checked(data):
    return md.checked(md.asview(data))


@pytest.mark.parametrize(("access", "code"), [*[(md.asview, code) for code in "?bBhHiIqQefdFD"], (checked, "h")])
def test_items_take_what_they_take_in_python(access, code):
    for x in VALUES:
        if isinstance(x, complex | np.complexfloating) and code not in "FD":
            with pytest.raises(KernelError, match="convert it first"):
                put(access(np.zeros(2, code)), x)
            continue
        ours, theirs = np.zeros(2, code), np.zeros(2, code)
        found = outcome(put, access(ours), ours, x)
        assert (x, found) == (x, outcome(put.py_func, access(theirs), theirs, x))


@pytest.mark.parametrize("code", "bBhHiIqQ")
def test_integers_wrap_in_an_unchecked_view_and_floats_are_refused_there_too(code):
    for x in [*EDGES, *LARGE, *UNSIGNED]:
        data = np.zeros(2, code)
        put(md.unchecked(md.asview(data)), x)
        assert data[1] == np.array(x).astype(code)
    with pytest.raises(KernelError, match="round it first"):
        put(md.unchecked(md.asview(np.zeros(2, code))), 1.5)


@final
@dataclass(frozen=True)
class Shifted(md.ElementwiseWritable):
    inner: md.Writable

    def decode(self, item):
        return self.inner.decode(item) + 100

    def encode(self, value):
        return self.inner.encode(value - 100)


WAYS = """
v[0, 1] = x
v[-1, 1] += x
v[1][0] -= x
v[::-1, 1:][0, 0] = x
md.subview(v, 1, md.ALL)[0] = x
kernels.tile(v, 0)[0, 0] = x
v[1, 1] = v[0, 0] + x
for j in range(v.extent(1)): v[1, j] = x
"""
STEPS = """
v[0, 1] = x
v[1, 0] += x
v[1, 0] *= x
v[1, 1] |= x
v[1][1] = x
"""
VIEWS = {
    "rows": md.MDView,
    "tiled": lambda data, extents: md.MDView(data, extents, md.LayoutTiled(2, 2)),
    "transposed": lambda data, extents: md.permute_dims(md.MDView(data, extents), (1, 0)),
    "padded": lambda data, extents: md.pad(md.MDView(data, extents), 1, mode="edge")[1:3, 1:3],
    "a user's accessor": lambda data, extents: md.MDView(data, extents, accessor=Shifted(md.DefaultAccessor())),
    "atomic": lambda data, extents: md.atomic(md.MDView(data, extents)),
}


def kernel_of(text):
    names = {"md": md, "kernels": kernels}
    exec(f"def f(v, x):\n    {text}\n", names)
    return names["f"], numba.njit(names["f"])


@pytest.mark.parametrize("kind", VIEWS)
@pytest.mark.parametrize("code", "hI")
def test_every_way_to_store_refuses_what_does_not_fit(kind, code):
    texts = STEPS if kind == "atomic" else WAYS if kind == "tiled" else WAYS.replace("kernels.tile(v, 0)", "v")
    for text in texts.strip().splitlines():
        function, kernel = kernel_of(text)
        for x in (1, -1, 70000, 2**40, -(2**40), 1.5):
            if isinstance(x, float) and "fetch_m" in text:
                continue  # refused whichever is better
            ours, theirs = np.zeros(4, code), np.zeros(4, code)
            found = outcome(kernel, VIEWS[kind](ours, (2, 2)), ours, x)
            assert (text, x, found) == (text, x, outcome(function, VIEWS[kind](theirs, (2, 2)), theirs, x))
            assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("text", ["v[()] = x", "v[()] += x", "kernels.atomic_add(v, (), x)"])
def test_a_view_of_rank_0_refuses_what_does_not_fit(text):
    _, kernel = kernel_of(text)
    for x in (5, 70000):
        data = np.zeros(1, "h")
        assert outcome(kernel, md.MDView(data, ()), data, x) == (ElementError if x > 5 else b"\5\0")
