"""Constant folding: an operator on constants becomes its result, an operator without effect its operand.

``x + 0`` and ``x * 1`` are ``x``, ``x * 0`` and ``x % 1`` are 0, ``x + (0 - y)`` is ``x - y``, and an operator over two
numbers is a number.
"""

from __future__ import annotations

from typing import Final

from mdview.expressions.expression_tree import Const, Node, Op, Select
from mdview.expressions.operators import FUNCTIONS, NEGATIVE

# Numbers that change nothing (the result is the other operand) or everything (the result is 0), by side.
_RIGHT_NEUTRAL: Final = {**dict.fromkeys(("add", "sub", "or", "xor", "lshift", "rshift"), 0), "mul": 1, "floordiv": 1}
_LEFT_NEUTRAL: Final = {"add": 0, "or": 0, "xor": 0, "mul": 1}
_RIGHT_ZERO: Final = {"mul": 0, "and": 0, "mod": 1}
_LEFT_ZERO: Final = {"mul": 0, "and": 0}

MOST_SHIFTED: Final = 1 << 10
"""By how many bits a number is shifted at once: a larger result would take much memory."""


def folded(name: str, left: Node, right: Node) -> Node:
    """Operator over two operands, folded. What raises on numbers (a division by 0) stays as it is written."""
    if isinstance(left, Const) and isinstance(right, Const):
        return _computed(name, left, right)
    for number, other, neutral, zero in (
        (right, left, _RIGHT_NEUTRAL, _RIGHT_ZERO),
        (left, right, _LEFT_NEUTRAL, _LEFT_ZERO),
    ):
        if isinstance(number, Const) and number.number == neutral.get(name):
            return other
        if isinstance(number, Const) and number.number == zero.get(name):
            return Const(0)
    if name == "add" and isinstance(right, Op) and right.name == "sub" and right.operands[0] == Const(0):
        return Op("sub", left, right.operands[1])
    return Op(name, left, right)


def combined(node: Node, operands: list[Node]) -> Node:
    """Return the part ``node`` over other operands, folded. Arithmetic over a choice is a choice between arithmetic."""
    if isinstance(node, Op):
        return over_alternatives(node.name, operands)
    if isinstance(node, Select) and isinstance(operands[0], Const):
        return operands[1] if operands[0].number else operands[2]
    return node.over(operands)


def over_alternatives(name: str, operands: list[Node]) -> Node:
    """Operator over operands that may select: it moves into the arithmetic that is selected from."""
    for k, operand in enumerate(operands):
        if isinstance(operand, Select):
            yes, no = ([*operands[:k], way, *operands[k + 1 :]] for way in (operand.yes, operand.no))
            return Select(operand.test, over_alternatives(name, yes), over_alternatives(name, no))
    if name == NEGATIVE:
        return folded("sub", Const(0), operands[0])
    return folded(name, *operands)


def _computed(name: str, left: Const, right: Const) -> Node:
    if name in {"lshift", "rshift"} and not 0 <= right.number <= MOST_SHIFTED:
        return Op(name, left, right)
    if name in {"floordiv", "mod"} and right.number == 0:
        return Op(name, left, right)
    return Const(int(FUNCTIONS[name](left.number, right.number)))
