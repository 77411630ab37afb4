"""Transposed: index (i, j) lies where the nested layout puts (j, i)."""

import pytest
from samples import LayoutBanded, LayoutMortonLike, LayoutSymmetric, all_indices

from mdview import LayoutLeft, LayoutRightPadded, LayoutStrideRelaxed, LayoutTiled, LayoutTranspose, Mapping, dim
from mdview.errors import RankError, StrideError
from mdview.layouts.linear import linear_over

NESTED = [
    Mapping((3, 4)),
    Mapping((4, 3), LayoutLeft()),
    Mapping((3, 4), LayoutRightPadded(dim(6))),
    Mapping((dim(4), dim(4)), LayoutRightPadded(dim(4))),
    Mapping((3, 4), LayoutStrideRelaxed((-4, 0), 8)),
    Mapping((0, 4)),
    Mapping((5, 4), LayoutTiled(2, 3)),
    Mapping((2, 3), LayoutTiled(2, 3)),
    Mapping((4, 4), LayoutSymmetric()),
    Mapping((4, 4), LayoutBanded(3, 3)),
    Mapping((3, 5), LayoutMortonLike()),
]


@pytest.mark.parametrize("nested", NESTED, ids=repr)
def test_everything_is_as_in_the_nested_layout_with_the_dimensions_exchanged(nested):
    mapping = Mapping(nested.extents[::-1], LayoutTranspose(nested.layout))
    for i, j in all_indices(mapping.extents):
        assert mapping(i, j) == nested(j, i)
    assert mapping.required_span_size == nested.required_span_size
    assert mapping.origin == nested.origin
    assert mapping.is_strided == nested.is_strided
    if nested.is_strided:
        assert mapping.strides == nested.strides[::-1]
    for fact in ("unique", "exhaustive", "always_unique", "always_exhaustive", "always_strided"):
        assert getattr(mapping, f"is_{fact}") == getattr(nested, f"is_{fact}")
    assert mapping.layout.is_monotone() == nested.layout.is_monotone()


def test_the_linear_form_is_exchanged():
    layout, nested = LayoutTranspose(LayoutTiled(2, 2)), LayoutTiled(2, 2)
    offset, strides = linear_over(nested, (6, 6), list(zip((2, 1), (2, 1), (2, 1), strict=True)))
    assert linear_over(layout, (6, 6), list(zip((1, 2), (1, 2), (1, 2), strict=True))) == (offset, strides[::-1])
    assert linear_over(layout, (6, 6), list(zip((0, 0), (3, 3), (1, 1), strict=True))) is None


def test_transposing_takes_rank_2_and_what_the_nested_layout_takes():
    with pytest.raises(RankError, match="LayoutTranspose needs rank 2, got rank 3; use permute_dims"):
        Mapping((2, 2, 2), LayoutTranspose(LayoutLeft()))
    with pytest.raises(StrideError, match="reaches offset"):
        Mapping((2, 2), LayoutTranspose(LayoutStrideRelaxed((-1, 1), 0)))
