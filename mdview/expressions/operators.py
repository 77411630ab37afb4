"""Operators (``+``, ``//``, …) on unknown integers, and the evaluation of an expression for values of its variables.

An operator has the name of Python's special method (``floordiv``). A variable may have bounds; it then computes the
range of each expression that contains it.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, Generic, Protocol, TypeVar, cast

from mdview.base import as_integer, as_text, refuse
from mdview.errors import SymbolError, SymbolicExtentError

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

FUNCTIONS: Final[dict[str, Callable[..., int]]] = {
    name: getattr(operator, {"and": "and_", "or": "or_"}.get(name, name)) for name in (*INFIX, *COMPARISONS, NEGATIVE)
}
"""The function of each operator on integers."""


class BinaryOperator(Protocol):
    """The static type of the method of an operator of two operands."""

    def __get__(self, number: Operators[R], kind: object = None, /) -> Callable[[object], R]: ...


def _operator(name: str, meaning: str, *, is_reflected: bool = False) -> BinaryOperator:
    """Return the method of an operator; if reflected, ``self`` is the right operand, else the left one."""

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
        """Quotient and remainder."""
        return self // other, self % other

    def __rdivmod__(self, other: object) -> tuple[R, R]:
        """Quotient and remainder."""
        return other // self, other % self

    def __neg__(self) -> R:
        """Negative."""
        return self._apply("sub", 0, self)

    def __pos__(self) -> Operators[R]:
        """The expression itself."""
        return self

    def __invert__(self) -> R:
        """Bitwise complement: ``-1 - self``."""
        return self._apply("sub", -1, self)


N = TypeVar("N", bound="Evaluable[Any]")
V = TypeVar("V")

SELECT: Final = "select"
"""Label of a choice between two expressions."""

_REFUSED: Final = {
    **dict.fromkeys(("floordiv", "mod"), ("divisor", "0")),
    **dict.fromkeys(("lshift", "rshift"), ("shift", "negative")),
}
"""The name of the right operand of an operator, and its forbidden values."""


class Evaluable(ABC, Generic[N]):
    """An integer expression that has a value once its variables have values; ``N`` is the class of its parts."""

    __slots__ = ()

    label: Hashable
    operands: tuple[N, ...]

    @property
    @abstractmethod
    def vars(self) -> tuple[N, ...]:
        """The variables, which are the leaves that are no constants: each once, in order of appearance."""

    @property
    def parts(self) -> tuple[N, ...]:
        """The operands: the expressions that this expression consists of."""
        return self.operands

    @property
    def value(self) -> int | None:
        """Number to which a leaf is bound at present, or None."""
        return None

    @property
    def description(self) -> str:
        """Text for messages: for a variable its name and its known bounds."""
        return str(self)

    def range_of(self, expression: N) -> tuple[int, int] | None:
        """Return the lowest and highest value of an expression that contains this variable; None if unknown."""
        return None

    def known_range(self) -> tuple[int, int] | None:
        """Return lower and upper bounds of the value by those of the variables, perhaps not tight; None if unknown."""
        variables = self.vars
        if variables:
            return variables[0].range_of(self)
        number = self.eval()
        return None if number is None else (number, number)

    def eval(self, values: Mapping[Any, int] | None = None) -> int | None:
        """Return the value with variables from ``values``, else from their present bindings; None if one has neither.

        Only the alternative that the test of a choice selects is computed. Any: mappings are invariant in their keys.

        Raises
        ------
        OperandError, ExtentsTypeError
            ``values`` is not a dict or other mapping, a key is not a variable, or a value is not an integer.
        """
        return _evaluated(self, {} if values is None else as_values(values))

    def __index__(self) -> int:
        """Return the value of an expression without variables.

        Raises
        ------
        SymbolicExtentError
            The expression has variables; bound ones count too, since a binding may change.
        """
        number = None if self.vars else self.eval()
        if number is None:
            raise SymbolicExtentError(need(f"the number {self}", self))
        return number

    def __bool__(self) -> bool:
        """Tell whether the number is not 0, if its bounds decide it.

        Raises
        ------
        SymbolicExtentError
            The bounds do not decide it.
        """
        low, high = self.known_range() or (0, 1)
        if low <= 0 <= high and low != high:
            raise SymbolicExtentError(need(f"whether {self} is 0", self))
        return low != 0

    def check_operator(self) -> None:
        """Check the right operand of an operator, as far as the bounds of its variables are known.

        Raises
        ------
        SymbolError
            The divisor may be 0, or the shift may be negative.
        """
        if not isinstance(self.label, str) or self.label not in _REFUSED:
            return
        left, right = self.operands
        low, high = right.known_range() or (1, 1)
        what, refused = _REFUSED[self.label]
        if low < 0 if what == "shift" else low <= 0 <= high:
            raise SymbolError(
                f"the {what} of {left} {INFIX[self.label]} {right} lies in [{as_text(low)}, "
                f"{as_text(high)}] and may be {refused}"
            )


def as_values(values: Mapping[Any, V]) -> Mapping[Any, V]:
    """Check that ``values`` is a mapping from variables, and return it. Any: mappings are invariant in their keys.

    Raises
    ------
    OperandError
        ``values`` is not a dict or other mapping, or a key is not a variable.
    """
    if not isinstance(values, Mapping):
        refuse("values", "a dict from variables to numbers", values)
    for key in values:
        if not isinstance(key, Evaluable) or key.vars != (key,):
            refuse("a key of values", "a variable", key)
    return values


def need(what: str, *expressions: Evaluable[Any]) -> str:
    """Return a message: ``what`` depends on the variables of the expressions, which need values or narrower bounds."""
    names = ", ".join(dict.fromkeys([variable.description for e in expressions for variable in e.vars]))
    return f"{what} depends on {names or 'nothing known'}; bind the symbols to values first, or narrow their bounds"


def _evaluated(root: Evaluable[Any], values: Mapping[Any, int]) -> int | None:
    results: dict[Evaluable[Any], int | None] = {}
    waiting = [root]
    while waiting:
        part = waiting[-1]
        needed = _needed(part, results)
        missing = [operand for operand in needed if operand not in results]
        if missing:
            waiting += missing
        else:
            results[waiting.pop()] = _number(part, [results[operand] for operand in needed], values)
    return results[root]


def _needed(part: Evaluable[Any], answers: dict[Evaluable[Any], int | None]) -> tuple[Evaluable[Any], ...]:
    """Return the operands that the value of a part needs; for a choice first the test, then one alternative."""
    if not _is_choice(part):
        return part.operands
    test, yes, no = part.operands
    answer = answers.get(test)
    if answer is None:
        return (test,)
    return (yes if answer else no,)


def _number(part: Evaluable[Any], operands: list[int | None], values: Mapping[Any, int]) -> int | None:
    if not part.operands:
        return int(as_integer(values[part], f"a value of {part}")) if part in values else part.value
    numbers = [number for number in operands if number is not None]
    if len(numbers) < len(operands):
        return None
    return numbers[0] if _is_choice(part) else int(FUNCTIONS[str(part.label)](*numbers))


def _is_choice(part: Evaluable[Any]) -> bool:
    return bool(part.operands) and part.label == SELECT
