"""Facts of strided mappings equal brute force: large random ones, overlaps, the order of strides, and runs."""

import random
from itertools import product
from math import prod

import numpy as np
import pytest
from effort import share, some
from samples.enumerated import Enumerated, dot
from samples.mappings import MAPPINGS

import mdview as md

STEPS = range(-6, 7)


def normalised(extents, strides, origin=0):
    reach = sum([-s * (e - 1) for e, s in zip(extents, strides, strict=True) if s < 0 < e])
    return md.Mapping(extents, md.LayoutStrideRelaxed(strides, reach + origin))


def brute_force(extents, all_strides):
    """For each row of strides: whether an offset is hit twice, and whether one between the extremes is not hit."""
    index = np.indices(extents).reshape(len(extents), prod(extents))
    steps = np.diff(np.sort(all_strides @ index, axis=1), axis=1)
    return (steps == 0).any(axis=1), (steps > 1).any(axis=1)


def check(extents, strides, repeats, holes):
    mapping = normalised(extents, strides)
    assert mapping.is_unique is not repeats, mapping
    assert mapping.is_exhaustive is not holes, mapping
    pair = md.mappings.collision(mapping)
    assert (pair is not None) is repeats, mapping
    if repeats:
        first, second = pair
        assert first < second
        assert all(0 <= i < e and 0 <= j < e for i, j, e in zip(first, second, extents, strict=True))
        assert dot(first, strides) == dot(second, strides)


def almost_nesting(pick, extents):
    """Strides of a padded array in some order of its dimensions, some a little off: the close decisions."""
    strides, size = [0] * len(extents), 1
    for r in pick.sample(range(len(extents)), len(extents)):
        strides[r] = pick.choice((1, 1, -1)) * max(0, size + pick.choice((-2, -1, 0, 0, 0, 1, 2)))
        size *= extents[r]
    return tuple(strides)


@pytest.mark.parametrize("rank", [4, 5, 6])
def test_random_shapes_of_higher_rank(rank):
    pick = random.Random(rank)  # noqa: S311 - reproducible cases
    for case in range(share(8000, 400)):
        extents = tuple(pick.choices((1, 2, 3, 4, 5), k=rank))
        largest = pick.choice((3, 10, 40, 200, 1000))
        strides = tuple(pick.choices(range(-largest, largest + 1), k=rank))
        strides = almost_nesting(pick, extents) if case % 2 else strides
        [repeats], [holes] = brute_force(extents, np.array([strides], dtype=np.int64))
        check(extents, strides, bool(repeats), bool(holes))


# --- overlap ----------------------------------------------------------------------------------------------------------


def check_overlap(a, b, shift):
    """``a`` and ``b`` come with their tables."""
    (a, mine), (b, its) = a, b
    found = md.mappings.overlap(a, b, shift=shift)
    assert (found is None) is mine.used.isdisjoint([o + shift for o in its.used]), (a, b, shift)
    if found is not None:
        assert mine.places[found.first] == found.offset == its.places[found.second] + shift


def tabled(mappings):
    return [(mapping, Enumerated(mapping)) for mapping in mappings]


HALOS = [
    md.pad(md.Mapping((2, 3)), 1),
    md.pad(md.Mapping((4, 4), md.LayoutTiled(2, 2)), ((1, 0), (0, 0))),
    md.pad(md.Mapping((2, 0)), 1),
]


def test_overlap_is_that_an_offset_belongs_to_both():
    lines = tabled([normalised((e,), (s,)) for e, s in product(range(5), STEPS)])
    for a, b in some(product(lines, lines), 200):
        for shift in range(-b[0].required_span_size, a[0].required_span_size + 1):
            check_overlap(a, b, shift)
    grids = tabled(
        [normalised(e, s) for e, s in product([(2, 2), (3, 2), (2, 4)], product([-5, -2, 1, 3, 6], repeat=2))]
    )
    samples = tabled([*[make() for make in MAPPINGS.values()], *HALOS, md.reshape(HALOS[0], (20,))])
    for a, b in [
        *some(product(grids, lines), 300),
        *some(product(grids, grids), 300),
        *some(product(samples, samples), 400),
    ]:
        for shift in (-5, 0, 3):
            check_overlap(a, b, shift)


N = 1 << 20


