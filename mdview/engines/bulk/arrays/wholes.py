"""Integers of Python in arrays: 64 bits, and the range that they lie in, so that none is lost unnoticed.

The lowest 64 bits of sums, products and bitwise operations are right whatever the others are, so they are calculated
first and the range says whether they are all there is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final, NoReturn, final

import numpy as np

# Any: arrays of NumPy.

_LOW, _HIGH, _TOP = -(2**63), 2**63 - 1, 2**64 - 1
_EXACT: Final = 2**53
"""Up to which all integers are doubles."""

_MOST_SHIFT: Final = 64


class UnprovenError(Exception):
    """That these numbers are calculated one by one."""


def refuse() -> NoReturn:
    """Leave the numbers to whoever calculates them one by one."""
    raise UnprovenError


def _fits(low: int, high: int) -> bool:
    """Tell whether int64 or uint64 holds all integers between these."""
    return low >= _LOW and high <= (_HIGH if low < 0 else _TOP)


@final
class Whole:
    """Integers: their lowest 64 bits as those of int64, and between which bounds they lie."""

    __slots__ = ("bits", "high", "is_tight", "low")

    def __init__(self, bits: Any, low: int, high: int, *, is_tight: bool = False) -> None:
        """Refuse what neither int64 nor uint64 holds."""
        if not _fits(low, high):
            refuse()
        self.bits: Any = bits
        self.low: int = low
        self.high: int = high
        self.is_tight: bool = is_tight

    @property
    def numbers(self) -> Any:
        """The integers, of int64 if these hold them."""
        return self.bits if self.high <= _HIGH else self.bits.view(np.uint64)

    def tight(self) -> Whole:
        """Return the same with the bounds that the integers have."""
        if self.is_tight or not self.bits.size:
            return self
        return Whole(self.bits, int(self.numbers.min()), int(self.numbers.max()), is_tight=True)


def whole(numbers: Any) -> Whole:
    """Integers and bools as integers."""
    if isinstance(numbers, Whole):
        return numbers
    if isinstance(numbers, int):
        found = Whole.__new__(Whole)  # a constant may lie anywhere, only results must not
        found.bits = np.array(numbers & _TOP, np.uint64).view(np.int64)
        found.low = found.high = int(numbers)
        found.is_tight = True
        return found
    return Whole(numbers.astype(np.int64), 0, 1)


def require_nonzero(numbers: Any) -> None:
    """Refuse a divisor that is zero somewhere: a float, an array of them, or integers."""
    if isinstance(numbers, Whole):
        if numbers.low <= 0 <= numbers.high and not np.all(numbers.bits):
            refuse()
    elif not np.all(numbers):
        refuse()


_Bounds = tuple[int, int]


def _corners(operation: Callable[[int, int], int]) -> Callable[[Whole, Whole], _Bounds]:
    def bounds(left: Whole, right: Whole) -> _Bounds:
        found = [operation(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
        return min(found), max(found)

    return bounds


def _shifted(operation: Callable[[int, int], int]) -> Callable[[Whole, Whole], _Bounds]:
    def bounds(left: Whole, right: Whole) -> _Bounds:
        return _corners(operation)(left, right) if 0 <= right.low <= right.high < _MOST_SHIFT else (_LOW, _TOP)

    return bounds


def _bitwise(left: Whole, right: Whole) -> _Bounds:
    ends = left.low, left.high, right.low, right.high
    power = 1 << max([end.bit_length() for end in ends])
    return (-power if min(ends) < 0 else 0), power - 1


def _quotient(left: Whole, right: Whole) -> _Bounds:
    if left.low >= 0 and right.low > 0:
        return left.low // right.high, left.high // right.low
    most = max(abs(left.low), abs(left.high))
    return -most, most


def _remainder(_: Whole, right: Whole) -> _Bounds:
    return min(right.low + 1, 0), max(right.high - 1, 0)


def _power(left: Whole, right: Whole) -> _Bounds:
    if not 0 <= right.low == right.high < _MOST_SHIFT:
        return _LOW, _TOP
    low, high = _corners(operator.pow)(left, right)
    return (min(low, 0) if left.low <= 0 <= left.high else low), high


WHOLE: Final[dict[str, tuple[Callable[[Whole, Whole], _Bounds], Any]]] = {
    "+": (_corners(operator.add), np.add),
    "-": (_corners(operator.sub), np.subtract),
    "*": (_corners(operator.mul), np.multiply),
    "&": (_bitwise, np.bitwise_and),
    "|": (_bitwise, np.bitwise_or),
    "^": (_bitwise, np.bitwise_xor),
    "<<": (_shifted(operator.lshift), np.left_shift),
    ">>": (_shifted(operator.rshift), np.right_shift),
    "//": (_quotient, np.floor_divide),
    "%": (_remainder, np.remainder),
    "**": (_power, np.power),
}
"""Between which bounds a result lies, and the function of NumPy, of which the lowest 64 bits are right."""

_OF_NUMBERS: Final = {"//", "%", ">>"}
"""Where the lowest bits of a result depend on all others."""


def absolute(numbers: Whole) -> Whole:
    """Integers without their signs."""
    if numbers.low >= 0:
        return numbers
    numbers = numbers.tight() if numbers.high > _HIGH else numbers
    return Whole(np.abs(numbers.bits), 0, max(abs(numbers.low), abs(numbers.high)))


def of_whole(name: str, left: Whole, right: Whole) -> Any:
    """Operation on integers."""
    if name in {"/", "//", "%"}:
        require_nonzero(right)
    if name == "/":
        if not all(-_EXACT <= end <= _EXACT for side in (left, right) for end in _ends(side, _EXACT)):
            refuse()
        return np.true_divide(left.numbers, right.numbers)
    bounds, function = WHOLE[name]
    low, high = bounds(left, right)
    if not _fits(low, high):
        left, right = left.tight(), right.tight()
        low, high = bounds(left, right)
        if not _fits(low, high):
            refuse()
    if name in _OF_NUMBERS and (left.high > _HIGH or right.high > _HIGH):
        return _of_unsigned(function, left, right, low, high)
    return Whole(function(left.bits, right.bits), low, high)


def _of_unsigned(function: Any, left: Whole, right: Whole, low: int, high: int) -> Whole:
    """Operation on integers of 64 bits that have no sign."""
    if min(left.tight().low, right.tight().low) < 0 or max(left.high, right.high) > _TOP:
        refuse()
    return Whole(function(left.bits.view(np.uint64), right.bits.view(np.uint64)).view(np.int64), low, high)


def _ends(side: Whole, most: int) -> _Bounds:
    found = side if -most <= side.low <= side.high <= most else side.tight()
    return found.low, found.high
