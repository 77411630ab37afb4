"""Operators (``+``, ``//``, …) on unknown integers: their names, signs and functions, and the methods of a class.

An operator has the name of Python's special method (``floordiv``).
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar, cast

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
"""Arithmetic operators of two operands."""

COMPARISONS: Final = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
"""Comparisons of two operands."""

NEGATIVE: Final = "neg"
"""The only operator of a single operand."""

SELECT: Final = "select"
"""Label of a choice between two expressions."""

REFUSED: Final = {
    **dict.fromkeys(("floordiv", "mod"), ("divisor", "0")),
    **dict.fromkeys(("lshift", "rshift"), ("shift", "negative")),
}
"""The name of the right operand of an operator, and its forbidden values."""

FUNCTIONS: Final[dict[str, Callable[..., int]]] = {
    name: getattr(operator, {"and": "and_", "or": "or_"}.get(name, name)) for name in (*INFIX, *COMPARISONS, NEGATIVE)
}
"""The function of each operator on integers."""


class BinaryOperator(Protocol):
    """The static type of the method of an operator of two operands."""

    def __get__(self, number: Operators[R], kind: object = None, /) -> Callable[[object], R]: ...


def _operator(name: str, meaning: str) -> tuple[BinaryOperator, BinaryOperator]:
    """Return the methods of an operator, with ``self`` as the left operand and as the right one."""

    def operate(self: Operators[R], other: object) -> R:
        return self._apply(name, self, other)

    def reflected(self: Operators[R], other: object) -> R:
        return self._apply(name, other, self)

    operate.__doc__ = reflected.__doc__ = meaning
    return cast("BinaryOperator", operate), cast("BinaryOperator", reflected)


class Operators(ABC, Generic[R]):
    """Operators on unknown integers; a subclass defines their results."""

    __slots__ = ()

    __array_ufunc__ = None  # NumPy leaves operators to this class

    @abstractmethod
    def _apply(self, name: str, left: object, right: object) -> R:
        """Return the result of the operator ``name``; one of its two operands is this object."""

    __add__, __radd__ = _operator("add", "Sum.")
    __sub__, __rsub__ = _operator("sub", "Difference.")
    __mul__, __rmul__ = _operator("mul", "Product.")
    __floordiv__, __rfloordiv__ = _operator("floordiv", "Quotient rounded down.")
    __mod__, __rmod__ = _operator("mod", "Remainder, of the sign of the divisor.")
    __and__, __rand__ = _operator("and", "Bits that both have.")
    __or__, __ror__ = _operator("or", "Bits that either has.")
    __xor__, __rxor__ = _operator("xor", "Bits that one has.")
    __lshift__, __rlshift__ = _operator("lshift", "Product with a power of two.")
    __rshift__, __rrshift__ = _operator("rshift", "Quotient by a power of two, rounded down.")

    def __divmod__(self, other: object) -> tuple[R, R]:
        """Return the quotient and the remainder."""
        return self // other, self % other

    def __rdivmod__(self, other: object) -> tuple[R, R]:
        """Return the quotient and the remainder, with ``other`` as the left operand."""
        return other // self, other % self

    def __neg__(self) -> R:
        """Return the negative."""
        return self._apply("sub", 0, self)

    def __pos__(self) -> Operators[R]:
        """Return the expression itself."""
        return self

    def __invert__(self) -> R:
        """Return the bitwise complement, ``-1 - self``."""
        return self._apply("sub", -1, self)
