"""Padded layouts: the stride next to the unit stride is the least multiple of the padding that holds a row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview import LayoutLeftPadded, LayoutRightPadded, Mapping, dim
from mdview.errors import ExtentsTypeError, LayoutError
from mdview.layouts.padding import padded_stride, static_padded_stride, static_padding

PADDED = [LayoutRightPadded, LayoutLeftPadded]


@given(st.integers(1, 20), st.integers(0, 60))
def test_the_padded_stride_is_the_least_multiple_that_holds_the_extent(padding, extent):
    stride = padded_stride(padding, extent)
    assert stride % padding == 0
    assert stride - padding < extent <= stride or extent == stride == 0


def test_no_padding_and_a_padding_of_0_add_nothing():
    assert padded_stride(None, 5) == padded_stride(dim(0), 5) == 5


@given(st.lists(st.integers(0, 4), min_size=2, max_size=4), st.integers(1, 6))
def test_left_padded_is_right_padded_read_backwards(extents, padding):
    left, right = Mapping(extents, LayoutLeftPadded(padding)), Mapping(extents[::-1], LayoutRightPadded(padding))
    assert left.strides == right.strides[::-1]
    assert left.required_span_size == right.required_span_size
    assert left.is_exhaustive == right.is_exhaustive


@pytest.mark.parametrize("layout", PADDED)
def test_rank_0_and_1_have_nothing_to_pad(layout):
    assert Mapping((), layout(4)).strides == ()
    assert Mapping((3,), layout(4)).strides == (1,)
    assert Mapping((3,), layout(4)).required_span_size == 3
    assert Mapping((3,), layout(4)).is_always_exhaustive
    assert Mapping((3,), layout(4)).is_exhaustive


def test_the_last_row_is_not_padded():
    assert Mapping((2, 3), LayoutRightPadded(4)).strides == (4, 1)
    assert Mapping((2, 3), LayoutRightPadded(4)).required_span_size == 7
    assert Mapping((3, 2, 2), LayoutLeftPadded(4)).strides == (1, 4, 8)
    assert Mapping((3, 2, 2), LayoutLeftPadded(4)).required_span_size == 15


@pytest.mark.parametrize("layout", PADDED)
def test_only_what_is_static_tells_that_there_is_never_a_hole(layout):
    assert Mapping((dim(4), dim(4)), layout(dim(2))).is_always_exhaustive
    assert not Mapping((dim(3), dim(3)), layout(dim(2))).is_always_exhaustive
    assert not Mapping((4, 4), layout(dim(2))).is_always_exhaustive
    assert not Mapping((dim(4), dim(4)), layout(2)).is_always_exhaustive
    assert Mapping((4, 4), layout(2)).is_exhaustive
    assert not Mapping((3, 3), layout(2)).is_exhaustive


def test_a_static_padding_is_one_given_as_dim():
    assert static_padding(dim(4)) == 4
    assert static_padding(4) is None
    assert static_padded_stride(dim(4), 3) == 4
    assert static_padded_stride(4, 3) is None
    assert static_padded_stride(dim(4), None) is None


@pytest.mark.parametrize("layout", PADDED)
@pytest.mark.parametrize(
    ("padding", "error", "message"),
    [
        (0, LayoutError, "must be at least 1, got 0; leave it out for rows without padding"),
        (-2, LayoutError, "must be at least 1, got -2"),
        (dim(-2), LayoutError, "must be at least 1, got -2"),
        (1.5, ExtentsTypeError, r"must be an integer, got 1\.5"),
    ],
)
def test_a_padding_that_pads_nothing_is_refused(layout, padding, error, message):
    with pytest.raises(error, match=f"the padding of {layout.__name__} {message}"):
        layout(padding)
