"""The scalar engine: one compiled class for each kind of view, in a bounded cache, and what it leaves to the view."""

import threading
from array import array
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
import pytest
from samples import LayoutBanded, LayoutMortonLike, LayoutSymmetric, all_indices

from mdview import (
    AtomicAccessor,
    CheckedAccessor,
    IndexTransform,
    Layout,
    LayoutComposed,
    LayoutLeft,
    LayoutRight,
    LayoutStride,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    ScaledAccessor,
    UncheckedAccessor,
    asview,
    checked,
    dim,
    flip,
    reshape,
    unchecked,
)
from mdview.engines import axis_tables
from mdview.engines.scalar import access_plans
from mdview.errors import IndexOutOfRangeError, IndexTypeError, NullViewError, TooManyIndicesError


@pytest.fixture
def empty_cache(monkeypatch):
    monkeypatch.setattr(access_plans, "_classes", {})
    return access_plans._classes


def classes(cache):
    return [kind for kind, _ in cache.values()]


def matrix(rows=3, columns=4, **policy):
    return MDView(array("q", range(rows * columns)), (rows, columns), **policy)


def test_views_of_one_kind_share_their_class_whatever_their_numbers():
    assert type(matrix(3, 4)) is type(matrix(30, 20))
    assert type(matrix(30, 40)) is type(matrix(80, 50))
    assert type(MDView([0] * 30, (3, 4), LayoutStride((9, 2)))) is type(MDView([0] * 30, (2, 3), LayoutStride((3, 7))))


def test_slices_of_one_tiling_share_their_class():
    view = MDView([0] * 64, (8, 8), LayoutTiled(4, 4))
    assert type(view[1:7, 1:6]) is type(view[2:8, 3:5])


@pytest.mark.parametrize(
    "other",
    [
        MDView([0] * 12, (12,)),
        matrix(accessor=CheckedAccessor()),
        matrix(accessor=UncheckedAccessor()),
        matrix(accessor=ReadOnlyAccessor()),
        matrix(accessor=AtomicAccessor()),
        matrix()[1:],
    ],
    ids=lambda view: repr(view).split(", format")[0],
)
def test_another_kind_has_another_class(other):
    assert type(matrix()) is not type(other)


@pytest.mark.parametrize(
    ("extents", "layout"),
    [((dim(3), 4), LayoutRight()), ((3, 4), LayoutLeft()), ((3, 4), LayoutTiled(2, 2))],
    ids=["static", "left", "tiled"],
)
def test_beyond_the_tables_static_extents_and_unit_strides_make_kinds(extents, layout, monkeypatch):
    monkeypatch.setattr(axis_tables, "TABLE_LIMIT", 0)
    assert type(matrix()) is not type(MDView([0] * 16, extents, layout))


def test_with_tables_all_separable_layouts_of_a_rank_share_a_kind():
    data = array("q", bytes(128))
    assert type(matrix()) is type(MDView(data, (dim(3), 4), LayoutTiled(2, 2)))


def test_a_compiled_class_looks_like_mdview():
    kind = type(matrix())
    assert issubclass(kind, MDView)
    assert kind is not MDView
    assert (kind.__name__, kind.__qualname__, kind.__module__) == ("MDView", "MDView", "mdview.views.view")
    assert kind.__doc__ == MDView.__doc__
    assert not hasattr(matrix(), "__dict__")


def test_the_access_of_the_facade_is_that_of_the_compiled_class():
    view = matrix()
    assert MDView.__getitem__(view, (2, 1)) == view[2, 1] == 9
    MDView.__setitem__(view, (2, 1), -1)
    assert view[2, 1] == -1


def test_the_cache_is_bounded_and_the_newest_kind_is_there(empty_cache, monkeypatch):
    monkeypatch.setattr(access_plans, "CACHE_SIZE", 3)
    monkeypatch.setattr(axis_tables, "TABLE_LIMIT", 0)
    views = [MDView([5] * n, (dim(n),)) for n in range(1, 8)]
    assert 0 < len(empty_cache) <= 3
    assert classes(empty_cache)[-1] is type(views[-1])
    assert [view[0] for view in views] == [5] * 7  # a kind that is gone serves its views on


