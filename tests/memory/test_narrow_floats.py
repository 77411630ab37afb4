"""Floats of 8 and 16 bits without a letter of `struct` are those of ml_dtypes, bit by bit, with it and without."""

import operator
import pickle

import numpy as np
import pytest
from effort import some
from processes import output_of

import mdview as md
from mdview.dtypes import read_dtype
from mdview.operations import bitcast

ml_dtypes = pytest.importorskip("ml_dtypes")
numba = pytest.importorskip("numba")
NAMES = sorted(name for name in dir(ml_dtypes) if name.startswith(("bfloat", "float8")))
LAYOUTS = ["right", "left", "tiled(2, 4)", "morton", "right_padded(16)"]
each_name = pytest.mark.parametrize("name", NAMES)
each_layout = pytest.mark.parametrize("layout", LAYOUTS)


def dtype(name):
    return np.dtype(getattr(ml_dtypes, name))


def numbers(name, *shape):
    """An array of different finite numbers of a type."""
    return (np.arange(1, 1 + np.prod(shape)) % 7 / 4 + 0.25).reshape(shape).astype(dtype(name))


@each_name
def test_all_codes_are_read_and_written_as_ml_dtypes_does(name):
    size = read_dtype(name).itemsize
    codes = np.arange(1 << 8 * size, dtype=f"u{size}")
    read = md.asview(codes.view(dtype(name)))
    view = bitcast(md.MDView(bytearray(codes.tobytes()), (codes.nbytes,)), name)
    with np.errstate(invalid="ignore"):
        expected = codes.view(dtype(name)).astype(np.float64)
    one_by_one = np.array([view[k] for k in range(codes.size)])
    for found in (one_by_one, read.tolist()):
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
    halves = np.arange(0, 1 << 32, 1 << 15, dtype="u4")  # codes of bfloat16, ties between them, and near these
    codes = np.concatenate([halves, halves + 1, halves - 1])[:: 1 + 6 * (size == 1)]
    with np.errstate(invalid="ignore"):
        singles = codes.view("f4").astype("f8")
    one_by_one, at_once = (md.zeros((singles.size,), dtype=name) for _ in range(2))
    for k, number in enumerate(singles.tolist()):
        one_by_one[k] = number
    with np.errstate(all="ignore"):
        md.copy(md.asview(singles), at_once)
        assert one_by_one.tobytes() == at_once.tobytes() == singles.astype(dtype(name)).tobytes()


@md.numba.jit
def convert(codes, singles, numbers, nearest):
    for k in range(len(codes)):
        singles[k] = codes[k]
    for k in numba.prange(len(numbers)):
        nearest[k] = numbers[k]


@pytest.mark.parametrize("name", some(["float16", *NAMES], 2))
def test_kernels_load_all_codes_and_round_numbers_as_numpy_does(name):
    kind = np.dtype(getattr(ml_dtypes, name, name))
    codes = np.arange(1 << 8 * kind.itemsize, dtype=f"u{kind.itemsize}").view(kind)
    singles = np.arange(0, 1 << 32, 1 << 15, dtype="u4").view("f4")
    with np.errstate(all="ignore"):
        near = np.concatenate([singles, *[np.nextafter(singles, end, dtype="f8") for end in (0, 1e39)]], dtype="f8")
        numbers = near[np.isinf(near) | ~(np.abs(near) >= 65520)] if name == "float16" else near  # see brackets
        found, nearest = np.empty(codes.size, "f4"), np.empty(numbers.size, kind)
        convert(*map(md.asview, (codes, found, numbers, nearest)))
        assert found.tobytes() == codes.astype("f4").tobytes()
        assert nearest.tobytes() == numbers.astype(kind).tobytes()


def field(view):
    records = np.zeros(view.shape, [("a", "i2"), ("b", dtype(view.format))])
    md.copy(view, md.asview(records)["b"])
    return md.relayout(md.asview(records), view.layout)["b"]


WAYS = [
    md.checked,
    lambda v: v[::-1, 1::2],
    field,
    lambda v: md.pad(md.readonly(v), 1, mode="edge"),
    lambda v: md.operations.scaled(2.0, v),
    lambda v: md.permute_dims(v, (1, 0)),
]


@md.numba.jit
def add_half(source, target):
    for i in range(source.extent(0)):
        for j in range(source.extent(1)):
            target[i, j] = source[i, j] + 0.5


@pytest.mark.parametrize(("name", "layout", "way"), some(zip(NAMES, LAYOUTS * 2, WAYS * 2, strict=False), 2))
def test_kernels_take_views_as_python_does(name, layout, way):
    source = way(md.relayout(md.asview(numbers(name, 5, 7)), layout))
    found, expected = [way(md.zeros((5, 7), layout, name)) if way in WAYS[:3] else md.empty_like(source) for _ in "ab"]
    add_half(source, found)
    add_half.py_func(source, expected)
    assert found.tolist() == expected.tolist()


