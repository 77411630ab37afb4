"""Padded views in kernels: loads are those of Python, stores in the padding raise, parts and windows keep both."""

from array import array

import pytest
from samples import all_indices

import mdview as md
from mdview import LayoutComposed, LayoutMorton, LayoutTiled, Mapping, MDView
from mdview.errors import HaloError, KernelError
from mdview.index.transforms import IndexTransform

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")
kernels = pytest.importorskip("mdview.numba")


@numba.njit
def read1(v, out):
    for i in range(v.extent(0)):
        out[i] = v[i]


@numba.njit
def read2(v, out):
    for i in range(v.extent(0)):
        for j in range(v.extent(1)):
            out[i * v.extent(1) + j] = v[i, j]


@numba.njit
def read3(v, out):
    for i in range(v.extent(0)):
        for j in range(v.extent(1)):
            for k in range(v.extent(2)):
                out[(i * v.extent(1) + j) * v.extent(2) + k] = v[i, j, k]


@numba.njit
def read4(v, out):
    for i in range(v.extent(0)):
        read3(v[i], out[i * v[0].size :])


READ = {1: read1, 2: read2, 3: read3, 4: read4}


def check(view, dtype="d"):
    """A kernel loads what Python does, to the bit."""
    out = np.full(view.size, 77, dtype)
    READ[view.ndim](view, out)
    assert out.tobytes() == np.array([view[i] for i in all_indices(view.shape)], dtype).tobytes()


def numbered(mapping, dtype="d"):
    return MDView.from_mapping(np.arange(1, 1 + mapping.required_span_size).astype(dtype), mapping)


ROWS = md.asview(np.arange(1.0, 13.0).reshape(3, 4))
BASES = {
    "right": ROWS,
    "static": MDView(np.arange(1.0, 13.0), (md.dim(3), md.dim(4))),
    "sliced": ROWS[::-1, ::2],
    "tiled": numbered(Mapping((3, 4), LayoutTiled(2, 3))),
    "part of tiles": numbered(Mapping((3, 4), LayoutTiled(2, 3)))[1:, ::-1],
    "morton": numbered(Mapping((3, 4), LayoutMorton())),
    "packed": numbered(Mapping((4, 4), md.LayoutBlasPacked("upper", "column"))),
    "reshaped": md.reshape(numbered(Mapping((4, 6), LayoutTiled(2, 3))), (3, 8)),
    "scaled": md.scaled(-3, ROWS),
    "read-only": md.readonly(md.checked(ROWS)),
    "unchecked": md.unchecked(ROWS),
    "one element": ROWS[1:2, 1:2],
}
MODES = ("constant", "edge", "reflect", "wrap")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", BASES)
def test_padding_reads_as_in_python(name, mode):
    for widths in (1, ((0, 2), (3, 1)), 9):
        view = md.pad(BASES[name], widths, mode=mode)
        for part in (view, view[1:-1], view[::-1, ::2], md.permute_dims(view, (1, 0)), view[:, -1:]):
            check(part)


@pytest.mark.parametrize("mode", MODES)
def test_windows_over_padding(mode):
    for base in (ROWS, BASES["tiled"], BASES["morton"]):
        windows = md.sliding_window(md.pad(base, 1, mode=mode), (2, 3))
        for view in (windows, windows[1], windows[:, 0], windows[:, :, 1, 2], windows[::2]):
            check(view)
    check(md.diagonal(md.pad(BASES["tiled"], 2, mode=mode)))
    check(md.reshape(md.pad(ROWS, 1, mode=mode), (5, 6)))
    check(md.reshape(md.pad(ROWS, 1, mode=mode), (2, 15))[:, ::3])
    check(md.pad(md.asview(np.arange(24.0).reshape(2, 3, 4)), 1, mode=mode))


@numba.njit
def inner_parts(v, out):
    n = 0
    for i in range(v.extent(0)):
        for j in range(v.extent(1)):
            window = v[i, j]
            for k in range(window.extent(0)):
                line = window[k, ::-1]
                for m in range(len(line)):
                    out[n] = line[m]
                    n += 1


@pytest.mark.parametrize("mode", MODES)
def test_parts_that_a_kernel_makes(mode):
    windows = md.sliding_window(md.pad(ROWS, 2, mode=mode), (3, 2))
    out = np.zeros(windows.size)
    inner_parts(windows, out)
    assert out.tolist() == [windows[i, j, k, m] for i, j, k in all_indices(windows.shape[:3]) for m in (1, 0)]


