"""What the signatures of rearrangements promise holds at run time: the reverse of an order, and kinds of results."""

from __future__ import annotations

from itertools import product

import pytest

import mdview as md
from mdview.errors import MDViewError


def mappings():
    shapes = [(), *product((0, 1, 3), repeat=1), *product((0, 1, 2, 3), repeat=2), *product((1, 2, 3), repeat=3)]
    for shape in [*shapes, (0, 2, 1), (1, 1, 0), (2, 1, 3, 2), (1, 2, 1, 1), (2, 1, 1, 2, 1)]:
        extents = tuple([md.dim(e) if r % 2 == 0 else e for r, e in enumerate(shape)])
        steps, step = [], 2
        for e in shape:
            steps.append(step)
            step *= max(e, 1) + 1
        layouts = [
            md.LayoutRight(),
            md.LayoutLeft(),
            md.LayoutStride(steps),
            md.LayoutStride(steps[::-1]),
            md.LayoutMorton(),
        ]
        layouts += [md.LayoutRightPadded(4), md.LayoutLeftPadded(4), md.LayoutTiled(*(2,) * len(shape))]
        layouts += [md.LayoutStrideRelaxed((0,) * len(shape)), md.LayoutStrideRelaxed([-s for s in steps], 999)]
        for layout in layouts:
            try:
                mapping = md.Mapping(extents, layout)
            except (MDViewError, TypeError):
                continue
            yield mapping
    yield md.pad(md.Mapping((md.dim(2), 3)), 1)


@pytest.mark.parametrize("extents", [(1, 5), (5, 1), (0, 3), (3, 0), (1, 1), (2, 3)])
def test_the_reverse_of_right_is_left_over_any_extents(extents):
    reverse = md.permute_dims(md.Mapping(extents), (1, 0))
    assert reverse == md.Mapping(extents[::-1], md.LayoutLeft())
    assert md.permute_dims(reverse, (1, 0)) == md.Mapping(extents)


@pytest.mark.parametrize(
    ("accessor", "promise"),
    [
        (md.DefaultAccessor(), md.accessors.FillAccessor),
        (md.CheckedAccessor(), md.accessors.FillAccessor),
        (md.accessors.FillAccessor(), md.accessors.FillAccessor),
        (md.accessors.RestrictAccessor(), md.Writable),
        (md.accessors.RestrictAccessor(md.accessors.FillAccessor()), md.Writable),
        (md.AtomicAccessor(process_local=True), md.Writable),
        (md.ReadOnlyAccessor(), md.ReadOnlyAccessor),
        (md.ReadOnlyAccessor(md.accessors.FillAccessor()), md.ReadOnlyAccessor),
        (md.accessors.ScaledAccessor(2), md.accessors.ScaledAccessor),
    ],
)
def test_the_accessor_of_padding_is_as_promised(accessor, promise):
    view = md.MDView(list(range(6)), (md.dim(2), 3), accessor=accessor)
    for width in (0, 1, (0, 1)):
        assert isinstance(md.pad(view, width).accessor, promise)
        assert md.pad(view, width).rank == 2


def test_a_bitcast_keeps_rank_strides_and_accessor():
    view = md.MDView(bytearray(24), (2, 3, 4))
    for source in (view, md.readonly(view)):
        recast = md.operations.bitcast(source, "i")
        assert recast.rank == 3
        assert isinstance(recast.layout, md.layouts.StridedLayout)
        assert type(recast.accessor) is type(source.accessor)


def test_tiles_of_a_strided_view_are_strided():
    for mapping in mappings():
        if mapping.rank and isinstance(mapping.layout, md.layouts.StridedLayout):
            view = md.MDView.from_mapping([0] * 2000, mapping)
            assert all(
                isinstance(tile.layout, md.layouts.StridedLayout) for tile in md.tiles(view, (2,) * mapping.rank)
            )
            assert all(tile.rank == mapping.rank for tile in md.tiles(view, (2,) * mapping.rank))
