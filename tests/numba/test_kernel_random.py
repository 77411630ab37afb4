"""Kernels agree to the bit with plain Python over the mapping, on views whose numbers are random.

Each type of view is compiled, so what is drawn here decides numbers: extents, strides, origins, steps. What decides
types comes from fixed lists: element types, accessors, layouts that are not strided, and which strides are 0 or 1.
"""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import LayoutSymmetric

import mdview as md
from mdview import ExtentSlice, LayoutStrideRelaxed, LayoutTiled, Mapping, MDView
from mdview.layouts.stride_relaxed import negative_reach
from mdview.testing.strategies import layouts, operation_chains

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")
kernels = pytest.importorskip("mdview.numba")
exchanging = pytest.importorskip("exchanging")
places, check_exchange = exchanging.places, exchanging.check_exchange

MAX_RANK = 3
FAR = [-7, -5, -4, -3, -2, 2, 3, 4, 5, 7]
"""Strides and steps that stay numbers of the view, however they are multiplied: 0 and 1 are constants of its type."""

FLOATS = [0.0, -0.0, 1.5, float("nan"), -2.25, 1 / 3, float("inf"), 5e-324, -1e308]
COMPLEX = [complex(x, y) for x, y in zip(FLOATS, FLOATS[1:], strict=False)]


def elements(count, dtype="d"):
    """Array of ``count`` elements that differ from their neighbours, with the odd ones of their type."""
    if dtype in "dD":
        return np.resize(np.array(FLOATS if dtype == "d" else COMPLEX), count)
    return (np.arange(count) * 37 - 90).astype(dtype)


def view_in_memory(draw, mapping, dtype="d", accessor=md.DefaultAccessor()):
    """View with a little memory in front and behind, and that memory."""
    front, behind = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    data = elements(front + mapping.required_span_size + behind, dtype)
    return MDView.from_mapping(data, mapping, accessor, origin=front), data


def is_strided(mapping):
    """Whether a kernel takes the mapping by its strides."""
    return mapping.found_strides() is not None and not isinstance(mapping.layout, LayoutTiled)


@st.composite
def strided_views(draw):
    """Views under every strided layout, rearranged by any chain of operations."""
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=MAX_RANK)))
    mapping = Mapping(shape, draw(layouts(shape).filter(lambda layout: is_strided(Mapping(shape, layout)))))
    view, data = view_in_memory(draw, mapping)
    for operation in draw(operation_chains(shape)):
        moved = operation(view)
        if moved.ndim > MAX_RANK or not is_strided(moved.mapping):
            break
        view = moved
    if view.ndim < MAX_RANK and draw(st.booleans()):
        view = md.broadcast_to(view, (draw(st.integers(0, 3)), *view.shape))
    return settled(view, draw(st.sampled_from([1, -1]))), data


def settled(view, direction):
    """Permute the strides of 0 to one end and those of 1 to the other, which leaves 30 types up to rank 3."""
    strides = view.mapping.found_strides()
    order = sorted(range(view.ndim), key=lambda r: {0: 0, 1: 2}.get(strides[r], 1))
    return md.permute_dims(view, tuple(order[::direction]))


@given(strided_views())
def test_elements_of_strided_views(given_view):
    check_exchange(*given_view)


def shapes(rank, most=7):
    return st.tuples(*[st.integers(0, most)] * rank)


SQUARES = st.integers(0, 5).map(lambda n: (n, n))
IRREGULAR = {
    "tiled": (LayoutTiled(2, 3), shapes(2)),
    "tiled, left": (LayoutTiled(3, 2, outer=md.LayoutLeft(), inner=md.LayoutLeft()), shapes(2)),
    "tiled of rank 3": (LayoutTiled(2, 2, 3), shapes(3, 4)),
    "morton": (md.LayoutMorton(), st.sampled_from([(3, 5), (4, 4)])),
    "packed": (md.LayoutBlasPacked("upper", "column"), SQUARES),
    "swizzled": (md.LayoutSwizzled(md.LayoutRight(), 2, 0, 3), shapes(2)),
    "symmetric": (LayoutSymmetric(), SQUARES),
}
"""Layouts that are not strided, each with the shapes that it is drawn for."""


@pytest.mark.parametrize("name", IRREGULAR)
@given(st.data())
def test_elements_of_other_layouts(name, data):
    layout, fitting = IRREGULAR[name]
    view, memory = view_in_memory(data.draw, Mapping(data.draw(fitting), layout))
    check_exchange(rearranged(data.draw, view), memory)


def rearranged(draw, view):
    """View as it is, or sliced in far steps, which makes its transform numbers; perhaps permuted, then shortened."""
    if draw(st.booleans()):
        return view
    view = view[tuple([draw(far_slices(e)) for e in view.shape])]
    if draw(st.booleans()):
        view = md.permute_dims(view, tuple(range(view.ndim))[::-1])
    return view[tuple([slice(draw(st.integers(0, e)), None) for e in view.shape])]


