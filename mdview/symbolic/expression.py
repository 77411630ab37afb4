"""An expression is an integer that is not known yet: constants and variables under ``+ * // -``.

Expressions are trees and stay as they were built: equality is structural, ``1 + 2`` is not ``3``. A variable is its
own identity; its name is for reading only. It has bounds, and may be bound to a value, visible wherever it occurs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from itertools import count
from typing import TypeAlias, TypeVar, final

from mdview.base.arguments import refuse
from mdview.base.integers import as_integer
from mdview.base.values import value
from mdview.errors import ExtentsError, SymbolError, SymbolicExtentError

__all__ = ["Add", "Const", "Expr", "FloorDiv", "Mul", "Neg", "Var", "as_expr", "bounds", "constant", "need", "var"]


class Expr(ABC):
    """An integer that is not known yet."""

    __slots__ = ()

    def __post_init__(self) -> None:
        """Make constants of the integers among the parts, and refuse what is neither."""
        for name in getattr(self, "__match_args__", ()):
            object.__setattr__(self, name, as_expr(getattr(self, name)))

    @property
    def parts(self) -> tuple[Expr, ...]:
        """The expressions that this one is made of: its fields that are expressions."""
        fields = [getattr(self, name) for name in getattr(self, "__match_args__", ())]
        return tuple([field for field in fields if isinstance(field, Expr)])

    @abstractmethod
    def apply(self, values: tuple[int, ...]) -> int | None:
        """Value for given values of the parts; None for an unbound variable."""

    @abstractmethod
    def interval(self, parts: tuple[tuple[int, int], ...]) -> tuple[int, int]:
        """Bounds for given bounds of the parts."""

    def eval(self, values: Mapping[Var, int] | None = None) -> int | None:
        """Value under ``values`` and the present bindings, None where a variable has neither."""
        if values is not None and isinstance(self, Var) and self in as_values(values):
            return values[self]
        found = [part.eval(values) for part in self.parts]
        known = tuple([number for number in found if number is not None])
        return self.apply(known) if len(known) == len(found) else None

    def substitute(self, values: Mapping[Var, int | Expr]) -> Expr:
        """Return the expression with variables replaced; nothing is bound, and bounds are not consulted."""
        if isinstance(self, Var):
            return as_expr(as_values(values).get(self, self))
        parts = [part.substitute(values) for part in self.parts]
        return type(self)(*parts) if parts else self

    @property
    def vars(self) -> tuple[Var, ...]:
        """Each variable once, in order of appearance."""
        if isinstance(self, Var):
            return (self,)
        return tuple(dict.fromkeys([v for part in self.parts for v in part.vars]))

    def __index__(self) -> int:
        """Value of an expression without variables.

        Raises
        ------
        SymbolicExtentError
            There are variables, bound or not: a binding may change.
        """
        if self.vars:
            raise SymbolicExtentError(need(f"the number {self}", self))
        return bounds(self)[0]

    def __bool__(self) -> bool:
        """Whether the number is not 0, where its bounds say so."""
        low, high = bounds(self)
        if low > 0 or high < 0 or low == high:
            return low != 0 or high != 0
        raise SymbolicExtentError(need(f"whether {self} is 0", self))

    def __repr__(self) -> str:
        """As `str`: variables have no other spelling."""
        return str(self)

    def __add__(self, other: int | Expr) -> Expr:
        """Sum, not normalised."""
        return Add(self, as_expr(other))

    def __radd__(self, other: int) -> Expr:
        """Sum, not normalised."""
        return Add(as_expr(other), self)

    def __sub__(self, other: int | Expr) -> Expr:
        """Sum with the negative, not normalised."""
        return Add(self, Neg(as_expr(other)))

    def __rsub__(self, other: int) -> Expr:
        """Sum with the negative, not normalised."""
        return Add(as_expr(other), Neg(self))

    def __mul__(self, other: int | Expr) -> Expr:
        """Product, not normalised."""
        return Mul(self, as_expr(other))

    def __rmul__(self, other: int) -> Expr:
        """Product, not normalised."""
        return Mul(as_expr(other), self)

    def __floordiv__(self, other: int | Expr) -> Expr:
        """Quotient rounded down, exactly."""
        return FloorDiv(self, as_expr(other))

    def __neg__(self) -> Expr:
        """Negative, not normalised."""
        return Neg(self)


@final
@value
class Const(Expr):
    """A number."""

    number: int

    def __post_init__(self) -> None:
        """Refuse what is no integer."""
        as_integer(self.number, "a constant")

    def apply(self, values: tuple[int, ...]) -> int:
        """Return the number."""
        return self.number

    def interval(self, parts: tuple[tuple[int, int], ...]) -> tuple[int, int]:
        """Return the number twice."""
        return self.number, self.number

    def __str__(self) -> str:
        """The digits."""
        return str(self.number)


_NUMBERS = count()


@final
class Var(Expr):
    """A variable with inclusive bounds; made by `var`, equal to itself alone."""

    __slots__ = ("_value", "max", "min", "name", "number")

    name: str
    min: int
    max: int
    number: int

    def __init__(self, name: str, minimum: int, maximum: int) -> None:
        """Check the bounds and take the next number.

        Raises
        ------
        OperandError, ExtentsTypeError
            The name is no text, or a bound no integer.
        SymbolError
            Not ``0 <= minimum <= maximum``.
        """
        if not isinstance(name, str):
            refuse("the name of a variable", "a str", name)
        minimum, maximum = as_integer(minimum, "a bound"), as_integer(maximum, "a bound")
        if not 0 <= minimum <= maximum:
            message = f"bounds of a symbol are 0 <= min <= max: ({minimum}, {maximum}) for {name!r}"
            raise SymbolError(message)
        self.name = name
        self.min = minimum
        self.max = maximum
        self.number = next(_NUMBERS)
        self._value: int | None = None

    @property
    def value(self) -> int | None:
        """The value it is bound to, or None."""
        return self._value

    def bind(self, number: int) -> None:
        """Bind to a value, wherever the variable occurs, until the next call.

        Raises
        ------
        SymbolError
            The value is outside the bounds.
        """
        self._value = self.checked(number)

    def unbind(self) -> None:
        """Forget the value."""
        self._value = None

    def checked(self, number: int) -> int:
        """Return ``number`` if it lies within the bounds."""
        found = as_integer(number, f"a value of {self.name}#{self.number}")
        if not self.min <= found <= self.max:
            message = f"value {found} of {self.name}#{self.number} is outside its bounds [{self.min}, {self.max}]"
            raise SymbolError(message)
        return int(found)

    def apply(self, values: tuple[int, ...]) -> int | None:
        """Return the value it is bound to."""
        return self._value

    def interval(self, parts: tuple[tuple[int, int], ...]) -> tuple[int, int]:
        """Return the bounds, also where it is bound: a binding may change."""
        return self.min, self.max

    def __reduce__(self) -> tuple[object, ...]:
        """Copy and pickle as a new variable of the same name and bounds, one for all its occurrences."""
        return Var, (self.name, self.min, self.max)

    def __str__(self) -> str:
        """Name and number, and the value if there is one: ``n#0``, ``n#0=4``."""
        return f"{self.name}#{self.number}" + ("" if self._value is None else f"={self._value}")