def test_a_layout_whose_hash_changes_leaves_the_cache_with_all_others(empty_cache, monkeypatch):
    monkeypatch.setattr(access_plans, "CACHE_SIZE", 2)
    monkeypatch.setattr(axis_tables, "TABLE_LIMIT", 0)
    layout = LayoutChanging()
    MDView([5] * 9, (3, 3), layout)
    layout.number = 1
    views = [MDView([5] * n, (dim(n),)) for n in range(1, 6)]
    assert [view[0] for view in views] == [5] * 5
    assert len(empty_cache) <= 2


class LayoutChanging(Layout):
    """A user's mistake: a value that changes, and its hash with it."""

    number = 0

    def offset(self, extents, index):
        return index[0] * 3 + index[1]

    def required_span_size(self, extents):
        return 9

    def __hash__(self):
        return self.number

    def __eq__(self, other):
        return self is other


def test_what_cannot_be_traced_is_tried_once(monkeypatch):
    tried = []

    @final
    @dataclass(frozen=True)
    class LayoutLooping(Layout):
        """Asks for the index itself."""

        def offset(self, extents, index):
            tried.append(type(index[0]))
            return sum(1 for _ in range(index[0]))

        def required_span_size(self, extents):
            return extents[0]

    for _ in range(3):
        assert MDView("abcdef", (dim(6),), LayoutLooping(), ReadOnlyAccessor())[4] == "e"
    assert len([kind for kind in tried if kind is not int]) == 1


def test_threads_that_meet_a_kind_at_once_get_one_class(empty_cache):
    count = 8
    barrier = threading.Barrier(count)

    def make(_):
        barrier.wait()
        view = MDView(list(range(36)), (6, 6), LayoutTiled(2, 3))
        return type(view), view.tolist()

    with ThreadPoolExecutor(count) as pool:
        made = list(pool.map(make, range(count)))
    assert {kind for kind, _ in made} == set(classes(empty_cache))
    assert len(empty_cache) == 1
    assert all(elements == made[0][1] for _, elements in made)


def test_threads_never_overfill_the_cache_nor_break_it(empty_cache, monkeypatch):
    monkeypatch.setattr(access_plans, "CACHE_SIZE", 4)
    count = 6
    barrier = threading.Barrier(count)

    def make(start):
        barrier.wait()
        return [MDView(range(n), (dim(n),), LayoutRight(), ReadOnlyAccessor())[n - 1] for n in range(start, start + 20)]

    with ThreadPoolExecutor(count) as pool:
        assert [row[0] for row in pool.map(make, range(1, count + 1))] == list(range(count))
    assert len(empty_cache) <= 4


@pytest.mark.parametrize("integer", [np.int8, np.uint8, np.int16, np.int64, np.uint64, bool, dim])
def test_an_index_may_be_of_any_integer_type(integer):
    view = MDView(list(range(4000)), (4, 1000))
    assert view[integer(1), integer(1)] == 1001
    assert MDView(list(range(4)), (4,))[integer(1)] == 1


def test_a_narrow_numpy_integer_does_not_overflow_in_the_arithmetic():
    assert matrix(100, 10)[np.int8(50), np.int8(3)] == 503
    assert unchecked(matrix(100, 10))[np.int8(50), np.int8(3)] == 503


@pytest.mark.parametrize("key", [[1, 2], b"\x01\x02", np.array([1, 2]), {1: 0, 2: 0}, {1, 2}, "12"])
def test_what_merely_unpacks_into_integers_is_no_index(key):
    for view in (matrix(), unchecked(matrix())):
        with pytest.raises(IndexTypeError):
            view[key]
        with pytest.raises(IndexTypeError):
            view[key] = 0


@pytest.mark.parametrize("columns", [1, 4])
def test_a_slice_never_reaches_the_data_which_may_know_what_to_do_with_it(columns):
    texts = np.array([f"{k:02}" for k in range(12)]).reshape(-1, columns)
    view = asview(texts[:, 0] if columns == 1 else texts)
    keys = [slice(None, None, -2), slice(1, 3)] if columns == 1 else [(slice(1, 3), slice(0, 2)), (slice(None), 1)]
    for key in keys:
        expected = np.asarray(view)[key].tolist()
        assert isinstance(view[key], MDView)
        assert view[key].tolist() == expected
        view[key] = view[key]
        assert np.asarray(view)[key].tolist() == expected


def test_a_range_is_a_slice_even_where_it_has_as_many_entries_as_the_view_dimensions():
    assert matrix()[range(1, 3)].tolist() == [[4, 5, 6, 7], [8, 9, 10, 11]]


