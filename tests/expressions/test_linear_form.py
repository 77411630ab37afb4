"""The linear form of an expression over a box is right wherever there is one, and few are missed."""

from itertools import product
from math import prod
from random import Random

import pytest
from expression_trees import (
    ARITHMETIC,
    BOXES,
    EXPRESSIONS,
    I,
    J,
    every_progression,
    line_through,
    numbers_over,
    places,
    random_progression,
    traced,
)
from hypothesis import given

from mdview import (
    LayoutBlasPacked,
    LayoutLeft,
    LayoutLeftPadded,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutStrideRelaxed,
    LayoutSwizzled,
    LayoutTiled,
    LayoutTranspose,
)
from mdview.expressions.linear import linear_form
from mdview.expressions.nodes import Index, Op, Param, Select, alternatives
from mdview.expressions.points import MOST_POINTS
from mdview.expressions.tracing import trace

SEPARABLE = [
    LayoutRight(),
    LayoutLeft(),
    LayoutRightPadded(5),
    LayoutStrideRelaxed((-3, 7), 90),
    LayoutTiled(2, 3),
    LayoutTiled(3, 2, outer=LayoutLeft(), inner=LayoutRight()),
    LayoutTiled(4, 4, inner=LayoutTiled(2, 2, inner=LayoutLeft())),
    LayoutTiled(2, 4, inner=LayoutRightPadded(8)),
    LayoutTiled(3, 4, inner=LayoutTiled(1, 3, inner=LayoutLeftPadded(4))),
    LayoutMorton(),
    LayoutMorton(compact=True, fastest="first"),
    LayoutTranspose(LayoutTiled(2, 3)),
    LayoutTranspose(LayoutMorton()),
]
OTHERS = [
    LayoutBlasPacked("upper", "column"),
    LayoutBlasPacked("lower", "column"),
    LayoutSwizzled(LayoutRight(), 2, 0, 3),
    LayoutSwizzled(LayoutLeft(), 1, 1, -1),
    LayoutSwizzled(LayoutTiled(2, 2), 1, 0, 2),
    LayoutSwizzled(LayoutBlasPacked("upper", "row"), 2, 0, 2),
]


def table_of(layout, extents):
    return {index: layout.offset(extents, index) for index in product(*map(range, extents))}


def line_over(table, box):
    """Origin and strides over a box as the offsets themselves have it."""
    return line_through({steps: table[index] for steps, index in places(box)}, box)


@pytest.mark.parametrize("layout", [*SEPARABLE, *OTHERS], ids=repr)
def test_every_box_of_a_small_layout_is_decided(layout):
    extents = (4, 4)
    table, root = table_of(layout, extents), trace(layout, extents).root
    for box in product(every_progression(4), repeat=2):
        assert linear_form(root, box) == line_over(table, box)


