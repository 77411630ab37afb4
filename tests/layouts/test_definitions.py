"""Each layout is its definition, written out the plain way; what it says of itself; and the values it takes."""

from math import prod

import pytest
from effort import some
from hypothesis import given
from hypothesis import strategies as st
from samples.layouts import LAYOUTS, bound
from samples.mappings import LayoutSymmetric
from samples.variants import indices_of

import mdview as md


def offsets(extents, layout):
    return dict(zip(indices_of(extents), md.Mapping(extents, layout).offsets(), strict=True))


# --- tiles ------------------------------------------------------------------------------------------------------------


def some_order(draw, shape):
    """A strided layout that fits ``shape``: dense, padded, or strides in any order with gaps."""
    kinds = [md.LayoutRight(), md.LayoutLeft(), md.LayoutStride(), md.LayoutRightPadded(4), md.LayoutLeftPadded(3)]
    strides, reach = [1] * len(shape), 0
    for r in draw(st.permutations(range(len(shape)))):
        strides[r] = reach + draw(st.integers(1, 3))
        reach += (max(shape[r], 1) - 1) * strides[r]
    return draw(st.sampled_from([*kinds, md.LayoutStride(strides)]))


@st.composite
def tilings(draw, max_rank=3, max_extent=6):
    rank = draw(st.integers(0, max_rank))
    extents = draw(st.tuples(*[st.integers(0, max_extent)] * rank))
    tile = draw(st.tuples(*[st.integers(1, 5)] * rank))
    inner = some_order(draw, tile)
    if draw(st.booleans()):
        within = draw(st.tuples(*[st.integers(1, 3)] * rank))
        inner = md.LayoutTiled(*within, outer=some_order(draw, grid(tile, within)), inner=some_order(draw, within))
    return md.Mapping(extents, md.LayoutTiled(*tile, outer=some_order(draw, grid(extents, tile)), inner=inner))


