"""Wrappers: what a layout around another one changes is its own, and everything else is what the inner layout says."""

from dataclasses import dataclass
from typing import final

import pytest
from samples import LayoutBanded, all_indices

from mdview import (
    FillAccessor,
    IndexTransform,
    Layout,
    LayoutBlasPacked,
    LayoutComposed,
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutStrideRelaxed,
    LayoutTiled,
    LayoutTranspose,
    LayoutWrapper,
    Mapping,
    MDView,
    permute_dims,
    submapping,
)
from mdview.errors import HaloError
from mdview.testing import check_layout

HALO = LayoutComposed(LayoutRight(), (2, 2), IndexTransform((-1, -1), (1, 1), (0, 1)), ((1, 3), (1, 3)))


@final
@dataclass(frozen=True)
class LayoutBackwards(LayoutWrapper):
    """The dimensions of ``inner`` in reverse."""

    inner: Layout

    def wrapped(self):
        return self.inner

    def keeps_offsets(self):
        return True

    def to_wrapped(self, values):
        return values[::-1]

    def from_wrapped(self, values):
        return values[::-1]


@final
@dataclass(frozen=True)
class LayoutEvery(LayoutWrapper):
    """The elements of ``inner`` at every ``step``-th offset."""

    inner: Layout
    step: int

    def wrapped(self):
        return self.inner

    def keeps_offsets(self):
        return self.step == 1

    def offset(self, extents, index):
        return self.step * self.inner.offset(extents, index)

    def required_span_size(self, extents):
        span = self.inner.required_span_size(extents)
        return span and self.step * (span - 1) + 1


INNER = [
    (LayoutRight(), (3, 4)),
    (LayoutRightPadded(4), (2, 3)),
    (LayoutStrideRelaxed((-1, 3), 2), (3, 2)),
    (LayoutTiled(2, 2), (4, 6)),
    (LayoutMorton(), (2, 4)),
    (LayoutBlasPacked("upper", "row"), (3, 3)),
    (LayoutBanded(1, 1), (3, 3)),
    (HALO, (4, 4)),
]


@pytest.mark.parametrize(("inner", "extents"), INNER, ids=repr)
@pytest.mark.parametrize("around", [LayoutBackwards, LayoutTranspose])
def test_a_wrapper_of_the_dimensions_says_what_the_inner_layout_says(around, inner, extents):
    turned, plain = Mapping(extents[::-1], around(inner)), Mapping(extents, inner)
    for question in ("origin", "required_span_size", "is_unique", "is_exhaustive", "is_strided"):
        assert getattr(turned, question) == getattr(plain, question)
    for question in ("is_monotone", "is_total", "knows_strides"):
        assert getattr(around(inner), question)() == getattr(inner, question)()
    for always in ("is_always_unique", "is_always_exhaustive", "is_always_strided"):
        assert getattr(around(inner), always)((None, 3)) == getattr(inner, always)((3, None))
    assert turned.valid_box == plain.valid_box[::-1]
    assert [turned.is_valid(*i) for i in all_indices(extents[::-1])] == [
        plain.is_valid(*i[::-1]) for i in all_indices(extents[::-1])
    ]
    strides = plain.found_strides()
    assert turned.found_strides() == (None if strides is None else strides[::-1])


@pytest.mark.parametrize(("inner", "extents"), INNER, ids=repr)
def test_wrappers_keep_the_laws(inner, extents):
    check_layout(LayoutBackwards(inner), extents[::-1])
    check_layout(LayoutEvery(inner, 1), extents)
    check_layout(LayoutEvery(inner, 3), extents)


@pytest.mark.parametrize("around", [LayoutBackwards, LayoutTranspose])
@pytest.mark.parametrize("mode", ["edge", "reflect", "wrap"])
def test_padding_in_a_wrapped_layout_is_filled_as_in_that_layout(around, mode):
    padded = MDView(list(range(4)), (4, 4), HALO, FillAccessor(mode))
    turned = MDView(list(range(4)), (4, 4), around(HALO), FillAccessor(mode))
    assert turned.tolist() == permute_dims(padded, (1, 0)).tolist()
    assert turned[1:, ::-1].tolist() == permute_dims(padded, (1, 0))[1:, ::-1].tolist()


def test_padding_of_a_layout_that_moves_elements_is_not_filled_by_others():
    moved = MDView(list(range(12)), (4, 4), LayoutEvery(HALO, 3), FillAccessor("edge"))
    assert moved[1, 2] == 3
    with pytest.raises(HaloError, match=r"index \(0, 2\) .* lies in the padding, .* mode 'edge' finds no element"):
        moved[0, 2]


def test_a_wrapper_that_moves_elements_claims_nothing_about_offsets():
    moved = LayoutEvery(LayoutRight(), 2)
    assert not moved.is_always_strided((3, 4))
    assert not moved.is_always_exhaustive((3, 4))
    assert not moved.is_monotone()
    assert not moved.knows_strides()
    mapping = Mapping((3, 4), moved)
    assert (mapping.is_strided, mapping.strides, mapping.is_exhaustive, mapping.is_unique) == (
        True,
        (8, 2),
        False,
        True,
    )


def test_operations_take_a_wrapper_like_any_layout():
    turned = Mapping((6, 4), LayoutBackwards(LayoutTiled(2, 2)))
    inner = Mapping((4, 6), LayoutTiled(2, 2))
    assert list(permute_dims(turned, (1, 0)).offsets()) == list(inner.offsets())
    part, first = submapping(turned, 3, (1, 3))
    assert [first + part(i) for i in range(2)] == [inner(1 + i, 3) for i in range(2)]


def test_what_the_inner_layout_refuses_is_refused():
    with pytest.raises(ValueError, match="square matrix"):
        Mapping((2, 3), LayoutBackwards(LayoutBlasPacked("upper", "row")))


def test_a_wrapper_must_say_what_it_wraps_and_whether_it_moves():
    assert LayoutWrapper.__abstractmethods__ == {"wrapped", "keeps_offsets"}


@pytest.mark.parametrize("nested", [LayoutTiled(2, 3), LayoutTiled(2, 3, outer=LayoutLeft(), inner=LayoutLeft())])
def test_the_tiling_of_a_transpose_is_exchanged(nested):
    tiling, own = LayoutTranspose(nested).tiling(), nested.tiling()
    assert tiling.sizes == (3, 2)
    assert tiling.strides == own.strides[::-1]
    assert tiling.first_is_fastest is not own.first_is_fastest
    assert tiling.grid((7, 5)) == own.grid((5, 7))[::-1]
    assert LayoutBackwards(nested).tiling() is None
