"""Windows: rows and parts that are found again by their shape, next to the derivation of each part anew."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import LayoutMortonLike, LayoutSymmetric

from mdview import (
    ALL,
    AlignedAccessor,
    AtomicAccessor,
    CheckedAccessor,
    LayoutLeft,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    UncheckedAccessor,
    checked,
    dim,
    pad,
    submapping,
    subview,
)
from mdview.errors import IndexOutOfRangeError, NullViewError, RankError, SliceError, TooManyIndicesError

LAYOUTS = {
    "right": LayoutRight(),
    "left": LayoutLeft(),
    "padded": LayoutRightPadded(9),
    "stride": LayoutStride((20, 2)),
    "tiled": LayoutTiled(2, 3),
    "symmetric": LayoutSymmetric(),
    "morton": LayoutMortonLike(),
}
PAIRS = [(0, 6), (1, 4), (2, 3), (0, 5), (3, 6)]


def sample(layout, extents=(6, 6), accessor=None):
    mapping = Mapping(extents, layout)
    return MDView.from_mapping(list(range(mapping.required_span_size)), mapping, accessor)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=list(LAYOUTS))
def test_what_is_found_again_is_what_would_be_derived(layout):
    view = sample(layout)
    for slices in list(product([*PAIRS, 0, 5, ALL], repeat=2)) * 2:
        expected, start = submapping(view.mapping, *slices)
        part = subview(view, *slices)
        assert (part.mapping, part.origin) == (expected, start)
        assert type(part.layout) is type(expected.layout)
        if all(s is ALL or type(s) is tuple for s in slices):
            key = tuple(slice(None) if s is ALL else slice(*s) for s in slices)
            assert view[key].mapping == expected
            assert view[key].origin == start
            assert type(view[key].layout) is type(expected.layout)


@settings(max_examples=200)
@given(st.data())
def test_brackets_agree_with_numpy_wherever_a_window_moves(data):
    layout = data.draw(st.sampled_from(list(LAYOUTS.values())))
    view = sample(layout)
    array = np.array([[view[i, j] for j in range(6)] for i in range(6)])
    bound = st.none() | st.integers(-7, 7)
    entry = st.integers(-6, 5) | st.builds(slice, bound, bound, st.sampled_from([None, 1, 2, -1, -3, 7]))
    for key in data.draw(st.lists(st.tuples(entry, entry) | st.tuples(entry) | entry, min_size=1, max_size=6)):
        found, expected = view[key], array[key]
        assert (found if isinstance(found, int) else found.tolist()) == expected.tolist()


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=list(LAYOUTS))
def test_rows_from_both_ends(layout):
    view = sample(layout)
    for _ in range(2):
        for i in range(6):
            row = [view[i, j] for j in range(6)]
            assert view[i].tolist() == view[i - 6].tolist() == row
            assert view[i].origin == view[i - 6].origin
        for i in (6, -7):
            with pytest.raises(IndexOutOfRangeError, match=f"index {i} is out of range for extent 6 of dimension 0"):
                view[i]
    assert [row.tolist() for row in view] == view.tolist()


@pytest.mark.parametrize("accessor", [CheckedAccessor(), UncheckedAccessor()])
def test_a_view_that_does_not_wrap_has_no_rows_from_the_end(accessor):
    view = sample(LayoutRight(), accessor=accessor)
    for _ in range(2):
        assert view[5].tolist() == list(range(30, 36))
        for key in (-1, (-1, slice(None)), (slice(None), -2)):
            with pytest.raises(IndexOutOfRangeError, match="does not count from the end"):
                view[key]


@pytest.mark.parametrize(
    "accessor", [ReadOnlyAccessor(), AtomicAccessor(), CheckedAccessor(), ReadOnlyAccessor(CheckedAccessor())]
)
def test_a_part_keeps_the_accessor(accessor):
    view = sample(LayoutRight(), accessor=accessor)
    assert view[1].accessor is view[1:3].accessor is subview(view, 1, ALL).accessor is view.accessor


def test_a_part_of_aligned_data_promises_no_alignment():
    data = memoryview(bytearray(8 * 40)).cast("d")
    view = MDView(data, (6, 6), LayoutRight(), ReadOnlyAccessor(AlignedAccessor(8)))
    for part in (view[1], view[1:, 2:], subview(view, 1, ALL)):
        assert part.accessor == ReadOnlyAccessor()


@pytest.mark.parametrize(
    ("slices", "error"),
    [
        (((0, 7), ALL), SliceError),
        (((-1, 3), ALL), SliceError),
        (((4, 3), ALL), SliceError),
        ((6, ALL), IndexOutOfRangeError),
        ((-1, ALL), IndexOutOfRangeError),
        ((ALL,), RankError),
        ((ALL, ALL, ALL), RankError),
    ],
)
def test_subview_refuses_what_breaks_its_rules_also_where_it_has_seen_parts(slices, error):
    view = sample(LayoutRight())
    subview(view, (0, 3), ALL), subview(view, 3, ALL)
    with pytest.raises(error):
        subview(view, *slices)


def test_too_many_slices_are_refused_also_where_the_first_ones_have_been_seen():
    view = sample(LayoutRight())
    view[1:3, 2:4]
    with pytest.raises(TooManyIndicesError):
        view[1:3, 2:4, 0:1]


def test_a_slice_of_nothing_is_empty_and_never_taken_for_another():
    view = sample(LayoutRight())
    for key in ((slice(3, 3), slice(None)), (slice(3, 1), slice(None)), (slice(1, 3, -1), slice(None)), slice(9, 20)):
        for _ in range(2):
            assert view[key].extents == (0, 6)


def test_a_static_bound_stays_static():
    view = sample(LayoutRight())
    subview(view, (1, 3), ALL)
    assert subview(view, (dim(1), dim(3)), ALL).static_extents == (2, None)
    assert subview(view, (1, 3), ALL).static_extents == (None, None)


def test_a_part_of_a_released_view_is_refused():
    view = sample(LayoutRight())
    view[1], view[1:3], subview(view, 1, ALL)
    view.release()
    for touch in (lambda: view[0], lambda: view[0:0]):
        with pytest.raises((NullViewError, IndexOutOfRangeError)):
            touch()
    assert subview(view, (0, 0), ALL).extents == (0, 0)


def test_a_padded_view_derives_its_parts_one_by_one():
    view = pad(sample(LayoutRight(), (2, 3)), ((1, 1), (0, 0)), constant=-1)
    assert [row.tolist() for row in view] == [[-1] * 3, [0, 1, 2], [3, 4, 5], [-1] * 3]
    assert view[1:3, 1:].tolist() == [[1, 2], [4, 5]]


def test_a_view_of_one_part_has_windows_of_its_own():
    view = sample(LayoutRight())
    part = view[1:5, 2:]
    assert part[1:3, 1].tolist() == [view[2, 3], view[3, 3]]
    assert checked(part)[0].tolist() == [8, 9, 10, 11]


class Counting:
    """An index that is another number each time it is asked."""

    def __init__(self, *answers):
        self.answers = iter(answers)

    def __index__(self):
        return next(self.answers)


def test_a_bound_that_changes_its_mind_leads_to_one_of_its_answers_and_is_not_remembered_for_others():
    view = sample(LayoutRight(), (6,), CheckedAccessor())
    for answers in ((2, 5, 5, 5), (5, 2, 2, 2), (9, 1, 1, 1)):
        begin = Counting(*answers)
        assert view[begin:4:-1].tolist() in [view[a:4:-1].tolist() for a in answers]
    for start, stop in product(range(7), repeat=2):
        assert view[start:stop:-1].tolist() == list(range(6))[start:stop:-1]
