"""What layouts say about their structure, and that operations ask for nothing else: a user's layout is served alike."""

from dataclasses import dataclass
from typing import final

import pytest
from samples import LayoutSymmetric, all_indices

from mdview import (
    ALL,
    IndexTransform,
    Layout,
    LayoutBlasPacked,
    LayoutComposed,
    LayoutLeft,
    LayoutLeftPadded,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutSwizzled,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
    MDView,
    dense_like,
    dim,
    flip,
    pad,
    permute_dims,
    reshape,
    submapping,
    tiles,
    transposed,
)
from mdview.errors import LayoutError
from mdview.layouts.base import Composition
from mdview.layouts.ordered import layout_of
from mdview.layouts.structure import StrideRule, Tiling
from mdview.testing import check_layout
from mdview.views.base import null_mapping

RULES = {
    LayoutRight(): StrideRule("right"),
    LayoutLeft(): StrideRule("left"),
    LayoutRightPadded(4): StrideRule("right", is_padded=True, padding=4),
    LayoutLeftPadded(): StrideRule("left", is_padded=True),
    LayoutStride(): StrideRule(),
    LayoutStrideRelaxed((1, -1), 3): StrideRule(),
    LayoutTiled(2, 2): None,
    LayoutMorton(): None,
    LayoutBlasPacked("upper", "row"): None,
    LayoutSwizzled(LayoutRight(), 1, 0, 1): None,
    LayoutTranspose(LayoutTiled(2, 2)): None,
    LayoutSymmetric(): None,
}


@pytest.mark.parametrize("layout", RULES, ids=repr)
def test_the_rule_of_each_layout(layout):
    assert layout.stride_rule() == RULES[layout]


@pytest.mark.parametrize("layout", [layout for layout, rule in RULES.items() if rule and rule.order], ids=repr)
def test_a_rule_with_an_order_gives_the_layout_back_and_its_transpose(layout):
    rule = layout.stride_rule()
    assert layout_of(rule) == layout
    assert rule.reversed().reversed() == rule
    assert layout_of(rule.reversed()).strides((5, 3, 2)) == layout.strides((2, 3, 5))[::-1]
    assert rule.is_dense is (not rule.is_padded)


def test_a_rule_without_an_order_gives_no_layout():
    with pytest.raises(LayoutError, match="only a rule with an order"):
        layout_of(StrideRule())
    assert StrideRule().reversed() == StrideRule()
    assert not StrideRule().is_dense


@pytest.mark.parametrize(
    ("layout", "is_static"),
    [
        (LayoutRight(), True),
        (LayoutRightPadded(), True),
        (LayoutRightPadded(dim(4)), True),
        (LayoutLeftPadded(4), False),
        (LayoutStride((4, 1)), False),
    ],
)
def test_a_rule_is_static_without_a_dynamic_parameter(layout, is_static):
    assert layout.stride_rule().is_static is is_static


@pytest.mark.parametrize(
    ("layout", "tiling"),
    [
        (LayoutTiled(2, dim(3)), Tiling((2, 3), (3, 1), first_is_fastest=False)),
        (LayoutTiled(2, 3, outer=LayoutLeft(), inner=LayoutLeft()), Tiling((2, 3), (1, 2), first_is_fastest=True)),
        (LayoutTiled(4, 4, inner=LayoutTiled(2, 2)), Tiling((4, 4), None, first_is_fastest=False)),
        (LayoutTranspose(LayoutTiled(2, 3)), Tiling((3, 2), (1, 3), first_is_fastest=True)),
        (LayoutTranspose(LayoutTiled(4, 2, inner=LayoutTiled(2, 1))), Tiling((2, 4), None, first_is_fastest=True)),
        (LayoutTranspose(LayoutRight()), None),
        (LayoutMorton(), None),
    ],
    ids=repr,
)
def test_the_tiling_of_each_layout(layout, tiling):
    assert layout.tiling() == tiling


def test_a_grid_of_tiles_counts_those_that_stick_out():
    assert Tiling((2, 3), None, first_is_fastest=False).grid((5, 6)) == (3, 2)


def test_only_what_is_composed_has_another_base():
    transform = IndexTransform((1, 0), (1, 1), (0, 1))
    composed = LayoutComposed(LayoutTiled(2, 2), (4, 4), transform, ((0, 3), (0, 4)))
    assert composed.composition((3, 4)) == Composition(LayoutTiled(2, 2), (4, 4), transform, ((0, 3), (0, 4)))
    plain = LayoutTiled(2, 2).composition((3, 4))
    assert plain == Composition(LayoutTiled(2, 2), (3, 4), IndexTransform.taking((0, 1)))


# --- a user's layouts that give these answers ---