@final
@value
class Add(Expr):
    """A sum."""

    left: Expr
    right: Expr

    def apply(self, values: tuple[int, ...]) -> int:
        """Add."""
        return values[0] + values[1]

    def interval(self, parts: tuple[tuple[int, int], ...]) -> tuple[int, int]:
        """Add lowest and highest values."""
        return parts[0][0] + parts[1][0], parts[0][1] + parts[1][1]

    def __str__(self) -> str:
        """``(a + b)``."""
        return f"({self.left} + {self.right})"


@final
@value
class Mul(Expr):
    """A product."""

    left: Expr
    right: Expr

    def apply(self, values: tuple[int, ...]) -> int:
        """Multiply."""
        return values[0] * values[1]

    def interval(self, parts: tuple[tuple[int, int], ...]) -> tuple[int, int]:
        """Take the extremes of the products of extremes."""
        corners = [a * b for a in parts[0] for b in parts[1]]
        return min(corners), max(corners)

    def __str__(self) -> str:
        """``(a * b)``."""
        return f"({self.left} * {self.right})"


@final
@value
class Neg(Expr):
    """A negative."""

    operand: Expr

    def apply(self, values: tuple[int, ...]) -> int:
        """Negate."""
        return -values[0]

    def interval(self, parts: tuple[tuple[int, int], ...]) -> tuple[int, int]:
        """Negate and swap."""
        return -parts[0][1], -parts[0][0]

    def __str__(self) -> str:
        """``-a``."""
        return f"-{self.operand}"


