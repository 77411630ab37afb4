"""Padded views, windows over them and references in kernels agree with Python on views whose numbers are random."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mdview as md
from mdview.accessors.fill import MODES

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")
pytest.importorskip("mdview.numba")
drawn = pytest.importorskip("test_kernel_random")
FEW, MAX_RANK, SHARE = drawn.FEW, drawn.MAX_RANK, drawn.SHARE
far_slices, read, scattered = drawn.far_slices, drawn.read, drawn.scattered


@st.composite
def padded_views(draw):
    """Padded views of a few types, or windows over them; padding and slices are numbers."""
    view, _ = draw(st.one_of(FEW))
    if 0 in view.shape:
        view = md.asview(np.arange(6.0).reshape(2, 3))
    widths = st.tuples(st.integers(1, 5), st.integers(0, 5))
    padded = md.pad(view, (draw(widths), draw(widths)), mode=draw(st.sampled_from(MODES)))
    if draw(st.booleans()):
        padded = padded[tuple([draw(far_slices(e)) for e in padded.shape])]
    if 0 not in padded.shape and draw(st.booleans()):
        return md.sliding_window(padded, tuple([draw(st.integers(1, min(e, 3))) for e in padded.shape]))
    return padded


@numba.njit
def read_windows(v, out):
    n = 0
    for i in range(v.extent(0)):
        for j in range(v.extent(1)):
            for k in range(v.extent(2)):
                for m in range(v.extent(3)):
                    out[n] = v[i, j, k, m]
                    n += 1


@SHARE
@given(padded_views())
def test_loads_of_padded_views(view):
    out = np.zeros(view.size)
    (read if view.ndim == MAX_RANK - 1 else read_windows)(view, out)
    assert out.tobytes() == np.array([view[index] for index in product(*map(range, view.shape))], "d").tobytes()


@numba.njit
def total_of_references(v, out):
    n, found = 0, 0.0
    for i in range(v.extent(0)):
        for j in range(v.extent(1)):
            out[n] = v[i, j]
            if v[i, j] > 0:
                found += v[i, j] * 2 - v[0, 0]
            n += 1
    return found


@SHARE
@given(scattered("q", md.AtomicAccessor()) | scattered("i", md.AtomicAccessor()))
def test_references_in_arithmetic(given_view):
    view, _ = given_view
    elements = [int(view[index]) for index in product(*map(range, view.shape))]
    out = np.zeros(view.size, "q")
    assert total_of_references(view, out) == sum([2 * x - elements[0] for x in elements if x > 0])
    assert out.tolist() == elements
