"""A traced number stands for an expression while a layout's arithmetic runs on it.

It computes like an integer and writes down what it did. Unlike an expression it compares by value: a comparison is
answered where the bounds of the variables settle it, and refused where they do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, cast, final

from mdview.errors import SymbolicExtentError
from mdview.symbolic.expression import Add, Const, Expr, FloorDiv, Mul, Neg, as_expr, bounds, need

__all__ = ["Traced", "as_numbers", "tracing", "untraced"]


@final
class Traced:
    """A number in a layout's arithmetic; constants fold, and neutral operands vanish."""

    __slots__ = ("expression",)

    expression: Expr

    def __init__(self, expression: Expr) -> None:
        """Stand for ``expression``."""
        self.expression = expression

    def __add__(self, other: object) -> Traced:
        """Sum."""
        return Traced(_add(self.expression, untraced(other)))

    __radd__ = __add__

    def __neg__(self) -> Traced:
        """Negative."""
        return Traced(_neg(self.expression))

    def __pos__(self) -> Traced:
        """Itself."""
        return self

    def __sub__(self, other: object) -> Traced:
        """Difference."""
        return Traced(_add(self.expression, _neg(untraced(other))))

    def __rsub__(self, other: object) -> Traced:
        """Difference."""
        return Traced(_add(untraced(other), _neg(self.expression)))

    def __mul__(self, other: object) -> Traced:
        """Product."""
        return Traced(_mul(self.expression, untraced(other)))

    __rmul__ = __mul__

    def __floordiv__(self, other: object) -> Traced:
        """Quotient rounded down."""
        return Traced(_floordiv(self.expression, untraced(other)))

    def __rfloordiv__(self, other: object) -> Traced:
        """Quotient rounded down."""
        return Traced(_floordiv(untraced(other), self.expression))

    def __mod__(self, other: object) -> Traced:
        """Remainder: the number less the divisor times the quotient."""
        return self - (self // other) * other

    def __rmod__(self, other: object) -> Traced:
        """Remainder."""
        return Traced(untraced(other)) % self

    def __divmod__(self, other: object) -> tuple[Traced, Traced]:
        """Quotient and remainder."""
        return self // other, self % other

    def __lshift__(self, other: int) -> Traced:
        """Product with a power of two."""
        return self * (1 << other)

    def __rshift__(self, other: int) -> Traced:
        """Quotient by a power of two."""
        return self // (1 << other)

    def __and__(self, mask: int) -> Traced:
        """Remainder by a power of two, where the mask is one less than it.

        Raises
        ------
        SymbolicExtentError
            The mask is another: bits of an unknown number are unknown.
        """
        width = untraced(mask)
        if width.vars or (int(width) + 1) & int(width) or int(width) < 0:
            raise SymbolicExtentError(need(f"bits {mask} of {self.expression}", self.expression, width))
        return self % (int(width) + 1)

    __rand__ = __and__

    def __eq__(self, other: object) -> bool:
        """Compare by value."""
        if not isinstance(other, int | Traced):
            return NotImplemented
        low, high = self._gap(other)
        if low > 0 or high < 0:
            return False
        return True if low == high else self._refuse(f"whether {self} equals {other}")

    def __lt__(self, other: object) -> bool:
        """Compare by value."""
        return self._is_below(other, 0, "less than")

    def __le__(self, other: object) -> bool:
        """Compare by value."""
        return self._is_below(other, 1, "at most")

    def __gt__(self, other: object) -> bool:
        """Compare by value."""
        return not self._is_below(other, 1, "at most")

    def __ge__(self, other: object) -> bool:
        """Compare by value."""
        return not self._is_below(other, 0, "less than")

    def _is_below(self, other: object, margin: int, word: str) -> bool:
        low, high = self._gap(other)
        if high < margin:
            return True
        return False if low >= margin else self._refuse(f"whether {self} is {word} {other}")

    def _gap(self, other: object) -> tuple[int, int]:
        """Bounds of the difference."""
        return (0, 0) if untraced(other) == self.expression else bounds((self - other).expression)

    def _refuse(self, question: str) -> bool:
        raise SymbolicExtentError(need(question, self.expression))

    def __bool__(self) -> bool:
        """Whether it is not 0, where its bounds say so."""
        return bool(self.expression)

    def __index__(self) -> int:
        """Value of a number without variables."""
        return self.expression.__index__()

    def __repr__(self) -> str:
        """As its expression."""
        return str(self.expression)


def as_numbers(expressions: Iterable[Expr]) -> tuple[int, ...]:
    """Return traced numbers, typed as what the arithmetic of layouts takes."""
    return tuple([cast("int", Traced(e)) for e in expressions])


def untraced(number: object) -> Expr:
    """Return the expression behind a number."""
    return number.expression if isinstance(number, Traced) else as_expr(cast("Any", number))


@contextmanager
def tracing(what: str, extents: Iterable[Expr]) -> Iterator[None]:
    """Turn what a layout's arithmetic cannot do on symbols into a `SymbolicExtentError` that says so."""
    try:
        yield
    except SymbolicExtentError as error:
        message = f"{what} asks for a number: {error}"
        raise SymbolicExtentError(message) from None
    except TypeError as error:
        raise SymbolicExtentError(need(f"{what} uses more than + - * // % ({error}) and", *extents)) from error


def _add(left: Expr, right: Expr) -> Expr:
    if isinstance(left, Const) and isinstance(right, Const):
        return Const(left.number + right.number)
    if left == Const(0):
        return right
    return left if right == Const(0) else Add(left, right)


def _neg(operand: Expr) -> Expr:
    if isinstance(operand, Const):
        return Const(-operand.number)
    return operand.operand if isinstance(operand, Neg) else Neg(operand)


def _mul(left: Expr, right: Expr) -> Expr:
    if isinstance(left, Const) and isinstance(right, Const):
        return Const(left.number * right.number)
    if left == Const(0) or right == Const(0):
        return Const(0)
    if left == Const(1):
        return right
    return left if right == Const(1) else Mul(left, right)


def _floordiv(left: Expr, right: Expr) -> Expr:
    if isinstance(left, Const) and isinstance(right, Const):
        return Const(left.number // right.number)
    return left if right == Const(1) else FloorDiv(left, right)
