"""Rewriting: an expression that gives the same numbers by operators that are cheaper, or that tell more.

Division by a power of two becomes a shift or a mask, since NumPy divides slowly. Joining bits that never meet becomes a
sum, so that a layout that interleaves the bits of its indices is seen to be a sum of terms in one index each. What can
only be one number is that number: where one index is always above another, so is the sign of their difference.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Final, final

from mdview.expressions.ranges import Range, RangeError, ranging
from mdview.expressions.sums import Sums
from mdview.expressions.trace import Operand, Symbol, applied

_UNKNOWN: Final = -1
"""Bits of a number of which nothing is known: all of them."""

_SHIFTS: Final[dict[str, Callable[[int, int], int]]] = {"lshift": operator.lshift, "rshift": operator.rshift}
_JOINS: Final[dict[str, Callable[[int, int], int]]] = {"and": operator.and_, "or": operator.or_, "xor": operator.or_}


def rewritten(root: Operand, within: Sequence[Range]) -> Operand:
    """Return the same expression, rewritten; its indices lie ``within`` these ranges.

    >>> from mdview.expressions.trace import written
    >>> i, j = Symbol("i0", indexed=True), Symbol("i1", indexed=True)
    >>> written(rewritten((i // 4) << 3 | j % 8, ((0, 7), (0, 98)))).result
    '(((i0 >> 2) << 3) + (i1 & 7))'
    >>> written(rewritten(i - ((i - j) & ((i - j) >> 63)), ((0, 3), (4, 7)))).result
    'i1'
    """
    return _Rewriter(within).visit(root)[0]


@final
class _Rewriter:
    """Rewrites expressions whose indices lie within the same ranges."""

    def __init__(self, within: Sequence[Range]) -> None:
        self.within = within
        self.known: dict[int, tuple[Operand, int]] = {}
        self.range = ranging(within, 64)
        self.sums = Sums()

    def visit(self, node: Operand) -> tuple[Operand, int]:
        """Return the expression and the bits that may be set in its number."""
        if isinstance(node, int):
            return node, node if node >= 0 else _UNKNOWN
        if id(node) not in self.known:
            self.known[id(node)] = self.leaf(node) if node.is_leaf else self.operator(node)
        return self.known[id(node)]

    def leaf(self, node: Symbol) -> tuple[Operand, int]:
        low, high = self.within[int(node.name[1:])]
        return (low, low) if low == high else (node, (1 << high.bit_length()) - 1)

    def operator(self, node: Symbol) -> tuple[Operand, int]:
        (left, mine), (right, its) = self.visit(node.left), self.visit(node.right)
        name, right = _cheaper(node.name, right)
        its = self.visit(right)[1] if isinstance(right, int) else its
        name = "add" if name in {"or", "xor"} and mine & its == 0 else name
        made = left if name == "and" and isinstance(right, int) and mine & ~right == 0 else applied(name, left, right)
        made = self.sums.collected(made)
        number = self.number(made)
        if number is not None:
            return self.visit(number)
        if made is left or made is right:
            return made, mine if made is left else its
        return made, _bits(name, mine, its, right)

    def number(self, node: Operand) -> int | None:
        """Return the one number that an expression may be, or None."""
        try:
            low, high = self.range(node)
        except RangeError:
            return None
        return low if low == high else None


def _bits(name: str, left: int, right: int, operand: Operand) -> int:
    """Bits that may be set in the result of an operator, from those of its operands."""
    if name in _SHIFTS:
        return _SHIFTS[name](left, operand) if isinstance(operand, int) and left >= 0 else _UNKNOWN
    if name == "add":
        return left | right if left & right == 0 else _UNKNOWN
    return _JOINS[name](left, right) if name in _JOINS else _UNKNOWN


def _cheaper(name: str, right: Operand) -> tuple[str, Operand]:
    """Return a cheaper operator that does the same, with its right operand."""
    if not isinstance(right, int) or right < 1 or right & (right - 1):
        return name, right
    if name == "floordiv":
        return "rshift", right.bit_length() - 1
    return ("and", right - 1) if name == "mod" else (name, right)
