"""Simplification changes no number, in Python or in NumPy, and shows what an expression is."""

import operator
from itertools import product

import numpy as np
import pytest
from expression_trees import ARITHMETIC, BOXES, EXPRESSIONS, I, J, number_of, numbers_over, places, spans_of, traced
from hypothesis import given
from hypothesis import strategies as st
from samples import LayoutMortonLike

from mdview.expressions import numpy_source, python_source
from mdview.expressions.nodes import Const, Op, Param, Select, alternatives, each_part
from mdview.expressions.operators import COMPARISONS
from mdview.expressions.ranges import RangeError, expression_range, spans, within
from mdview.expressions.separability import is_separable
from mdview.expressions.simplification import simplified
from mdview.expressions.tracing import trace


def simple(root, *indices):
    return str(simplified(root, within(indices)))


@given(EXPRESSIONS, st.one_of(BOXES, st.just(((0, 6, 1), (0, 9, 1)))))
def test_no_number_changes(root, box):
    before = numbers_over(root, box)
    found = simplified(root, within(spans_of(box)))
    if before is not None:
        assert numbers_over(found, box) == before


@given(EXPRESSIONS, BOXES)
def test_scalars_and_arrays_agree_with_the_expression_as_it_was(root, box):
    leaf = within(spans_of(box))
    try:
        expression_range(root, leaf, 64)
    except RangeError:
        return
    before, found = numbers_over(root, box), simplified(root, leaf)
    grid = np.meshgrid(*[np.arange(n) * step + first for first, n, step in box], indexing="ij")
    arrays = [np.broadcast_to(numpy_source.function(one, 2)(*grid), grid[0].shape) for one in (root, found)]
    scalars = [python_source.function(one, 2) for one in (root, found)]
    for steps, index in places(box):
        assert [array[steps] for array in arrays] == [before[steps]] * 2
        assert [scalar(*index) for scalar in scalars] == [before[steps]] * 2


@given(EXPRESSIONS, BOXES)
def test_what_is_simple_stays_in_range_and_stays_simple(root, box):
    leaf = within(spans_of(box))
    try:
        low, high = expression_range(root, leaf, 64)
    except RangeError:
        return
    found = simplified(root, leaf)
    again = simplified(found, leaf)
    before = numbers_over(root, box)
    assert numbers_over(found, box) == numbers_over(again, box) == before
    assert len(each_part(again)) <= len(each_part(found)) + 2
    for number in before.values():
        assert low <= number <= high


