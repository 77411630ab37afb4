"""Parts of views in kernels and what comes back from them; facts, tiles and runs."""

import gc
import weakref
from array import array

import pytest
from samples import MAPPINGS, LayoutSymmetric

import mdview as md
from mdview.errors import AxisError, IndexOutOfRangeError, KernelError, LayoutError, SliceError

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")
kernels = pytest.importorskip("mdview.numba")
TypingError = pytest.importorskip("numba.core.errors").TypingError


@numba.njit
def row(v, i):
    return v[i]


@numba.njit
def part(v, a, b, s):
    return v[a:b, ::s]


@numba.njit
def part_of_part(v):
    return v[1:, ::-1][::2, 1][-1:]


@numba.njit
def column(v):
    return v[..., 1]


def numbered(mapping):
    return md.MDView.from_mapping(array("d", range(mapping.required_span_size + 1)), mapping)


@pytest.mark.parametrize("name", ["right", "relaxed, flipped", "tiled, ragged", "symmetric", "composed, tiled"])
def test_parts_are_those_of_python(name):
    view = numbered(MAPPINGS[name])
    assert part(view, -2, 99, -2).tolist() == view[-2:99, ::-2].tolist()
    assert part_of_part(view).tolist() == view[1:, ::-1][::2, 1][-1:].tolist()
    assert row(view, -1).tolist() == view[-1].tolist()
    assert column(view).tolist() == view[..., 1].tolist()
    assert part(view, 2, 1, 1).tolist() == []
    assert part(view, 2, 1, 1).shape == view[2:1, ::1].shape


WITH_NEW_AXES = [
    lambda v: v[None],
    lambda v: v[:, np.newaxis, 1],
    lambda v: v[1, None, 1, None],
    lambda v: v[None, 1:, None, ::-1][0, ..., None],
]


@numba.njit
def sum_over_new_axes(v):
    total = 0.0
    column, row = v[:, 1, None], v[None, 1]
    for i in range(column.extent(0)):
        for j in range(row.extent(1)):
            total += column[i, 0] * row[0, j]
    return total


@numba.njit
def stored_through_a_new_axis(v):
    v[:, None][1, 0, 1] = 99.0


@pytest.mark.parametrize("name", ["right", "relaxed, flipped", "tiled, ragged", "symmetric", "composed, tiled"])
def test_none_is_a_new_axis_as_in_python(name):
    view = numbered(MAPPINGS[name])
    for select in WITH_NEW_AXES:
        found, part = numba.njit(select)(view), select(view)
        assert (found.shape, found.tolist()) == (part.shape, part.tolist())
        assert (found.mapping, found.static_extents) == (part.mapping, part.static_extents)
    rows = view.tolist()
    assert sum_over_new_axes(view) == sum(row[1] * x for row in rows for x in rows[1])
    stored_through_a_new_axis(view)
    assert view[1, 1] == 99.0


def test_new_axes_of_padded_views_and_of_one_that_has_no_dimension():
    view = md.pad(numbered(md.Mapping((2, 2), md.LayoutTiled(2, 2))), 1, constant=-1.0)
    for select in WITH_NEW_AXES:
        assert numba.njit(select)(view).tolist() == select(view).tolist()
    assert numba.njit(lambda v: v[None])(md.MDView(array("d", [4.0]), ())).tolist() == [4.0]
    fixed = md.MDView(array("d", range(6)), (md.dim(2), md.dim(3)))
    assert numba.njit(lambda v: v[None])(fixed).static_extents == (None, 2, 3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda v: v[0, None, 0, 0], "3 indices do not fit a view of rank 2"),
        (lambda v: md.subview(v, None, 0), r"stands for a dimension, and None for none; write v\[None\]"),
    ],
)
def test_a_new_axis_is_no_dimension_of_the_view(wrong, message):
    with pytest.raises(TypingError, match=message):
        numba.njit(wrong)(md.MDView(array("d", range(6)), (2, 3)))