@each_layout
@each_name
def test_whole_views_agree_with_numpy(name, layout):
    array, kind = numbers(name, 5, 7), dtype(name)
    view = md.relayout(md.asview(array), layout)
    assert (view.format, read_dtype(kind).name, read_dtype(kind.type).bits) == (name, name, 8 * kind.itemsize)
    assert np.asarray(view).dtype == kind
    assert np.asarray(view).tobytes() == view.tobytes() == array.tobytes()
    assert view.tolist() == array.tolist()
    assert type(view[1, 2]) is float
    assert md.equal(view, md.asview(array.astype("f8")))
    assert md.reduce(operator.add, view) == sum(array.ravel().tolist())
    assert md.reduce(np.maximum, view) == array.max()
    half = md.transform(lambda x: x / 2, view, out=md.empty_like(view))
    assert half.tolist() == (array.astype("f8") / 2).astype(kind).tolist()
    assert np.asarray(md.transform(np.add, view, view)).tolist() == (array + array).tolist()
    assert md.relayout(view, "left", "f4").tolist() == array.tolist()
    md.fill(view, 0.5)
    assert set(np.ravel(view.tolist())) == {0.5}


@pytest.mark.parametrize("turn", [np.asfortranarray, lambda a: a[::-1, ::2], lambda a: a.T, lambda a: a[2:, 1:]])
@each_name
def test_arrays_of_ml_dtypes_are_viewed_without_a_copy(name, turn):
    array = turn(numbers(name, 4, 6))
    view = md.asview(array)
    view[1, 1] = 0.5
    assert array[1, 1] == 0.5
    assert np.shares_memory(np.asarray(view).view(f"V{array.itemsize}"), array.view(f"V{array.itemsize}"))
    assert np.asarray(view).tobytes() == array.tobytes()


@each_layout
@each_name
def test_files_and_pickles_keep_the_type(name, layout, tmp_path):
    view = md.relayout(md.asview(numbers(name, 5, 7)), layout)
    md.save(view, tmp_path / "a.npy")
    assert np.load(tmp_path / "a.npy").dtype == f"V{view.itemsize}"
    np.save(tmp_path / "numpy.npy", np.asarray(view).view(f"V{view.itemsize}"))
    for back in (
        md.open_view(tmp_path / "a.npy"),
        md.open_view(tmp_path / "numpy.npy", dtype=name),
        pickle.loads(pickle.dumps(view)),  # noqa: S301 - our own
    ):
        assert (back.format, back.tobytes()) == (name, view.tobytes())


def test_without_ml_dtypes_and_numpy_they_are_the_same_numbers(tmp_path):
    program = """
        import sys
        for name in sys.argv[2:]:
            sys.modules[name] = None
        import mdview as md
        view = md.zeros((3, 4), "tiled(2, 2)", "bfloat16")
        md.fill(view, 1.5)
        view[1, 2] = 3.14159
        md.save(view, sys.argv[1])
        back = md.open_view(sys.argv[1])
        assert md.equal(back, md.relayout(view, "left")) and back.format == "bfloat16"
        print(back.tolist(), md.relayout(back, "right", "float8_e5m2").tolist(), md.transform(abs, back).tolist())
        try:
            print(type(view.__array__()).__name__)
        except md.errors.MissingExtraError as error:
            print(error)
    """
    hidden = (), ["ml_dtypes"], ["numpy"]
    runs = [output_of(program, tmp_path / "a.npy", *names).splitlines() for names in hidden]
    assert len({numbers for numbers, _ in runs}) == 1
    assert [told.rpartition("[")[2] for _, told in runs] == ["ndarray", "dtypes]'", "numpy]'"]


@pytest.mark.parametrize(
    ("act", "way"),
    {
        "another byte order": (lambda v: md.asview(np.zeros(2, dtype("bfloat16").newbyteorder(">"))), "astype"),
        "a byte order by name": (lambda v: md.zeros((2,), dtype=">bfloat16"), "names no items"),
        "an older tensor": (lambda v: md.relayout(v, "right", "float8_e5m2").__dlpack__(), "'f') has their numbers"),
        "a buffer": (lambda v: v.memoryview(), "np.asarray(view)"),
        "zarr": (lambda v: md.to_zarr(v, "nowhere"), "relayout(view, view.layout, 'd')"),
        "steps": (md.numba.jit(lambda x: md.numba.atomic_add(x, (0, 0), 1)), "relayout(view, view.layout, 'float32')"),
        "references": (lambda v: md.numba.jit(lambda x: x[0, 0])(md.atomic(v)), "relayout(view, view.layout, "),
        "too large": (lambda v: md.relayout(md.asview(np.array([1e9])), "right", "float8_e4m3fn"), "it would be nan"),
        "a text": (lambda v: v.__setitem__((0, 0), "1"), "convert it first"),
        "other types": (lambda v: md.save(md.asview(np.zeros(2, dtype("complex32"))), "nowhere.npy"), "astype('f4')"),
    }.values(),
)  # fmt: skip
def test_refusals_say_the_way_out(act, way):
    with pytest.raises(md.errors.MDViewError) as found:
        act(md.zeros((2, 2), dtype="bfloat16"))
    assert way in str(found.value)
