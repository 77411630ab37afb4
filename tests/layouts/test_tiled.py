"""Tiles: each stored in one run, ragged at the upper edges, strided where a slice stays in one or skips whole ones."""

import pickle
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod
from typing import final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import all_indices

from mdview import (
    ALL,
    ExtentSlice,
    LayoutLeft,
    LayoutLeftPadded,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutSwizzled,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    StridedLayout,
    dim,
    submapping,
)
from mdview.errors import AxisError, ExtentsTypeError, LayoutError, RankError, StrideError
from mdview.index.orders import right_strides
from mdview.layouts.linear import linear_over

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
            found = linear_over(layout, (9, 4), list(zip((first, 1), (count, 1), (step, 1), strict=True)))
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
        (lambda: LayoutTiled(2, outer=LayoutRight), LayoutError, r"the outer order of tiles is .*, got the class"),
        (lambda: LayoutTiled(2, outer=LayoutTiled(2)), LayoutError, r"the outer order of tiles is .*, got LayoutTiled"),
        (lambda: LayoutTiled(2, outer=LayoutStrideRelaxed((1,))), LayoutError, r"positive .*, got LayoutStrideRelaxed"),
        (lambda: LayoutTiled(2, inner=LayoutFromTen()), LayoutError, r"inner order .* starts at 0: LayoutFromTen"),
        (lambda: LayoutTiled(2, inner=LayoutStride((1, 1))), RankError, r"inner order of tiles, over \(2,\): 1 ext"),
        (lambda: LayoutTiled(2, 2, inner=LayoutStride((1, 1))), StrideError, r"inner order .* over \(2, 2\): strides"),
        (lambda: LayoutTiled(2, 2, inner=LayoutTiled(2)), RankError, r"inner order .* over \(2, 2\): .* 1 tile size"),
        (lambda: Mapping((4, 4), LayoutTiled(2, 2, outer=LayoutStride((1, 1)))), StrideError, "outer order .* collide"),
        (lambda: Mapping((2**30, 2**30), LayoutTiled(1, 2**40)), LayoutError, r"spans \d+ elements, more than 2\*\*63"),
        (lambda: LayoutTiled(2, inner="left"), LayoutError, "the inner order of tiles is .*, got 'left'"),
        (lambda: Mapping((3, 4), LayoutTiled(2)), RankError, r"has 1 tile size, extents \(3, 4\) need 2"),
    ],
)
def test_a_tiling_that_is_none_says_why(make, error, message):
    with pytest.raises(error, match=message):
        make()


# --- any strided layout outside, any strided or tiled one inside ------------------------------------------------------


@final
@dataclass(frozen=True)
class LayoutFromTen(StridedLayout):
    """A strided layout that begins at offset 10."""

    def strides(self, extents):
        return right_strides(extents)

    def origin(self, extents):
        return 10


def some_order(draw, shape):
    """A strided layout that fits ``shape``: dense, padded, or strides in any order with gaps."""
    kinds = [LayoutRight(), LayoutLeft(), LayoutStride(), LayoutRightPadded(4), LayoutLeftPadded(3)]
    strides, reach = [1] * len(shape), 0
    for r in draw(st.permutations(range(len(shape)))):
        strides[r] = reach + draw(st.integers(1, 3))
        reach += (max(shape[r], 1) - 1) * strides[r]
    return draw(st.sampled_from([*kinds, LayoutStride(strides)]))


