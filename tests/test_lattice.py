"""Collisions and holes of strides, against plain enumeration."""

from itertools import pairwise, product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mdview import lattice
from mdview.errors import UndecidedError
from mdview.lattice import has_collision, image_is_interval, nesting_order, nests

SHAPES = st.integers(0, 4).flatmap(
    lambda rank: st.tuples(st.tuples(*[st.integers(0, 4)] * rank), st.tuples(*[st.integers(-9, 9)] * rank))
)


def offsets(extents, strides):
    return [sum(i * s for i, s in zip(index, strides, strict=True)) for index in product(*map(range, extents))]


def agrees_with_enumeration(extents, strides):
    found = offsets(extents, strides)
    assert has_collision(extents, strides) == (len(set(found)) < len(found))
    holes = found and max(found) - min(found) + 1 > len(set(found))
    assert image_is_interval(extents, strides) == (not holes)
    if all(s >= 0 for s in strides) and 0 not in extents and nests(extents, strides):
        assert len(set(found)) == len(found)


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


@given(SHAPES.filter(lambda shape: 0 not in shape[0] and all(s > 0 for s in shape[1])))
def test_a_nesting_order_is_one_and_implies_that_strides_nest(shape):
    extents, strides = shape
    order = nesting_order(extents, strides)
    if order is not None:
        assert sorted(order) == list(range(len(extents)))
        assert all(strides[b] >= strides[a] * extents[a] for a, b in pairwise(order))
        assert nests(extents, strides)


def test_slicing_makes_strides_that_nest_without_a_nesting_order():
    assert nests((5, 2), (4, 3))
    assert nesting_order((5, 2), (4, 3)) is None


def test_large_strides_are_decided_without_enumeration():
    big = 10**9
    assert not has_collision((big, big), (big + 1, big))
    assert has_collision((big + 2, big + 1), (big, big + 1))
    assert not image_is_interval((big, 2), (2, 3))


def test_a_search_over_its_budget_says_so_instead_of_guessing(monkeypatch):
    monkeypatch.setattr(lattice, "SEARCH_BUDGET", 3)
    with pytest.raises(UndecidedError, match="deciding uniqueness of 4 interleaved strides takes more than 3 steps"):
        has_collision((9, 9, 9, 9), (10007, 10009, 10037, 10039))
