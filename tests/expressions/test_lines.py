"""The linear form of an expression over a box is right wherever there is one, and few are missed."""

import pytest
from expression_trees import I, J, traced

import mdview as md
from mdview.expressions.expression_tree import Op, Param, Select
from mdview.expressions.simplification import linear_form
from mdview.expressions.tracing import trace

ALL, LONG = (0, 90, 1), ((0, 90, 1), (0, 90, 1))


@pytest.mark.parametrize(
    ("function", "box", "expected"),
    [
        (lambda i, j: i * 3 + j, ((8, 9, -1), (0, 20, 2)), (24, (-3, 2))),
        (lambda i, j: i * 3 + j, ((8, 9, 0), (0, 20, 2)), (24, (0, 2))),
        (lambda i, j: i // 4 * 4 + i % 4, ((1, 90, 1), (0, 1, 1)), (1, (1, 0))),
        (lambda i, j: i // -4, ((4, 90, 4), ALL), (-1, (-1, 0))),
        (lambda i, j: i // 3 // 5, ((2, 90, 15), ALL), (0, (1, 0))),
        (lambda i, j: i // 3 // 5 - i // 15, LONG, (0, (0, 0))),
        (lambda i, j: (4 * (i // 3) + j) // 4 - i // 3, (ALL, (0, 4, 1)), (0, (0, 0))),
        (lambda i, j: (i + j) % 8, ((0, 90, 8), (3, 5, 1)), (3, (0, 1))),
        (lambda i, j: i % -8, ((0, 90, 8), ALL), (0, (0, 0))),
        (lambda i, j: i % -8 // 2 * 2 - i % -8, LONG, None),
        (lambda i, j: i * j // 2 * 2 - i * j, LONG, None),
        (lambda i, j: (i * 2 // 3 + i) // 2 - i // 2, LONG, None),
        (lambda i, j: (i * 2 + j) & 0b1011010, ((1, 90, 64), (0, 2, 1)), (2, (0, 0))),
        (lambda i, j: (i + j) & 0b1100110, ((0, 80, 1024), (96, 4, 1)), None),
        (lambda i, j: (i + j) & 0b1101110, ((0, 80, 1024), (96, 4, 2)), (96, (0, 2))),
        (lambda i, j: 3 ^ i, ((1, 90, 4), ALL), (2, (4, 0))),
        (lambda i, j: i | -8, ((8, 90, 8), ALL), (-8, (0, 0))),
        (lambda i, j: i << 3 >> 2, ((1, 90, 5), ALL), (2, (10, 0))),
        (lambda i, j: i * (i + 1) // 2 + j, ((5, 2, 1), ALL), (15, (6, 1))),
        (lambda i, j: i * (i + 1) // 2 + j, ((5, 3, 1), ALL), None),
        (max, ((49, 50, 1), (0, 51, 1)), None),
        (lambda i, j: i * 10**30 + j, ((3, 90, 1), ALL), (3 * 10**30, (10**30, 1))),
    ],
)
def test_forms(function, box, expected):
    assert linear_form(traced(function), box) == expected


@pytest.mark.parametrize(
    ("root", "box"),
    [
        (I, ((0, 0, 1),)),
        (I + J, ((0, 5, 1), (3, 0, 2))),
        (I + Param(0), ((0, 5, 1),)),
        (Op("floordiv", I, 0), (ALL,)),
        (Op("mod", I, 0), ((0, 3, 1),)),
        (Op("lshift", 1, I), (ALL,)),
        (Op("lshift", I, -1), ((0, 3, 1),)),
        (Op("lshift", I, 10**9), ((0, 3, 1),)),
        (Op("rshift", I, 10**9), (ALL,)),
        (Select(Op("lt", I, 5), I, 3), (ALL,)),
    ],
    ids=str,
)
def test_there_is_none_for_no_index_for_parameters_and_for_what_is_no_number(root, box):
    assert linear_form(root, box) is None


def test_no_dimension_has_an_origin_alone():
    assert linear_form(trace(md.LayoutRight(), ()).root, ()) == (0, ())


def test_squares_of_squares_are_not_followed_without_end():
    root = I
    for _ in range(60):
        root = root * root
    assert [linear_form(root, ((0, count, 1),)) for count in (4, 2)] == [None, (0, (1,))]
