"""A view: what it tells, what it loads and stores, and what it says when it cannot."""

from array import array
from types import SimpleNamespace

import numpy as np
import pytest
from samples import MAPPINGS, all_indices, nested

from mdview import (
    CheckedAccessor,
    DefaultAccessor,
    LayoutLeft,
    LayoutRight,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    UncheckedAccessor,
    atomic,
    dim,
    fill,
    readonly,
    subview,
)
from mdview.errors import (
    AccessorTypeError,
    BufferSizeError,
    IndexOutOfRangeError,
    IndexTypeError,
    NotStridedError,
    NullViewError,
    RankError,
    RankTypeError,
    ReadOnlyError,
    ShapeError,
)


def matrix(**policy):
    return MDView(array("q", range(12)), (3, 4), **policy)


@pytest.fixture(params=MAPPINGS)
def mapping(request):
    return MAPPINGS[request.param]


FACTS = [
    "extents",
    "layout",
    "rank",
    "size",
    "static_extents",
    "required_span_size",
    "is_unique",
    "is_exhaustive",
    "is_strided",
    "is_always_unique",
    "is_always_exhaustive",
    "is_always_strided",
    "valid_box",
]


def test_a_view_tells_everything_that_its_mapping_tells(mapping):
    view = MDView.from_mapping(range(99), mapping, ReadOnlyAccessor())
    assert view.mapping == mapping
    for fact in FACTS:
        assert getattr(view, fact) == getattr(mapping, fact)
    assert list(view.offsets()) == list(mapping.offsets())
    assert [view.extent(r) for r in range(view.rank + 1)] == [mapping.extent(r) for r in range(view.rank + 1)]
    assert (view.ndim, view.shape) == (mapping.rank, tuple(map(int, mapping.extents)))
    assert view.is_valid(*[0] * view.rank) == mapping.is_valid(*[0] * view.rank)
    if mapping.is_strided:
        assert view.strides == mapping.strides
        assert [view.stride(r) for r in range(view.rank)] == list(mapping.strides)
    else:
        with pytest.raises(NotStridedError):
            view.strides  # noqa: B018 - the access is the test


def test_a_view_tells_of_its_data():
    data = array("f", [1, 2, 3])
    view = MDView.from_mapping(data, Mapping((2,)), origin=1)
    assert view.data is data
    assert (view.format, view.itemsize, view.origin, view.accessor) == ("f", 4, 1, DefaultAccessor())
    assert (view.layout, view[0]) == (LayoutRight(), 2.0)
    assert MDView(["a"], (1,)).format == "O"


def test_the_elements_of_any_layout(mapping):
    data = [str(k) for k in range(mapping.required_span_size)]
    view = MDView.from_mapping(data, mapping)
    assert view.tolist() == nested(mapping.extents, lambda index: data[mapping(*index)])
    assert [view.at(index) for index in all_indices(mapping.extents)] == [view[i] for i in all_indices(mapping.extents)]
    assert ("0" in view) == (0 in list(mapping.offsets()))


def test_iteration_goes_along_dimension_0(mapping):
    view = MDView.from_mapping(range(99), mapping, ReadOnlyAccessor())
    if mapping.rank == 0:
        with pytest.raises(
            RankTypeError, match=r"a view of rank 0 has one element and no dimension to iterate along; .*view\[\(\)\]"
        ):
            iter(view)
        with pytest.raises(RankTypeError, match="a view of rank 0 has no length"):
            len(view)
        return
    assert len(view) == mapping.extents[0]
    rows = list(view)
    assert [row if mapping.rank == 1 else row.tolist() for row in rows] == view.tolist()


def test_rank_generic_access_takes_surplus_zeros():
    view = matrix()
    assert view.at((2, 1)) == view.at((2, 1, 0, 0)) == view.at(np.array([2, 1])) == 9
    assert MDView([7], ()).at((0,)) == 7
    for index, error, message in [
        ((2,), RankError, "rank 2 takes at least 2 indices, got 1"),
        ((2, 1, 1), IndexOutOfRangeError, "index 1 is out of range for extent 1 of dimension 2"),
        ((2, -1), IndexOutOfRangeError, "index -1 is out of range for extent 4 of dimension 1"),
        ((2, 1.0), IndexTypeError, r"index 1\.0 of dimension 1 must be an integer, not float"),
    ]:
        with pytest.raises(error, match=message):
            view.at(index)