@pytest.mark.parametrize("layout", [md.LayoutTiled(512, 512), md.LayoutTiled(7, 9), md.LayoutMorton()], ids=repr)
def test_large_parts_of_one_base_share_an_offset_where_they_share_an_index(layout):
    whole = md.Mapping((N, N), layout)
    rows = [md.mappings.submapping(whole, md.StridedSlice(k, N - 3, 2), (3, N))[0] for k in (0, 1)]
    assert md.mappings.overlap(*rows) is None
    found = md.mappings.overlap(rows[0], md.flip(whole))
    assert rows[0](*found.first) == md.flip(whole)(*found.second) == found.offset
    over = md.sliding_window(md.sliding_window(whole, (2, 3)), (2, 2, 1, 1))
    first, second = md.mappings.collision(over)
    assert first < second
    assert over(*first) == over(*second)


def test_a_large_strided_mapping_meets_a_layout_without_strides():
    large, tiles = md.Mapping((10**9, 3), md.LayoutStrideRelaxed((8, 2))), md.Mapping((4, 4), md.LayoutTiled(2, 2))
    found = md.mappings.overlap(large, tiles, shift=1)
    assert (found.offset, found.first, found.second) == (2, (0, 1), (0, 1))
    assert md.mappings.overlap(tiles, large).offset == 0
    assert md.mappings.overlap(tiles, md.Mapping((10**9, 1), md.LayoutStrideRelaxed((32, 1), 17))) is None
    assert md.mappings.overlap(md.Mapping((1, 10**7), md.LayoutTiled(1, 4)), tiles, shift=10**8) is None


# --- order, density and runs ------------------------------------------------------------------------------------------


RELAXED = {(3, 1, -6): (2, 0, 1), (2, -2, 0): None, (0, 1, 5): None}


def test_the_order_of_strides_and_what_merges():
    for strides, order in RELAXED.items():
        assert md.mappings.stride_order(normalised((2, 3, 4), strides)) == order
    assert [md.mappings.stride_order(md.Mapping(shape)) for shape in ((2, 1), (2, 0), ())] == [None, None, ()]
    assert repr(md.mappings.coalesced(md.Mapping((md.dim(2), 3, 4)))) == "Mapping((24,), LayoutRight())"
    assert md.mappings.coalesced(md.Mapping((2, 3, 4), md.LayoutLeft()), "F") == md.Mapping((24,))
    assert md.mappings.coalesced(md.Mapping((2, 3, 4), md.LayoutRightPadded(8))).layout == md.LayoutRightPadded(8)
    assert md.mappings.coalesced(normalised((2, 3), (-3, -1))).layout == md.LayoutStrideRelaxed((-1,), 5)
    assert md.mappings.coalesced(normalised((2, 3), (0, 0), 5)).layout == md.LayoutStrideRelaxed((0,), 5)
    assert (md.mappings.coalesced(md.Mapping((2, 0, 3))), md.mappings.coalesced(md.Mapping((1, 1)))) == (
        md.Mapping((0,)),
        md.Mapping(()),
    )
    merging = {(2, 3, 4): (0, 1), (2, 1, 4): (), (2, 0, 4): (), (): ()}
    assert {shape: md.mappings.mergeable_axes(md.Mapping(shape)) for shape in merging} == merging
    assert (
        md.mappings.mergeable_axes(md.Mapping((2, 3, 4), md.LayoutRightPadded(8)))
        == md.mappings.mergeable_axes(normalised((2, 3), (0, 0)))
        == (0,)
    )


def test_neighbours_are_contiguous_where_there_are_no_strides():
    answers = [md.mappings.inner_contiguous(md.Mapping((2, 4), md.LayoutTiled(*tile)), 1) for tile in ((1, 4), (2, 2))]
    assert answers == [True, False]
    assert not md.mappings.inner_contiguous(md.Mapping((5, 3), md.LayoutTiled(3, 1, inner=md.LayoutLeft())), 0)
    assert [md.mappings.inner_contiguous(md.pad(md.Mapping((2, 3)), width), 1) for width in (0, 1)] == [True, False]
    assert [
        md.mappings.inner_contiguous(md.Mapping((2, 3), md.LayoutStride((1, 2))), axis) for axis in (0, -2, -1)
    ] == [True, True, False]


def test_runs_come_one_by_one_however_many_there_are():
    assert next(md.mappings.contiguous_runs(md.Mapping((10**9, 10**6, 3), md.LayoutRightPadded(4)))) == (0, 3)
    assert list(md.mappings.contiguous_runs(md.Mapping((10**9, 10**6)))) == [(0, 10**15)]
    assert next(md.mappings.contiguous_runs(md.Mapping((10**9, 10**6), md.LayoutTiled(4, 4)))) == (0, 4)
