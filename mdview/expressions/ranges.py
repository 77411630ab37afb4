"""The range of an expression: between which numbers it and every part of it stays, for indices within given ranges.

Integers of Python have no size, those of NumPy have 64 or 32 bits and wrap without a word. An expression whose parts
all stay within them, and which divides and shifts by what is never out of order, gives the same numbers in both.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import product
from typing import Final, TypeAlias

from mdview.expressions.trace import Operand

Range: TypeAlias = tuple[int, int]

_MOST_SHIFTED: Final = 63
"""By how many bits a number may be shifted; NumPy shifts beyond the size of a number as Python does."""


class RangeError(Exception):
    """Some part of an expression may leave 64 bits, or divide or shift by a number out of order."""


def spans(extents: Sequence[int]) -> tuple[Range, ...]:
    """Lowest and highest index of each dimension."""
    return tuple([(0, int(extent) - 1) for extent in extents])


def expression_range(root: Operand, within: Sequence[Range], bits: int) -> Range:
    """Lowest and highest number that ``root`` may be for indices ``within`` these ranges.

    ``bits`` is the size of the integers that compute it.

    Raises
    ------
    RangeError
        A part of it may not be computed in so many bits.
    """
    return ranging(within, bits)(root)


def ranging(within: Sequence[Range], bits: int) -> Callable[[Operand], Range]:
    """Return what does as `expression_range`, and remembers the parts that it has seen."""
    known: dict[int, tuple[Operand, Range]] = {}  # the operand is held, so that no other gets its id
    limit = 1 << (bits - 1)

    def visit(node: Operand) -> Range:
        if isinstance(node, int):
            return _within((node, node), limit)
        if id(node) not in known:
            found = (
                within[int(node.name[1:])] if node.is_leaf else _ruled(node.name, visit(node.left), visit(node.right))
            )
            known[id(node)] = node, _within(found, limit)
        return known[id(node)][1]

    return visit


def _ruled(name: str, left: Range, right: Range) -> Range:
    """Range of an operator; that of two known numbers is one number, too."""
    found = _RULES[name](left, right)
    if left[0] == left[1] and right[0] == right[1]:
        number = _OPERATORS[name](left[0], right[0])
        return number, number
    return found


def _within(found: Range, limit: int) -> Range:
    if found[0] < -limit or found[1] >= limit:
        message = f"numbers from {found[0]} to {found[1]} take too many bits"
        raise RangeError(message)
    return found


def _corners(combine: Callable[[int, int], int], left: Range, right: Range) -> Range:
    """Range of an operator that in each operand only grows or only shrinks."""
    found = [combine(a, b) for a, b in product(left, right)]
    return min(found), max(found)


def _quotient(left: Range, right: Range) -> Range:
    return _corners(lambda a, b: a // b, left, _never_zero(right))


def _remainder(left: Range, right: Range) -> Range:
    low, high = _never_zero(right)
    if low < 0:
        return low + 1, 0
    return left if left[0] >= 0 and left[1] < low else (0, high - 1)


def _never_zero(divisor: Range) -> Range:
    if divisor[0] <= 0 <= divisor[1]:
        message = f"a divisor between {divisor[0]} and {divisor[1]} may be 0"
        raise RangeError(message)
    return divisor


def _shifted(left: Range, right: Range) -> Range:
    return _corners(lambda a, b: a << b, left, _shift(right))


def _unshifted(left: Range, right: Range) -> Range:
    return _corners(lambda a, b: a >> b, left, _shift(right))


def _shift(by: Range) -> Range:
    if not 0 <= by[0] <= by[1] <= _MOST_SHIFTED:
        message = f"a shift by {by[0]} to {by[1]} bits is not between 0 and {_MOST_SHIFTED}"
        raise RangeError(message)
    return by


def _bitwise(left: Range, right: Range) -> Range:
    """Range of any operator on bits: no more of them than the operands have."""
    top = 1 << max(number.bit_length() for number in (*left, *right))
    return (0 if min(*left, *right) >= 0 else -top), top - 1


def _common_bits(left: Range, right: Range) -> Range:
    """Range of a bitwise and: neither operand that is not negative can be exceeded."""
    limits = [high for low, high in (left, right) if low >= 0]
    return (0, min(limits)) if limits else _bitwise(left, right)


_RULES: Final[dict[str, Callable[[Range, Range], Range]]] = {
    "add": lambda left, right: (left[0] + right[0], left[1] + right[1]),
    "sub": lambda left, right: (left[0] - right[1], left[1] - right[0]),
    "mul": lambda left, right: _corners(lambda a, b: a * b, left, right),
    "floordiv": _quotient,
    "mod": _remainder,
    "and": _common_bits,
    "or": _bitwise,
    "xor": _bitwise,
    "lshift": _shifted,
    "rshift": _unshifted,
}

_OPERATORS: Final[dict[str, Callable[[int, int], int]]] = {
    name: getattr(operator, {"and": "and_", "or": "or_"}.get(name, name)) for name in _RULES
}
