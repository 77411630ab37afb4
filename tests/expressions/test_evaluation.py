"""An expression is the number that its variables make of it, once they are known; before that it asks for them."""

import operator

import pytest
from expression_trees import EXPRESSIONS, I, J, number_of
from hypothesis import given
from hypothesis import strategies as st

from mdview.errors import ExtentsTypeError, OperandError, SymbolError, SymbolicExtentError
from mdview.expressions.nodes import Const, Op, Param, Select

INDICES = st.integers(0, 9)


@given(EXPRESSIONS, INDICES, INDICES)
def test_the_value_is_that_of_the_arithmetic(root, i, j):
    try:
        expected = number_of(root, (i, j))
    except (ZeroDivisionError, ValueError):
        return
    assert root.eval({I: i, J: j}) == expected
    for values in ({}, {I: i}, {J: j}):
        assert root.eval(values) in {None, expected}


@given(EXPRESSIONS, INDICES, INDICES)
def test_substituting_numbers_and_then_evaluating_is_evaluating(root, i, j):
    try:
        expected = number_of(root, (i, j))
        constant = root.substitute({I: i, J: Const(j)})
    except (ZeroDivisionError, ValueError):  # a SymbolError is one: on a way that is not taken, perhaps
        return
    assert constant.vars == ()
    assert operator.index(constant) == constant.eval() == expected
    assert bool(constant) == (constant.eval() != 0)
    assert constant.known_range() == (constant.eval(),) * 2


def test_arithmetic_waits_for_every_variable():
    root = I * 0 + J
    assert root.eval() is root.eval({I: 1}) is root.eval({J: 1}) is None
    assert root.eval({I: 1, J: 4}) == 4


def test_variables_come_once_in_order_of_appearance():
    root = Select(Op("lt", J, Param(3)), I + J, 5)
    assert root.vars == (J, Param(3), I)
    assert root.parts == root.operands
    assert Const(3).vars == ()


def test_a_leaf_has_no_number_and_no_range_unless_it_is_one():
    assert [leaf.value for leaf in (Const(3), I, Param(0), I + 1)] == [3, None, None, None]
    assert (I + 1).known_range() is I.range_of(I) is None
    assert Const(3).known_range() == (3, 3)
    assert I.description == "i0"


def test_only_the_way_that_is_taken_is_computed():
    root = Select(Op("gt", I, 2), Op("floordiv", 12, Op("sub", I, 2)), J)
    assert [root.eval({I: i, J: 7}) for i in (1, 2, 3, 4)] == [7, 7, 12, 6]
    assert [root.eval({I: i}) for i in (2, 3)] == [None, 12]


def test_what_is_replaced_may_be_any_expression_and_nothing_is_computed():
    assert (I + J * I).substitute({I: J + 1}) == (J + 1) + J * (J + 1)
    assert (I + J).substitute({I: J, J: I}) == J + I
    assert (I + 1).substitute({J: 3}) == I + 1
    assert str((I + 1).substitute({I: 2})) == "(2 + 1)"


def test_a_divisor_of_0_or_a_negative_shift_is_refused_where_it_is_known():
    for make in (lambda x: I // x, lambda x: I % x, lambda x: (I // J).substitute({J: x})):
        with pytest.raises(SymbolError, match=r"the divisor of i0 .* 0 lies in \[0, 0\] and may be 0"):
            make(0)
        assert make(-3).eval({I: 7}) in {7 // -3, 7 % -3}
    for make in (lambda x: I << x, lambda x: I >> x, lambda x: 5 + (I << J).substitute({J: x})):
        with pytest.raises(SymbolError, match=r"the shift of i0 .* -1 lies in \[-1, -1\] and may be negative"):
            make(-1)
        assert make(0).eval({I: 7}) in {7, 12}
    assert (I // J).eval({I: 7, J: 2}) == 3


@pytest.mark.parametrize("question", [operator.index, bool, range, int, lambda node: [1, 2][node]])
def test_a_number_that_is_not_known_is_asked_for(question):
    for root in (I, I + 1, Select(Op("lt", I, 1), 2, 3)):
        with pytest.raises(SymbolicExtentError, match=r"depends on i0; bind the symbols to values first"):
            question(root)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ([(I, 3)], OperandError, "values must be a dict from variables to numbers"),
        ({"i0": 3}, OperandError, "a key of values must be a variable"),
        ({I + 1: 3}, OperandError, "a key of values must be a variable"),
        ({Const(1): 3}, OperandError, "a key of values must be a variable"),
        ({I: 0.5}, ExtentsTypeError, "a value of i0 must be an integer, got 0.5"),
        ({I: None}, ExtentsTypeError, "a value of i0 must be an integer, got None"),
    ],
)
def test_values_are_numbers_of_variables(values, error, message):
    with pytest.raises(error, match=message):
        (I + 1).eval(values)
    if error is OperandError:
        with pytest.raises(error, match=message):
            (I + 1).substitute(values)


def test_values_are_plain_numbers():
    assert [type((I + 0).eval({I: number})) for number in (True, 5)] == [int, int]
    assert type(I.eval({I: True})) is int
    assert type(Op("lt", I, 3).eval({I: 1})) is int
