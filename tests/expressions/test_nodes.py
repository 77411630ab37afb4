"""Expressions are values, equal if built alike, of plain ints; their variables ask for numbers."""

import enum
import operator
import pickle

import numpy as np
import pytest
from expression_trees import I, J

from mdview import dim
from mdview.errors import ExtentsTypeError, OperandError, SymbolError, SymbolicExtentError
from mdview.expressions.expression_tree import (
    Const,
    Index,
    Node,
    Op,
    Param,
    Select,
    as_node,
)

LESS = Op("lt", I, J)
BUILT = [
    *(Const(0), Const(1), Const(-1), Const(-2), Param(0), Param(1), I, J, I + J, J + I, I - J, I * J, -I),
    *(Op("sub", I, J), LESS, Op("le", I, J), Select(LESS, I, J), Select(LESS, J, I), (I + J) + 1, I + (J + 1)),
]


class Colour(enum.IntEnum):
    RED = 5


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
