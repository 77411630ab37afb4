"""Submappings: every index of the result stands for the selected one, under the layout that the C++26 draft names."""

from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import MAPPINGS, LayoutBanded, LayoutSymmetric, all_indices

from mdview import (
    ALL,
    Dim,
    ExtentSlice,
    IndexTransform,
    Layout,
    LayoutComposed,
    LayoutLeft,
    LayoutLeftPadded,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    StridedLayout,
    dim,
    elements,
    submapping,
    subview,
)
from mdview.errors import RankError, SliceError
from mdview.index.slices import canonical_slices

SPECS = [ALL, 0, 1, (1, 3), (0, 0), (2, 2), ExtentSlice(2, 2, -2), ExtentSlice(0, 2, 2), (dim(0), dim(2)), range(1, 2)]


def selected(mapping, slices):
    """Source offsets of what the slices select, in index order, the plain way."""
    lists = []
    for extent, spec in zip(mapping.extents, canonical_slices(mapping.extents, slices), strict=True):
        if spec is ALL:
            lists.append(range(extent))
        elif isinstance(spec, int):
            lists.append([spec])
        else:
            lists.append([spec.offset + k * spec.stride for k in range(spec.extent)])
    return [mapping(*index) for index in product(*lists)]


def check(mapping, slices):
    result, offset = submapping(mapping, *slices)
    assert [offset + place for place in result.offsets()] == selected(mapping, slices)
    assert [offset + result(*index) for index in all_indices(result.extents)] == selected(mapping, slices)
    assert Mapping(result.extents, result.layout) == result  # it is one that anybody could have made
    assert offset >= 0
    if isinstance(mapping.layout, StridedLayout):
        assert isinstance(result.layout, StridedLayout)
    return result


@pytest.mark.parametrize("name", [name for name, mapping in MAPPINGS.items() if mapping.rank <= 2])
def test_a_submapping_is_the_selection_exhaustively(name):
    mapping = MAPPINGS[name]
    for slices in product(SPECS, repeat=mapping.rank):
        try:
            selected(mapping, slices)
        except (IndexError, SliceError):
            continue
        check(mapping, slices)


@given(st.sampled_from([name for name, mapping in MAPPINGS.items() if mapping.rank == 3]), st.data())
def test_a_submapping_of_rank_3_is_the_selection(name, data):
    mapping = MAPPINGS[name]
    slices = []
    for extent in mapping.extents:
        first = data.draw(st.integers(0, extent - 1))
        last = data.draw(st.integers(0, extent - 1))
        step = 1 if last >= first else -1
        count = abs(last - first) + 1
        slices.append(data.draw(st.sampled_from([ALL, first, ExtentSlice(first, count, step), (first, first)])))
    check(mapping, slices)


X = (1, 3)


@pytest.mark.parametrize(
    ("layout", "extents", "slices", "expected"),
    [
        (LayoutRight(), (4, 5), (1, ALL), LayoutRight()),
        (LayoutRight(), (4, 5), (X, ALL), LayoutRight()),
        (LayoutRight(), (4, 5), (ALL, X), LayoutRightPadded(5)),
        (LayoutRight(), (4, dim(5)), (ALL, X), LayoutRightPadded(dim(5))),
        (LayoutRight(), (4, 5), (ALL, 1), LayoutStride((5,))),
        (LayoutRight(), (4, 5), (1, 1), LayoutRight()),
        (LayoutRight(), (4, 5), (ExtentSlice(0, 2, 2), ALL), LayoutStride((10, 1))),
        (LayoutRight(), (3, 4, 5), (ALL, 1, ALL), LayoutRightPadded(20)),
        (LayoutRight(), (3, 4, 5), (X, ALL, ALL), LayoutRight()),
        (LayoutRight(), (3, 4, 5), (ALL, X, ALL), LayoutStride((20, 5, 1))),
        (LayoutLeft(), (4, 5), (ALL, 1), LayoutLeft()),
        (LayoutLeft(), (4, 5), (X, ALL), LayoutLeftPadded(4)),
        (LayoutLeft(), (4, 5), (1, ALL), LayoutStride((4,))),
        (LayoutLeft(), (3, 4, 5), (ALL, 1, ALL), LayoutLeftPadded(12)),
        (LayoutLeft(), (dim(3), dim(4), 5), (ALL, 1, ALL), LayoutLeftPadded(dim(12))),
        (LayoutRightPadded(8), (4, 5), (1, ALL), LayoutRight()),
        (LayoutRightPadded(8), (4, 5), (ALL, X), LayoutRightPadded(8)),
        (LayoutRightPadded(dim(8)), (4, dim(5)), (ALL, X), LayoutRightPadded(dim(8))),
        (LayoutRightPadded(8), (4, 5), (2, 2), LayoutRight()),
        (LayoutLeftPadded(8), (5, 4), (ALL, 1), LayoutLeft()),
        (LayoutLeftPadded(8), (5, 4), (X, ALL), LayoutLeftPadded(8)),
        (LayoutLeftPadded(8), (5, 4), (1, ALL), LayoutStride((8,))),
        (LayoutStride((1, 9)), (4, 5), (ALL, ALL), LayoutStride((1, 9))),
        (LayoutRight(), (4, 5), (ExtentSlice(3, 2, -1), ALL), LayoutStrideRelaxed((-5, 1), 5)),
        (
            LayoutTiled(4, 4),
            (8, 8),
            (X, ALL),
            LayoutComposed(LayoutTiled(4, 4), (8, 8), IndexTransform((1, 0), (1, 1), (0, 1))),
        ),
    ],
)
def test_the_layout_of_the_result(layout, extents, slices, expected):
    result = check(Mapping(extents, layout), slices)
    assert repr(result.layout) == repr(expected)


