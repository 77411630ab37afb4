"""What is of the wrong kind is refused by the entry points of `mdview.symbolic`, and shown."""

import misuse
import pytest
from misuse import NO_INTEGERS, STRANGERS, Arg, Stranger

from mdview import LayoutRight, symbolic

N = symbolic.var("n", 1, 8)
EXTENTS = symbolic.SymbolicExtents((N, 3))
MAPPING = symbolic.SymbolicMapping((N, 3))
STRANGER = Stranger()

expression, bound, axis = Arg(N, NO_INTEGERS), Arg(8, NO_INTEGERS), Arg(0, NO_INTEGERS)
any_values = Arg({N: 4}, (3, "text", STRANGER, {"text": 4}))
values = Arg({N: 4}, (*any_values.wrong, {N: "text"}))
extents = Arg((N, 3), (*STRANGERS, int, ("text", 3)))
shape = Arg((3, N), extents.wrong)
axes = Arg((1, 0), (*STRANGERS, int, ("text", 0)))
layout = Arg(LayoutRight(), (*STRANGERS, LayoutRight))
name, base = Arg("n", (3, None, STRANGER)), [Arg(EXTENTS, (3, STRANGER)), Arg((0, 1), (3, STRANGER))]

BINARY = ("Add", "FloorDiv", "Mul", "divides", "equal", "less", "quotient")
UNARY = ("Neg", "bounds", "simplified", "to_c")
TABLE = {
    **{called: (getattr(symbolic, called), expression, expression) for called in BINARY},
    **{called: (getattr(symbolic, called), expression) for called in UNARY},
    **{called: (getattr(symbolic, called), bound) for called in ("Const", "constant")},
    **{called: (getattr(symbolic, called), name, Arg(1, NO_INTEGERS), bound) for called in ("Var", "var")},
    **{f"Expr.{called}": (getattr(N, called), expression) for called in ("__add__", "__floordiv__")},
    "Expr.eval": (N.eval, any_values),
    "Expr.substitute": ((N + 1).substitute, values),
    "Var.bind": (symbolic.var("k", 1, 8).bind, bound),
    "SymbolicExtents": (symbolic.SymbolicExtents, extents),
    "SymbolicExtents.bind": (symbolic.SymbolicExtents((symbolic.var("k", 1, 8),)).bind, values),
    "SymbolicExtents.eval": (EXTENTS.eval, any_values),
    "SymbolicExtents.numbers": (EXTENTS.numbers, values),
    "SymbolicExtents.resolve_reshape": (EXTENTS.resolve_reshape, extents),
    "SymbolicExtents.substitute": (EXTENTS.substitute, values),
    "SymbolicMapping": (symbolic.SymbolicMapping, extents, layout, *base),
    "SymbolicMapping.bind": (MAPPING.bind, values),
    "SymbolicMapping.expand": (MAPPING.expand, extents),
    "SymbolicMapping.offset": (MAPPING.offset, axis, axis),
    "SymbolicMapping.permute": (MAPPING.permute, axes),
    "SymbolicMapping.reshape": (MAPPING.reshape, shape),
}


def test_right_arguments_are_taken():
    for called, *args in TABLE.values():
        misuse.call(called, *misuse.right_arguments(tuple(args)))


@pytest.mark.parametrize(("called", "plain", "named", "wrong"), misuse.wrong_calls(TABLE))
def test_a_wrong_argument_is_refused_and_shown(called, plain, named, wrong):
    misuse.assert_refused(called, plain, named, wrong)


def test_every_public_name_is_called():
    assert {*symbolic.__all__} - {"Expr"} <= set(TABLE)
