"""Fields of records are views of the same memory in the same layout, and a store changes the field alone."""

import pickle

import numpy as np
import pytest

import mdview as md

FIELDS = [
    *[("a", "u1"), ("b", "f8"), ("c", "i2", (2, 3)), ("d", "M8[s]"), ("e", [("x", "f4"), ("y", ">i4")])],
    *[("t", "S3"), ("z", "c8"), ("h", "f2"), ("o", "?")],
]
TYPES = {"packed": np.dtype(FIELDS), "aligned": np.dtype(FIELDS, align=True)}
KEYS = ["a", "b", ("c", 1, 2), "d", "e", "t", "z", "h", "o", ("a", "b")]
each_type = pytest.mark.parametrize("dtype", TYPES.values(), ids=TYPES)
each_layout = pytest.mark.parametrize("layout", ["right", "left", "tiled(2, 4)", "morton"])
each_key = pytest.mark.parametrize("key", KEYS, ids=str)


def records(dtype, *shape):
    """An array of different records, without signs and NaN."""
    count = int(np.prod(shape)) * dtype.itemsize
    made = np.random.default_rng(0).integers(1, 60, count, "u1").view(dtype).reshape(shape)
    made["o"] = made["a"] % 2
    return made


def field(array, key):
    """What NumPy has for a key in brackets."""
    if key == ("a", "b"):
        return array[list(key)]
    return array[key[0]][..., key[1], key[2]] if isinstance(key, tuple) else array[key]


@each_key
@each_layout
@each_type
def test_a_field_is_that_of_an_array(dtype, layout, key):
    array = records(dtype, 5, 7)
    view, expected = md.relayout(md.asview(array), layout), field(array, key)
    found = view[key]
    assert (found.extents, found.layout, found.origin) == (view.extents, view.layout, view.origin)
    assert np.asarray(found).shape == (5, 7)
    for back in (found, md.relayout(found, "left"), pickle.loads(pickle.dumps(found))):  # noqa: S301 - our own
        np.testing.assert_array_equal(np.asarray(back), expected)
    np.testing.assert_array_equal(np.asarray(found[1:, ::-2]), expected[1:, ::-2])
    assert [found[index] for index in np.ndindex(5, 7)] == [expected[index] for index in np.ndindex(5, 7)]
    assert md.equal(found, md.relayout(found, "left"))
    if view.is_strided:
        shared = np.asarray(found)
        assert np.shares_memory(shared, np.asarray(view))
        assert (shared.base is not None, shared.flags.writeable) == (True, True)
    elif key not in ("d", "t", "e", ("a", "b")):
        assert found.tolist() == expected.tolist()
        assert type(found[0, 0]) is type(expected[0, 0].item())


@each_key
@each_layout
@each_type
def test_a_store_changes_the_field_alone(dtype, layout, key):
    array = records(dtype, 5, 7)
    view, other = md.relayout(md.asview(array), layout), records(dtype, 5, 7)[::-1, ::-1].copy()
    values = field(other, key)
    names = key if key == ("a", "b") else (key[0] if isinstance(key, tuple) else key,)

    def check(place=(slice(None), slice(None)), new=values):
        for name in names:
            into = array[name][..., key[1], key[2]] if name == "c" else array[name]
            into[place] = new[name] if len(names) > 1 else new
        for name in dtype.names:
            np.testing.assert_array_equal(np.asarray(view)[name], array[name])

    md.copy(md.asview(np.ascontiguousarray(values)), view[key])
    check()
    place = (slice(1, 3), slice(None, None, 2))
    md.copy(md.asview(np.ascontiguousarray(values[place][::-1])), view[key][place])
    check(place, values[place][::-1])
    view[key][3, 4] = values[0, 0]
    check((3, 4), values[0, 0])
    view[key] = view[key][0, 1]
    check(new=field(array, key)[0, 1].copy())
    md.fill(view[key][:2], values[1, 1])
    check((slice(0, 2), slice(None)), values[1, 1])
    view[key] = md.asview(np.ascontiguousarray(values))
    check()


@each_type
def test_fields_of_fields_and_of_files(dtype, tmp_path):
    array = records(dtype, 5, 7)
    md.save(md.asview(array), tmp_path / "records.npy", "tiled(2, 2)")
    with md.open_view(tmp_path / "records.npy", mode="r+") as view:
        assert view["e"]["y"].tolist() == array["e"]["y"].tolist()
        view["e"]["y"][1, 2] = -7
        view["b"] = 1.5
        assert view["b"].itemsize * 35 == view["b"].nbytes == 280
    back = md.open_view(tmp_path / "records.npy")
    assert (back["e"]["y"][1, 2], set(np.ravel(back["b"].tolist()))) == (-7, {1.5})
    assert back[1, 2]["e"]["y"] == -7
    md.save(back["b"], tmp_path / "field.npy", "left")
    assert np.load(tmp_path / "field.npy").dtype == "f8"
    with pytest.raises(md.errors.ReadOnlyError):
        back["b"] = 0
    assert md.reduce(np.add, back["b"]) == 1.5 * 35
    ended = md.transform(lambda x: 2 * x, back["b"])
    assert set(np.ravel(np.asarray(ended))) == {3.0}


