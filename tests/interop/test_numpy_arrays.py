"""asview: a view of an array's own memory, and back again."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview import (
    LayoutLeft,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    MDView,
    ReadOnlyAccessor,
    asview,
)
from mdview.errors import BufferFormatError, ReadOnlyError, StrideError

pytestmark = pytest.mark.usefixtures("quick_collections")

BASE = np.arange(120.0).reshape(2, 3, 4, 5)
ARRAYS = {
    "right": BASE,
    "left": BASE.T,
    "flipped": BASE[::-1, :, ::-1],
    "stepped": BASE[:, ::2, 1::2, ::-2],
    "broadcast": np.broadcast_to(BASE[0, 0], (3, 4, 5)),
    "permuted": BASE.transpose(2, 0, 3, 1),
    "padded": BASE[..., :3],
    "diagonal": np.lib.stride_tricks.as_strided(BASE, (2,), (32 * 15,)),
    "windows": np.lib.stride_tricks.sliding_window_view(BASE.ravel(), 7),
    "rank 0": np.array(3.0),
    "empty": BASE[:, 3:],
    "ones": BASE[:1, :1, ::-1][:, :, :1],
    "foreign": BASE.astype(">f8")[::-1],
    "complex": BASE.astype("c16"),
    "half": BASE.astype("f2"),
    "booleans": BASE > 50,
}


@pytest.mark.parametrize("name", ARRAYS)
def test_a_round_trip_shares_every_element(name):
    array = ARRAYS[name]
    view = asview(array)
    assert view.shape == array.shape
    assert view.tolist() == array.tolist()
    assert view.data is array
    back = np.asarray(view)
    assert back.dtype == array.dtype
    assert back.tolist() == array.tolist()
    assert array.size == 0 or np.shares_memory(back, array)
    assert asview(back).layout == view.layout


KINDS = [
    *("?", "b", "B", "h", "i", "l", "L", "q", "Q", "e", "f", "d", "g", "F", "D", "G"),
    *("<f8", ">f8", ">i4", ">c16", ">f2", "M8[s]", "M8[ms]", ">M8[s]", "m8[us]", "S1", "S3", "U1", "U2", "V4", "O"),
    *([("a", "<f4")], [("b", "<f4")], [("a", ">f4")], [("a", "O")], [("a", "i4"), ("b", "O")]),
]


def filled(kind, shape):
    values = np.arange(60).astype("M8[s]" if "M8" in str(kind) else "i8").astype(np.dtype(kind))
    return np.resize(values, shape) if shape else values[3:4].reshape(())


VARIANTS = {
    "right": lambda a: a,
    "left": np.asfortranarray,
    "part": lambda a: a[1:, 1:],
    "flipped": lambda a: a[::-1, ::-2],
    "broadcast": lambda a: np.broadcast_to(a[0], a.shape),
    "one row": lambda a: a[1],
    "one column": lambda a: a[:, 1],
    "nothing": lambda a: a[:0],
    "rank 0": lambda a: a[1:2, 1:2].reshape(()),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_arrays_of_every_kind_are_told_apart_however_alike(variant):
    kept = []
    for kind in (*KINDS, *KINDS[::-1]):  # each kind comes before and after any other
        for writeable in (True, False):
            array = VARIANTS[variant](filled(kind, (3, 4)))
            array.flags.writeable &= writeable
            view = asview(array)
            kept.append((array, view))
            assert isinstance(view.accessor, ReadOnlyAccessor) is not array.flags.writeable
            assert view.data is array
            assert view.format == (array.dtype.char if array.dtype.char in "lLqQ" else asview(array).format)
            back = np.asarray(view)
            assert (back.dtype, back.flags.writeable) == (array.dtype, array.flags.writeable)
            assert array.size == 0 or np.shares_memory(back, array)
    for array, view in kept:
        assert text(view) == text(array)
        assert array.dtype.kind in "VMm" or view.tolist() == array.tolist()
        if array.flags.writeable and array.size:
            last = tuple([-1] * array.ndim)
            array[last] = array.ravel()[0]
            assert str(np.asarray(view)[last]) == str(array[last])


@pytest.mark.parametrize("variant", ["right", "left", "part", "flipped", "one column"])
def test_a_view_keeps_the_array_alive_and_in_its_place(variant):
    for _ in range(2):
        base = filled("d", (3, 4))
        array = VARIANTS[variant](base)
        wanted, gone = array.tolist(), weakref.ref(array)
        view = asview(array)
        with pytest.raises(ValueError, match="resize"):
            array.resize((100, 100))
        del array, base
        gc.collect()
        assert view.tolist() == wanted
        assert gone() is view.data
        view.release()
        gc.collect()
        assert gone() is None


def test_what_is_not_an_array_itself_is_held_each_time_anew(tmp_path):
    whole = np.memmap(tmp_path / "data", "f8", "w+", shape=(3, 4))
    for array in (whole, whole[1:, ::2], np.arange(12.0).reshape(3, 4).view(Tagged)[::-1]):
        for _ in range(2):
            view = asview(array)
            assert view.tolist() == array.tolist()
            assert view.data is array


@given(st.data())
def test_any_slice_of_an_array_is_a_view_of_its_own_memory(data):
    array = np.arange(60).reshape(3, 4, 5)
    key = tuple([data.draw(st.slices(n)) for n in array.shape])
    part = array[key].transpose(data.draw(st.permutations(range(3))))
    view = asview(part)
    assert view.tolist() == part.tolist()
    if part.size:
        view[...] = -1
        assert (part == -1).all()
        assert (array == -1).sum() == part.size


@pytest.mark.parametrize(
    ("array", "layout"),
    [
        (np.zeros((2, 3)), LayoutRight()),
        (np.zeros((2, 3), order="F"), LayoutLeft()),
        (np.zeros((4, 6))[:, :4], LayoutRightPadded(6)),
        (np.zeros((4, 6))[:, ::2], LayoutStride((6, 2))),
        (np.zeros((4, 6))[::-1], LayoutStrideRelaxed((-6, 1), 18)),
        (np.broadcast_to(np.zeros(3), (2, 3)), LayoutStrideRelaxed((0, 1))),
        (np.zeros((0, 3))[::-1], LayoutRight()),
    ],
)
def test_the_layout_is_the_narrowest(array, layout):
    assert asview(array).layout == layout


def test_a_store_reaches_the_array():
    array = np.arange(12).reshape(3, 4)
    asview(array[::-1])[0, 0] = -1
    assert array[2, 0] == -1


def test_a_read_only_array_gives_a_read_only_view():
    array = np.arange(4)
    array.flags.writeable = False
    view = asview(array)
    with pytest.raises(ReadOnlyError, match="this view is read-only"):
        view[0] = 1


def test_what_python_has_no_type_for_stays_numpys():
    records = np.array([(1, 2.0), (3, 4.0)], dtype=[("a", "i4"), ("b", "f8")])
    view = asview(records[::-1])
    assert view[0].item() == (3, 4.0)
    view[0] = (5, 6.0)
    assert records[1].item() == (5, 6.0)
    records.flags.writeable = False
    assert asview(records).format == records.dtype.str
    assert asview(np.array(["ab", "c"])).tolist() == ["ab", "c"]


def test_a_masked_array_is_refused():
    with pytest.raises(BufferFormatError, match=r"hides some of its values; say what they are: array.filled\(value\)"):
        asview(np.ma.masked_array([1, 2], [True, False]))


def test_items_without_bytes_are_refused():
    with pytest.raises(BufferFormatError, match="have 0 bytes and no offsets of their own"):
        asview(np.zeros(2, dtype="V0"))


def test_strides_that_are_no_multiple_of_the_item_size_are_refused():
    packed = np.zeros(4, dtype=[("a", "i1"), ("b", "i4")])
    with pytest.raises(
        StrideError, match="byte stride 5 of dimension 0 is no multiple of the item size 4; copy the array first"
    ):
        asview(packed["b"])


def test_an_array_is_data_for_a_view_of_any_layout():
    array = np.arange(6.0)
    assert np.asarray(MDView(array, (3, 2), LayoutLeft())).tolist() == array.reshape(2, 3).T.tolist()


NESTED = np.dtype([("a", "i1"), ("n", [("x", ">f4", (2, 2)), ("s", "U3")]), ("b", "M8[ms]")], align=True)
TRAVELLERS = {
    "records": np.array([(k, k / 2) for k in range(12)], [("a", "i4"), ("b", "f8")]),
    "padded records": np.frombuffer(bytes(range(240)) * NESTED.itemsize, NESTED)[:12],
    "records of foreign order": np.array([(k, k) for k in range(12)], [("a", ">i4"), ("b", "<f8")]),
    "strings": np.array([f"{k}" * k for k in range(12)]),
    "foreign strings": np.array([f"{k}" for k in range(12)], ">U5"),
    "bytes": np.array([b"%d" % k for k in range(12)]),
    "dates": np.arange(12).astype("M8[s]"),
    "foreign durations": np.arange(12).astype(">m8[25us]"),
    "booleans": np.arange(12) % 3 == 0,
    "halves": np.arange(12).astype("f2"),
    "long doubles": np.arange(12).astype("g") / 3,
    "long complex": np.arange(12).astype("G") / 3j,
    "foreign doubles": np.arange(12).astype(">f8"),
    "void": np.arange(12 * 5, dtype="u1").view("V5"),
    "objects": np.array([{"k": k} for k in range(12)]),
    "records of objects": np.array([(k, [k]) for k in range(12)], [("a", "i4"), ("o", "O")]),
}
SHAPES = {
    "whole": lambda a: a,
    "right": lambda a: a.reshape(3, 4),
    "left": lambda a: np.asfortranarray(a.reshape(3, 4)),
    "transposed": lambda a: a.reshape(2, 3, 2).transpose(1, 0, 2),
    "strided": lambda a: a[1::3],
    "flipped": lambda a: a.reshape(3, 4)[::-1, ::-2],
    "broadcast": lambda a: np.broadcast_to(a[:3], (4, 3)),
    "empty": lambda a: a[:0],
    "empty part": lambda a: a[5:5].reshape(0, 3),
    "rank 0": lambda a: a[3:4].reshape(()),
    "part": lambda a: a[3:6],
}
WAYS = [copy.deepcopy, *[lambda value, p=p: pickle.loads(pickle.dumps(value, p)) for p in (0, 2, 5)]]  # noqa: S301


def as_bytes(array):
    """Its items as bytes alone, with what lies between the fields: what NumPy copies of that depends on its version."""
    return array.view(f"V{array.itemsize}")


def twin(array):
    """A copy of all of the items, of objects that of the references."""
    if array.dtype.hasobject:
        return array.copy()
    made = np.empty_like(array)
    as_bytes(made)[...] = as_bytes(array)
    return made


def text(values):
    """What can be compared of records, too."""
    return str(np.asarray(values).tolist())


@pytest.mark.parametrize("travel", WAYS, ids=["copy", *"025"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", TRAVELLERS)
@pytest.mark.parametrize("writeable", [True, False])
def test_a_view_of_any_array_travels(name, shape, writeable, travel):
    array = SHAPES[shape](twin(TRAVELLERS[name]))
    array.flags.writeable = writeable = writeable and array.flags.writeable and shape != "broadcast"
    view = asview(array)
    part = view[(..., *[slice(0, 2)] * view.rank)]
    again, other, its = travel([view, asview(array), part])
    held = np.asarray(again)
    assert (held.dtype, held.dtype.str, held.shape, held.flags.writeable) == (
        array.dtype,
        array.dtype.str,
        array.shape,
        writeable,
    )
    assert text(again) == text(view)
    assert text(its) == text(part)
    assert (again.format, again.mapping, again.accessor) == (view.format, view.mapping, view.accessor)
    assert not np.shares_memory(held, array)
    if array.size and not array.dtype.hasobject:
        assert np.asarray(other).ctypes.data == held.ctypes.data
        if name != "padded records" or travel is not copy.deepcopy:  # which leaves whole arrays to NumPy's own copy
            assert as_bytes(held).tobytes() == as_bytes(array).tobytes()
    if array.size and writeable and view.rank:
        ends = (0,) * view.rank, (-1,) * view.rank
        again[ends[0]] = again[ends[1]]
        assert text(other) == text(again)
        assert str(its[ends[0]]) == str(again[ends[0]])


@pytest.mark.parametrize("travel", WAYS, ids=["copy", *"025"])
@pytest.mark.parametrize("name", [name for name in TRAVELLERS if TRAVELLERS[name].dtype.isnative])
@pytest.mark.parametrize("shape", ["whole", "right", "left"])
def test_an_array_in_one_row_and_its_view_share_memory_afterwards(name, shape, travel):
    array = SHAPES[shape](TRAVELLERS[name].copy())
    view, again = travel([asview(array), array])
    assert view.data is again
    again[...] = again.ravel()[3]
    assert text(view) == text(again) != text(array)


@pytest.mark.parametrize("travel", WAYS, ids=["copy", *"025"])
def test_a_window_of_records_travels_alone(travel):
    array = np.zeros((500, 500), TRAVELLERS["padded records"].dtype)
    window = asview(array)[7:9, 7:9]
    window[1, 1] = array[0, 0]
    assert travel(window).tolist() == window.tolist()
    assert len(pickle.dumps(window)) < array.nbytes / 100


class Tagged(np.ndarray):
    """A subclass of arrays."""


@pytest.mark.parametrize("travel", WAYS, ids=["copy", *"025"])
@pytest.mark.parametrize("kind", [np.memmap, np.recarray, Tagged])
def test_a_view_of_an_array_of_a_subclass_travels(kind, travel, tmp_path):
    if kind is np.memmap:
        array = np.memmap(tmp_path / "data", "f8", "w+", shape=(2, 3))
        array[:] = np.arange(6.0).reshape(2, 3)
    else:
        array = np.arange(6.0).reshape(2, 3).view(kind)
    for view in (asview(array), MDView(array, (2, 3))):
        again, other = travel([view, MDView(array, (6,))])
        assert again.tolist() == view.tolist()
        other[5] = -1.0
        assert again[1, 2] == -1.0
        is_opened = kind is np.memmap and travel is not copy.deepcopy  # the same file, and no copy of it
        assert view[1, 2] == (-1.0 if is_opened else 5.0)
        view[1, 2] = 5.0


def test_objects_travel_as_the_same_objects():
    shared = ["x"]
    array = np.array([shared, shared, None], dtype=object)[::2]
    for travel in WAYS:
        view, again, other = travel([asview(array), shared, asview(array)])
        assert view[0] is again
        view[1] = "new"
        assert other[1] == "new"


@pytest.mark.parametrize("kind", ["M8[s]", "m8[s]"])
def test_an_array_of_dates_is_stored_element_by_element(kind):
    numbers = np.arange(6).astype(kind).reshape(2, 3)
    array = np.zeros((2, 3), kind)
    asview(array)[...] = numbers
    assert np.array_equal(array, numbers)


@pytest.mark.parametrize("travel", WAYS, ids=["copy", *"025"])
@pytest.mark.parametrize("dtype", ["M8[s]", "i4, i4", "S3"])
@pytest.mark.parametrize("kind", [np.recarray, Tagged])
def test_items_that_numpy_alone_reads_travel_from_an_array_of_a_subclass(kind, dtype, travel):
    array = np.arange(20).reshape(4, 5).astype(dtype).view(kind)
    view = asview(array)
    for made in (view, view[1:3, ::-1]):
        again = travel(made)
        assert again.tolist() == made.tolist()
        assert type(again[0, 0]) is type(made[0, 0])
