"""Expressions are values, equal if built alike, of plain ints; their variables ask for numbers."""

import enum
import operator
import pickle

import numpy as np
import pytest
from expression_trees import EXPRESSIONS, I, J, number_of
from hypothesis import given
from hypothesis import strategies as st

from mdview import dim
from mdview.errors import ExtentsTypeError, OperandError, SymbolError, SymbolicExtentError
from mdview.expressions.expression_tree import (
    Const,
    Index,
    Node,
    Op,
    Param,
    Select,
    alternatives,
    as_node,
    each_part,
    fold,
)

LESS = Op("lt", I, J)
BUILT = [
    *(Const(0), Const(1), Const(-1), Const(-2), Param(0), Param(1), I, J, I + J, J + I, I - J, I * J, -I),
    *(Op("sub", I, J), LESS, Op("le", I, J), Select(LESS, I, J), Select(LESS, J, I), (I + J) + 1, I + (J + 1)),
]


class Colour(enum.IntEnum):
    RED = 5


def shared(rounds, start=I):
    """An expression of few parts, each in two places of the next one."""
    for _ in range(rounds):
        start = (start ^ (start >> 1)) & 255
    return start


def test_expressions_are_equal_if_built_alike_and_only_then():
    for k, one in enumerate(BUILT):
        for m, other in enumerate(BUILT):
            again = pickle.loads(pickle.dumps(other))  # noqa: S301 - of our own making
            assert (one == again, again == one, one != again) == (k == m, k == m, k != m)
            assert k != m or hash(one) == hash(again)
        assert str(one) == repr(one)
        for name in ("label", "operands", "other"):
            with pytest.raises(AttributeError, match=name):
                setattr(one, name, 1)
    assert len(set(BUILT)) == len(BUILT)
    assert Const(1) + Const(2) != Const(3) != 3
    assert str((I + 0) * 1 - J) == "(((i0 + 0) * 1) + -i1)"
    assert str(Select(Op("ge", -I, 3), I << 2, J ^ Param(1))) == "((i0 << 2) if (-i0 >= 3) else (i1 ^ p1))"
    with pytest.raises(TypeError):
        Node(1)


@pytest.mark.parametrize("number", [5, dim(5), Colour.RED, np.int64(5), np.uint8(5), np.array(5)], ids=type)
def test_every_integer_becomes_a_plain_one(number):
    for node in (Const(number), as_node(number), (I + number).operands[1], Op("add", number, I).operands[0]):
        assert type(node.label) is type(node.number) is int
        assert (node, str(node)) == (Const(5), "5")
    assert [type(Const(b).number) for b in (False, True)] == [int, int]


@pytest.mark.parametrize("given_", [0.5, 2.0, "1", None, [1], 1j, np.float64(1), np.array([1, 2])], ids=repr)
def test_only_integers_are_operands(given_):
    for make in (Const, as_node, lambda x: I + x, lambda x: Op("add", x, I), lambda x: Select(LESS, x, 0)):
        with pytest.raises(ExtentsTypeError):
            make(given_)


def test_operands_come_before_what_is_over_them_and_each_part_once():
    both = I + J
    root = Select(Op("lt", both, 3), both * both, J)
    parts = each_part(root)
    text = ["i0", "i1", "(i0 + i1)", "3", "((i0 + i1) < 3)", "((i0 + i1) * (i0 + i1))"]
    assert [str(part) for part in parts] == [*text, "(((i0 + i1) * (i0 + i1)) if ((i0 + i1) < 3) else i1)"]
    assert alternatives(root) == [root.test, root.yes, J]
    assert [sorted(node.dimensions) for node in (Param(0), J + Param(1), root)] == [[], [1], [0, 1]]


@pytest.mark.parametrize("rounds", [1, 40, 200, 2000])
def test_parts_in_many_places_are_visited_once(rounds):
    visits = []
    root = shared(rounds)
    fold(root, lambda node, operands: visits.append(node))
    assert len(visits) == len(each_part(root)) == 3 + 3 * rounds
    assert root is shared(rounds) is not shared(rounds, J)
    assert len(str(root)) < 50_000
    assert ("…" in str(root)) == (rounds > 20)


@given(EXPRESSIONS, st.integers(0, 9), st.integers(0, 9))
def test_substituting_numbers_and_then_evaluating_is_evaluating(root, i, j):
    try:
        expected = number_of(root, (i, j))
        constant = root.substitute({I: i, J: Const(j)})
    except (ZeroDivisionError, ValueError):  # a SymbolError is one: on a way that is not taken, perhaps
        return
    assert constant.vars == ()
    assert operator.index(constant) == constant.eval() == expected
    assert bool(constant) == (expected != 0)
    assert constant.known_range() == (expected, expected)


def test_variables_wait_for_numbers_and_only_the_way_that_is_taken_is_computed():
    root = Select(Op("lt", J, Param(3)), I + J, 5)
    assert (root.vars, root.parts, Const(3).vars) == ((J, Param(3), I), root.operands, ())
    zero = I * 0 + J
    assert [zero.eval(values) for values in (None, {I: 1}, {J: 1}, {I: 1, J: 4})] == [None, None, None, 4]
    choice = Select(Op("gt", I, 2), Op("floordiv", 12, Op("sub", I, 2)), J)
    assert [choice.eval({I: i, J: 7}) for i in (1, 2, 3, 4)] == [7, 7, 12, 6]
    assert [choice.eval({I: i}) for i in (2, 3)] == [None, 12]
    assert [leaf.value for leaf in (Const(3), I, Param(0), I + 1)] == [3, None, None, None]
    assert ((I + 1).known_range(), I.range_of(I), Const(3).known_range(), I.description) == (None, None, (3, 3), "i0")
    assert (I + J * I).substitute({I: J + 1}) == (J + 1) + J * (J + 1)
    assert [(I + J).substitute({I: J, J: I}), (I + 1).substitute({J: 3})] == [J + I, I + 1]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        *[
            (lambda make=make: make(0), SymbolError, r"i0 .* 0 .*\[0, 0\]")
            for make in (I.__floordiv__, I.__mod__, lambda x: (I // J).substitute({J: x}))
        ],
        *[
            (lambda make=make: make(-1), SymbolError, r"i0 .* -1 .*\[-1, -1\]")
            for make in (I.__lshift__, I.__rshift__, lambda x: 5 + (I << J).substitute({J: x}))
        ],
        *[
            (lambda ask=ask, root=root: ask(root), SymbolicExtentError, "i0")
            for ask in (operator.index, bool, range, int, lambda node: [1, 2][node])
            for root in (I, I + 1, Select(Op("lt", I, 1), 2, 3))
        ],
        *[
            (lambda call=call, values=values: call(values), OperandError, "dict|variable")
            for call in ((I + 1).eval, (I + 1).substitute)
            for values in ([(I, 3)], {"i0": 3}, {I + 1: 3}, {Const(1): 3})
        ],
        (lambda: I.eval({I: 0.5}), ExtentsTypeError, "i0 .* 0.5"),
    ],
)
def test_what_has_no_number_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
    assert [make(-3).eval({I: 7}) for make in (I.__floordiv__, I.__mod__)] == [7 // -3, 7 % -3]
    assert Index(0) == I
