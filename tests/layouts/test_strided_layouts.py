"""Right, left, stride and relaxed: the strides they have, and which strides they admit."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import all_indices

from mdview import (
    LayoutLeft,
    LayoutRight,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutTranspose,
    Mapping,
    StridedLayout,
    dim,
    submapping,
)
from mdview.errors import ExtentsTypeError, RankError, StrideError
from mdview.layouts.narrowest import narrowest_layout, strided_layout
from mdview.layouts.stride import element_strides
from mdview.layouts.strided import static_product

EXTENTS = st.lists(st.integers(0, 4), max_size=4).map(tuple)


@given(EXTENTS)
def test_right_counts_up_with_the_last_index_fastest(extents):
    mapping = Mapping(extents)
    assert [mapping(*index) for index in all_indices(extents)] == list(range(mapping.size))
    assert (mapping.is_unique, mapping.is_exhaustive, mapping.is_strided) == (True, True, True)
    assert (mapping.is_always_unique, mapping.is_always_exhaustive, mapping.is_always_strided) == (True, True, True)


@given(EXTENTS)
def test_left_counts_up_with_the_first_index_fastest(extents):
    mapping, mirror = Mapping(extents, LayoutLeft()), Mapping(extents[::-1])
    assert [mapping(*index) for index in all_indices(extents)] == [mirror(*i[::-1]) for i in all_indices(extents)]
    assert mapping.strides == mirror.strides[::-1]
    assert mapping.is_exhaustive
    assert mapping.is_always_exhaustive


def test_stride_without_strides_has_those_of_right():
    assert Mapping((2, 3), LayoutStride()).strides == (3, 1)
    assert repr(LayoutStride()) == "LayoutStride()"
    assert repr(LayoutStride([4, 1])) == "LayoutStride((4, 1))"
    assert repr(LayoutStrideRelaxed([-1], 3)) == "LayoutStrideRelaxed((-1,), offset=3)"


@pytest.mark.parametrize("layout", [LayoutStride(), LayoutStride((4, 1)), LayoutStrideRelaxed((-4, 1), 12)])
def test_a_layout_travels(layout):
    for again in (pickle.loads(pickle.dumps(layout)), copy.deepcopy(layout)):  # noqa: S301 - of our own making
        assert again == layout
        assert hash(again) == hash(layout)


@pytest.mark.parametrize(
    ("extents", "strides", "error", "message"),
    [
        (
            (3, 4),
            (4, -1),
            StrideError,
            "strides of LayoutStride are positive: stride -1 of dimension 1; use LayoutStrideRelaxed",
        ),
        (
            (3, 4),
            (0, 1),
            StrideError,
            r"a zero stride needs an empty index space: dimension 0 of extents \(3, 4\); .*broadcast",
        ),
        ((4, 2), (2, 3), StrideError, r"strides \(2, 3\) over extents \(4, 2\) interleave or collide: sorted by size"),
        ((3, 4), (1,), RankError, "2 extents take 2 strides, got 1"),
        ((2,), (2**63,), StrideError, r"spans 9223372036854775809 elements, more than 2\*\*63 - 1"),
    ],
)
def test_strides_that_stride_does_not_admit_say_why(extents, strides, error, message):
    with pytest.raises(error, match=message):
        Mapping(extents, LayoutStride(strides))


def test_strides_are_integers():
    for layout in (LayoutStride, LayoutStrideRelaxed):
        with pytest.raises(ExtentsTypeError, match=r"a stride must be an integer, got 1\.5 of type float"):
            layout((1.5,))
    with pytest.raises(ExtentsTypeError, match="an offset must be an integer"):
        LayoutStrideRelaxed((1,), "0")


def test_stride_admits_zero_over_nothing_and_what_slicing_makes():
    assert Mapping((3, 0), LayoutStride((0, 0))).required_span_size == 0
    assert Mapping((3, 0), LayoutStride((0, 0))).is_exhaustive
    assert Mapping((5, 2), LayoutStride((4, 3))).is_unique
    assert Mapping((1, 4), LayoutStride((1, 1))).is_unique
    assert Mapping((), LayoutStride(())).is_always_exhaustive
    assert Mapping((dim(0), 3), LayoutStride((1, 1))).is_always_exhaustive
    assert not Mapping((2, 3), LayoutStride((3, 1))).is_always_exhaustive


@pytest.mark.parametrize(
    ("extents", "layout", "message"),
    [
        ((4,), LayoutStrideRelaxed((-1,), 2), r"reaches offset -1; offsets start at 0: make the offset at least 3"),
        ((4,), LayoutStrideRelaxed((1,), -1), r"reaches offset -1; offsets start at 0: make the offset at least 0"),
    ],
)
def test_relaxed_needs_an_offset_that_covers_its_negative_reach(extents, layout, message):
    with pytest.raises(StrideError, match=message):
        Mapping(extents, layout)


def test_relaxed_checks_the_number_of_strides_and_the_span():
    with pytest.raises(RankError, match="2 extents take 2 strides, got 1"):
        Mapping((2, 2), LayoutStrideRelaxed((1,)))
    with pytest.raises(StrideError, match="more than"):
        Mapping((2,), LayoutStrideRelaxed((2**63,)))


def test_relaxed_over_nothing_needs_no_reach():
    mapping = Mapping((4, 0), LayoutStrideRelaxed((-1, 2), 0))
    assert mapping.required_span_size == 0
    assert mapping.is_exhaustive
    assert not mapping.is_always_unique


@given(EXTENTS, st.data())
def test_relaxed_knows_exactly_whether_it_is_unique_and_exhaustive(extents, data):
    strides = data.draw(st.tuples(*[st.integers(-6, 6)] * len(extents)))
    reach = sum([-s * (e - 1) for s, e in zip(strides, extents, strict=True) if s < 0 < e])
    mapping = Mapping(extents, LayoutStrideRelaxed(strides, reach + data.draw(st.integers(0, 1))))
    image = [mapping(*index) for index in all_indices(extents)]
    assert mapping.is_unique == (len(set(image)) == len(image))
    assert mapping.is_exhaustive == (len(set(image)) == mapping.required_span_size)
    assert mapping.layout.is_monotone() == all(s >= 0 for s in strides)


def test_padding_of_every_dimension_as_in_p0009r00():
    assert LayoutStride.padded((2, 3, 4), (0, 0, 2)) == LayoutStride((18, 6, 1))
    assert LayoutStride.padded((2, 3), (1, 0), inner_stride=2, order="left") == LayoutStride((2, 6))
    with pytest.raises(StrideError, match="order must be 'right' or 'left', got 'up'"):
        LayoutStride.padded((2,), (0,), order="up")
    with pytest.raises(RankError, match="2 extents take 2 paddings, got 1"):
        LayoutStride.padded((2, 2), (0,))


def test_byte_strides_must_be_multiples_of_the_item_size():
    assert LayoutStride.from_byte_strides((32, 8), 8) == LayoutStride((4, 1))
    assert element_strides((-16, 0), 8) == (-2, 0)
    message = "byte stride 12 of dimension 1 is no multiple of the item size 8; copy the array first"
    with pytest.raises(StrideError, match=message):
        element_strides((8, 12), 8)
    with pytest.raises(StrideError, match="strides in elements need an item size of at least 1 byte, got 0"):
        element_strides((8,), 0)


@given(EXTENTS, st.data())
def test_the_narrowest_layout_lies_where_the_strides_say(extents, data):
    strides = data.draw(st.tuples(*[st.integers(-9, 9)] * len(extents)))
    for make in (narrowest_layout, strided_layout):
        layout, origin = make(extents, strides)
        mapping = Mapping(extents, layout)
        offsets = [origin + sum(i * s for i, s in zip(index, strides, strict=True)) for index in all_indices(extents)]
        assert [mapping(*index) for index in all_indices(extents)] == offsets


@pytest.mark.parametrize(
    ("extents", "strides", "text"),
    [
        ((2, 3), (3, 1), "LayoutRight()"),
        ((2, 3), (1, 2), "LayoutLeft()"),
        ((2, 3), (4, 1), "LayoutRightPadded(4)"),
        ((2, 3), (1, 4), "LayoutLeftPadded(4)"),
        ((2, 3), (6, 2), "LayoutStride((6, 2))"),
        ((2, 3), (-3, 1), "LayoutStrideRelaxed((-3, 1), offset=3)"),
        ((2, 3), (0, 1), "LayoutStrideRelaxed((0, 1), offset=0)"),
        ((1, 3), (99, 1), "LayoutRight()"),
        ((0, 3), (0, 0), "LayoutRight()"),
        ((), (), "LayoutRight()"),
    ],
)
def test_the_narrowest_layout_has_the_name_of_its_strides(extents, strides, text):
    assert repr(narrowest_layout(extents, strides)[0]).replace("padding=", "") == text


class LayoutLoose(StridedLayout):
    """A strided layout of one's own: its strides are all that it says."""

    def strides(self, extents):
        return tuple([2 * s for s in LayoutRight().strides(extents)])


def test_a_strided_layout_of_ones_own_needs_strides_alone():
    mapping = Mapping((2, 3), LayoutLoose())
    assert (mapping.strides, mapping(1, 2), mapping.required_span_size, mapping.origin) == ((6, 2), 10, 11, 0)
    assert (mapping.is_unique, mapping.is_exhaustive, mapping.is_strided) == (True, False, True)
    assert Mapping((1, 1), LayoutLoose()).is_exhaustive
    part, offset = submapping(mapping, 1, (1, 3))
    assert (part, offset) == (Mapping((2,), LayoutStride((2,))), 8)


def test_a_product_of_static_extents_needs_them_all():
    assert static_product([2, 3]) == 6
    assert static_product([]) == 1
    assert static_product([2, None]) is None


@pytest.mark.parametrize("layout", [LayoutRight(), LayoutStrideRelaxed((-1,), 5), LayoutTranspose(LayoutLeft())])
def test_strided_layouts_know_their_strides_also_when_transposed(layout):
    assert layout.knows_strides()