@pytest.mark.parametrize(
    "value",
    [
        [[1, 2], [3, 4]],
        ((1, 2), (3, 4)),
        MDView([1, 3, 2, 4], (2, 2), LayoutLeft()),
        np.array([[1, 2], [3, 4]]),
        np.array([[1, 2], [3, 4]], ">i2"),
        np.array([[1, 3], [2, 4]]).T,
        memoryview(np.array([[1, 2], [3, 4]])),
    ],
    ids=lambda value: type(value).__name__,
)
def test_storing_through_a_slice_copies_any_values_of_that_shape(value):
    view = matrix(layout=LayoutTiled(3, 2))
    view[::2, 1:3] = value
    assert view[::2, 1:3].tolist() == [[1, 2], [3, 4]]
    assert view[1].tolist() == MDView(range(12), (3, 4), LayoutTiled(3, 2), ReadOnlyAccessor())[1].tolist()


def test_a_buffer_of_one_dimension_is_a_row():
    view = matrix()
    for row in (array("q", [5, 6, 7, 8]), bytes([5, 6, 7, 8]), bytearray([5, 6, 7, 8]), [5, 6, 7, 8]):
        view[1] = 0
        view[1] = row
        assert view[1].tolist() == [5, 6, 7, 8]


def test_half_precision_floats_are_a_row():
    view = MDView([0.0] * 2, (2,))
    view[:] = np.array([1.5, 2.5], np.float16)
    assert view.tolist() == [1.5, 2.5]


@pytest.mark.parametrize("value", [7, np.array(7), np.int64(7)])
def test_storing_one_value_through_a_slice_fills(value):
    view = matrix()
    view[:, 1] = value
    assert view.tolist() == [[0, 7, 2, 3], [4, 7, 6, 7], [8, 7, 10, 11]]


def test_a_text_fills_as_one_object():
    view = MDView([None] * 3, (3,))
    view[:2] = "ab"
    assert view.tolist() == ["ab", "ab", None]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1, 2, 3], r"cannot store shape \(3,\) into shape \(3, 4\): they must agree"),
        ([[1], [2, 3]], r"nested sequences are ragged: parts of shapes \[\(1,\), \(2,\)\]"),
        ([], r"cannot store shape \(0,\) into shape \(3, 4\)"),
        (np.zeros((4, 3)), r"cannot store shape \(4, 3\) into shape \(3, 4\)"),
        (MDView([1], ()), r"cannot store shape \(\) into shape \(3, 4\)"),
    ],
)
def test_shapes_must_agree(value, message):
    view = matrix()
    with pytest.raises(ShapeError, match=message):
        view[...] = value
    assert view.tolist() == matrix().tolist()


def test_a_view_may_be_stored_into_itself():
    view = matrix()
    view[:, 1:] = view[:, :-1]
    assert view.tolist() == [[0, 0, 1, 2], [4, 4, 5, 6], [8, 8, 9, 10]]
    view[0] = view[0, ::-1]
    assert view[0].tolist() == [2, 1, 0, 0]


def test_a_read_only_view_stores_nothing():
    view = readonly(matrix())
    message = r"this view is read-only: its accessor ReadOnlyAccessor\(inner=DefaultAccessor\(\)\) has no store"
    for key in [(0, 0), 0, slice(None), (9, 9)]:
        with pytest.raises(ReadOnlyError, match=message):
            view[key] = 1


