"""Unique, exhaustive and overlap equal brute force: every small strided mapping, and many large random ones.

Brute force is NumPy's: all offsets of one shape under all strides at once, sorted. Images for overlap are bit sets.
"""

import random
from itertools import product
from math import prod

import numpy as np
import pytest
from effort import share

from mdview import LayoutStrideRelaxed, Mapping
from mdview.base.strided_sets import AffineImage, common_offset, find_collision, find_hole, has_collision
from mdview.layouts.stride_relaxed import negative_reach
from mdview.mappings.facts import is_exhaustive, is_unique, overlap

pytestmark = pytest.mark.no_cover

STEPS = range(-6, 7)
RANDOM_CASES = share(24_000, 9000)
RANDOM_PAIRS = share(24_000, 9000)


def normalised(extents, strides):
    return Mapping(extents, LayoutStrideRelaxed(strides, -negative_reach(extents, strides)))


def brute_force(extents, all_strides):
    """For each row of strides: whether an offset is hit twice, and whether one between the extremes is not hit."""
    index = np.indices(extents).reshape(len(extents), prod(extents))
    offsets = np.sort(all_strides @ index, axis=1)
    steps = np.diff(offsets, axis=1)
    return (steps == 0).any(axis=1), (steps > 1).any(axis=1)


def dot(index, strides):
    return sum(i * s for i, s in zip(index, strides, strict=True))


def check_collision(extents, strides):
    """The witness is two indices within the extents, the lower one first, with one offset."""
    first, second = find_collision(extents, strides)
    assert first < second
    assert all(0 <= i < e and 0 <= j < e for i, j, e in zip(first, second, extents, strict=True))
    assert dot(first, strides) == dot(second, strides)


def check_hole(extents, strides):
    """The witness is the lowest offset that nobody has, above one that somebody has."""
    missing = find_hole(extents, strides)
    offsets = {dot(index, strides) for index in product(*map(range, extents))}
    assert missing not in offsets
    assert missing - 1 in offsets
    assert set(range(min(offsets), missing)) <= offsets


@pytest.mark.no_cover
@pytest.mark.parametrize("slowest", range(-1, 5))
def test_every_shape_to_rank_3_with_every_stride(slowest):
    """Extents 0 to 4, strides -6 to 6; ``slowest`` is the first of three extents, -1 stands for lower ranks."""
    if slowest < 0:
        shapes = [shape for rank in range(3) for shape in product(range(5), repeat=rank)]
    else:
        shapes = [(slowest, *rest) for rest in product(range(5), repeat=2)]
    for extents in shapes:
        all_strides = list(product(STEPS, repeat=len(extents)))
        table = np.array(all_strides, dtype=np.int64).reshape(len(all_strides), len(extents))
        repeated, holed = (answer.tolist() for answer in brute_force(extents, table))
        for strides, repeats, holes in zip(all_strides, repeated, holed, strict=True):
            mapping = normalised(extents, strides)
            assert is_unique(mapping) is mapping.is_unique is not repeats, (extents, strides)
            assert is_exhaustive(mapping) is mapping.is_exhaustive is not holes, (extents, strides)
            if repeats:
                check_collision(extents, strides)
            else:
                assert find_collision(extents, strides) is None


def test_every_hole_of_rank_2():
    for extents in product(range(1, 5), repeat=2):
        for strides in product(STEPS, repeat=2):
            if find_hole(extents, strides) is not None:
                check_hole(extents, strides)