@pytest.mark.parametrize(
    ("slices", "strides"),
    [(((4, 8), (0, 4)), (4, 1)), ((ExtentSlice(0, 2, 4), 3), (32,)), ((ExtentSlice(7, 4, -1), 5), (-4,))],
)
def test_what_stays_in_one_tile_or_steps_by_whole_tiles_is_strided(slices, strides):
    result = check(Mapping((8, 8), LayoutTiled(4, 4)), slices)
    assert isinstance(result.layout, StridedLayout)
    assert result.strides == strides


def test_a_mapping_of_rank_0_is_its_own_submapping():
    mapping = Mapping(())
    assert submapping(mapping) == (mapping, 0)
    with pytest.raises(RankError, match="rank 0 takes 0 slices, got 1"):
        submapping(mapping, ALL)


def test_a_padded_layout_of_rank_0_and_1_is_sliced_like_any_other():
    for layout in (LayoutLeftPadded(4), LayoutRightPadded(4)):
        assert check(Mapping((5,), layout), (X,)).extents == (2,)
        assert submapping(Mapping((), layout))[0].layout == layout


def test_a_layout_may_keep_its_own_type_under_slicing():
    class LayoutKept(Layout):
        def offset(self, extents, index):
            return 2 * index[0]

        def required_span_size(self, extents):
            return 2 * extents[0]

        def sub(self, extents, slices):
            return (self, 2 * slices[0].offset) if isinstance(slices[0], ExtentSlice) else None

    mapping = Mapping((6,), LayoutKept())
    assert type(check(mapping, (X,)).layout) is LayoutKept
    assert check(mapping, (ALL,)) == mapping


def test_a_users_layout_is_strided_where_it_is_linear_and_composed_elsewhere():
    assert check(Mapping((4, 4), LayoutBanded(3, 3)), (X, ExtentSlice(3, 2, -1))).strides == (1, -6)
    result = check(Mapping((4, 4), LayoutSymmetric()), (ExtentSlice(0, 4, 1), ExtentSlice(3, 2, -1)))
    assert result.layout == LayoutComposed(LayoutSymmetric(), (4, 4), IndexTransform((0, 3), (1, -1), (0, 1)))


@pytest.mark.parametrize(
    "mapping", [Mapping((9, 9)), Mapping((9, 9), LayoutTiled(2, 2)), Mapping((9, 9), LayoutStrideRelaxed((-9, 1), 72))]
)
@pytest.mark.parametrize("starts", [(0, 5, 2), (5, 0, 2)])
def test_a_window_that_moves_is_where_it_is_now(mapping, starts):
    view = MDView.from_mapping(range(mapping.required_span_size), mapping, ReadOnlyAccessor())
    for i in starts:
        wanted = selected(mapping, ((i, i + 3), (i, i + 4)))
        assert list(elements(subview(view, (i, i + 3), (i, i + 4)))) == wanted
        assert list(elements(view[i : i + 3, i : i + 4])) == wanted


def drafted_padding(order, extents, padding, slices):
    """What C++26 says of the padding of a padded result: the product of static extents in front of what stays whole.

    From the fastest dimension on: one that stays, the first with its padding, then indices. None is a dynamic one.
    """
    if order == "right":
        extents, slices = extents[::-1], slices[::-1]
    first = extents[0] if type(extents[0]) is Dim else None
    if padding is not NO_PADDING and first is not None:
        first = -(-first // padding) * padding if type(padding) is Dim else None
    dropped = next(k for k, s in enumerate(slices[1:]) if not isinstance(s, int))
    known = [first, *[e if type(e) is Dim else None for e in extents[1 : 1 + dropped]]]
    return None if None in known else prod(known)


NO_PADDING = "dense"


@pytest.mark.parametrize("order", ["left", "right"])
@pytest.mark.parametrize("padding", [NO_PADDING, None, 4, dim(4)])
@pytest.mark.parametrize("extents", list(product(*[(e, dim(e)) for e in (3, 4, 5)])))
def test_the_padding_of_a_slice_is_static_exactly_where_the_draft_says_so(order, padding, extents):
    padded = {"left": LayoutLeftPadded, "right": LayoutRightPadded}[order]
    dense = {"left": LayoutLeft(), "right": LayoutRight()}[order]
    source = Mapping(extents, dense if padding is NO_PADDING else padded(padding))
    asked = 0
    for slices in product([ALL, (1, 3), (dim(0), dim(2)), 1], repeat=3):
        result, _ = submapping(source, *slices)
        assert {type(number) for number in (*result.strides, result.required_span_size)} == {int}
        if isinstance(result.layout, padded):
            asked += 1
            found, expected = result.layout.padding, drafted_padding(order, extents, padding, slices)
            assert type(found) is (int if expected is None else Dim), (source, slices)
            assert expected in {None, found}, (source, slices)
    assert asked
