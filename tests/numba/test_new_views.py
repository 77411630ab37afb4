"""New views of known shapes: what a kernel knows of one serves the next, wherever that lies and whatever it holds."""

from array import array

import pytest
from effort import some
from processes import output_of
from samples.mappings import LayoutBy, LayoutOf

import mdview as md

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")
kernels = pytest.importorskip("mdview.numba")


@kernels.jit
def elements(v, out):
    n = 0
    for i in range(v.shape[0]):
        for j in range(v.shape[1]):
            out[n] = v[i, j]
            n += 1
    return n


plain = numba.njit(elements.py_func)

LAYOUTS = {
    "rows": md.LayoutRight(),
    "tiles": md.LayoutTiled(4, 4),
    "tiles in tiles": md.LayoutTiled(4, 4, inner=md.LayoutTiled(2, 2)),
    "Morton": md.LayoutMorton(),
    "swizzled": md.LayoutSwizzled(md.LayoutRight(), 2, 0, 3),
    "user's": LayoutBy(lambda e, i: i[0] * e[1] + (i[1] ^ (i[0] & 1)), int.__mul__),
}
VIEWS = {
    "whole": lambda v, k: v[:],
    "windows": lambda v, k: v[k : k + 5, 2 * k : 2 * k + 3],
    "tiles": lambda v, k: v[4 * k : 4 * k + 4, 4:8],
    "several tiles": lambda v, k: v[4 * k : 4 * k + 8, 4:12],
    "rows of windows": lambda v, k: v[k, None, k:],
    "steps": lambda v, k: v[k::2, ::-3],
    "flipped windows": lambda v, k: md.flip(v[k:, : 9 - k]),
    "transposed windows": lambda v, k: md.permute_dims(v[k : k + 4], (1, 0)),
    "padded": lambda v, k: md.pad(v, 1, constant=k / 2),
    "padded windows": lambda v, k: md.pad(v[k : k + 3, 1:4], 2, mode="edge"),
    "windows of padded": lambda v, k: md.pad(v, 3, mode="wrap")[k : k + 7, 2 * k : 9],
    "reshaped": lambda v, k: md.reshape(v[: 4 + 4 * k], (8, -1)),
    "sliding": lambda v, k: md.sliding_window(v, (3, 2))[k, 1:, 1],
    "read-only": lambda v, k: md.readonly(v[k:]),
    "trusted": lambda v, k: md.unchecked(v[k : k + 2]),
    "scaled": lambda v, k: md.operations.scaled(k + 0.5, v[k:]),
    "empty": lambda v, k: v[k:k],
}


def whole(layout, k):
    """A view of 12 by 12 items that lie elsewhere in data of another length for each ``k``, at times read-only."""
    mapping = md.Mapping((12, 12), layout)
    data = np.random.default_rng(k).random(mapping.required_span_size + 7 * k)
    return md.MDView.from_mapping(data, mapping, origin=3 * k)


@pytest.mark.parametrize("name", some(LAYOUTS, 3))
@pytest.mark.parametrize("kind", some(VIEWS, 6))
def test_a_new_view_is_read_as_itself(name, kind):
    for k in (0, 2, 1, 1, 2, 0):
        for base in (whole(LAYOUTS[name], k), whole(LAYOUTS[name], 1)):
            view, (found, again) = VIEWS[kind](base, k), np.zeros((2, 400))
            assert elements(view, found) == plain(VIEWS[kind](base, k), again) == view.size
            assert found.tolist() == again.tolist()
            assert found[: view.size].tolist() == np.asarray(view.tolist()).ravel().tolist()


@pytest.mark.parametrize("name", LAYOUTS)
def test_views_of_one_shape_have_one_type(name):
    for kind in ("whole", "windows", "padded"):
        parts = [VIEWS[kind](whole(LAYOUTS[name], k), k) for k in range(4)]
        assert len({numba.typeof(part) for part in parts}) <= (2 if kind == "windows" else 1), kind


def test_static_extents_stay_in_the_types_of_parts():
    view = md.MDView(array("d", range(144)), (12, md.dim(12)), md.LayoutTiled(4, 4))
    assert [numba.typeof(part).extents for part in (view, view[1:], view[2:], view[:, 1:])] == [
        (None, 12),
        (None, 12),
        (None, 12),
        (None, None),
    ]


@pytest.mark.parametrize("sizes", [(50, 10, 20), (10, 50, 10), (20, 50, 10)])
def test_a_proof_serves_data_that_reaches_as_far(sizes):
    read = kernels.jit(lambda v, i: v[i])
    for size in sizes:
        view = md.MDView(array("q", range(size)), (5,), LayoutOf(lambda i: i * i, 10))
        assert read(view, 3) == 9
        if size > 16:
            assert read(view, 4) == 16
        else:
            with pytest.raises(IndexError, match="leads from this index to no element"):
                read(view, 4)


def test_accessors_are_told_apart_by_their_parts():
    read = kernels.jit(lambda v: v[0])
    for constant in (0, 0.0, -0.0, 1, True, 2.5, float("nan"), 0):
        for gain in (1, 2.0, 3):
            view = md.operations.scaled(gain, md.pad(md.MDView(array("d", [7.0]), (1,)), 1, constant=constant))
            found, expected = read(view), view[0]
            assert (repr(found), type(found)) == (repr(float(expected)), float)


class Releasing(md.Layout):
    """Releases a view when a kernel asks for its tiles, as another thread may do at any time."""

    def __init__(self):
        self.views = []

    def offset(self, extents, index):
        return index[0] % 7

    def required_span_size(self, extents):
        return 7

    def tiling(self):
        for view in self.views:
            view.release()


@pytest.mark.parametrize("call", [kernels.jit(lambda v: v[0]), numba.njit(lambda v: v[0])], ids=["jit", "njit"])
def test_a_view_that_is_released_while_it_is_described_is_the_null_view(call):
    layout = Releasing()
    view = md.MDView(array("d", range(9)), (9,), layout)
    layout.views.append(view)
    with pytest.raises(md.errors.KernelError, match="null view"):
        call(view)


OF_ONE_BUFFER = """
import numba, numpy as np
import mdview as md
@numba.njit
def first(view): return view[0, 0]
for layout in ("right", "right_padded(8)", "stride((4, 1))"):
    for accessor in (md.DefaultAccessor(), md.CheckedAccessor(), md.accessors.ScaledAccessor(2.0)):
        assert first(md.MDView(np.ones(64), (3, 4), layout, accessor)) in {1.0, 2.0}
"""


def test_numba_tells_views_of_one_form_of_buffer_apart_from_the_first_call_on():
    """Numba remembers views by class and buffer, and asks for the first buffer before it loads mdview's kernels."""
    assert output_of(OF_ONE_BUFFER) == ""
