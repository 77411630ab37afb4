"""What is of the wrong kind is refused by the entry points of `mdview.symbolic`, and shown."""

import pytest
from misuse import (
    NO_INTEGERS,
    STRANGERS,
    Arg,
    Stranger,
    assert_answered_alike,
    assert_refused,
    call,
    long_calls,
    right_calls,
    wrong_calls,
)

from mdview import LayoutRight, symbolic

pytest.importorskip("sympy")

N = symbolic.var("n", 1, 8)
EXTENTS = symbolic.SymbolicExtents((N, 3))
MAPPING = symbolic.SymbolicMapping((N, 3))
NUMBERS = symbolic.SymbolicMapping((2, 3))
STRANGER = Stranger()

expression = Arg(N, NO_INTEGERS)
bound = Arg(8, NO_INTEGERS)
values = Arg({N: 4}, (3, "text", STRANGER, {"text": 4}, {N: "text"}))
any_values = Arg({N: 4}, (3, "text", STRANGER, {"text": 4}))
extents = Arg((N, 3), (*STRANGERS, int, ("text", 3)))
shape = Arg((3, N), extents.wrong)
axes = Arg((1, 0), (*STRANGERS, int, ("text", 0)))
pairs = Arg([(0, 1), (0, 1)], (*STRANGERS, [3, 3], [(0, "text"), (0, 1)]))
layout = Arg(LayoutRight(), (*STRANGERS, LayoutRight))
axis = Arg(0, NO_INTEGERS)

TABLE = {
    "Add": (symbolic.Add, expression, expression),
    "Const": (symbolic.Const, bound),
    "Expr + x": (N.__add__, expression),
    "Expr // x": (N.__floordiv__, expression),
    "Expr.eval": (N.eval, any_values),
    "Expr.substitute": ((N + 1).substitute, values),
    "FloorDiv": (symbolic.FloorDiv, expression, expression),
    "Mul": (symbolic.Mul, expression, expression),
    "Neg": (symbolic.Neg, expression),
    "SymbolicExtents": (symbolic.SymbolicExtents, extents),
    "SymbolicExtents.bind": (symbolic.SymbolicExtents((symbolic.var("k", 1, 8),)).bind, values),
    "SymbolicExtents.eval": (EXTENTS.eval, any_values),
    "SymbolicExtents.eval_dim": (EXTENTS.eval_dim, axis, any_values),
    "SymbolicExtents.numbers": (EXTENTS.numbers, values),
    "SymbolicExtents.resolve_reshape": (EXTENTS.resolve_reshape, extents),
    "SymbolicExtents.substitute": (EXTENTS.substitute, values),
    "SymbolicMapping": (
        symbolic.SymbolicMapping,
        extents,
        layout,
        Arg(EXTENTS, (3, STRANGER)),
        Arg((0, 1), (3, STRANGER)),
    ),
    "SymbolicMapping.bind": (MAPPING.bind, values),
    "SymbolicMapping.box": (MAPPING.box, values),
    "SymbolicMapping.expand": (MAPPING.expand, extents),
    "SymbolicMapping.flip": (NUMBERS.flip, Arg((True, False), STRANGERS)),
    "SymbolicMapping.is_always": (MAPPING.is_always, Arg("unique", STRANGERS)),
    "SymbolicMapping.offset": (MAPPING.offset, axis, axis),
    "SymbolicMapping.pad": (NUMBERS.pad, pairs),
    "SymbolicMapping.permute": (MAPPING.permute, axes),
    "SymbolicMapping.reshape": (MAPPING.reshape, shape),
    "SymbolicMapping.shrink": (NUMBERS.shrink, pairs),
    "Var": (symbolic.Var, Arg("n", (3, None, STRANGER)), Arg(1, NO_INTEGERS), bound),
    "Var.bind": (symbolic.var("k", 1, 8).bind, bound),
    "bounds": (symbolic.bounds, expression),
    "constant": (symbolic.constant, bound),
    "divides": (symbolic.divides, expression, expression),
    "equal": (symbolic.equal, expression, expression),
    "less": (symbolic.less, expression, expression),
    "quotient": (symbolic.quotient, expression, expression),
    "simplified": (symbolic.simplified, expression),
    "to_c": (symbolic.to_c, expression),
    "var": (symbolic.var, Arg("n", (3, None, STRANGER)), Arg(1, NO_INTEGERS), bound),
}


@pytest.mark.parametrize(("called", "plain", "named"), right_calls(TABLE))
def test_right_arguments_are_taken(called, plain, named):
    call(called, plain, named)


@pytest.mark.parametrize(("called", "plain", "named", "wrong"), wrong_calls(TABLE))
def test_a_wrong_argument_is_refused_and_shown(called, plain, named, wrong):
    assert_refused(called, plain, named, wrong)


@pytest.mark.parametrize(("called", "pairs"), long_calls(TABLE))
def test_integers_that_python_does_not_write_are_refused_like_others(called, pairs):
    assert_answered_alike(called, pairs)


def test_every_public_name_is_called():
    assert {*symbolic.__all__} - {"Expr"} <= set(TABLE)
