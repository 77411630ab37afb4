"""The numbers of an expression at the places of its short dimensions are those that it has there."""

from itertools import product
from math import prod

import pytest
from expression_trees import BOXES, EXPRESSIONS, I, J, line_through, numbers_over
from hypothesis import given
from hypothesis import strategies as st

from mdview.expressions.nodes import Const, Index, Op, Param, Select
from mdview.expressions.points import MOST_POINTS, Points


@given(st.lists(st.integers(1, 100), max_size=5))
def test_the_shortest_dimensions_are_looked_at_up_to_a_number_of_places(counts):
    points = Points([(0, count, 1) for count in counts])
    chosen = [counts[r] for r in points.steps]
    assert points.size == prod(chosen) <= MOST_POINTS
    left = sorted(n for r, n in enumerate(counts) if r not in points.steps)
    assert not left or points.size * left[0] > MOST_POINTS
    assert sorted(chosen) == sorted(counts)[: len(chosen)]


@given(EXPRESSIONS, BOXES)
def test_numbers_are_those_of_the_expression(root, box):
    points = Points(box)
    numbers = numbers_over(root, box)
    found = points.numbers(root)
    if found is None or len(points.steps) < 2:
        return
    order = [*points.steps]
    at = dict(zip(product(*[range(box[r][1]) for r in order]), found, strict=True))
    by_dimension = {tuple(k[order.index(r)] for r in range(2)): number for k, number in at.items()}
    if numbers is not None:
        assert by_dimension == numbers
        line, expected = points.line(root), line_through(numbers, box)
        assert (line is None) == (expected is None)
        if expected is not None:
            assert line[None] == expected[0]
            assert tuple(line.get(r, 0) for r in range(2)) == expected[1]


@pytest.mark.parametrize(
    "root",
    [
        Op("floordiv", 5, I),
        Op("mod", 5, I),
        Op("lshift", 1, Op("sub", I, 1)),
        Op("lshift", 1, I * 10**6),
        Op("rshift", 1, I * 10**6),
        Op("floordiv", 5, I) * 0 + 3,
        Select(Op("lt", I, 1), 0, Op("floordiv", 5, I)),
        Param(0) + I,
        J + I,
    ],
    ids=str,
)
def test_there_are_none_where_a_part_is_no_number_or_depends_on_something_else(root):
    points = Points(((0, 4, 1), (0, 1000, 1)))
    assert points.line(root) is None
    assert points.numbers(root) is None


def test_a_line_has_a_number_and_a_distance_for_each_dimension_of_several_indices():
    points = Points(((5, 4, -1), (3, 1, 1), (0, 1000, 1), (0, 2, 7)))
    k = Index(3)
    assert points.line(I * 10 + J + k) == {None: 53, 0: -10, 3: 7}
    assert points.line(Const(4)) == {None: 4, 0: 0, 3: 0}
    assert points.line(Op("lt", I, 9)) == {None: 1, 0: 0, 3: 0}
    assert type(points.line(Op("lt", I, 9))[None]) is int
    assert points.line(I * I) is None
    assert points.line(k * k + J * J) == {None: 9, 0: 0, 3: 49}


def test_squares_of_squares_are_not_followed_without_end():
    root = I
    for _ in range(60):
        root = root * root
    assert Points(((0, 4, 1),)).numbers(root) is None
    assert Points(((0, 2, 1),)).line(root) == {None: 0, 0: 1}


def test_a_point_is_a_box_of_one_place():
    assert Points(()).line(Const(3)) == {None: 3}
    assert Points(((7, 1, 1),)).line(I * I) == {None: 49}
