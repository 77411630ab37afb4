"""Kernels that read every element and put another in its place, one a rank, and the same in plain Python."""

import operator
from functools import reduce

import pytest
from samples import all_indices

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")
pytest.importorskip("mdview.numba")


@numba.njit
def exchange0(v, out, new):
    out[0] = v[()]
    v[()] = new[0]
    return 0 + out[0]


@numba.njit
def exchange1(v, out, new):
    total = 0
    for i in range(v.extent(0)):
        out[i] = v[i]
        v[i] = new[i]
        total += out[i]
    return total


@numba.njit
def exchange2(v, out, new):
    n, total = 0, 0
    for i in range(v.extent(0)):
        for j in range(v.extent(1)):
            out[n] = v[i, j]
            v[i, j] = new[n]
            total += out[n]
            n += 1
    return total


@numba.njit
def exchange3(v, out, new):
    n, total = 0, 0
    for i in range(v.extent(0)):
        for j in range(v.extent(1)):
            for k in range(v.extent(2)):
                out[n] = v[i, j, k]
                v[i, j, k] = new[n]
                total += out[n]
                n += 1
    return total


EXCHANGE = [exchange0, exchange1, exchange2, exchange3]


def places(view):
    """Where each element lies in the memory of ``view``, in index order: what every kernel is held against."""
    return [view.origin + view.mapping(*index) for index in all_indices(view.shape)]


def check_exchange(view, data):
    """Exchange the elements of ``view``, which lie in the array ``data``; found, sum and memory agree to the bit."""
    new = (np.arange(view.size) * -1.5).astype(data.dtype)
    before, after = [], data.copy()
    for place, element in zip(places(view), new, strict=True):
        before.append(after[place])
        after[place] = element
    out = np.zeros(view.size, data.dtype)
    total = EXCHANGE[view.ndim](view, out, new)
    assert out.tobytes() == np.array(before, data.dtype).tobytes()
    assert data.tobytes() == after.tobytes()
    # The sign of a NaN that an addition makes is nobody's promise; its repr has none.
    assert repr(complex(total)) == repr(complex(reduce(operator.add, np.array(before, data.dtype).tolist(), 0)))
