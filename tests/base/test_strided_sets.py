"""Collisions and holes of strides, against plain enumeration."""

from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mdview.base import strided_sets
from mdview.base.strided_sets import (
    AffineImage,
    common_offset,
    each_index,
    each_offset,
    find_collision,
    find_hole,
    find_index,
    has_collision,
    image_bounds,
    image_is_interval,
    merged,
    nests,
)
from mdview.errors import UndecidedError

SHAPES = st.integers(0, 4).flatmap(
    lambda rank: st.tuples(st.tuples(*[st.integers(0, 4)] * rank), st.tuples(*[st.integers(-9, 9)] * rank))
)


def offsets(extents, strides):
    return [sum(i * s for i, s in zip(index, strides, strict=True)) for index in product(*map(range, extents))]


def agrees_with_enumeration(extents, strides):
    found = offsets(extents, strides)
    assert has_collision(extents, strides) == (len(set(found)) < len(found))
    holes = sorted(set(range(min(found), max(found))) - set(found)) if found else []
    assert image_is_interval(extents, strides) == (not holes)
    assert find_hole(extents, strides) == (holes[0] if holes else None)
    assert image_bounds(extents, strides) == ((min(found), max(found)) if found else None)
    collides_rightly(extents, strides, len(set(found)) < len(found))
    if all(s >= 0 for s in strides) and 0 not in extents and nests(extents, strides):
        assert len(set(found)) == len(found)


def at(index, strides):
    return sum(i * s for i, s in zip(index, strides, strict=True))


def collides_rightly(extents, strides, expected):
    found = find_collision(extents, strides)
    assert (found is not None) == expected
    if found is not None:
        first, second = found
        assert first < second
        assert all(0 <= i < e and 0 <= j < e for i, j, e in zip(first, second, extents, strict=True))
        assert at(first, strides) == at(second, strides)


def meets_rightly(first, second, expected):
    found = common_offset(first, second)
    assert (found is not None) == expected
    if found is not None:
        for image, index in ((first, found.first), (second, found.second)):
            assert all(0 <= i < e for i, e in zip(index, image.extents, strict=True))
            assert image.origin + at(index, image.strides) == found.offset


def test_two_dimensions_exhaustively():
    for extents in product(range(4), repeat=2):
        for strides in product(range(-5, 6), repeat=2):
            agrees_with_enumeration(extents, strides)


@pytest.mark.parametrize("strides", [(6, 10, 15), (4, 6, 9), (1, 1, 1), (12, 20, 30), (5, 7, 11)])
def test_interleaved_strides_in_three_dimensions(strides):
    for extents in product(range(1, 6), repeat=3):
        agrees_with_enumeration(extents, strides)


@given(SHAPES)
def test_any_strides(shape):
    agrees_with_enumeration(*shape)


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 30)), max_size=5))
def test_nesting_strides_never_collide(pairs):
    extents, strides = [e for e, _ in pairs], [s for _, s in pairs]
    assume(nests(extents, strides))
    assert not has_collision(extents, strides)


def test_large_strides_are_decided_without_enumeration():
    big = 10**9
    assert not has_collision((big, big), (big + 1, big))
    assert has_collision((big + 2, big + 1), (big, big + 1))
    assert not image_is_interval((big, 2), (2, 3))


def test_a_search_over_its_budget_says_so_instead_of_guessing(monkeypatch):
    monkeypatch.setattr(strided_sets, "SEARCH_BUDGET", 3)
    with pytest.raises(UndecidedError, match="deciding uniqueness of 4 interleaved strides takes more than 3 steps"):
        has_collision((9, 9, 9, 9), (10007, 10009, 10037, 10039))


def test_a_search_reads_its_budget_and_holes_need_none(monkeypatch):
    monkeypatch.setattr(strided_sets, "SEARCH_BUDGET", 0)
    with pytest.raises(UndecidedError, match="overlap takes more than 0 steps; nothing was guessed"):
        common_offset(AffineImage((9, 9), (7, 11)), AffineImage((9, 9), (13, 17), 1))
    assert find_hole((9, 9), (7, 11)) == 1
    assert has_collision((9, 9), (1, 2))  # more indices than offsets
    assert not has_collision((9, 9), (9, 1))  # nests
    assert common_offset(AffineImage((9, 9), (9, 1)), AffineImage((9, 9), (9, 1), 81)) is None  # bounds
    assert common_offset(AffineImage((9, 9), (6, 10)), AffineImage((9, 9), (4, 8), 7)) is None  # residues


