"""Integers of 1, 2 and 4 bits in every layout are those of a NumPy array, and their bytes are those of packbits."""

import operator
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import output_of

import mdview as md
from mdview.dtypes import read_dtype
from mdview.interop.writers import conflicts
from mdview.operations import bitcast

BITS = {"uint1": 1, "uint2": 2, "uint4": 4, "int1": 1, "int2": 2, "int4": 4}
FORMATS = [order + name for name in BITS for order in ("", ">")]
LAYOUTS = [
    "right",
    "left",
    "tiled(2, 4)",
    "morton",
    "right_padded(16)",
    "swizzled(tiled(4, 8), 1, 0, 3)",
    "stride((13, 1))",
]
each_format = pytest.mark.parametrize("form", FORMATS)
each_layout = pytest.mark.parametrize("layout", LAYOUTS)


def limits(form):
    name = form.lstrip("|>")
    half = 1 << BITS[name] - 1
    return (0, 2 * half - 1) if name[0] == "u" else (-half, half - 1)


def numbers(form, *shape, seed=1):
    low, high = limits(form)
    return np.random.default_rng(seed).integers(low, high + 1, shape)


def packed(row, form):
    """The bytes of integers one after the other."""
    bits, order = BITS[form.lstrip(">")], "big" if form[0] == ">" else "little"
    each = np.unpackbits(np.asarray(row, "i1").view("u1")[:, None], axis=1, count=bits, bitorder="little")
    return np.packbits(each[:, ::-1] if order == "big" else each, bitorder=order).tobytes()


