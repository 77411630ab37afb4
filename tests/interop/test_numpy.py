"""asview: a view of an array's own memory, and back again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview import LayoutLeft, LayoutRight, LayoutRightPadded, LayoutStride, LayoutStrideRelaxed, MDView, asview
from mdview.errors import BufferFormatError, ReadOnlyError, StrideError

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


@pytest.mark.parametrize("other", [[1, 2], memoryview(b"ab"), np.float64(1), np.ma.masked_array([1, 2], [True, False])])
def test_what_is_no_plain_array_is_refused(other):
    with pytest.raises(
        BufferFormatError, match=r"asview takes a NumPy array without mask, got .*; use MDView for other data"
    ):
        asview(other)


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