@final
@dataclass(frozen=True)
class LayoutRows(Layout):
    """C order, written by hand."""

    def offset(self, extents, index):
        place = 0
        for i, e in zip(index, extents, strict=True):
            place = place * e + i
        return place

    def required_span_size(self, extents):
        return 0 if 0 in extents else 1 + self.offset(extents, [e - 1 for e in extents])

    def stride_rule(self):
        return StrideRule("right")


@final
@dataclass(frozen=True)
class LayoutBlocks(Layout):
    """Blocks of two by two, row by row, for even extents; with `turned` the dimensions are exchanged."""

    turned: bool = False

    def offset(self, extents, index):
        (i, j), width = (index[::-1], extents[0]) if self.turned else (index, extents[1])
        return (i // 2 * (width // 2) + j // 2) * 4 + i % 2 * 2 + j % 2

    def required_span_size(self, extents):
        return extents[0] * extents[1]

    def check(self, extents):
        if len(extents) != 2 or extents[0] % 2 or extents[1] % 2:
            message = f"blocks need two even extents, got {extents}"
            raise LayoutError(message)

    def permuted(self, extents, axes):
        return LayoutBlocks(self.turned != (tuple(axes) == (1, 0)))

    def transposed(self, extents):
        return LayoutBlocks(not self.turned)

    def tiling(self):
        return Tiling((2, 2), (1, 2) if self.turned else (2, 1), first_is_fastest=self.turned)


@final
@dataclass(frozen=True)
class LayoutUpsideDown(Layout):
    """Another layout with its first dimension turned round: composed, under a name of its own."""

    inner: Layout

    def offset(self, extents, index):
        return self.inner.offset(extents, (extents[0] - 1 - index[0], *index[1:]))

    def required_span_size(self, extents):
        return self.inner.required_span_size(extents)

    def composition(self, extents):
        rank = len(extents)
        stride = (-1, *(1,) * (rank - 1))
        transform = IndexTransform((extents[0] - 1, *(0,) * (rank - 1)), stride, tuple(range(rank)))
        return Composition(self.inner, tuple(extents), transform)

    def check(self, extents):
        if not extents:
            message = "there is no first dimension"
            raise LayoutError(message)


@pytest.mark.parametrize("layout", [LayoutRows(), LayoutBlocks(), LayoutBlocks(True), LayoutUpsideDown(LayoutMorton())])
def test_the_layouts_of_these_tests_keep_the_laws(layout):
    check_layout(layout, (2, 4), (4, 4), (6, 2))


def test_a_rule_decides_what_slices_transposes_copies_and_null_views_are():
    rows, right = Mapping((4, 6), LayoutRows()), Mapping((4, 6))
    for slices in ((1, ALL), (ALL, (1, 3)), ((1, 3), ALL), (ALL, range(0, 6, 2))):
        assert submapping(rows, *slices) == submapping(right, *slices)
        assert submapping(rows, *slices)[0].layout == submapping(right, *slices)[0].layout
    assert transposed(rows).layout == LayoutLeft()
    assert dense_like(rows).layout == LayoutRight()
    assert null_mapping(rows) == Mapping((0, 0), LayoutRows())
    assert null_mapping(Mapping((4, 6), LayoutBlocks())).layout == LayoutRight()
    assert flip(rows, 0).layout == flip(right, 0).layout


def test_what_a_linear_layout_says_itself_comes_first():
    turned = transposed(Mapping((4, 4), LayoutTranspose(LayoutTiled(4, 4))))
    assert turned.layout == LayoutTiled(4, 4)
    assert transposed(Mapping((2, 2), LayoutBlocks())).layout == LayoutBlocks(turned=True)


def test_blocks_stay_blocks_and_are_walked_as_tiles():
    blocks = Mapping((4, 6), LayoutBlocks())
    assert permute_dims(blocks, (1, 0)) == Mapping((6, 4), LayoutBlocks(turned=True))
    assert transposed(blocks).layout == LayoutBlocks(turned=True)
    view = MDView(list(range(24)), (4, 6), LayoutBlocks())
    assert [part.tolist() for part in tiles(view)][1] == [[4, 5], [6, 7]]
    assert [part.tolist() for part in tiles(transposed(view))][1] == [[4, 6], [5, 7]]


def test_operations_on_a_composition_compose_with_its_base():
    turned = Mapping((4, 4), LayoutUpsideDown(LayoutMorton()))
    again = flip(turned, 0)
    assert again == Mapping((4, 4), LayoutMorton())
    assert reshape(reshape(turned, (16,)), (4, 4)).layout.base == LayoutMorton()
    padded = pad(turned, 1)
    assert padded.layout.base == turned.layout  # what lies outside it is the halo
    for index in all_indices((4, 4)):
        assert padded(*[i + 1 for i in index]) == turned(*index)
