"""Each layout is its definition, written out the plain way; what it says of itself; and the values it takes."""

from itertools import product
from math import prod

import pytest
from effort import some
from hypothesis import given
from hypothesis import strategies as st
from samples.layouts import LAYOUTS, bound
from samples.mappings import LayoutSymmetric
from samples.variants import indices_of

import mdview as md

EXTENTS = st.lists(st.integers(0, 6), max_size=3).map(tuple)


def offsets(extents, layout):
    return dict(zip(indices_of(extents), md.Mapping(extents, layout).offsets(), strict=True))


@given(EXTENTS, st.integers(1, 6))
def test_dense_and_padded_layouts_count_up(extents, padding):
    assert list(offsets(extents, md.LayoutRight()).values()) == list(range(prod(extents)))
    for right, left in (
        (md.LayoutRight(), md.LayoutLeft()),
        (md.LayoutRightPadded(padding), md.LayoutLeftPadded(padding)),
    ):
        turned = offsets(extents[::-1], left)
        assert offsets(extents, right) == {i[::-1]: offset for i, offset in turned.items()}
    if len(extents) > 1:
        row = md.LayoutRightPadded(padding).strides(extents)[-2]
        assert row % padding == 0
        assert row - padding < extents[-1] <= row or row == extents[-1] == 0
        for none in (None, md.dim(0)):
            assert md.LayoutRightPadded(none).strides(extents) == md.LayoutRight().strides(extents)


def bits_interleaved(layout, extents, index):
    """Offset of Morton order as a text of bits."""
    order = range(len(extents)) if layout.fastest == "first" else range(len(extents))[::-1]
    bits = [max(e - 1, 0).bit_length() for e in extents]
    levels = product(range(max(bits, default=0)), order)
    taken = [(level, r) for level, r in levels if level < bits[r] or not layout.compact]
    return int("".join([str(index[r] >> level & 1) for level, r in taken])[::-1] or "0", 2)


@given(EXTENTS, st.booleans(), st.sampled_from(["first", "last"]))
def test_morton_interleaves_bits(extents, compact, fastest):
    layout = md.LayoutMorton(compact=compact, fastest=fastest)
    assert all(bits_interleaved(layout, extents, i) == offset for i, offset in offsets(extents, layout).items())
    assert md.Mapping((2**63 - 1,), layout)(2**63 - 2) == 2**63 - 2


@pytest.mark.parametrize("n", range(7))
@pytest.mark.parametrize("triangle", ["upper", "lower"])
@pytest.mark.parametrize("order", ["column", "row"])
def test_packed_matrices_count_the_stored_triangle(n, triangle, order):
    layout = md.LayoutBlasPacked(triangle, order)
    lines = [(i, j) if order == "row" else (j, i) for i, j in indices_of((n, n))]
    stored = [(i, j) for i, j in lines if (i <= j if triangle == "upper" else i >= j)]
    places = {index: k for k, index in enumerate(stored)}
    assert offsets((n, n), layout) == {(i, j): places.get((i, j), places.get((j, i))) for i, j in sorted(lines)}
    assert [i for i in lines if layout.is_stored(i)] == stored
    big, (low, high) = 3_000_000_000 - n, (17 * n, 2_000_000_000 - n)
    grows = low + high * (high + 1) // 2 if (triangle == "upper") == (order == "column") else None
    expected = high + big * low - low * (low + 1) // 2 if grows is None else grows
    assert md.Mapping((big, big), layout)(high, low) == md.Mapping((big, big), layout)(low, high) == expected


@given(st.integers(0, 3), st.integers(0, 3), st.integers(-5, 5), st.integers(0, 2**62))
def test_swizzling_flips_bits_by_others(bits, low, shift, offset):
    if abs(shift) < bits:
        return
    layout = md.LayoutSwizzled(md.LayoutRight(), bits, low, shift)
    digits = [offset >> k & 1 for k in range(80)]
    source, target = (low + abs(shift), low) if shift >= 0 else (low, low + abs(shift))
    for k in range(bits):
        digits[target + k] ^= digits[source + k]
    assert layout.swizzle(offset) == sum([digit << k for k, digit in enumerate(digits)])
    assert layout.swizzle(layout.swizzle(offset)) == offset
    for inner in (md.LayoutLeftPadded(9), md.LayoutMorton()):
        swizzled = offsets((5, 7), md.LayoutSwizzled(inner, bits, low, shift))
        assert swizzled == {i: layout.swizzle(o) for i, o in offsets((5, 7), inner).items()}


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