@pytest.mark.parametrize("rank", [4, 5, 6])
def test_random_shapes_of_higher_rank(rank):
    random_numbers = random.Random(rank)  # noqa: S311 - reproducible cases, no secrets
    for _ in range(RANDOM_CASES // 3):
        extents = tuple(random_numbers.choices((1, 2, 3, 4, 5), k=rank))
        largest = random_numbers.choice((3, 10, 40, 200, 1000))
        strides = tuple(random_numbers.choices(range(-largest, largest + 1), k=rank))
        if random_numbers.random() < 0.5:
            strides = almost_nesting(random_numbers, extents)
        [repeats], [holes] = brute_force(extents, np.array([strides], dtype=np.int64))
        mapping = normalised(extents, strides)
        assert mapping.is_unique is not bool(repeats), (extents, strides)
        assert mapping.is_exhaustive is not bool(holes), (extents, strides)
        if repeats:
            check_collision(extents, strides)


def almost_nesting(random_numbers, extents):
    """Strides of a padded array in some order of its dimensions, some a little off: the close decisions."""
    strides, size = [0] * len(extents), 1
    for r in random_numbers.sample(range(len(extents)), len(extents)):
        strides[r] = random_numbers.choice((1, 1, -1)) * max(0, size + random_numbers.choice((-2, -1, 0, 0, 0, 1, 2)))
        size *= extents[r]
    return tuple(strides)


def images(extents, steps):
    """Normalised mappings of shapes ``extents`` with all strides of ``steps``, each with its offsets as a bit set."""
    for shape in extents:
        for strides in product(steps, repeat=len(shape)):
            mapping = normalised(shape, strides)
            yield mapping, sum({1 << offset for offset in mapping.offsets()})


def check_overlap(a, mine, b, its, shift):
    found = overlap(a, b, shift=shift)
    shared = mine & (its << shift if shift >= 0 else its >> -shift)
    assert (found is None) == (shared == 0), (a, b, shift)
    if found is not None:
        assert a(*found.first) == found.offset == b(*found.second) + shift


LINES = list(images([(e,) for e in range(5)], STEPS))
SHAPES = [(2, 2), (3, 2), (2, 4), (4, 3)]


def test_every_pair_of_lines_at_every_shift():
    """Extents 0 to 4 and strides -6 to 6; beyond these shifts one lies below the other."""
    for (a, mine), (b, its) in product(LINES, LINES):
        for shift in range(-b.required_span_size, a.required_span_size + 1):
            check_overlap(a, mine, b, its, shift)


@pytest.mark.no_cover
@pytest.mark.parametrize("shift", [0, 1, 3])
def test_every_line_with_every_grid(shift):
    grids = list(images([(e, f) for e in range(1, 5) for f in range(1, 5)], STEPS))
    for (a, mine), (b, its) in product(LINES[13:], grids[shift::4]):
        check_overlap(a, mine, b, its, shift)


@pytest.mark.no_cover
@pytest.mark.parametrize("shift", [0, 2, -5])
def test_every_pair_of_small_grids(shift):
    grids = list(images(SHAPES, [-5, -3, -2, 1, 3, 4, 6]))
    for (a, mine), (b, its) in product(grids, grids):
        check_overlap(a, mine, b, its, shift)


def test_random_pairs_of_higher_rank():
    random_numbers = random.Random(1)  # noqa: S311 - reproducible cases, no secrets
    answers = set()
    for _ in range(RANDOM_PAIRS):
        sides = []
        for _ in range(2):
            extents = tuple(random_numbers.choices((1, 2, 3, 4), k=random_numbers.randrange(1, 6)))
            largest = random_numbers.choice((4, 12, 60, 300))
            factor = random_numbers.choice((1, 1, 2, 3, 4, 6))
            strides = tuple(factor * random_numbers.randint(-largest, largest) for _ in extents)
            sides.append(AffineImage(extents, strides, random_numbers.randrange(40)))
        a, b = (set(offsets(side)) for side in sides)
        found = common_offset(*sides)
        answers.add((found is None, max(a) < min(b) or max(b) < min(a)))
        assert (found is None) == a.isdisjoint(b), sides
        if found is not None:
            for side, index in zip(sides, (found.first, found.second), strict=True):
                assert all(0 <= i < e for i, e in zip(index, side.extents, strict=True))
                assert side.origin + dot(index, side.strides) == found.offset
    assert answers == {(True, True), (True, False), (False, False)}


def offsets(image):
    index = np.indices(image.extents).reshape(len(image.extents), prod(image.extents))
    return (image.origin + np.array(image.strides) @ index).tolist()


def test_has_collision_agrees_with_the_witness_on_random_long_strides():
    random_numbers = random.Random(2)  # noqa: S311 - reproducible cases, no secrets
    for _ in range(3000):
        rank = random_numbers.randrange(2, 5)
        extents = tuple(random_numbers.randrange(1, 12) for _ in range(rank))
        strides = tuple(random_numbers.randrange(10**12) for _ in range(rank))
        assert has_collision(extents, strides) is (find_collision(extents, strides) is not None)