def test_a_part_that_comes_back_is_as_narrow_as_that_of_python():
    view = md.MDView(array("d", range(64)), (8, 8), md.LayoutTiled(4, 4))
    for found, its in ((part(view, 0, 4, 8), view[0:4, ::8]), (row(view[:, :4], 1), view[1, :4])):
        assert (found.mapping, found.is_strided) == (its.mapping, its.is_strided)
    reshaped = md.reshape(view, (16, 4))
    assert type(row(reshaped, 3).layout) is type(reshaped[3].layout)
    flipped = md.flip(md.MDView(array("d", range(25)), (5, 5), md.LayoutBlasPacked("lower", "row")))
    assert type(row(flipped, 0).layout) is type(flipped[0].layout)


def test_a_part_that_comes_back_is_the_same_memory_and_keeps_it():
    data = np.zeros((3, 4))
    alive = weakref.ref(data)
    view = md.MDView(data, (3, 4))
    found = row(view, 1)
    found[2] = 7.0
    assert data[1, 2] == 7.0
    assert (type(found.layout), found.accessor) == (md.LayoutRight, view.accessor)
    del view, data
    gc.collect()
    assert alive() is not None
    assert found[2] == 7.0
    del found
    gc.collect()
    assert alive() is None


def test_a_view_that_comes_back_whole_has_its_layout():
    view = numbered(MAPPINGS["tiled, ragged"])
    same = numba.njit(lambda v: v)(view)
    assert (same.mapping, same.accessor) == (view.mapping, view.accessor)
    assert same.mapping.layout == view.mapping.layout
    square = md.unchecked(numbered(md.Mapping((md.dim(2), 3))))
    assert numba.njit(lambda v: v)(square).extents == (2, 3)


def test_subview_keeps_static_extents_and_never_wraps():
    view = numbered(md.Mapping((md.dim(3), md.dim(4), 5)))

    @numba.njit
    def cut(v, i, b, e):
        return md.subview(v, i, md.ALL, (b, e))

    assert cut(view, 1, 1, 4).tolist() == md.subview(view, 1, md.ALL, (1, 4)).tolist()
    assert cut(view, 1, 1, 4).mapping.static_extents == (4, None)
    with pytest.raises(IndexOutOfRangeError):
        cut(view, -1, 0, 1)
    for begin, end in ((-1, 2), (3, 2), (0, 6)):
        with pytest.raises(SliceError):
            cut(view, 0, begin, end)


def test_the_part_of_an_unchecked_view_is_checked():
    view = md.unchecked(numbered(md.Mapping((3, 4))))
    with pytest.raises(IndexError):
        row(view, -1)
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        part(view, 0, 1, 0)


def test_facts():
    @numba.njit
    def facts(v):
        return v.extents, v.shape, v.strides, v.size, v.ndim, v.rank, v.itemsize, len(v), v.extent(1), v.extent(5)

    view = numbered(md.Mapping((md.dim(3), 4), md.LayoutLeft()))
    assert facts(view) == ((3, 4), (3, 4), (1, 3), 12, 2, 2, 8, 3, 4, 1)
    stride = numba.njit(lambda v, r: v.stride(r))
    assert [stride(view, r) for r in range(2)] == [1, 3]
    with pytest.raises(AxisError):
        stride(view, 2)
    with pytest.raises(AxisError):
        numba.njit(lambda v, r: v.extent(r))(view, -1)


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        (lambda v: v.strides, "this view has no strides"),
        (lambda v: v.stride(0), "this view has no strides"),
        (lambda v: v[0, 0, 0], "3 indices do not fit a view of rank 2"),
        (lambda v: v[..., ...], "do not fit a view of rank 2"),
        (lambda v: v["a"], "is no integer, slice"),
        (lambda v: v[(0, 1), 0], "a pair in brackets is no slice"),
        (lambda v: md.subview(v, 0), "subview needs one slice per dimension: rank 2, got 1"),
        (lambda v: kernels.run(v, 0), "has no contiguous runs"),
        (lambda v: kernels.tile(v[1:], 0), "tiles are those of a view under LayoutTiled"),
        (lambda v: v.nonsense, "nonsense"),
    ],
)
def test_what_a_kernel_cannot_do_is_refused_when_compiling(kernel, reason):
    with pytest.raises(TypingError, match=reason):
        numba.njit(kernel)(numbered(MAPPINGS["tiled"]))


