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

REFUSED: Final[dict[str, tuple[str, str]]] = {
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


def _operator(name: str, meaning: str, *, is_reflected: bool = False) -> BinaryOperator:
    """Return the method of an operator, with ``self`` as the left operand, or as the right one if ``is_reflected``."""

    def operate(self: Operators[R], other: object) -> R:
        return self._apply(name, other, self) if is_reflected else self._apply(name, self, other)

    operate.__doc__ = meaning
    return cast("BinaryOperator", operate)


class Operators(ABC, Generic[R]):
    """Operators on unknown integers; a subclass defines their results."""

    __slots__ = ()

    __array_ufunc__ = None  # NumPy leaves operators to this class

    @abstractmethod
    def _apply(self, name: str, left: object, right: object) -> R:
        """Return the result of the operator ``name``; one of its two operands is this object."""

    __add__: BinaryOperator = _operator("add", "Sum.")
    __radd__: BinaryOperator = _operator("add", "Sum.", is_reflected=True)
    __sub__: BinaryOperator = _operator("sub", "Difference.")
    __rsub__: BinaryOperator = _operator("sub", "Difference.", is_reflected=True)
    __mul__: BinaryOperator = _operator("mul", "Product.")
    __rmul__: BinaryOperator = _operator("mul", "Product.", is_reflected=True)
    __floordiv__: BinaryOperator = _operator("floordiv", "Quotient rounded down.")
    __rfloordiv__: BinaryOperator = _operator("floordiv", "Quotient rounded down.", is_reflected=True)
    __mod__: BinaryOperator = _operator("mod", "Remainder, of the sign of the divisor.")
    __rmod__: BinaryOperator = _operator("mod", "Remainder, of the sign of the divisor.", is_reflected=True)
    __and__: BinaryOperator = _operator("and", "Bits that both have.")
    __rand__: BinaryOperator = _operator("and", "Bits that both have.", is_reflected=True)
    __or__: BinaryOperator = _operator("or", "Bits that either has.")
    __ror__: BinaryOperator = _operator("or", "Bits that either has.", is_reflected=True)
    __xor__: BinaryOperator = _operator("xor", "Bits that one has.")
    __rxor__: BinaryOperator = _operator("xor", "Bits that one has.", is_reflected=True)
    __lshift__: BinaryOperator = _operator("lshift", "Product with a power of two.")
    __rlshift__: BinaryOperator = _operator("lshift", "Product with a power of two.", is_reflected=True)
    __rshift__: BinaryOperator = _operator("rshift", "Quotient by a power of two, rounded down.")
    __rrshift__: BinaryOperator = _operator("rshift", "Quotient by a power of two, rounded down.", is_reflected=True)

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
