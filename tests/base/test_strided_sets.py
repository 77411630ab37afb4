"""Collisions and holes of strides, against plain enumeration."""

import pytest

from mdview.base import strided_sets
from mdview.base.strided_sets import (
    AffineImage,
    common_offset,
    find_collision,
    find_hole,
    has_collision,
)
from mdview.errors import UndecidedError


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