def test_storing_through_a_slice_is_left_to_python():
    @numba.njit
    def fill(v):
        v[0] = 1.0

    with pytest.raises(TypingError, match="a kernel stores one element at a time"):
        fill(numbered(md.Mapping((2, 2))))


def test_rank_0_has_no_length():
    with pytest.raises(TypingError, match="a view of rank 0 has one element and no length"):
        numba.njit(lambda v: 1 + len(v))(numbered(md.Mapping(())))


GLOBAL = md.MDView(array("d", range(3)), (3,))


def test_views_that_a_kernel_could_outlive_are_refused():
    view = numbered(md.Mapping((3,)))
    with pytest.raises(KernelError, match="a view is no constant of a kernel"):
        numba.njit(lambda: GLOBAL[0])()
    with pytest.raises(KernelError, match="a view is no constant of a kernel"):
        numba.njit(lambda: view[0])()

    @numba.njit
    def keep(v):
        kept = [v]
        return kept[0][0]

    @numba.njit
    def steps(v):
        for i in range(len(v)):
            yield v[i]

    with pytest.raises(Exception, match="a view cannot be kept in a list"):
        keep(view)
    with pytest.raises(Exception, match="a view cannot be kept in a list"):
        steps(view)
    with pytest.raises(Exception, match="a view cannot be kept in a list"):
        numba.typed.List().append(view)


@pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaPendingDeprecationWarning")
def test_a_list_of_views_is_refused():
    view = numbered(md.Mapping((3,)))
    with pytest.raises(Exception, match="a view cannot be kept in a list"):
        numba.njit(lambda views: views[0][0])([view, view])


def test_a_tuple_of_views_goes_in():
    views = numbered(md.Mapping((3,))), numbered(md.Mapping((2, 2), LayoutSymmetric()))
    assert numba.njit(lambda vs: vs[0][2] + vs[1][1, 1])(views) == 4.0


@numba.njit
def by_tiles(v, out):
    n = 0
    for k in range(kernels.tile_count(v)):
        block = kernels.tile(v, k)
        for r in range(kernels.run_count(block)):
            line = kernels.run(block, r)
            for i in range(len(line)):
                out[n] = line[i]
                n += 1
    return n


@pytest.mark.parametrize("outer", [md.LayoutRight(), md.LayoutLeft()])
@pytest.mark.parametrize("inner", [md.LayoutRight(), md.LayoutLeft()])
@pytest.mark.parametrize("shape", [(4, 6), (5, 7), (2, 3), (0, 4)])
def test_tiles_and_runs_are_those_of_python_and_lie_in_memory_order(shape, inner, outer):
    view = numbered(md.Mapping(shape, md.LayoutTiled(2, 3, outer=outer, inner=inner)))
    found, expected = np.zeros(view.size), np.zeros(view.size)
    assert by_tiles(view, found) == by_tiles.py_func(view, expected) == view.size
    assert found.tolist() == expected.tolist() == sorted(view.mapping.offsets())


@pytest.mark.parametrize("outer", [md.LayoutRight(), md.LayoutLeft()])
def test_tiles_of_a_transpose_lie_in_memory_order_too(outer):
    view = numbered(md.Mapping((6, 5), md.LayoutTranspose(md.LayoutTiled(2, 3, outer=outer))))
    found, expected = np.zeros(view.size), np.zeros(view.size)
    assert by_tiles(view, found) == by_tiles.py_func(view, expected) == view.size
    assert found.tolist() == expected.tolist() == sorted(view.mapping.offsets())


def test_a_tile_and_a_run_come_back():
    view = numbered(MAPPINGS["tiled"])
    tile = numba.njit(lambda v, k: kernels.tile(v, k)[:])
    assert tile(view, 3).tolist() == kernels.tile(view, 3).tolist()
    with pytest.raises(IndexOutOfRangeError, match="no tile"):
        tile(view, 4)
    with pytest.raises(IndexOutOfRangeError, match="tile 4 is out of range: there are 4"):
        kernels.tile(view, 4)
    lines = numbered(md.Mapping((2, md.dim(3), 2), md.LayoutLeft()))
    run = numba.njit(lambda v, k: kernels.run(v, k)[:])
    for k in range(kernels.run_count(lines)):
        assert run(lines, k).tolist() == kernels.run(lines, k).tolist()
    with pytest.raises(IndexOutOfRangeError, match="no run"):
        run(lines, 6)
    with pytest.raises(IndexOutOfRangeError, match="run -1 is out of range"):
        kernels.run(lines, -1)