def test_counting_decides_where_no_pair_is_found_within_the_budget(monkeypatch):
    monkeypatch.setattr(strided_sets, "SEARCH_BUDGET", 0)
    extents, strides = (8, 8, 8), (11, 13, 17)
    assert has_collision(extents, strides)
    with pytest.raises(UndecidedError, match="deciding uniqueness of 3 interleaved strides"):
        find_collision(extents, strides)


IMAGES = st.builds(lambda shape, origin: AffineImage(*shape, origin), SHAPES, st.integers(-20, 20))


@given(IMAGES, IMAGES)
def test_two_images_share_an_offset_as_their_sets_do(first, second):
    sets = [{image.origin + o for o in offsets(image.extents, image.strides)} for image in (first, second)]
    meets_rightly(first, second, bool(sets[0] & sets[1]))


@given(IMAGES, st.integers(-60, 60))
def test_an_index_is_found_wherever_there_is_one(image, offset):
    found = find_index(image, offset)
    everything = [image.origin + o for o in offsets(image.extents, image.strides)]
    assert (found is None) == (offset not in everything)
    assert found is None or image.origin + at(found, image.strides) == offset


@given(SHAPES, st.integers(1, 10**12), st.integers(2, 10**6))
def test_a_common_factor_and_a_far_dimension_change_nothing(shape, factor, extent):
    extents, strides = shape
    far = (extent, *extents), (2 * factor * (1 + sum(abs(s) * e for e, s in zip(*shape, strict=True))), *strides)
    scaled = far[0], (far[1][0], *[s * factor for s in strides])
    expected = has_collision(extents, strides)
    assert has_collision(*scaled) == expected
    collides_rightly(*scaled, expected)


@given(IMAGES, IMAGES, st.integers(1, 10**12))
def test_a_common_factor_keeps_images_together_and_another_residue_parts_them(first, second, factor):
    def scaled(image, shift=0):
        strides = tuple(s * factor for s in image.strides)
        return AffineImage(image.extents, strides, image.origin * factor + shift)

    expected = common_offset(first, second) is not None
    meets_rightly(scaled(first), scaled(second), expected)
    assert factor == 1 or common_offset(scaled(first), scaled(second, 1)) is None


def test_columns_of_large_pictures_are_apart_at_once():
    long = 10**9
    left, right = AffineImage((long, 10), (1000, 1)), AffineImage((long, 10), (1000, 1), 500)
    assert common_offset(left, right) is None
    meets_rightly(left, AffineImage((long, 10), (1000, 1), 9), True)
    by_twos, by_threes = AffineImage((long, 640), (3840, 3)), AffineImage((long, 100), (5760, 6), 1921)
    assert common_offset(by_twos, by_threes) is None
    meets_rightly(by_twos, AffineImage((long, 100), (5760, 6), 1920), True)


def test_windows_over_a_picture_collide_at_once():
    collides_rightly((10**6, 10**6, 5, 5), (10**6, 1, 10**6, 1), True)


@given(SHAPES)
def test_indices_and_offsets_come_in_order(shape):
    extents, strides = shape
    assert list(each_index(extents)) == list(product(*map(range, extents)))
    assert list(each_offset(AffineImage(extents, strides, 7))) == [7 + o for o in offsets(extents, strides)]


def test_indices_of_a_long_dimension_come_one_by_one():
    assert next(each_index((10**15, 2))) == (0, 0)
    assert next(each_offset(AffineImage((10**15, 2), (2, 1)))) == 0


@given(SHAPES, st.sampled_from("CF"))
def test_merging_keeps_every_offset_in_order_and_leaves_nothing_to_merge(shape, order):
    image = AffineImage(*shape, 3)
    small = merged(image, order)

    def in_order(image):
        turn = slice(None) if order == "C" else slice(None, None, -1)
        return list(each_offset(AffineImage(image.extents[turn], image.strides[turn], image.origin)))

    assert in_order(small) == in_order(image)
    assert merged(small, order) == small
    assert 1 not in small.extents