@given(ARITHMETIC, ARITHMETIC, BOXES)
def test_a_choice_within_arithmetic_moves_above_it(left, right, box):
    root = Op("add", Op("mul", Select(Op("lt", I, J), left, 3), 5), Select(Op("eq", J, 2), right, I))
    before = numbers_over(root, box)
    found = simplified(root, within(spans_of(box)))
    assert all(not isinstance(o, Select) for part in each_part(found) if isinstance(part, Op) for o in part.operands)
    if before is not None:
        assert numbers_over(found, box) == before


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (I // 4, "(i0 >> 2)"),
        (I % 4, "(i0 & 3)"),
        (I % 8, "i0"),
        (I // 8, "0"),
        (I // 3, "(i0 // 3)"),
        (I % 3, "(i0 % 3)"),
        (I // -4, "(i0 // -4)"),
        (I * 4, "(i0 * 4)"),
        ((I // 4) << 3 | J % 8, "(((i0 >> 2) << 3) + (i1 & 7))"),
        ((I << 3) ^ (J & 7), "((i0 << 3) + (i1 & 7))"),
        ((I << 2) | (J & 7), "((i0 << 2) | (i1 & 7))"),
        ((I & 4) | (I & 1) | 8, "(((i0 & 4) + (i0 & 1)) + 8)"),
        ((I & 6) & 7, "(i0 & 6)"),
        ((I & 6) & -1, "(i0 & 6)"),
        ((J - 200) & 7, "((i1 + -200) & 7)"),
        (Op("sub", I, I), "0"),
        (-I, "(0 - i0)"),
        (-Const(4) + I, "(-4 + i0)"),
        (Op("sub", I + J, I), "i1"),
        (Op("lt", I, 8), "1"),
        (Op("lt", I, 7), "(i0 < 7)"),
        (Op("ge", I + J, J), "1"),
        (Op("eq", I * 2 + J, I * 2 + J), "1"),
        (Select(Op("lt", I + J, J), I, J), "i1"),
        (Select(Op("lt", I, J), J // 2, J >> 1), "(i1 >> 1)"),
        (Select(Op("lt", I, J), Select(Op("lt", I, 2), J, J), Op("sub", I + J, I)), "i1"),
        (Select(Op("lt", I, J), I // 2, 8 // Op("add", I % 8, 1)), "((i0 >> 1) if (i0 < i1) else (8 // (i0 + 1)))"),
        (Select(Op("lt", I, J), Select(Op("lt", I, 9), J, I), 0), "(i1 if (i0 < i1) else 0)"),
    ],
    ids=str,
)
def test_forms(root, expected):
    assert simple(root, (0, 7), (0, 98)) == expected


def test_where_one_index_is_above_another_so_is_the_sign_of_their_difference():
    difference = Op("sub", I, J)
    root = Op("sub", I, difference & (difference >> 63))
    assert simple(root, (0, 3), (4, 7)) == "i1"
    assert simple(root, (4, 7), (0, 3)) == "i0"
    assert simple(root, (0, 7), (0, 7)) == "(i0 - ((i0 - i1) & ((i0 - i1) >> 63)))"


def test_an_index_of_one_value_is_that_value():
    assert simple(I * 10 + J, (3, 3), (0, 5)) == "(30 + i1)"
    assert simple(I * 10 + J, (3, 3), (5, 5)) == "35"
    assert simple(J >> I, (3, 3), (0, 15)) == "(i1 >> 3)"


def test_numbers_below_zero_are_known_to_have_all_bits():
    assert simple((I * -1) & 7 | 8, (0, 7), (0, 0)) == "(((i0 * -1) & 7) + 8)"
    assert simple((I * -1) | 8, (0, 7), (0, 0)) == "((i0 * -1) | 8)"
    assert simple((Op("sub", 0, I) << 4) | J, (0, 7), (0, 15)) == "(((0 - i0) << 4) | i1)"


@pytest.mark.parametrize(
    "root",
    [
        Op("lshift", I, -1),
        Op("rshift", I, -1),
        Op("lshift", I, 10**12),
        Op("lshift", I & 7, 64),
        Op("floordiv", I, 0),
        Op("mod", I, 0),
        Op("add", Op("lshift", 1, -2), I),
    ],
    ids=str,
)
def test_what_is_no_number_anywhere_stays_as_it_is_written(root):
    assert simplified(root, within(((0, 99),))) == root


def test_a_leaf_without_a_range_is_an_error():
    with pytest.raises(RangeError, match="no range is known for p0"):
        simple(I + Param(0), (0, 3))


def test_interleaved_bits_are_a_sum_of_terms_in_one_index():
    root = trace(LayoutMortonLike(), (8, 8)).root
    assert not is_separable(root)
    assert is_separable(simplified(root, within(spans((8, 8)))))
    for arithmetic in (lambda i, j: i | j, lambda i, j: (i ^ j) + i):
        assert not is_separable(simplified(traced(arithmetic), within(spans((8, 8)))))


@given(st.sampled_from(sorted(COMPARISONS)), st.integers(-3, 3), BOXES)
def test_a_comparison_with_one_answer_is_no_choice(name, shift, box):
    compare = getattr(operator, name)
    root = traced(lambda i, j: 7 * i + j if compare(i, j + shift) else i + 7 * j)
    answers = {compare(i, j + shift) for _, (i, j) in places(box)}
    found = simplified(root, within(spans_of(box)))
    if len(answers) > 1 or not isinstance(found, Select):
        assert isinstance(found, Select) == (len(answers) > 1)
    if all(abs(step) == 1 or count == 1 for _, count, step in box) and name not in {"eq", "ne"}:
        assert isinstance(found, Select) == (len(answers) > 1)


@pytest.mark.parametrize(("rows", "columns"), [((4, 7), (0, 3)), ((0, 3), (4, 7)), ((0, 3), (3, 7))])
def test_the_larger_of_two_indices_is_known_where_they_lie_apart(rows, columns):
    root = traced(lambda i, j: max(i, j) * (max(i, j) + 1) // 2 + min(i, j))
    assert len(alternatives(simplified(root, within((rows, columns))))) == 1 + 2 * (rows[1] == columns[0])
    assert is_separable(simplified(root, within((rows, columns)))) == (rows[1] != columns[0])


def test_all_small_operators_over_small_boxes():
    for name in ("floordiv", "mod", "and", "or", "xor", "lshift", "rshift", "sub"):
        for number in (1, 2, 3, 4, 6, 7, 8):
            for first in (0, 2, 8):
                box = ((first, 9, 1), (0, 1, 1))
                for root in (
                    Op(name, I, number),
                    Op(name, I, number) + Op("and", I, number),
                    Op(name, Const(number), I + 1),
                ):
                    assert numbers_over(simplified(root, within(spans_of(box))), box) == numbers_over(root, box)


@pytest.mark.parametrize("name", ["tiles", "hash", "choice"])
def test_parts_that_stand_in_several_places_stay_shared(name):
    def tiles(i, j):
        tile = i // 4 * 8 + j // 8
        return tile * tile + tile % 16

    def hashed(i, j):
        for _ in range(30):
            i = (i ^ (i >> 1)) & 255
        return i + j

    def choice(i, j):
        low = i // 3
        return low * low if low > j else low * 5

    root = traced({"tiles": tiles, "hash": hashed, "choice": choice}[name])
    found = simplified(root, within(((0, 200), (0, 200))))
    assert len(each_part(found)) <= len(each_part(root)) + 2
    for index in product((0, 7, 100, 200), repeat=2):
        assert number_of(found, index) == number_of(root, index)