def test_tiles_and_runs_of_other_layouts_are_refused_in_python_as_well():
    with pytest.raises(LayoutError, match="has no tiles that are strided"):
        kernels.tile_count(numbered(md.Mapping((2, 2))))
    with pytest.raises(LayoutError, match="no stride of this view is 1"):
        kernels.run_count(numbered(md.Mapping((2, 2), md.LayoutStride((6, 2)))))


@pytest.mark.parametrize(
    ("ask", "layout", "words"),
    [
        (lambda v: kernels.tile_count(v) + 0, md.LayoutRight(), "tiles are those of a view under LayoutTiled"),
        (lambda v: kernels.tile(v, 0), md.LayoutRight(), "tiles are those of a view under LayoutTiled"),
        (lambda v: kernels.run_count(v) + 0, md.LayoutStride((6, 2)), "no stride of this view is 1"),
        (lambda v: kernels.run(v, 0), md.LayoutStride((6, 2)), "no stride of this view is 1"),
    ],
    ids=["tile_count", "tile", "run_count", "run"],
)
def test_tiles_and_runs_of_other_layouts_are_refused_when_a_kernel_is_typed(ask, layout, words):
    """Before any code is made for it: an error of types, which another overload could answer."""
    refused = numba.njit(ask)
    with pytest.raises(TypingError, match=words):
        refused(numbered(md.Mapping((2, 2), layout)))


def test_threads_share_a_view():
    @numba.njit(parallel=True)
    def fill(v):
        for k in numba.prange(kernels.tile_count(v)):
            block = kernels.tile(v, k)
            for i in range(block.extent(0)):
                for j in range(block.extent(1)):
                    block[i, j] = k

    view = numbered(md.Mapping((5, 7), md.LayoutTiled(2, 3)))
    fill(view)
    assert [[int(x) for x in line] for line in view.tolist()] == [
        [3 * (i // 2) + j // 3 for j in range(7)] for i in range(5)
    ]


@numba.njit
def exchange_in_part(v, out):
    part = v[1:, ::-1][::2]
    for i in range(part.extent(0)):
        for j in range(part.extent(1)):
            out[i, j] = part[i, j]
            part[i, j] = 100.0 * i + j
    line = part[0, 1:]
    out[0, 0] = line[0]


@pytest.mark.parametrize(
    "name", ["right", "relaxed, flipped", "tiled, ragged", "banded", "morton, plain", "composed, tiled", "swizzled"]
)
def test_elements_of_a_part_of_a_part_are_read_and_written_in_the_kernel(name):
    view, plain = numbered(MAPPINGS[name]), numbered(MAPPINGS[name])
    shape = plain[1:, ::-1][::2].shape
    found, expected = md.MDView(array("d", bytes(8 * shape[0] * shape[1])), shape), np.zeros(shape)
    exchange_in_part(view, found)
    exchange_in_part.py_func(plain, expected)
    assert found.tolist() == expected.tolist()
    assert view.tolist() == plain.tolist()


class Odd(md.Layout):
    """Offsets from every operator, over negative numbers, too."""

    def offset(self, extents, index):
        i, j = index
        lifted = (i - 3) // 3 + (j - 5) // 4 + 5
        turned = (i - 3) % 3 + (j - 5) % 4 + ((i - 7) // (j - 9)) + ((i - 7) % (j - 9)) + 12
        bits = (i ^ j) + (i | j) + (i & 5) + (i << 2) + ((j - 4) >> 1) + 2
        return lifted + turned + bits + min(i, j) + max(3, i) - (-j if i != 2 else +j) + ~i + 9

    def required_span_size(self, extents):
        return 100


def test_arithmetic_rounds_as_in_python():
    view = md.MDView(array("d", range(100)), (8, 8), Odd())
    found, expected = np.zeros((8, 8)), np.zeros((8, 8))

    @numba.njit
    def read(v, out):
        for i in range(8):
            for j in range(8):
                out[i, j] = v[i, j]

    read(view, found)
    read.py_func(view, expected)
    assert found.tolist() == expected.tolist()
