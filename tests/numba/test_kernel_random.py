"""Kernels agree to the bit with plain Python over the mapping, on views whose numbers are random.

Each type of view is compiled, so what is drawn here decides numbers: extents, strides, origins, steps. What decides
types comes from fixed lists: element types, accessors, layouts that are not strided, and which strides are 0 or 1.
"""

from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import LayoutSymmetric

import mdview as md
from mdview import ExtentSlice, LayoutStrideRelaxed, LayoutTiled, Mapping, MDView
from mdview.errors import IndexOutOfRangeError
from mdview.layouts.stride_relaxed import negative_reach
from mdview.testing.strategies import layouts, operation_chains

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")
kernels = pytest.importorskip("mdview.numba")
exchanging = pytest.importorskip("exchanging")
places, check_exchange = exchanging.places, exchanging.check_exchange

EXAMPLES = settings().max_examples
SHARE = settings(max_examples=EXAMPLES // 5)
"""How many examples most properties see; there are ten of them, and compiling takes its time as well."""

PLAIN = md.DefaultAccessor()
MAX_RANK = 3
FAR = [-7, -5, -4, -3, -2, 2, 3, 4, 5, 7]
"""Strides and steps that stay numbers of the view, however they are multiplied: 0 and 1 are constants of its type."""

FLOATS = [0.0, -0.0, 1.5, float("nan"), -2.25, 1 / 3, float("inf"), 5e-324, -1e308]
COMPLEX = [complex(x, y) for x, y in pairwise(FLOATS)]


def elements(count, dtype="d"):
    """Array of ``count`` elements that differ from their neighbours, with the odd ones of their type."""
    if dtype in "dD":
        return np.resize(np.array(FLOATS if dtype == "d" else COMPLEX), count)
    return (np.arange(count) * 37 - 90).astype(dtype)


def view_in_memory(draw, mapping, dtype="d", accessor=PLAIN):
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
    """Permute the strides of 0 to one end and those of 1 to the other, which leaves few types of each rank."""
    strides = view.mapping.found_strides()
    order = sorted(range(view.ndim), key=lambda r: {0: 0, 1: 2}.get(strides[r], 1))
    return md.permute_dims(view, tuple(order[::direction]))


@settings(max_examples=EXAMPLES // 2)
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


@st.composite
def irregular_views(draw, names):
    """Views under a layout that is not strided, and of parts of them."""
    layout, fitting = IRREGULAR[draw(st.sampled_from(names))]
    view, memory = view_in_memory(draw, Mapping(draw(fitting), layout))
    return rearranged(draw, view), memory


@SHARE
@given(irregular_views(list(IRREGULAR)))
def test_elements_of_other_layouts(given_view):
    check_exchange(*given_view)


def rearranged(draw, view):
    """View as it is, or sliced in far steps, so that its transform is numbers; perhaps permuted, then shortened."""
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
def scattered(draw, dtype="d", accessor=PLAIN, *, kind=int):
    """Views of rank 2 of one type: no stride is 0 or 1."""
    shape = draw(shapes(2, 4)) if kind is int else (kind(3), kind(2))
    strides = tuple([draw(st.sampled_from(FAR)) for _ in shape])
    layout = LayoutStrideRelaxed(strides, draw(st.integers(0, 2)) - negative_reach(shape, strides))
    return view_in_memory(draw, Mapping(shape, layout), dtype, accessor)


WRITABLE = [
    scattered("q"),
    scattered("B"),
    scattered("D"),
    scattered(accessor=md.CheckedAccessor()),
    scattered("B", md.UncheckedAccessor()),
    scattered(accessor=md.UncheckedAccessor(), kind=md.dim),
    scattered("D", md.CheckedAccessor(), kind=md.dim),
]


@SHARE
@given(st.one_of(WRITABLE))
def test_elements_of_other_types_and_accessors(given_view):
    check_exchange(*given_view)


@numba.njit
def read(v, out):
    n = 0
    for i in range(v.extent(0)):
        for j in range(v.extent(1)):
            out[n] = v[i, j]
            n += 1


READ_ONLY = [
    scattered(accessor=md.ReadOnlyAccessor()),
    scattered("q", md.ReadOnlyAccessor(md.CheckedAccessor())),
    scattered(accessor=md.ScaledAccessor(2.5)),
    scattered("q", md.ScaledAccessor(-3, md.UncheckedAccessor())),
    scattered("D", md.ConjugatedAccessor()),
]


@SHARE
@given(st.one_of(READ_ONLY))
def test_loads_of_read_only_accessors(given_view):
    view, memory = given_view
    before = memory.copy()
    out = np.zeros(view.size, memory.dtype)
    read(view, out)
    expected = [view.accessor.load(before.tolist(), place) for place in places(view)]
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


@SHARE
@given(scattered("q", md.AtomicAccessor()) | scattered("d", md.AtomicAccessor()))
def test_atomic_steps(given_view):
    view, memory = given_view
    memory[:] = np.arange(len(memory))
    after, before = memory.copy(), []
    for i, j in product(*map(range, view.shape)):
        here, corner, start = [view.origin + view.mapping(*index) for index in ((i, j), (0, 0), (i, 0))]
        before.append(after[here])
        after[here] += 4
        after[here] -= 1
        after[corner] = after[here]
        after[start] += 2
    out = np.zeros(view.size, memory.dtype)
    step_by_step(view, out, 4)
    assert out.tolist() == before
    assert memory.tobytes() == after.tobytes()


@st.composite
def bound_to(draw, layout, fitting):
    """Views under ``layout``."""
    return view_in_memory(draw, Mapping(draw(fitting), layout))


FEW = [scattered(), bound_to(md.LayoutLeft(), shapes(2)), *[bound_to(*IRREGULAR[n]) for n in ("tiled", "symmetric")]]
"""Views of rank 2 of a few types, for kernels that take long to compile."""

RANGE = st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.integers(-3, 3).filter(bool))


@numba.njit
def exchange_block(v, out, rows, columns):
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


@SHARE
@given(st.one_of(FEW), RANGE, RANGE)
def test_slices_in_a_kernel_are_those_of_ranges(given_view, rows, columns):
    view, memory = given_view
    first, second = range(view.shape[0])[slice(*rows)][::-1], range(view.shape[1])[slice(*columns)][1:]
    before, after = [], memory.copy()
    for n, index in enumerate(product(first, second)):
        place = view.origin + view.mapping(*index)
        before.append(after[place])
        after[place] = n
    out = np.zeros(len(before))
    assert exchange_block(view, out, rows, columns) == (len(first), len(second))
    assert out.tobytes() == np.array(before, "d").tobytes()
    assert memory.tobytes() == after.tobytes()


@numba.njit
def read_line(v, out, i, columns):
    c, d, t = columns
    line = md.subview(v[:, c:d:t], i, md.ALL)
    for j in range(len(line)):
        out[j] = line[j]
    return len(line)


@SHARE
@given(st.one_of(FEW), st.integers(0, 9), RANGE)
def test_a_line_in_a_kernel(given_view, i, columns):
    view, memory = given_view
    expected = np.zeros(view.shape[1])
    chosen = range(view.shape[1])[slice(*columns)]
    out = expected.copy()
    if i >= view.shape[0]:
        with pytest.raises(IndexOutOfRangeError, match="dimension 0"):
            read_line(view, out, i, columns)
        return
    expected[: len(chosen)] = [memory[view.origin + view.mapping(i, j)] for j in chosen]
    assert read_line(view, out, i, columns) == len(chosen)
    assert out.tobytes() == expected.tobytes()


@numba.njit
def get(v, i, j):
    return v[i, j]


@numba.njit
def put(v, i, j, x):
    v[i, j] = x


def valid(i, extent, *, wraps):
    """Index that ``i`` stands for, None where it is out of range."""
    found = i + extent if wraps and i < 0 else i
    return found if 0 <= found < extent else None


ANY_INDEX = st.integers(-9, 9) | st.sampled_from([2**62, -(2**62), 2**63 - 1, -(2**63)])
CHECKED = scattered(accessor=md.CheckedAccessor())


@SHARE
@given(st.one_of(*FEW, CHECKED), ANY_INDEX, ANY_INDEX)
def test_an_index_is_an_element_or_an_error_and_never_another_one(given_view, i, j):
    view, memory = given_view
    wraps = view.accessor == PLAIN
    index = [valid(k, e, wraps=wraps) for k, e in zip((i, j), view.shape, strict=True)]
    after = memory.copy()
    if None in index:
        for call in (lambda: get(view, i, j), lambda: put(view, i, j, 8.0)):
            with pytest.raises(IndexOutOfRangeError, match=f"of dimension {index.index(None)}"):
                call()
    else:
        place = view.origin + view.mapping(*index)
        assert np.float64(get(view, i, j)).tobytes() == memory[place].tobytes()
        put(view, i, j, 8.0)
        after[place] = 8.0
    assert memory.tobytes() == after.tobytes()


@numba.njit
def read_tiles(v, out):
    n = 0
    for k in range(kernels.tile_count(v)):
        part = kernels.tile(v, k)
        for i in range(part.extent(0)):
            for j in range(part.extent(1)):
                out[n] = part[i, j]
                n += 1
    return n


@SHARE
@given(st.one_of([bound_to(*IRREGULAR[name]) for name in ("tiled", "tiled, left")]))
def test_tiles(given_view):
    view, memory = given_view
    height, width = view.layout.tile
    corners = [(p, q) for p in range(0, view.shape[0], height) for q in range(0, view.shape[1], width)]
    if view.layout.outer == md.LayoutLeft():
        corners.sort(key=lambda corner: corner[::-1])
    inside = [(range(view.shape[0])[p : p + height], range(view.shape[1])[q : q + width]) for p, q in corners]
    expected = [memory[view.origin + view.mapping(i, j)] for rows, columns in inside for i in rows for j in columns]
    out = np.zeros(view.size)
    assert read_tiles(view, out) == view.size
    assert out.tobytes() == np.array(expected, "d").tobytes()


@numba.njit
def read_runs(v, out):
    n = 0
    for k in range(kernels.run_count(v)):
        line = kernels.run(v, k)
        for i in range(len(line)):
            out[n] = line[i]
            n += 1
    return n


NEIGHBOURS = [md.LayoutRight(), md.LayoutLeft(), md.LayoutRightPadded(3), md.LayoutLeftPadded(5)]
LINED_UP = [bound_to(layout, shapes(rank, 4)) for layout in NEIGHBOURS for rank in (1, 2, 3)]


@SHARE
@given(st.one_of(LINED_UP))
def test_runs_in_a_kernel_and_in_python(given_view):
    view, memory = given_view
    # A dimension of one index has any stride, so that the type of the view decides along which dimension runs go.
    axis = max(r for r, s in enumerate(numba.typeof(view).form.strides) if s == 1)
    others = [range(e) for r, e in enumerate(view.shape) if r != axis]
    lines = [[(*rest[:axis], k, *rest[axis:]) for k in range(view.shape[axis])] for rest in product(*others)]
    expected = [memory[view.origin + view.mapping(*index)] for line in lines for index in line]
    for function in (read_runs, read_runs.py_func):
        out = np.zeros(view.size)
        assert function(view, out) == view.size
        assert out.tobytes() == np.array(expected, "d").tobytes()
    assert kernels.run_count(view) == len(lines)
