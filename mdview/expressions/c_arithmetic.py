"""Expressions for C: the same numbers from operators that C defines for the operands that occur.

Python rounds quotients down, C towards zero; C shifts no negative numbers, and none of its integers grows beyond 64
bits. Ranges of the operands tell where this makes a difference. There a multiple of the divisor is added, so that
nothing is negative any more, or the sign is told apart. What does not stay within 64 bits is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from mdview.expressions.folding import folded
from mdview.expressions.nodes import Const, Node, Op, Select, Sharing, fold
from mdview.expressions.operators import NEGATIVE
from mdview.expressions.ranges import MOST_SHIFTED, LeafRange, ranging

_BITS: Final = 64
_LARGEST: Final = (1 << (_BITS - 1)) - 1
_MOST_FACTOR: Final = _BITS - 2
"""The highest power of two among the positive integers of 64 bits."""

_QUOTIENTS: Final = frozenset({"floordiv", "rshift"})
_MINUS_ONE: Final = Const(-1)
_ZERO: Final = Const(0)


def for_c(root: Node, leaf: LeafRange) -> Node:
    """Return an expression that gives the same numbers by C's operators on ``int64_t``, for leaves within their ranges.

    Raises
    ------
    RangeError
        A part of it may not be computed in 64 bits, or its divisors and shifts are not known to be in order.

    >>> from mdview.expressions.nodes import Index
    >>> from mdview.expressions.ranges import within
    >>> i = Index(0)
    >>> for_c(i // 3, within([(0, 9)])), for_c((i - 4) // 3, within([(0, 9)]))
    ((i0 // 3), ((((i0 - 4) + 6) // 3) - 2))
    """
    rules = _Rules(leaf)
    found = Sharing().copy(fold(root, rules.part))
    rules.range(found)
    return found


@final
class _Rules:
    """What stands for each operator of Python."""

    def __init__(self, leaf: LeafRange) -> None:
        self.range = ranging(leaf, _BITS)
        self.known: dict[str, Callable[[Node, Node], Node]] = {
            "add": _sum,
            "floordiv": self.quotient,
            "mod": self.remainder,
            "lshift": self.product,
            "rshift": self.shifted,
        }

    def part(self, node: Node, operands: list[Node]) -> Node:
        """Return what stands for a part, over what stands for its operands."""
        rule = self.known.get(str(node.label)) if isinstance(node, Op) else None
        return rule(*operands) if rule else node.over(operands)

    def quotient(self, left: Node, right: Node) -> Node:
        if self.is_below_zero(right):
            return self.quotient(_minus(_ZERO, left), _minus(_ZERO, right))
        return self.rounded("floordiv", left, right, self.number(right))

    def remainder(self, left: Node, right: Node) -> Node:
        """Remainder, which has the sign of the divisor."""
        if self.is_below_zero(right):
            return _minus(_ZERO, self.remainder(_minus(_ZERO, left), _minus(_ZERO, right)))
        return self.rounded("mod", left, right, self.number(right))

    def shifted(self, left: Node, right: Node) -> Node:
        """Shift to the right; beyond 63 bits nothing changes any more."""
        right = Const(min(right.number, _BITS)) if isinstance(right, Const) else right
        (first, last), (low, high) = self.range(right), self.range(left)
        sign = Op(NEGATIVE, Op("lt", left, _ZERO)) if low < 0 else _ZERO
        if first >= 0 and max(-low - 1, high) >> min(first, _BITS) == 0:
            return sign  # all bits that stay are the sign
        if first >= 0 and last > MOST_SHIFTED:
            return Select(Op("lt", right, _BITS), self.shifted(left, Op("and", right, MOST_SHIFTED)), sign)
        by = self.number(right)
        return self.rounded("rshift", left, right, None if by is None or by < 0 else 1 << by)

    def product(self, left: Node, right: Node) -> Node:
        """Shift to the left, which multiplies a negative number."""
        if self.range(left)[0] >= 0:
            return Op("lshift", left, right)
        by = self.number(right)
        if by is None or by <= _MOST_FACTOR:
            return folded("mul", left, folded("lshift", Const(1), right))
        if by > MOST_SHIFTED:
            return Op("lshift", left, right)  # which ranges refuse
        return Op("mul", Op("mul", left, 1 << _MOST_FACTOR), 1 << (by - _MOST_FACTOR))

    def rounded(self, name: str, left: Node, right: Node, divisor: int | None) -> Node:
        """Quotient or remainder of what may be negative, rounded down; ``divisor`` is positive, None if it varies."""
        low, high = self.range(left)
        if low >= 0:
            return Op(name, left, right)
        if high < 0:
            return _mirrored(name, left, right)
        times = 0 if divisor is None else -(low // divisor)
        if divisor is None or high + times * divisor > _LARGEST:
            return Select(Op("lt", left, _ZERO), _mirrored(name, left, right), Op(name, left, right))
        found = Op(name, folded("add", left, Const(times * divisor)), right)
        return _minus(found, Const(times)) if name in _QUOTIENTS else found

    def number(self, node: Node) -> int | None:
        """Return the one number that a part may be, or None."""
        low, high = self.range(node)
        return low if low == high else None

    def is_below_zero(self, divisor: Node) -> bool:
        """Tell whether a divisor is negative; one that may be 0 is refused."""
        self.range(Op("mod", _ZERO, divisor))
        return self.range(divisor)[1] < 0


def _mirrored(name: str, left: Node, right: Node) -> Node:
    """Quotient or remainder of a negative number: -1 minus it is none, and divides as far from the other end."""
    found = Op(name, _minus(_MINUS_ONE, left), right)
    return _minus(_MINUS_ONE if name in _QUOTIENTS else _minus(right, Const(1)), found)


def _sum(left: Node, right: Node) -> Node:
    """Sum, written as a difference where that leaves out a sign."""
    for kept, other in ((left, right), (right, left)):
        opposite = _opposite(other)
        if opposite is not None:
            return Op("sub", kept, opposite)
    return Op("add", left, right)


def _opposite(node: Node) -> Node | None:
    """Return the negative of what is written with a sign, without one; None if there is no sign."""
    if isinstance(node, Const):
        return Const(-node.number) if -_LARGEST <= node.number < 0 else None
    if isinstance(node, Op) and node.name == "mul":
        for number, other in (node.operands, node.operands[::-1]):
            opposite = _opposite(number) if isinstance(number, Const) else None
            if opposite is not None:
                return folded("mul", other, opposite)
    if isinstance(node, Op) and node.name == "sub" and node.operands[0] == _ZERO:
        return node.operands[1]
    return node.operands[0] if isinstance(node, Op) and node.name == NEGATIVE else None


def _minus(left: Node, right: Node) -> Node:
    return folded("sub", left, right)