class Point(NamedTuple):
    row: int
    column: int


def test_a_named_tuple_is_an_index():
    assert matrix()[Point(1, 2)] == 6


@pytest.mark.parametrize("number", [1.0, np.float64(1), 1 + 0j, NotImplemented, "1", ()])
def test_a_number_that_is_no_integer_is_no_index(number):
    for policy in (AtomicAccessor(), UncheckedAccessor(), CheckedAccessor()):
        view = matrix(accessor=policy)
        with pytest.raises(IndexTypeError):
            view[number, 1]
        with pytest.raises(IndexTypeError):
            view[number, 1] = 0


def test_rank_0_takes_the_empty_index_alone():
    view = MDView(array("q", [7]), ())
    assert view[()] == 7
    view[()] = 8
    assert view[()] == 8
    with pytest.raises(TooManyIndicesError, match=r"1 index is too many for extents \(\)"):
        view[0]


@pytest.mark.parametrize("extents", [(3, 4), (dim(3), dim(4)), (dim(3), 4)])
@pytest.mark.parametrize("layout", [LayoutRight(), LayoutTiled(2, 2), LayoutSymmetric(), LayoutMortonLike()])
def test_an_index_beyond_its_extent_is_refused_even_where_the_data_goes_on(extents, layout):
    view = MDView(list(range(99)), extents, layout)
    for index in [(0, 4), (3, 0), (-4, 0), (0, -5)]:
        with pytest.raises(IndexOutOfRangeError, match="is out of range for extent"):
            view[index]
        with pytest.raises(IndexOutOfRangeError, match="is out of range for extent"):
            view[index] = 0


def test_a_checked_view_never_wraps():
    view = checked(matrix())
    message = "index -1 is out of range for extent 4 of dimension 1; this accessor does not count from the end"
    with pytest.raises(IndexOutOfRangeError, match=message):
        view[0, -1]
    assert view[2, 3] == 11


def test_an_unchecked_view_reaches_any_element_of_the_data_and_nothing_else():
    view = unchecked(matrix())
    assert view[0, 5] == 5
    assert view[1:][-1, 0] == 0
    with pytest.raises(IndexOutOfRangeError, match=r"index \(3, 4\) lies at position 16, the data has 12 elements"):
        view[3, 4]


def test_an_element_of_a_released_view_is_refused():
    view = matrix()
    view.release()
    with pytest.raises(NullViewError, match="this is the null view: it never had data, or was moved from or released"):
        view[0, 0]
    with pytest.raises(NullViewError, match="null view"):
        view[0, 0] = 1


@final
@dataclass(frozen=True)
class LayoutDeep(Layout):
    """An expression with more nested brackets than Python compiles."""

    def offset(self, extents, index):
        total = 0
        for bit in range(300):
            total = total | (index[0] & (1 << bit))
        return total

    def required_span_size(self, extents):
        return extents[0]


@final
@dataclass(frozen=True)
class LayoutFractional(Layout):
    """Returns no integer for symbols, but one for numbers."""

    def offset(self, extents, index):
        return index[0] if type(index[0]) is int else 0.5

    def required_span_size(self, extents):
        return extents[0]


@pytest.mark.parametrize("layout", [LayoutDeep(), LayoutFractional()])
def test_arithmetic_that_does_not_compile_is_called_at_each_access(layout):
    view = MDView(list("abcdef"), (6,), layout)
    assert [view[i] for i in range(6)] == list("abcdef")
    assert view[2:].tolist() == list("cdef")


def test_arithmetic_that_asks_for_extents_is_compiled_for_them_and_no_other():
    # An accessor that is not plain has no tables.
    first, again, alike, other = [
        MDView(range(999), (5, n), LayoutMortonLike(), ScaledAccessor(2)) for n in (6, 6, 7, 9)
    ]
    assert type(first) is type(again) is type(alike)  # six takes as many bits as seven
    assert type(first) is not type(other)


def test_a_slice_of_what_asks_for_extents_keeps_those_of_its_base():
    view = MDView(range(99), (5, 6), LayoutMortonLike(), ReadOnlyAccessor())
    part = view[1:4, ::-2]
    assert [part[index] for index in all_indices(part.extents)] == [
        view[1 + i, 5 - 2 * j] for i, j in all_indices((3, 3))
    ]