@each_layout
@each_format
def test_elements_are_those_of_an_array(form, layout):
    array = numbers(form, 5, 8)
    view, offsets = md.zeros((5, 8), layout, form), md.parse(f"{layout} (5, 8)").offsets
    for index in np.ndindex(5, 8):
        view[index] = int(array[index])
    row = np.zeros(8 * len(view.data) // BITS[form.lstrip(">")], int)
    row[[*offsets()]] = array.ravel()
    assert bytes(view.data) == packed(row, form)
    assert [view[index] for index in np.ndindex(5, 8)] == array.ravel().tolist()
    assert (view[-1, -1], type(view[0, 0]), read_dtype(form).type) == (array[-1, -1], int, int)
    assert view.tobytes() == packed(array.ravel(), form)
    assert view.nbytes == len(view.tobytes()) == read_dtype(form).nbytes(40)


@each_layout
@each_format
def test_whole_views_agree_with_numpy(form, layout):
    array, (low, high) = numbers(form, 5, 8), limits(form)
    view = md.relayout(md.asview(array), layout, form)
    assert np.asarray(view).dtype == view.dtype == ("u1" if low == 0 else "i1")
    np.testing.assert_array_equal(np.asarray(view), array)
    assert view.tolist() == [list(row) for row in view] == array.tolist()
    assert md.equal(view, md.asview(array))
    assert md.equal(view, md.relayout(view, "left"))
    assert md.reduce(np.add, view) == md.reduce(operator.add, view) == array.sum()
    np.testing.assert_array_equal(np.asarray(md.transform(np.add, view, md.asview(array))), array + array)
    turned = md.transform(lambda x: low + high - x, view, out=md.empty_like(view))
    assert turned.format == form
    np.testing.assert_array_equal(np.asarray(turned), low + high - array)
    assert md.transform(np.minimum, view, turned, out=turned).tolist() == np.minimum(array, low + high - array).tolist()
    md.copy(md.asview(np.repeat(array, 2, axis=1)[:, ::2]), view)
    md.copy(view[::-1], view)
    np.testing.assert_array_equal(np.asarray(view), array[::-1])
    md.copy(md.asview(array > low), md.asview(flags := np.zeros((5, 8), bool)))
    if high:
        md.copy(md.asview(flags), view)
        np.testing.assert_array_equal(np.asarray(view), flags)
    md.fill(view, high)
    assert set(np.ravel(view.tolist())) == {high}
    md.copy(md.asview(np.repeat(array, 2)[::2]), row := md.zeros((40,), dtype=form))
    assert row.tobytes() == packed(array.ravel(), form)
    assert md.full((3, 3), low, layout="left", dtype=form).tolist() == [[low] * 3] * 3


@given(
    st.sampled_from(FORMATS),
    st.sampled_from(LAYOUTS),
    st.tuples(*[st.builds(slice, st.integers(0, 4), st.none(), st.integers(1, 3) | st.just(90)) for _ in range(2)]),
    st.sampled_from(["copy", "store", "same", "ufunc", "fill"]),
)
def test_parts_begin_inside_bytes_and_leave_their_neighbours(form, layout, key, act):
    _, high = limits(form)
    array = numbers(form, 130, 11)
    view, spare = md.relayout(md.asview(array), layout, form), md.full((130, 11), high, layout, form)
    part, expected = view[key], array.copy()
    assert part.tolist() == array[key].tolist()
    values = numbers(form, *part.shape, seed=2)
    if act == "copy":
        md.copy(md.asview(values), part)
    elif act == "store":
        view[key] = values.tolist()
    elif act == "same":
        md.copy(md.relayout(md.asview(values), "left", form), part)
    elif act == "ufunc":
        md.transform(np.positive, md.asview(values), out=part)
    else:
        md.fill(part, high)
    expected[key] = high if act == "fill" else values
    np.testing.assert_array_equal(np.asarray(view), expected)
    md.copy(part, spare[key])
    expected[...] = high
    expected[key] = np.asarray(part)
    assert spare.tolist() == expected.tolist()
    assert pickle.loads(pickle.dumps(part)).tolist() == part.tolist()  # noqa: S301 - our own


@each_layout
@each_format
def test_files_and_pickles_keep_the_type(form, layout, tmp_path):
    array = numbers(form, 5, 7)
    view = md.relayout(md.asview(array), layout, form)
    md.save(view, tmp_path / "a.npy")
    md.save(view, tmp_path / "raw", "right")
    raw = np.load(tmp_path / "a.npy")
    assert raw.dtype == "u1"
    assert (tmp_path / "raw").read_bytes() == packed(array.ravel(), form)
    for back in (
        md.open_view(tmp_path / "a.npy"),
        md.open_view(tmp_path / "raw", "right (5, 7)", form),
        pickle.loads(pickle.dumps(view)),  # noqa: S301 - our own
    ):
        assert (back.format, back.tolist()) == (form, array.tolist())
    with md.open_view(tmp_path / "a.npy", mode="r+") as back:
        back[2, 3] = 0
    assert md.open_view(tmp_path / "a.npy")[2, 3] == 0


def test_masks_are_those_of_packbits(tmp_path):
    mask = np.random.default_rng(2).random((30, 64)) < 0.3
    for form, order in (("uint1", "little"), (">uint1", "big")):
        view = md.relayout(md.asview(mask), dtype=form, layout="right")
        assert view.nbytes * 8 == mask.size
        assert bytes(view.data) == np.packbits(mask, bitorder=order).tobytes()
        np.save(tmp_path / "bits.npy", np.packbits(mask, bitorder=order))
        assert md.equal(md.open_view(tmp_path / "bits.npy", "right (30, 64)", form), view)
        back = bitcast(md.MDView(view.data, (30, 8)), form)
        np.testing.assert_array_equal(np.asarray(back), mask)
        assert bitcast(back, "B").shape == (30, 8)


@pytest.mark.parametrize("layout", ["left", "tiled(2, 4)", "morton"])
@pytest.mark.parametrize("form", ["uint1", "int1", ">uint2", "int4", ">int4", "|int4"])
def test_kernels_read_and_store_them(form, layout):
    if form[0] == "|":
        pytest.importorskip("ml_dtypes")
    array, (low, high) = numbers(form, 5, 7), limits(form)
    view = md.relayout(md.asview(array), layout, form)
    for key in (slice(None), slice(None)), (slice(1, None), slice(1, None, 2)):
        found = np.zeros(array[key].shape, int)
        move(view[key], md.asview(found))
        np.testing.assert_array_equal(found, array[key])
        move(md.asview(low + high - found), view[key])
        array[key] = low + high - found
        np.testing.assert_array_equal(np.asarray(view), array)
        cut(view, md.asview(part := np.zeros(array[1:, ::-2].shape, int)))
        np.testing.assert_array_equal(part, array[1:, ::-2])
    for wrong in (low - 1, high + 1):
        with pytest.raises(md.errors.ElementError, match=f"from {low} to {high}"):
            move(md.asview(np.full((5, 7), wrong)), view)


@md.numba.jit
def move(source, target):
    for i in range(source.extent(0)):
        for j in range(source.extent(1)):
            target[i, j] = source[i, j]


@md.numba.jit
def cut(source, target):
    move(source[1:, ::-2], target)


def test_without_numpy_they_are_the_same_numbers(tmp_path):
    program = """
        import sys
        for name in sys.argv[2:]:
            sys.modules[name] = None
        import pickle
        import mdview as md
        view = md.zeros((3, 5), "tiled(2, 2)", "int4")
        view[1] = [1, -2, 3, -8, 7]
        md.copy(view[1:2, ::-1], view[2:])
        md.fill(view[:1, 1:4], -1)
        twice = md.broadcast_to(view[2:, ::2], (3, 3))
        twice[...] = md.relayout(md.flip(twice, 1), "left")
        md.save(view, sys.argv[1])
        back = md.open_view(sys.argv[1])
        assert md.equal(back, md.relayout(view, "left")) and back.format == "int4"
        part = pickle.loads(pickle.dumps(view[1:, 1:]))
        numbers = back.tolist(), part.tolist()
        print(numbers, view.tobytes().hex(), md.relayout(back, "right", "i").tolist())
    """
    assert output_of(program, tmp_path / "a.npy") == output_of(program, tmp_path / "a.npy", "numpy")


@pytest.mark.parametrize("cut", [4, 8])
@pytest.mark.parametrize("layout", ["right", "left", "tiled(3, 2)"])
def test_conflicts_of_elements_that_share_a_byte_are_those_of_tiles_or_units_of_whole_bytes(cut, layout):
    view, parts = md.zeros((9, 24), layout, "uint1"), [(..., slice(0, cut)), (..., slice(cut, None))]
    with pytest.raises(md.errors.LayoutError, match="no tiles of whole bytes"):
        conflicts(parts, view)
    assert (conflicts(parts, view, unit=(1, 8)) is None) == (cut == 8)
    assert conflicts(parts, md.zeros((9, 24), "tiled(2, 4)", "uint1")) is None


@pytest.mark.parametrize("extents", [(), (1,), (1, 1), (3,), (0, 2)], ids=str)
@pytest.mark.parametrize(
    "dtype", ["float4_e2m1fn", "float6_e2m3fn", "float8_e5m2", "bfloat16", "int4", "uint2", "uint1"]
)
def test_a_view_is_stored_into_itself_and_its_equal(dtype, extents):
    view = md.full(extents, 1, dtype=dtype)
    view[...] = view
    md.copy(view, view)
    target = md.zeros(extents, dtype=dtype)
    md.copy(view, target)
    assert target.tolist() == view.tolist() == md.full(extents, 1).tolist()
