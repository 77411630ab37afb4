"""Folding computes what is known and leaves out what changes nothing; what raises stays as it is written."""

import pytest
from expression_trees import EXPRESSIONS, I, J, number_of
from hypothesis import given
from hypothesis import strategies as st

from mdview.expressions.folding import MOST_SHIFTED, combined, folded, over_alternatives
from mdview.expressions.nodes import Const, Op, Param, Select, fold
from mdview.expressions.operators import COMPARISONS, FUNCTIONS, INFIX

NUMBERS = range(-3, 5)


@pytest.mark.parametrize("name", [*INFIX, *COMPARISONS])
def test_an_operator_over_two_numbers_is_a_number_or_stays(name):
    for left in NUMBERS:
        for right in NUMBERS:
            found = folded(name, Const(left), Const(right))
            try:
                assert found == Const(int(FUNCTIONS[name](left, right)))
            except (ZeroDivisionError, ValueError):
                assert found == Op(name, left, right)


@pytest.mark.parametrize("name", INFIX)
@pytest.mark.parametrize("number", NUMBERS)
def test_what_is_folded_is_computed_alike_from_both_sides(name, number):
    for i in range(1, 6):
        assert number_of(folded(name, Const(number), I), [i]) == FUNCTIONS[name](number, i)
        if number > 0 or name not in {"floordiv", "mod", "lshift", "rshift"}:
            assert number_of(folded(name, I, Const(number)), [i]) == FUNCTIONS[name](i, number)


def test_numbers_are_not_shifted_to_any_length():
    assert folded("lshift", Const(1), Const(MOST_SHIFTED)) == Const(1 << MOST_SHIFTED)
    assert folded("lshift", Const(1), Const(10**15)) == Op("lshift", 1, 10**15)
    assert folded("rshift", Const(1), Const(10**15)) == Op("rshift", 1, 10**15)


def test_arithmetic_over_a_choice_is_a_choice_between_arithmetic():
    test, other = Op("lt", I, J), Op("eq", I, 3)
    choice = Select(test, I, 2)
    assert over_alternatives("add", [choice, J]) == Select(test, I + J, Op("add", 2, J))
    assert over_alternatives("mul", [Const(3), choice]) == Select(test, Op("mul", 3, I), 6)
    assert over_alternatives("neg", [choice]) == Select(test, Op("sub", 0, I), -2)
    nested = over_alternatives("add", [choice, Select(other, J, 0)])
    assert nested == Select(test, Select(other, I + J, I), Select(other, Op("add", 2, J), 2))


def test_a_choice_whose_test_is_known_is_the_way_that_it_takes():
    choice = Select(Op("lt", I, J), I, J)
    assert combined(choice, [Const(1), I, J]) == I
    assert combined(choice, [Const(0), I, J]) == J
    assert combined(choice, list(choice.operands)) == choice


@given(EXPRESSIONS, st.integers(0, 9), st.integers(0, 9))
def test_combining_the_parts_again_changes_no_number(root, i, j):
    try:
        expected = number_of(root, (i, j))
    except (ZeroDivisionError, ValueError):
        return
    again = fold(root, lambda node, operands: combined(node, operands) if operands else node)
    assert number_of(again, (i, j)) == expected


@given(EXPRESSIONS, st.integers(0, 9), st.integers(0, 9))
def test_an_expression_of_numbers_alone_is_one(root, i, j):
    try:
        expected = number_of(root, (i, j))
    except (ZeroDivisionError, ValueError):
        return
    numbers = {I: Const(i), J: Const(j)}
    found = fold(root, lambda node, operands: combined(node, operands) if operands else numbers.get(node, node))
    assert number_of(found, ()) == expected
    if isinstance(found, Const):
        assert found == Const(expected)


def test_parameters_are_no_numbers():
    assert folded("add", Param(0), Const(0)) == Param(0)
    assert folded("sub", Param(0), Param(0)) == Op("sub", Param(0), Param(0))