@final
@value
class FloorDiv(Expr):
    """A quotient rounded down, as ``//`` does; the divisor is never 0."""

    left: Expr
    right: Expr

    def __post_init__(self) -> None:
        """Refuse a divisor that may be 0."""
        Expr.__post_init__(self)
        low, high = bounds(self.right)
        if low <= 0 <= high:
            message = f"the divisor of {self.left} // {self.right} lies in [{low}, {high}] and may be 0"
            raise SymbolError(message)

    def apply(self, values: tuple[int, ...]) -> int:
        """Divide, rounding down."""
        return values[0] // values[1]

    def interval(self, parts: tuple[tuple[int, int], ...]) -> tuple[int, int]:
        """Take the extremes of the quotients of extremes."""
        corners = [a // b for a in parts[0] for b in parts[1]]
        return min(corners), max(corners)

    def __str__(self) -> str:
        """``(a // b)``."""
        return f"({self.left} // {self.right})"


Operand: TypeAlias = int | Expr
V = TypeVar("V", int, int | Expr)


def var(name: str, minimum: int, maximum: int) -> Var:
    """Make a new variable with inclusive bounds; another call makes another variable, whatever the name.

    >>> var("n", 1, 8) == var("n", 1, 8)
    False
    """
    return Var(name, minimum, maximum)


def constant(number: int) -> Const:
    """Make a static extent.

    Raises
    ------
    ExtentsError
        It is negative.
    """
    extent = as_integer(number, "a static extent")
    if extent < 0:
        message = f"a static extent is at least 0, got {extent}"
        raise ExtentsError(message)
    return Const(extent)


def as_expr(number: Operand) -> Expr:
    """Return an expression as it is and an integer as a constant."""
    return number if isinstance(number, Expr) else Const(int(as_integer(number, "an operand that is no expression")))


def as_values(values: Mapping[Var, V]) -> Mapping[Var, V]:
    """Return ``values`` as they are if they are values of variables.

    Raises
    ------
    OperandError
        They are no dict or other mapping, or some key is no variable.
    """
    if not isinstance(values, Mapping):
        refuse("values", "a dict from variables to numbers", values)
    for v in values:
        if not isinstance(v, Var):
            refuse("a key of values", "a variable", v)
    return values


def bounds(expression: Operand) -> tuple[int, int]:
    """Lowest and highest value that the bounds of the variables allow, perhaps not tight.

    >>> bounds(3 * var("n", 1, 8) - 1)
    (2, 23)
    """
    return as_expr(expression).interval(tuple([bounds(part) for part in as_expr(expression).parts]))


def need(what: str, *expressions: Expr) -> str:
    """Message for a question that needs numbers: which symbols stand in the way, and what to do."""
    names = ", ".join(
        dict.fromkeys([f"{v.name}#{v.number} in [{v.min}, {v.max}]" for e in expressions for v in e.vars])
    )
    return f"{what} depends on {names or 'nothing known'}; bind the symbols to values first, or narrow their bounds"
