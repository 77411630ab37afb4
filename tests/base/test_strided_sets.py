"""Collisions and holes of strides, against plain enumeration."""

import pytest

from mdview.base import strided_sets
from mdview.base.strided_sets import (
    AffineImage,
    common_offset,
    each_index,
    find_collision,
    find_hole,
    has_collision,
    image_is_interval,
    strided_offsets,
)
from mdview.errors import UndecidedError


def at(index, strides):
    return sum(i * s for i, s in zip(index, strides, strict=True))


def collides_rightly(extents, strides, expected):
    found = find_collision(extents, strides)
    assert has_collision(extents, strides) == (found is not None) == expected
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


@pytest.mark.parametrize(
    ("extents", "strides", "expected"),
    [
        ((10**9, 10**9), (10**9 + 1, 10**9), False),
        ((10**9 + 2, 10**9 + 1), (10**9, 10**9 + 1), True),
        ((10**6, 10**6, 5, 5), (10**6, 1, 10**6, 1), True),
    ],
)
def test_large_strides_are_decided_without_enumeration(extents, strides, expected):
    collides_rightly(extents, strides, expected)
    assert not image_is_interval((10**9, 2), (2, 3))


def test_a_search_over_its_budget_says_so_instead_of_guessing(monkeypatch):
    monkeypatch.setattr(strided_sets, "SEARCH_BUDGET", 3)
    with pytest.raises(UndecidedError, match=r"4 .* 3 steps"):
        has_collision((9, 9, 9, 9), (10007, 10009, 10037, 10039))
    monkeypatch.setattr(strided_sets, "SEARCH_BUDGET", 0)
    with pytest.raises(UndecidedError, match="0 steps"):
        common_offset(AffineImage((9, 9), (7, 11)), AffineImage((9, 9), (13, 17), 1))
    assert find_hole((9, 9), (7, 11)) == 1
    assert has_collision((9, 9), (1, 2))  # more indices than offsets
    assert not has_collision((9, 9), (9, 1))  # nests
    assert common_offset(AffineImage((9, 9), (9, 1)), AffineImage((9, 9), (9, 1), 81)) is None  # bounds
    assert common_offset(AffineImage((9, 9), (6, 10)), AffineImage((9, 9), (4, 8), 7)) is None  # residues
    assert has_collision((8, 8, 8), (11, 13, 17))  # by counting, which finds no pair
    with pytest.raises(UndecidedError, match="3 "):
        find_collision((8, 8, 8), (11, 13, 17))


def test_columns_of_large_pictures_are_apart_at_once():
    long = 10**9
    left, by_twos = AffineImage((long, 10), (1000, 1)), AffineImage((long, 640), (3840, 3))
    for first, strides, origin, expected in (
        (left, (1000, 1), 500, False),
        (left, (1000, 1), 9, True),
        (by_twos, (5760, 6), 1921, False),
        (by_twos, (5760, 6), 1920, True),
    ):
        meets_rightly(first, AffineImage((long, 10 if first is left else 100), strides, origin), expected)


def test_indices_of_a_long_dimension_come_one_by_one():
    assert next(each_index((10**15, 2))) == (0, 0)
    assert next(strided_offsets((10**15, 2), (2, 1), 0)) == 0
