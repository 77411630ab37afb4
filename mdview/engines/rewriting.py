"""Rewriting: an expression that gives the same numbers by operators that are cheaper, or that tell more.

Division by a power of two becomes a shift or a mask, since NumPy divides slowly. Joining bits that never meet becomes a
sum, so that a layout that interleaves the bits of its indices is seen to be a sum of terms in one index each.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Final

from mdview.engines.trace import Operand, Symbol

_UNKNOWN: Final = -1
"""Bits of a number of which nothing is known: all of them."""

_SHIFTS: Final[dict[str, Callable[[int, int], int]]] = {"lshift": operator.lshift, "rshift": operator.rshift}
_JOINS: Final[dict[str, Callable[[int, int], int]]] = {"and": operator.and_, "or": operator.or_, "xor": operator.or_}


def rewritten(root: Operand, extents: Sequence[int]) -> Operand:
    """Return the same expression, rewritten; its indices lie within ``extents``.

    >>> from mdview.engines.trace import written
    >>> i, j = Symbol("i0", indexed=True), Symbol("i1", indexed=True)
    >>> written(rewritten((i // 4) << 3 | j % 8, (8, 99))).result
    '(((i0 >> 2) << 3) + (i1 & 7))'
    """
    known: dict[int, tuple[Operand, int]] = {}

    def visit(node: Operand) -> tuple[Operand, int]:
        """Return the expression and the bits that may be set in its number."""
        if isinstance(node, int):
            return node, node if node >= 0 else _UNKNOWN
        if id(node) not in known:
            if node.is_leaf:
                known[id(node)] = node, (1 << (int(extents[int(node.name[1:])]) - 1).bit_length()) - 1
            else:
                (left, mine), (right, its) = visit(node.left), visit(node.right)
                name, right = _cheaper(node.name, right)
                its = visit(right)[1] if isinstance(right, int) else its
                name = "add" if name in {"or", "xor"} and mine & its == 0 else name
                bits = _bits(name, mine, its, right)
                known[id(node)] = Symbol(name, left, right, indexed=node.indexed), bits
        return known[id(node)]

    return visit(root)[0]


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
