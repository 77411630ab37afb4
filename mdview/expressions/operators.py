"""Operators: which there are, how they are written, what each computes; and one class that gives them all to numbers.

The names are those of Python's special methods.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final, Generic, TypeVar

R = TypeVar("R")

INFIX: Final = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "floordiv": "//",
    "mod": "%",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}
"""Arithmetic of two operands."""

COMPARISONS: Final = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
"""Comparisons of two operands."""

NEGATIVE: Final = "neg"
"""The one operator of a single operand."""

FUNCTIONS: Final[dict[str, Callable[..., int]]] = {
    name: getattr(operator, {"and": "and_", "or": "or_"}.get(name, name)) for name in (*INFIX, *COMPARISONS, NEGATIVE)
}
"""What each operator computes on integers."""


class Operators(ABC, Generic[R]):
    """Arithmetic on numbers that are not known yet; a subclass says what an operator gives."""

    __slots__ = ()

    __array_ufunc__ = None  # NumPy leaves operators to this class

    @abstractmethod
    def _apply(self, name: str, left: object, right: object) -> R:
        """Result of the operator ``name``; one of the two operands is this object."""

    def __add__(self, other: object) -> R:
        """Sum."""
        return self._apply("add", self, other)

    def __radd__(self, other: object) -> R:
        """Sum."""
        return self._apply("add", other, self)

    def __sub__(self, other: object) -> R:
        """Difference."""
        return self._apply("sub", self, other)

    def __rsub__(self, other: object) -> R:
        """Difference."""
        return self._apply("sub", other, self)

    def __mul__(self, other: object) -> R:
        """Product."""
        return self._apply("mul", self, other)

    def __rmul__(self, other: object) -> R:
        """Product."""
        return self._apply("mul", other, self)

    def __floordiv__(self, other: object) -> R:
        """Quotient rounded down."""
        return self._apply("floordiv", self, other)

    def __rfloordiv__(self, other: object) -> R:
        """Quotient rounded down."""
        return self._apply("floordiv", other, self)

    def __mod__(self, other: object) -> R:
        """Remainder, of the sign of the divisor."""
        return self._apply("mod", self, other)

    def __rmod__(self, other: object) -> R:
        """Remainder, of the sign of the divisor."""
        return self._apply("mod", other, self)

    def __divmod__(self, other: object) -> tuple[R, R]:
        """Quotient and remainder."""
        return self // other, self % other

    def __rdivmod__(self, other: object) -> tuple[R, R]:
        """Quotient and remainder."""
        return other // self, other % self

    def __and__(self, other: object) -> R:
        """Bits that both have."""
        return self._apply("and", self, other)

    def __rand__(self, other: object) -> R:
        """Bits that both have."""
        return self._apply("and", other, self)

    def __or__(self, other: object) -> R:
        """Bits that either has."""
        return self._apply("or", self, other)

    def __ror__(self, other: object) -> R:
        """Bits that either has."""
        return self._apply("or", other, self)

    def __xor__(self, other: object) -> R:
        """Bits that one has."""
        return self._apply("xor", self, other)

    def __rxor__(self, other: object) -> R:
        """Bits that one has."""
        return self._apply("xor", other, self)

    def __lshift__(self, other: object) -> R:
        """Product with a power of two."""
        return self._apply("lshift", self, other)

    def __rlshift__(self, other: object) -> R:
        """Product with a power of two."""
        return self._apply("lshift", other, self)

    def __rshift__(self, other: object) -> R:
        """Quotient by a power of two, rounded down."""
        return self._apply("rshift", self, other)

    def __rrshift__(self, other: object) -> R:
        """Quotient by a power of two, rounded down."""
        return self._apply("rshift", other, self)

    def __neg__(self) -> R:
        """Negative."""
        return self._apply("sub", 0, self)

    def __pos__(self) -> Operators[R]:
        """Itself."""
        return self

    def __invert__(self) -> R:
        """Bitwise complement: -1 minus it."""
        return self._apply("sub", -1, self)