def test_a_value_of_the_wrong_kind_is_named():
    view = matrix()
    with pytest.raises(TypeError, match="items of format 'q' take integers, got str 'x'"):
        view[0, 0] = "x"
    with pytest.raises(TypeError, match="items of format 'q' take integers, got str 'x'"):
        view[0] = [1, 2, 3, "x"]
    assert view[0].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: MDView([1] * 11, (3, 4)),
            BufferSizeError,
            r"Mapping\(\(3, 4\), LayoutRight\(\)\) needs 12 elements, the data has 11; give a longer",
        ),
        (
            lambda: MDView.from_mapping([1] * 12, Mapping((3, 4)), origin=1),
            BufferSizeError,
            "needs 12 elements from element 1 on, the data has 12",
        ),
        (lambda: MDView.from_mapping([1] * 12, Mapping((3, 4)), origin=-1), BufferSizeError, "from element -1 on"),
        (
            lambda: MDView(b"abc", (3,)),
            ReadOnlyError,
            r"the data \(bytes\) is read-only and DefaultAccessor stores; pass accessor=ReadOnlyAccessor\(\)",
        ),
        (lambda: MDView((1, 2), (2,)), ReadOnlyError, r"the data \(tuple\) is read-only"),
        (
            lambda: MDView([1], (1,), accessor=CheckedAccessor),
            AccessorTypeError,
            r"an accessor is an instance of an Accessor, got .*; write CheckedAccessor\(\)",
        ),
        (
            lambda: MDView([1], (1,), accessor="checked"),
            AccessorTypeError,
            "an accessor is an instance of an Accessor, got 'checked'$",
        ),
    ],
)
def test_a_view_of_what_does_not_fit_is_not_made(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_there_are_no_elementwise_operators():
    view = matrix()
    for combine in (lambda: np.arange(4) + view, lambda: view * np.arange(4), lambda: view + view):
        with pytest.raises(TypeError):
            combine()


def test_data_that_shrinks_behind_a_view_is_noticed():
    data = list(range(6))
    view = MDView(data, (2, 3))
    del data[4:]
    with pytest.raises(IndexOutOfRangeError, match=r"index \(1, 2\) lies at position 5, the data has 4 elements"):
        view[1, 2]


@pytest.mark.parametrize("data", [list(range(1, 7)), array("d", range(1, 7))], ids=["list", "buffer"])
@pytest.mark.parametrize("rank", [1, 2, 65])
def test_an_index_that_nobody_checks_reaches_all_of_the_data_and_nothing_else(rank, data):
    """Ranks of compiled element access, and one above them."""
    view = MDView(data, (*[1] * (rank - 1), 6), accessor=UncheckedAccessor())
    outer = (0,) * (rank - 1)
    assert [view[(*outer, i)] for i in (0, 5)] == [1, 6]
    for i in (-1, -6, -7, 6):
        with pytest.raises(IndexOutOfRangeError, match=f"position {i}, the data has 6 elements"):
            view[(*outer, i)]
        with pytest.raises(IndexOutOfRangeError, match=f"position {i}, the data has 6 elements"):
            view[(*outer, i)] = 0
    assert list(data) == [1, 2, 3, 4, 5, 6]


def test_a_subview_takes_one_slice_a_dimension_and_never_wraps():
    view = matrix()
    assert subview(view, (1, 3), 2).tolist() == [6, 10]
    assert subview(view, 1, 2)[()] == 6
    with pytest.raises(RankError, match="rank 2 takes 2 slices, got 1; use ALL to keep a dimension"):
        subview(view, 1)
    with pytest.raises(IndexOutOfRangeError, match="index -1 is out of range for extent 3"):
        subview(view, -1, 0)


@pytest.mark.parametrize(
    "use",
    [
        lambda v: v[0, 0],
        lambda v: v[0],
        lambda v: v.at((0, 0)),
        lambda v: v.tolist(),
        iter,
        lambda v: 1 in v,
        np.asarray,
        lambda v: v.__setitem__((0, 0), 1),
        lambda v: v.__setitem__(0, 1),
        lambda v: fill(v, 1),
    ],
)
def test_the_null_view_has_no_elements(use):
    for null in (MDView(None, (dim(2), dim(2))), MDView(None, (dim(2), dim(2)), accessor=atomic(matrix()).accessor)):
        with pytest.raises(
            NullViewError, match="this is the null view: it never had data, or was moved from or released"
        ):
            use(null)


def test_the_null_view_keeps_its_static_extents():
    null = MDView(None, (dim(3), 4), LayoutTiled(2, 2))
    assert (null.extents, null.layout, null.data, null.format, null.itemsize) == ((3, 0), LayoutRight(), None, "O", 0)
    assert repr(null) == "MDView((dim(3), 0), LayoutRight(), DefaultAccessor(), data=None)"
    assert "none" in null._repr_html_()
    assert not hasattr(null, "__array_interface__")


def test_a_repr_names_the_parts_and_shows_the_elements():
    assert repr(matrix()) == (
        "MDView((3, 4), LayoutRight(), DefaultAccessor(), format='q')\n[[0, 1, 2, 3],\n [4, 5, 6, 7],\n [8, 9, 10, 11]]"
    )


def test_a_repr_never_looks_at_more_than_a_bounded_number_of_elements():
    class Huge:
        def __len__(self):
            return 10**12

        def __getitem__(self, offset):
            seen.append(offset)
            return "x" * 1000

    seen = []
    view = MDView(Huge(), (10**4, 10**4, 10**4), accessor=ReadOnlyAccessor())
    text = repr(view)
    assert len(seen) == 6**3
    assert len(text) < 20_000
    assert "…" in text
    assert len(view._repr_html_()) < 300_000


def test_a_html_card_shows_facts_and_elements():
    card = MDView(["<b>"], (1,))._repr_html_()
    assert "&lt;b&gt;" in card
    assert "<b>" not in card
    assert "LayoutRight()" in card


def test_an_object_with_nothing_but_items_is_data_enough():
    items = SimpleNamespace(length=3)
    kind = type("Items", (), {"__len__": lambda self: items.length, "__getitem__": lambda self, k: k * k})
    assert MDView(kind(), (3,), accessor=ReadOnlyAccessor()).tolist() == [0, 1, 4]
