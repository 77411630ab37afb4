"""Tiles: each stored in one run, ragged at the upper edges, strided where a slice stays in one or skips whole ones."""

import pickle
from itertools import pairwise, product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import all_indices

from mdview import LayoutLeft, LayoutRight, LayoutStride, LayoutTiled, Mapping, dim
from mdview.errors import ExtentsTypeError, LayoutError, RankError

ORDERS = [LayoutRight(), LayoutLeft()]


@st.composite
def tilings(draw):
    rank = draw(st.integers(0, 3))
    tile = draw(st.tuples(*[st.integers(1, 4)] * rank))
    layout = LayoutTiled(*tile, outer=draw(st.sampled_from(ORDERS)), inner=draw(st.sampled_from(ORDERS)))
    return Mapping(draw(st.tuples(*[st.integers(0, 6)] * rank)), layout)


def ordered(shape, order):
    """All indices in the order of a layout."""
    return all_indices(shape) if order == LayoutRight() else [index[::-1] for index in all_indices(shape[::-1])]


def by_tiles(mapping):
    """Offsets tile by tile, the slow way."""
    tile, extents = mapping.layout.tile, mapping.extents
    grid = [-(-e // t) for e, t in zip(extents, tile, strict=True)]
    places, offset = {}, 0
    for block in ordered(grid, mapping.layout.outer):
        for cell in ordered(tile, mapping.layout.inner):
            places[tuple([b * t + c for b, t, c in zip(block, tile, cell, strict=True)])] = offset
            offset += 1
    return [places[index] for index in all_indices(extents)]


@given(tilings())
def test_tiles_follow_each_other_and_so_do_their_elements(mapping):
    assert [mapping(*index) for index in all_indices(mapping.extents)] == by_tiles(mapping)


@given(tilings())
def test_traits_are_those_of_the_offsets(mapping):
    image = by_tiles(mapping)
    assert mapping.is_unique
    assert mapping.is_always_unique
    assert mapping.required_span_size == max(image, default=-1) + 1
    assert mapping.is_exhaustive == (len(image) == mapping.required_span_size)
    static = Mapping(tuple(map(dim, mapping.extents)), mapping.layout)
    assert static.is_always_exhaustive == mapping.is_exhaustive
    assert mapping.rank == 0 or not mapping.is_always_exhaustive


@given(tilings())
def test_the_allocation_holds_whole_tiles(mapping):
    layout = mapping.layout
    assert layout.allocation_size(mapping.extents) == prod(layout.grid(mapping.extents)) * prod(layout.tile)
    assert layout.allocation_size(mapping.extents) >= mapping.required_span_size


@given(tilings())
def test_strides_are_found_exactly_where_there_are_any(mapping):
    image = dict(zip(all_indices(mapping.extents), by_tiles(mapping), strict=True))
    if not image:
        return
    strides = [0] * mapping.rank
    for r in range(mapping.rank):
        unit = tuple([int(k == r) for k in range(mapping.rank)])
        strides[r] = image.get(unit, 0) - image[(0,) * mapping.rank]
    linear = all(sum(i * s for i, s in zip(index, strides, strict=True)) == image[index] for index in image)
    assert mapping.is_strided == linear
    if linear:
        assert [s for s, e in zip(mapping.strides, mapping.extents, strict=True) if e > 1] == [
            s for s, e in zip(strides, mapping.extents, strict=True) if e > 1
        ]


def test_a_grid_of_indices_is_strided_exactly_where_its_offsets_are():
    for tile, outer in product(range(1, 5), ORDERS):
        layout = LayoutTiled(tile, 2, outer=outer)
        for first, count, step in product(range(5), range(4), (-3, -2, -1, 1, 2, 3, 4)):
            rows = [first + k * step for k in range(count)]
            if rows and not 0 <= min(rows) <= max(rows) < 9:
                continue
            found = layout.progression((9, 4), (first, 1), (count, 1), (step, 1))
            offsets = [layout.offset((9, 4), (row, 1)) for row in rows]
            linear = len({b - a for a, b in pairwise(offsets)}) <= 1
            assert (found is not None) == linear
            if found is not None and rows:
                assert offsets == [found[0] + k * found[1][0] for k in range(count)]


def test_a_layout_shows_what_makes_it():
    layout = LayoutTiled(4, dim(8), inner=LayoutLeft())
    assert repr(layout) == "LayoutTiled(4, dim(8), outer=LayoutRight(), inner=LayoutLeft())"
    again = pickle.loads(pickle.dumps(layout))  # noqa: S301 - of our own making
    assert again == layout
    assert repr(again) == repr(layout)
    assert layout.is_monotone()


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: LayoutTiled(4, 0), LayoutError, "tile sizes are at least 1: tile size 0 of dimension 1"),
        (lambda: LayoutTiled(1.5), ExtentsTypeError, r"a tile size must be an integer, got 1\.5"),
        (
            lambda: LayoutTiled(2, outer=LayoutStride()),
            LayoutError,
            r"the outer order of tiles is .*, got LayoutStride\(\)",
        ),
        (lambda: LayoutTiled(2, inner="left"), LayoutError, "the inner order of tiles is .*, got 'left'"),
        (lambda: Mapping((3, 4), LayoutTiled(2)), RankError, r"has 1 tile sizes, extents \(3, 4\) need 2"),
    ],
)
def test_a_tiling_that_is_none_says_why(make, error, message):
    with pytest.raises(error, match=message):
        make()