@st.composite
def any_tilings(draw, max_rank=2, max_extent=7):
    rank = draw(st.integers(0, max_rank))
    extents = draw(st.tuples(*[st.integers(0, max_extent)] * rank))
    tile = draw(st.tuples(*[st.integers(1, 5)] * rank))
    inner = some_order(draw, tile)
    if draw(st.booleans()):
        within = draw(st.tuples(*[st.integers(1, 3)] * rank))
        blocks = [-(-e // t) for e, t in zip(tile, within, strict=True)]
        inner = LayoutTiled(*within, outer=some_order(draw, blocks), inner=some_order(draw, within))
    grid = [-(-e // t) for e, t in zip(extents, tile, strict=True)]
    return Mapping(extents, LayoutTiled(*tile, outer=some_order(draw, grid), inner=inner))


def whole_rows(shape, strides):
    """What a strided block takes if its slowest dimension is counted in full."""
    slowest = max([(s, e) for s, e in zip(strides, shape, strict=True) if e > 1], default=(1, 1))
    return slowest[0] * slowest[1]


def place(layout, extents, index):
    """Offset and what the whole takes, by the definition."""
    if isinstance(layout, StridedLayout):
        strides = layout.strides(extents)
        return sum([i * s for i, s in zip(index, strides, strict=True)]), whole_rows(extents, strides)
    grid = [-(-e // t) for e, t in zip(extents, layout.tile, strict=True)]
    block = [i // t for i, t in zip(index, layout.tile, strict=True)]
    cell = [i % t for i, t in zip(index, layout.tile, strict=True)]
    element, size = place(layout.inner, layout.tile, cell)
    tile, _ = place(layout.outer, grid, block)
    return tile * size + element, Mapping(tuple(grid), layout.outer).required_span_size * size


@given(any_tilings())
def test_tiles_lie_where_the_outer_layout_says_and_elements_where_the_inner_one_does(mapping):
    image = [place(mapping.layout, mapping.extents, index)[0] for index in all_indices(mapping.extents)]
    assert list(mapping.offsets()) == image
    assert len(set(image)) == len(image)
    assert mapping.required_span_size == max(image, default=-1) + 1
    assert mapping.is_exhaustive == (len(image) == mapping.required_span_size)
    if image:
        allocation = mapping.layout.allocation_size(mapping.extents)
        assert allocation == place(mapping.layout, mapping.extents, (0,) * mapping.rank)[1]
        assert allocation >= mapping.required_span_size


@given(any_tilings())
def test_what_a_tile_takes_holds_the_tile(mapping):
    layout = mapping.layout
    assert layout.tile_allocation() >= Mapping(layout.tile, layout.inner).required_span_size


@given(any_tilings())
def test_strides_are_found_exactly_where_there_are_any_in_tiles_of_tiles(mapping):
    image = dict(zip(all_indices(mapping.extents), mapping.offsets(), strict=True))
    if not image:
        assert mapping.is_strided
        return
    units = [tuple([int(k == r) for k in range(mapping.rank)]) for r in range(mapping.rank)]
    strides = [image.get(unit, 0) for unit in units]
    linear = all(sum(i * s for i, s in zip(index, strides, strict=True)) == image[index] for index in image)
    assert (mapping.found_strides() is not None) == mapping.is_strided == linear


@given(any_tilings(max_rank=1, max_extent=20), st.data())
def test_a_line_of_indices_is_strided_exactly_where_its_offsets_are(mapping, data):
    if not mapping.size or not mapping.rank:
        return
    first, last = data.draw(st.tuples(*[st.integers(0, mapping.extent(0) - 1)] * 2))
    steps = [s for s in range(-6, 7) if s and (last - first) % s == 0 and (last - first) * s >= 0]
    step = data.draw(st.sampled_from(steps))
    count = (last - first) // step + 1
    found = linear_over(mapping.layout, mapping.extents, list(zip((first,), (count,), (step,), strict=True)))
    offsets = [mapping(first + k * step) for k in range(count)]
    assert (found is not None) == (len({b - a for a, b in pairwise(offsets)}) <= 1)
    if found is not None:
        assert offsets == [found[0] + k * found[1][0] for k in range(count)]


@given(any_tilings())
def test_views_see_the_same_offsets(mapping):
    view = MDView.from_mapping(range(mapping.required_span_size), mapping, ReadOnlyAccessor())
    assert [view[index] for index in all_indices(mapping.extents)] == list(mapping.offsets())


# --- slices -----------------------------------------------------------------------------------------------------------


def ranges(extent):
    return [(first, last) for first in range(extent + 1) for last in range(first, extent + 1)]


@pytest.mark.parametrize(
    "layout",
    [
        LayoutTiled(2, 3),
        LayoutTiled(3, 2, outer=LayoutLeft()),
        LayoutTiled(2, 2, outer=LayoutStride((1, 7)), inner=LayoutRightPadded(4)),
        LayoutTiled(4, 2, inner=LayoutTiled(2, 1, inner=LayoutLeft())),
    ],
    ids=repr,
)
def test_slices_of_whole_tiles_stay_tiled(layout):
    mapping = Mapping((5, 6), layout)
    for rows, columns in product(ranges(5), ranges(6)):
        part, offset = submapping(mapping, rows, columns)
        for i, j in all_indices(part.extents):
            assert offset + part(i, j) == mapping(rows[0] + i, columns[0] + j)
        aligned = all(
            first % t == 0 and (last % t == 0 or last == e)
            for (first, last), t, e in zip((rows, columns), layout.tile, mapping.extents, strict=True)
        )
        if not part.is_strided:
            assert isinstance(part.layout, LayoutTiled) == aligned


@given(any_tilings(), st.data())
def test_every_slice_from_a_tile_on_shows_the_elements_that_it_names(mapping, data):
    slices, starts = [], []
    for e, t in zip(mapping.extents, mapping.layout.tile, strict=True):
        first = data.draw(st.integers(0, e // t)) * t
        last = data.draw(st.sampled_from([e, *range(first, e, t)]))
        slices.append(data.draw(st.sampled_from([ALL, (first, last)])))
        starts.append(0 if slices[-1] is ALL else first)
    part, offset = submapping(mapping, *slices)
    for index in all_indices(part.extents):
        assert offset + part(*index) == mapping(*[i + s for i, s in zip(index, starts, strict=True)])


@pytest.mark.parametrize(
    ("layout", "slices", "text"),
    [
        (LayoutTiled(2, 2), (ALL, ALL), "LayoutTiled(2, 2, outer=LayoutRight(), inner=LayoutRight())"),
        (LayoutTiled(2, 2), ((2, 8), ALL), "LayoutTiled(2, 2, outer=LayoutRight(), inner=LayoutRight())"),
        (LayoutTiled(2, 2), (ALL, (4, 8)), "LayoutTiled(2, 2, outer=LayoutStride((4, 1)), inner=LayoutRight())"),
        (
            LayoutTiled(2, 2),
            (ExtentSlice(2, 4, 1), ExtentSlice(4, 4, 1)),
            "LayoutTiled(2, 2, outer=LayoutStride((4, 1)), inner=LayoutRight())",
        ),
        (
            LayoutTiled(2, dim(2), outer=LayoutLeft()),
            (ALL, (4, 8)),
            "LayoutTiled(2, dim(2), outer=LayoutLeft(), inner=LayoutRight())",
        ),
        (LayoutTiled(2, 4), ((2, 4), (4, 8)), "LayoutRight()"),
    ],
)
def test_the_layout_of_a_slice_of_whole_tiles(layout, slices, text):
    assert repr(submapping(Mapping((8, 8), layout), *slices)[0].layout) == text


def test_an_index_or_a_step_is_left_to_composition():
    mapping = Mapping((8, 8), LayoutTiled(2, 2))
    for slices in ((1, ALL), (ALL, ExtentSlice(0, 3, 2)), (ALL, (1, 8)), (ALL, (0, 7))):
        assert not isinstance(submapping(mapping, *slices)[0].layout, LayoutTiled)


# --- permutations -----------------------------------------------------------------------------------------------------

LEFT = "outer=LayoutLeft(), inner=LayoutLeft()"


@given(any_tilings(max_rank=3, max_extent=5), st.data())
def test_a_permuted_tiling_is_a_tiling_of_the_permuted_extents(mapping, data):
    axes = data.draw(st.permutations(range(mapping.rank)))
    extents = tuple([mapping.extents[axis] for axis in axes])
    permuted = Mapping(extents, mapping.layout.permuted(mapping.extents, axes))
    for index in all_indices(extents):
        source = [0] * mapping.rank
        for axis, i in zip(axes, index, strict=True):
            source[axis] = i
        assert permuted(*index) == mapping(*source)
    assert permuted.layout.tile_allocation() == mapping.layout.tile_allocation()


@pytest.mark.parametrize(
    ("layout", "axes", "text"),
    [
        (LayoutTiled(2, 3, 4), (0, 1, 2), "LayoutTiled(2, 3, 4, outer=LayoutRight(), inner=LayoutRight())"),
        (LayoutTiled(2, dim(3), 4), (2, 1, 0), f"LayoutTiled(4, dim(3), 2, {LEFT})"),
        (
            LayoutTiled(2, 3, 4, outer=LayoutLeft()),
            (1, 0, 2),
            "LayoutTiled(3, 2, 4, outer=LayoutStride((3, 1, 6)), inner=LayoutStride((4, 12, 1)))",
        ),
        (
            LayoutTiled(2, 3, 4, inner=LayoutTiled(1, 1, 2)),
            (2, 1, 0),
            f"LayoutTiled(4, 3, 2, outer=LayoutLeft(), inner=LayoutTiled(2, 1, 1, {LEFT}))",
        ),
    ],
)
def test_the_layout_of_a_permuted_tiling(layout, axes, text):
    assert repr(layout.permuted((6, 6, 8), axes)) == text


def test_axes_that_are_no_permutation_are_refused():
    with pytest.raises(AxisError, match=r"axes \(0, 0\) are no permutation of the 2 dimensions"):
        LayoutTiled(2, 2).permuted((4, 4), (0, 0))


def test_tiles_in_tiles_travel():
    layout = LayoutTiled(4, 4, outer=LayoutStride((1, 9)), inner=LayoutTiled(2, 2))
    again = pickle.loads(pickle.dumps(layout))  # noqa: S301 - of our own making
    assert again == layout
    assert eval(repr(layout)) == layout  # noqa: S307 - of our own making


def test_every_layout_has_an_allocation():
    tiled = Mapping((5, 7), LayoutTiled(2, 3))
    assert LayoutTranspose(tiled.layout).allocation_size((7, 5)) == tiled.layout.allocation_size((5, 7)) == 54
    assert LayoutSwizzled(tiled.layout, 1, 0, 2).allocation_size((5, 7)) >= 49
    assert LayoutRight().allocation_size((5, 7)) == 35