@st.composite
def far_slices(draw, extent):
    """Slice of a dimension that goes backwards or leaves something out."""
    first = draw(st.integers(0, max(0, extent - 1)))
    step = draw(st.sampled_from([-1, *FAR]))
    most = 0 if extent == 0 else (extent - 1 - first) // step + 1 if step > 0 else first // -step + 1
    return ExtentSlice(first, draw(st.integers(0, most)), step)


@st.composite
def scattered(draw, dtype="d", accessor=md.DefaultAccessor(), *, kind=int):
    """Views of rank 2 of one type: no stride is 0 or 1."""
    shape = draw(shapes(2, 4)) if kind is int else (kind(3), kind(2))
    strides = tuple([draw(st.sampled_from(FAR)) for _ in shape])
    layout = LayoutStrideRelaxed(strides, draw(st.integers(0, 2)) - negative_reach(shape, strides))
    return view_in_memory(draw, Mapping(shape, layout), dtype, accessor)


WRITABLE = {
    "int64": scattered("q"),
    "uint8": scattered("B"),
    "complex128": scattered("D"),
    "checked": scattered(accessor=md.CheckedAccessor()),
    "unchecked": scattered(accessor=md.UncheckedAccessor()),
    "unchecked uint8": scattered("B", md.UncheckedAccessor()),
    "static": scattered(kind=md.dim),
    "static complex128": scattered("D", md.CheckedAccessor(), kind=md.dim),
}


@pytest.mark.parametrize("name", WRITABLE)
@given(st.data())
def test_elements_of_other_types_and_accessors(name, data):
    check_exchange(*data.draw(WRITABLE[name]))


@numba.njit
def read(v, out):
    n = 0
    for i in range(v.extent(0)):
        for j in range(v.extent(1)):
            out[n] = v[i, j]
            n += 1


READ_ONLY = {
    "read-only": scattered(accessor=md.ReadOnlyAccessor()),
    "read-only int64": scattered("q", md.ReadOnlyAccessor(md.CheckedAccessor())),
    "scaled": scattered(accessor=md.ScaledAccessor(2.5)),
    "scaled int64": scattered("q", md.ScaledAccessor(-3, md.UncheckedAccessor())),
    "conjugated": scattered("D", md.ConjugatedAccessor()),
}


@pytest.mark.parametrize("name", READ_ONLY)
@given(st.data())
def test_loads_of_read_only_accessors(name, data):
    view, memory = data.draw(READ_ONLY[name])
    before = memory.copy()
    out = np.zeros(view.size, memory.dtype)
    read(view, out)
    expected = [view.accessor.load(before, place) for place in places(view)]
    assert out.tobytes() == np.array(expected, memory.dtype).tobytes()
    assert memory.tobytes() == before.tobytes()


@numba.njit
def step_by_step(v, out, x):
    n = 0
    for i in range(v.extent(0)):
        for j in range(v.extent(1)):
            out[n] = v[i, j].fetch_add(x)
            v[i, j] -= 1
            v[0, 0] = v[i, j]
            kernels.atomic_add(v, (i, 0), 2)
            n += 1


@pytest.mark.parametrize("dtype", ["q", "d"])
@given(st.data())
def test_atomic_steps(dtype, data):
    view, memory = data.draw(scattered(dtype, md.AtomicAccessor()))
    memory[:] = np.arange(len(memory))
    after, before = memory.copy(), []
    for i, j in product(*map(range, view.shape)):
        here, corner, start = [view.origin + view.mapping(*index) for index in ((i, j), (0, 0), (i, 0))]
        before.append(after[here])
        after[here] += 4
        after[here] -= 1
        after[corner] = after[here]
        after[start] += 2
    out = np.zeros(view.size, dtype)
    step_by_step(view, out, 4)
    assert out.tolist() == before
    assert memory.tobytes() == after.tobytes()


@numba.njit
def block(v, out, rows, columns):
    a, b, s = rows
    c, d, t = columns
    part = v[a:b:s, c:d:t][::-1, 1:]
    n = 0
    for i in range(part.extent(0)):
        for j in range(part.extent(1)):
            out[n] = part[i, j]
            part[i, j] = n
            n += 1
    return part.shape


@numba.njit
def lines(v, out, i, columns):
    c, d, t = columns
    n = 0
    for part in (v[i], v[..., i], v[i, c:d:t], md.subview(v, (0, 1), i)[0:1][:, ...]):
        n += 1
    return n


SLICED = {
    "strided": scattered(),
    "right": st.composite(lambda draw: view_in_memory(draw, Mapping(draw(shapes(2)))))(),
}