def test_a_user_layout_is_traced_into_its_own_arithmetic():
    view = MDView(list(range(40)), (4, 4), LayoutBanded(3, 3))
    source = type(view).__getitem__.__code__
    assert "offset" not in source.co_names
    assert view[1, 3] == (3 + 1 - 3) + 3 * 7


@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize("origin", [0, 5])
def test_arithmetic_that_compares_indices_is_compiled_into_choices(origin, static):
    extents = (dim(4), dim(4)) if static else (4, 4)
    view = MDView.from_mapping(list(range(40)), Mapping(extents, LayoutSymmetric()), origin=origin)
    assert "offset" not in type(view).__getitem__.__code__.co_names
    for seen in (view, checked(view), unchecked(view), view[1:, ::-1], MDView.__copy__(view)):
        for index in all_indices(seen.extents):
            assert seen[index] == seen.origin + seen.mapping(*index)
            seen[index] = seen[index]
    assert view.data == list(range(40))
    view[1, 3] = -1
    assert view[3, 1] == -1
    with pytest.raises(IndexOutOfRangeError):
        view[4, 0]


@final
@dataclass(frozen=True)
class LayoutShared(Layout):
    """Comparisons within comparisons, and parts that several ways share."""

    def offset(self, extents, index):
        i, j = index
        part = (i + 1) * (j + 2)
        if part > 6:
            return part * part % 17 if i * j < 4 else part // 2 + i * j
        return part if i == j else extents[1] + part * 2

    def required_span_size(self, extents):
        return 99


@pytest.mark.parametrize("accessor", [None, CheckedAccessor(), AtomicAccessor()])
def test_ways_share_no_names_of_what_is_computed_once(accessor):
    view = MDView(list(range(99)), (5, 6), LayoutShared(), accessor)
    layout = LayoutShared()
    for index in all_indices((5, 6)):
        found = view[index]
        assert (found.load() if isinstance(accessor, AtomicAccessor) else found) == layout.offset((5, 6), index)


@final
@dataclass(frozen=True)
class LayoutByShape(Layout):
    """Rows or columns, whichever are fewer: a comparison that no index enters."""

    def offset(self, extents, index):
        return index[0] * extents[1] + index[1] if extents[0] < extents[1] else index[1] * extents[0] + index[0]

    def required_span_size(self, extents):
        return extents[0] * extents[1]


def test_what_compares_extents_is_compiled_for_them():
    for extents in ((2, 5), (5, 2)):
        view = MDView(list(range(10)), extents, LayoutByShape())
        assert [view[i] for i in all_indices(extents)] == [view.mapping(*i) for i in all_indices(extents)]


def test_a_repeated_base_index_is_computed_once():
    layout = LayoutComposed(LayoutTiled(2, 2), (4, 4), IndexTransform((0, 0), (1, 1), (0, 0)))
    view = MDView(list(range(16)), (4,), layout)
    assert view.tolist() == [0, 3, 12, 15]
    assert [view[i] for i in range(4)] == [0, 3, 12, 15]


@pytest.mark.parametrize("origin", [0, 7])
@pytest.mark.parametrize("shape", [(32, 12), (6, 64), (2, 3, 64), (384,), (48, 8)])
def test_a_reshape_of_tiles_looks_its_digits_up(shape, origin):
    mapping = Mapping((24, 16), LayoutTiled(8, 4))
    tiled = MDView.from_mapping(list(range(400)), mapping, origin=origin)
    view = reshape(tiled, shape)
    values = np.array(tiled.tolist()).reshape(shape)
    assert isinstance(view.layout, LayoutComposed)
    for seen, expected in [(view, values), (flip(view), np.flip(values)), (view[1::2], values[1::2])]:
        assert [seen[index] for index in all_indices(seen.shape)] == expected.ravel().tolist()
    last = tuple(n - 1 for n in shape)
    assert checked(view)[last] == unchecked(view)[last] == values[last]
    with pytest.raises(IndexOutOfRangeError):
        view[(shape[0], *last[1:])]


def test_a_reshape_beyond_the_tables_computes_the_same(monkeypatch):
    monkeypatch.setattr(axis_tables, "TABLE_LIMIT", 0)
    tiled = MDView(list(range(64)), (8, 8), LayoutTiled(2, 4))
    assert reshape(tiled, (4, 16)).tolist() == np.array(tiled.tolist()).reshape(4, 16).tolist()
    assert reshape(tiled, (4, 16))[3, 15] == tiled[7, 7]