@pytest.mark.parametrize("mark", ["i4", "u1"])
@each_layout
def test_kernels_read_and_store_fields_at_any_byte(layout, mark):
    array = np.zeros((5, 7), [("id", mark), ("x", "f4"), ("y", "f8")])
    array["x"] = np.arange(35).reshape(5, 7)
    view = md.relayout(md.asview(array), layout)
    double(view["x"], view["y"])
    np.testing.assert_array_equal(np.asarray(view["y"]), 2 * array["x"])
    assert not np.asarray(view["id"]).any()
    cut(view["x"], view["y"][1:, ::2])
    np.testing.assert_array_equal(np.asarray(view["y"])[1:, ::2], 4 * array["x"][1:, ::2])


@md.numba.jit
def double(source, target):
    for i in range(source.extent(0)):
        for j in range(source.extent(1)):
            target[i, j] += 2 * source[i, j]


@md.numba.jit
def cut(source, target):
    double(source[1:, ::2], target)


@pytest.mark.parametrize("turn", [lambda a: a, lambda a: a.T, lambda a: a[::-1, 1:], lambda a: a[1:, ::2], memoryview])
@pytest.mark.parametrize("key", ["b", "z", "h", "o", "d", "e"])
def test_asview_takes_fields_that_lie_anywhere(key, turn):
    array = records(TYPES["packed"], 5, 7)
    if turn is memoryview and key in "de":
        return
    part = turn(array[key])
    view, expected = md.asview(part), np.array(part)
    assert view.shape == part.shape
    assert np.shares_memory(np.asarray(view), array)
    for back in (view, md.relayout(view, "left"), pickle.loads(pickle.dumps(view))):  # noqa: S301 - our own
        np.testing.assert_array_equal(np.asarray(back), expected)
    others = [array[name].copy() for name in array.dtype.names if name != key]
    view[1, 1] = view[0, 0]
    md.copy(view[:, :1], view[:, -1:])
    expected[1, 1] = expected[0, 0]
    expected[:, -1:] = expected[:, :1]
    np.testing.assert_array_equal(np.asarray(part), expected)
    for name, before in zip([name for name in array.dtype.names if name != key], others, strict=True):
        np.testing.assert_array_equal(array[name], before)


def test_fields_that_overlap_are_stored_in_their_order():
    union = np.dtype({"names": ["whole", "low"], "formats": ["u4", "u2"], "offsets": [0, 0]})
    array, other = np.zeros(3, union), np.array([(8, 3), (1 << 17, 2), (4, 1)], [("whole", "u4"), ("low", "u2")])
    view, expected = md.asview(array.copy()), array[["whole", "low"]]
    both = view["whole", "low"]
    md.copy(md.asview(other), both)
    expected[...] = other
    both[1] = expected[1] = (6 << 20, 1 << 15)
    md.copy(both[::-1], both)
    expected[...] = expected[::-1].copy()
    assert [item.item() for item in both] == np.asarray(both).tolist() == expected.tolist()
    md.fill(both, both[1])
    view["low"] = expected["low"] = 3
    assert view["whole"].tolist() == [6 << 20 | 3] * 3


PARTS = {
    "whole": lambda records: records,
    "flipped": lambda records: records[::-1, ::-1],
    "every other": lambda records: records[::2, 1::3],
    "transposed": lambda records: records.T,
    "row": lambda records: records[-1],
    "none": lambda records: records[:0],
}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("order", ["C", "F"])
@each_type
def test_a_field_that_is_an_array_adds_its_dimensions(dtype, order, part):
    array = np.asarray(records(dtype, 5, 7), order=order)
    view, chosen = PARTS[part](md.asview(array)), PARTS[part](array)
    arrays, expected = view["c"], chosen["c"]
    assert (arrays.shape, arrays.tolist()) == (expected.shape, expected.tolist())
    assert view["c", 1].tolist() == expected[..., 1, :].tolist()
    assert md.relayout(arrays, "left").tolist() == expected.tolist()
    before, others = array.copy(), [name for name in dtype.names if name != "c"]
    arrays[...] = expected[..., ::-1, ::-1].copy()
    assert chosen["c"].tolist() == PARTS[part](before)["c"][..., ::-1, ::-1].tolist()
    view["c"] = np.zeros(expected.shape, "i2")
    assert not chosen["c"].any()
    assert array[others].tolist() == before[others].tolist()


def test_arrays_of_records_without_strides_are_reached_a_number_at_a_time():
    tiled = md.relayout(md.asview(records(TYPES["packed"], 4, 4)), "tiled(2, 2)")
    with pytest.raises(md.errors.NotStridedError, match=r"take one of their numbers: view\[name, 0\]"):
        tiled["c"]
    with pytest.raises(md.errors.IndexTypeError, match=r"array of shape \(2, 3\).* its last number"):
        tiled["c", 2, 0]
    assert tiled["c", 1, 2].shape == (4, 4)