def grid(extents, tile):
    return tuple([-(-e // t) for e, t in zip(extents, tile, strict=True)])


def place(layout, extents, index):
    """Offset and what the whole takes, its slowest dimension counted in full."""
    if isinstance(layout, md.layouts.StridedLayout):
        strides = layout.strides(extents)
        slowest = max([(s, e) for s, e in zip(strides, extents, strict=True) if e > 1], default=(1, 1))
        return sum(map(int.__mul__, index, strides)), prod(slowest)
    block, cell = zip(*map(divmod, index, layout.tile), strict=True) if index else ((), ())
    element, size = place(layout.inner, layout.tile, cell)
    tile, _ = place(layout.outer, grid(extents, layout.tile), block)
    return tile * size + element, md.Mapping(grid(extents, layout.tile), layout.outer).required_span_size * size


@given(tilings(), st.data())
def test_tiles_lie_where_the_outer_layout_says_and_elements_where_the_inner_one_does(mapping, data):
    extents, layout = mapping.extents, mapping.layout
    found = offsets(extents, layout)
    assert all(place(layout, extents, i)[0] == offset for i, offset in found.items())
    assert layout.tile_allocation() >= md.Mapping(layout.tile, layout.inner).required_span_size
    if found:
        assert layout.allocation_size(extents) == place(layout, extents, (0,) * mapping.rank)[1]
    axes = data.draw(st.permutations(range(mapping.rank)))
    permuted = layout.permuted(extents, axes)
    assert permuted.tile_allocation() == layout.tile_allocation()
    turned = offsets([extents[axis] for axis in axes], permuted)
    assert turned == {tuple([i[axis] for axis in axes]): offset for i, offset in found.items()}


# --- what layouts say of themselves -----------------------------------------------------------------------------------

RULES = {
    md.LayoutRight(): (md.layouts.StrideRule("right"), True),
    md.LayoutLeft(): (md.layouts.StrideRule("left"), True),
    md.LayoutRightPadded(4): (md.layouts.StrideRule("right", is_padded=True, padding=4), False),
    md.LayoutRightPadded(md.dim(4)): (md.layouts.StrideRule("right", is_padded=True, padding=md.dim(4)), True),
    md.LayoutLeftPadded(): (md.layouts.StrideRule("left", is_padded=True), True),
    md.LayoutStride(): (md.layouts.StrideRule(), False),
    md.LayoutStrideRelaxed((1, -1), 3): (md.layouts.StrideRule(), False),
}


def test_the_rule_of_strides():
    for layout, (rule, is_static) in RULES.items():
        said = layout.stride_rule()
        assert (said, said.is_static) == (rule, is_static) or type(layout) is md.LayoutRightPadded
        assert rule.is_static is is_static
        assert rule.reversed().reversed() == rule
        assert rule.is_dense is (rule.order is not None and not rule.is_padded)
        assert layout.knows_strides()
    for layout in (md.LayoutTiled(2, 2), md.LayoutMorton(), md.LayoutBlasPacked("upper", "row"), LayoutSymmetric()):
        assert layout.stride_rule() is None


LEFT = {"outer": md.LayoutLeft(), "inner": md.LayoutLeft()}


@pytest.mark.parametrize(
    ("layout", "tiling"),
    [
        (md.LayoutTiled(2, md.dim(3)), md.layouts.Tiling((2, 3), (3, 1), first_is_fastest=False)),
        (md.LayoutTiled(2, 3, **LEFT), md.layouts.Tiling((2, 3), (1, 2), first_is_fastest=True)),
        (md.LayoutTiled(4, 4, inner=md.LayoutTiled(2, 2)), md.layouts.Tiling((4, 4), None, first_is_fastest=False)),
        (md.layouts.LayoutTranspose(md.LayoutTiled(2, 3)), md.layouts.Tiling((3, 2), (1, 3), first_is_fastest=True)),
        (
            md.layouts.LayoutTranspose(md.LayoutTiled(4, 2, inner=md.LayoutTiled(2, 1))),
            md.layouts.Tiling((2, 4), None, first_is_fastest=True),
        ),
        (md.layouts.LayoutTranspose(md.LayoutRight()), None),
        (md.LayoutMorton(), None),
    ],
    ids=repr,
)
def test_the_tiling_of_each_layout(layout, tiling):
    assert layout.tiling() == tiling
    if tiling is not None:
        assert tiling.grid((5, 6)) == grid((5, 6), tiling.sizes)


def test_only_what_is_composed_has_another_base():
    transform = md.index.IndexMap((1, 0), (1, 1), (0, 1))
    layout = md.LayoutComposed(md.LayoutTiled(2, 2), (4, 4), transform, ((0, 3), (0, 4)))
    assert layout.composition((3, 4)) == md.layouts.Composition(
        md.LayoutTiled(2, 2), (4, 4), transform, ((0, 3), (0, 4))
    )
    plain = md.LayoutTiled(2, 2).composition((3, 4))
    assert plain == md.layouts.Composition(md.LayoutTiled(2, 2), (3, 4), md.index.IndexMap.taking((0, 1)))


def test_extents_have_each_dimension_that_a_transform_reads():
    transform = md.index.IndexMap((0, 0), (1, 1), (0, 1))
    with pytest.raises(md.errors.RankError, match="reads 2 indices"):
        md.Mapping((3,), md.LayoutComposed(md.LayoutTiled(2, 2), (4, 4), transform))


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_transposed_layout_is_the_layout_with_its_dimensions_exchanged(name):
    for shape in some([(4, 4), (3, 5), (0, 3), (3, 1)], 2):
        plain = bound(name, shape)
        if plain is None:
            continue
        turned = md.Mapping(shape[::-1], md.layouts.LayoutTranspose(plain.layout))
        assert offsets(shape[::-1], turned.layout) == {i[::-1]: o for i, o in offsets(shape, plain.layout).items()}
        for fact in ("unique", "exhaustive", "strided", "always_unique", "always_exhaustive", "always_strided"):
            assert getattr(turned, f"is_{fact}") == getattr(plain, f"is_{fact}")
        assert turned.layout.allocation_size(shape[::-1]) == plain.layout.allocation_size(shape)
        assert turned.layout.is_monotone() == plain.layout.is_monotone()