@pytest.mark.parametrize("code", ["?", "b", "Q", "q", "f", "D"])
@pytest.mark.parametrize("constant", [True, -2, 0.1, 2 - 1j])
def test_a_constant_keeps_its_number(code, constant):
    view = md.pad(md.asview(np.array([[1]], code)), 1, constant=constant)
    load = numba.njit(lambda v, i: v[i, i])
    if (code in "qQ" and type(constant) in {float, complex}) or (code == "Q" and constant == -2):
        with pytest.raises(KernelError, match="a kernel has no type for elements of type"):
            load(view, 0)
    else:
        assert (load(view, 0), load(view, 1)) == (constant, 1)


def test_a_constant_is_scaled_as_in_python():
    for factor in (-3, 2.5, 1j):
        for constant in (0, -0.0, 7):
            check(md.pad(md.scaled(factor, ROWS), 1, constant=constant), "D" if factor == 1j else "d")
    view = md.scaled(2.0, md.pad(ROWS, 1, constant=4))
    check(view)
    assert numba.njit(lambda v: v[0, 0])(view) == 8.0


def test_views_that_differ_in_numbers_alone_share_their_code():
    views = [md.pad(ROWS[:, k:], w, constant=c) for k, w, c in ((0, 1, 0), (1, 3, 2.5), (2, ((0, 4), (1, 0)), -1))]
    assert len({numba.typeof(view) for view in views}) == 1
    assert numba.typeof(md.pad(ROWS, 1, mode="edge")) != numba.typeof(views[0])


@numba.njit
def put(v, i, j, x):
    v[i, j] = x


def test_a_store_reaches_elements_and_no_padding():
    data = np.zeros((2, 2))
    view = md.pad(md.asview(data), 1)
    put(view, -2, 2, 5.0)
    for index, axis in (((0, 1), 0), ((1, 3), 1), ((-1, -1), 0)):
        with pytest.raises(HaloError, match=f"along dimension {axis}, which is not stored to"):
            put(view, *index, 1.0)
        with pytest.raises(HaloError, match="in the padding along dimension"):
            numba.njit(lambda v, index: kernels.atomic_add(v, index, 1.0))(view, index)
    with pytest.raises(IndexError, match="out of range"):
        put(view, 4, 0, 1.0)
    assert data.tolist() == [[0, 0], [0, 5]]


def test_padding_that_nothing_fills_is_not_read():
    mapping = md.pad(ROWS, 1).mapping
    view = MDView.from_mapping(np.arange(12.0), mapping)
    load = numba.njit(lambda v, i, j: v[i, j])
    assert load(view, 1, 2) == 1.0
    with pytest.raises(HaloError, match="along dimension 1, which is not read; wrap its accessor: FillAccessor"):
        load(view, 1, 0)
    windows = MDView.from_mapping(np.arange(12.0), md.sliding_window(md.pad(ROWS, 1), (2, 2)).mapping)
    with pytest.raises(HaloError, match="lies in the padding, which is not read"):
        numba.njit(lambda v: v[0, 0, 0, 0])(windows)


def test_nothing_but_padding():
    empty = md.pad(md.asview(np.zeros((0, 2))), 1, constant=3)
    check(empty)
    row = md.pad(ROWS, 1, constant=3)[0]
    check(row)
    corner = numba.njit(lambda v: v[0][0])
    assert corner(md.pad(ROWS, 1, constant=3)) == 3.0


@pytest.mark.parametrize("part", [lambda v: v, lambda v: v[0], lambda v: v[1:, ::2], lambda v: v[1:-1, 1:-1]])
def test_parts_come_back(part):
    padded = md.pad(BASES["tiled"], 1, mode="edge")
    for view in (padded, md.flip(padded), md.sliding_window(padded, (2, 2)), md.reshape(padded, (6, 5))):
        found, expected = numba.njit(part)(view), part(view)
        assert found.accessor == expected.accessor
        assert found.tolist() == expected.tolist()


def test_a_box_that_is_not_that_of_the_base_is_refused():
    layout = LayoutComposed(md.LayoutRight(), (3, 4), IndexTransform.taking((0, 1)), ((1, 2), (0, 4)))
    with pytest.raises(KernelError, match="is not where its transform leads to its base"):
        numba.typeof(MDView(array("d", range(12)), (3, 4), layout))