@pytest.mark.parametrize("layout", [*SEPARABLE, *OTHERS], ids=repr)
@pytest.mark.parametrize("extents", [(29, 29), (32, 32)])
def test_boxes_of_larger_layouts_are_never_wrong_and_rarely_undecided(layout, extents):
    random = Random(f"{layout} {extents}")  # noqa: S311 - the same boxes each time
    table, root = table_of(layout, extents), trace(layout, extents).root
    linear = missed = 0
    for _ in range(150):
        box = tuple([random_progression(random, e) for e in extents])
        found, expected = linear_form(root, box), line_over(table, box)
        assert found in {None, expected}
        linear += expected is not None
        missed += expected is not None and found is None
        if prod([count for _, count, _ in box]) <= MOST_POINTS:
            assert found == expected
    assert missed <= (0 if layout in SEPARABLE else linear // 50)


@pytest.mark.parametrize("layout", [LayoutRight(), LayoutTiled(2, 3, 2), LayoutMorton()], ids=repr)
def test_boxes_of_three_dimensions(layout):
    extents = (6, 7, 8)
    table, root = table_of(layout, extents), trace(layout, extents).root
    random = Random(repr(layout))  # noqa: S311 - the same boxes each time
    for _ in range(100):
        box = tuple([random_progression(random, e) for e in extents])
        assert linear_form(root, box) == line_over(table, box)


@given(EXPRESSIONS, BOXES)
def test_arithmetic_of_any_form_is_never_found_linear_where_it_is_not(root, box):
    found = linear_form(root, box)
    numbers = numbers_over(root, box)
    if numbers is None:
        return
    expected = line_through(numbers, box)
    assert found in {None, expected}
    are_numbers = all(numbers_over(part, box) is not None for part in alternatives(root))
    if prod([count for _, count, _ in box]) <= MOST_POINTS and are_numbers:
        assert found in {expected, None}  # arithmetic that cannot be decided is no line


@given(ARITHMETIC, BOXES)
def test_what_is_linear_by_construction_is_found(part, box):
    form = I * 5 + J * -3 + 7
    for root in (
        Op("sub", form + part, part),
        (form * 12) // 12,
        (form * 16 + 5) >> 4,
        (form * 8 + 3) - (form * 8 + 3) % 8,
    ):
        found = linear_form(root, box)
        numbers = numbers_over(root, box)
        if numbers is not None:
            assert found == line_through(numbers, box)


@pytest.mark.parametrize(
    ("function", "box", "expected"),
    [
        (lambda i, j: 7, ((0, 9, 1), (0, 9, 1)), (7, (0, 0))),
        (lambda i, j: i * 3 + j, ((2, 9, 1), (5, 1, 1)), (11, (3, 0))),
        (lambda i, j: i * 3 + j, ((8, 9, -1), (0, 20, 2)), (24, (-3, 2))),
        (lambda i, j: i * 3 + j, ((8, 9, 0), (0, 20, 2)), (24, (0, 2))),
        (lambda i, j: i // 4 * 4 + i % 4, ((1, 90, 1), (0, 1, 1)), (1, (1, 0))),
        (lambda i, j: i // 4, ((3, 90, 4), (0, 90, 1)), (0, (1, 0))),
        (lambda i, j: i // 4, ((3, 90, 1), (0, 90, 1)), None),
        (lambda i, j: i // -4, ((4, 90, 4), (0, 90, 1)), (-1, (-1, 0))),
        (lambda i, j: i // 3 // 5, ((2, 90, 15), (0, 90, 1)), (0, (1, 0))),
        (lambda i, j: i // 3 // 5 - i // 15, ((0, 90, 1), (0, 90, 1)), (0, (0, 0))),
        (lambda i, j: i // 3 // 5 - i // 15, ((0, 90, 7), (0, 90, 1)), (0, (0, 0))),
        (lambda i, j: (4 * (i // 3) + j) // 4 - i // 3, ((0, 90, 1), (0, 4, 1)), (0, (0, 0))),
        (lambda i, j: (i + j) % 8, ((0, 90, 8), (3, 5, 1)), (3, (0, 1))),
        (lambda i, j: (i + j) % 8, ((0, 90, 8), (3, 90, 1)), None),
        (lambda i, j: i % -8, ((0, 90, 8), (0, 90, 1)), None),
        (lambda i, j: i % -8 - i % -8, ((0, 90, 1), (0, 90, 1)), (0, (0, 0))),
        (lambda i, j: i % -8 // 2 * 2 - i % -8, ((0, 90, 1), (0, 90, 1)), None),
        (lambda i, j: i * j // 2 * 2 - i * j, ((0, 90, 1), (0, 90, 1)), None),
        (lambda i, j: (i * 2 // 3 + i) // 2 - i // 2, ((0, 90, 1), (0, 90, 1)), None),
        (lambda i, j: i & 12, ((0, 4, 4), (0, 90, 1)), (0, (4, 0))),
        (lambda i, j: i & 12, ((16, 90, 16), (0, 4, 1)), (0, (0, 0))),
        (lambda i, j: i & 12, ((21, 90, 80), (0, 4, 1)), (4, (0, 0))),
        (lambda i, j: i & 0b1011010, ((2, 90, 128), (0, 4, 1)), (2, (0, 0))),
        (lambda i, j: (i * 2 + j) & 0b1011010, ((1, 90, 64), (0, 2, 1)), (2, (0, 0))),
        (lambda i, j: i & 0b1100110, ((0, 80, 1024), (0, 4, 1)), (0, (0, 0))),
        (lambda i, j: (i + j) & 0b1100110, ((0, 80, 1024), (96, 4, 1)), None),
        (lambda i, j: (i + j) & 0b1101110, ((0, 80, 1024), (96, 4, 2)), (96, (0, 2))),
        (lambda i, j: i & ~3, ((2, 90, 4), (0, 90, 1)), (0, (4, 0))),
        (lambda i, j: i & 5, ((0, 90, 8), (0, 90, 1)), (0, (0, 0))),
        (lambda i, j: i | 3, ((1, 90, 4), (0, 90, 1)), (3, (4, 0))),
        (lambda i, j: 3 ^ i, ((1, 90, 4), (0, 90, 1)), (2, (4, 0))),
        (lambda i, j: i | -8, ((8, 90, 8), (0, 90, 1)), (-8, (0, 0))),
        (lambda i, j: i ^ -1, ((8, 90, 8), (0, 90, 1)), (-9, (-8, 0))),
        (lambda i, j: i << 3 >> 2, ((1, 90, 5), (0, 90, 1)), (2, (10, 0))),
        (lambda i, j: i * j, ((3, 1, 1), (0, 90, 1)), (0, (0, 3))),
        (lambda i, j: i * j, ((3, 2, 1), (0, 90, 1)), None),
        (lambda i, j: i * i - i * i + j, ((0, 90, 1), (0, 90, 1)), (0, (0, 1))),
        (lambda i, j: i * (i + 1) // 2 + j, ((5, 2, 1), (0, 90, 1)), (15, (6, 1))),
        (lambda i, j: i * (i + 1) // 2 + j, ((5, 3, 1), (0, 90, 1)), None),
        (max, ((50, 50, 1), (0, 50, 1)), (50, (1, 0))),
        (max, ((49, 50, 1), (0, 51, 1)), None),
        (lambda i, j: 12 // i, ((3, 2, 1), (0, 90, 1)), (4, (-1, 0))),
        (lambda i, j: 1 << i, ((3, 2, 1), (0, 90, 1)), (8, (8, 0))),
        (lambda i, j: i * 10**30 + j, ((3, 90, 1), (0, 90, 1)), (3 * 10**30, (10**30, 1))),
    ],
)
def test_forms(function, box, expected):
    assert linear_form(traced(function), box) == expected


@pytest.mark.no_cover
@pytest.mark.parametrize("name", ["floordiv", "mod", "rshift", "and"])
@pytest.mark.parametrize("counts", [(2, 2), (3, 2), (2, 3), (3, 3), (5, 1), (1, 4)])
def test_quotients_remainders_and_masks_of_all_small_lines(name, counts):
    box = tuple([(0, count, 1) for count in counts])
    for a, b, c, number in product(range(-2, 4), range(-2, 4), range(4), (1, 2, 3, 4)):
        root = Op(name, I * a + J * b + c, number)
        assert linear_form(root, box) == line_through(numbers_over(root, box), box)


@pytest.mark.parametrize(
    ("root", "box"),
    [
        (I, ((0, 0, 1),)),
        (I + J, ((0, 5, 1), (3, 0, 2))),
        (I + Param(0), ((0, 5, 1),)),
        (Op("floordiv", I, 0), ((0, 90, 1),)),
        (Op("mod", I, 0), ((0, 3, 1),)),
        (Op("lshift", 1, I), ((0, 90, 1),)),
        (Op("lshift", I, -1), ((0, 3, 1),)),
        (Op("lshift", I, 10**9), ((0, 3, 1),)),
        (Op("rshift", I, 10**9), ((0, 90, 1),)),
        (Select(Op("lt", I, 5), I, 3), ((0, 90, 1),)),
    ],
    ids=str,
)
def test_there_is_none_for_no_index_for_parameters_and_for_what_is_no_number(root, box):
    assert linear_form(root, box) is None


def test_an_expression_without_indices_is_a_number():
    assert linear_form(trace(LayoutRight(), ()).root, ()) == (0, ())


def test_an_index_of_a_short_dimension_decides_beside_long_ones():
    i, j, k = map(Index, range(3))
    root = (i ^ 5) * 100 + (j * j) + k
    assert linear_form(root, ((2, 2, 1), (7, 2, 3), (0, 5000, 1))) == (749, (-100, 51, 1))
    assert linear_form(root, ((2, 3, 1), (7, 2, 3), (0, 5000, 1))) is None
