"""Symbolic variables with bounds, expressions over them (`Expr`), proofs of equality, order and divisibility.

Expressions are trees and are not simplified: equality is structural, ``1 + 2`` is not ``3``. A variable equals itself
alone; its name is for texts and for C. A binding to a value applies to all its occurrences.

A proof answers a question about expressions for every value of their variables: True, False, or None. Expressions
become polynomials over the integers (`mdview.expressions.normal_form`). Equal polynomials prove equality; bounds and
divisibility of coefficients refute it. Otherwise the answer is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from math import gcd
from typing import Final, SupportsIndex, TypeAlias, final

from mdview.base import as_integer, as_text, refuse
from mdview.errors import ExtentsError, SymbolError
from mdview.expressions import c_codegen
from mdview.expressions.expression_tree import Const, Node, Op, as_node
from mdview.expressions.normal_form import NormalForm, Polynomial
from mdview.expressions.operators import FUNCTIONS, NEGATIVE, as_values
from mdview.expressions.range_analysis import Range, RangeError, decided, expression_range, ranging
from mdview.expressions.simplification import simplified as rewritten

Expr: TypeAlias = Node
IntOrExpr: TypeAlias = int | Expr

_NUMBERS: Final = count()


@final
class Var(Node):
    """A ``name`` with inclusive bounds ``minimum`` and ``maximum``; made by `var`, equal to itself alone."""

    __slots__ = ("_bound", "max", "min", "name")

    name: str
    min: int
    max: int
    _bound: int | None

    def __new__(cls, name: str, minimum: int, maximum: int) -> Var:
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
            raise SymbolError(
                f"bounds of a symbol are 0 <= min <= max: ({as_text(minimum)}, {as_text(maximum)}) for {name!r}"
            )
        variable = cls.one(next(_NUMBERS))
        for field, content in (("name", name), ("min", minimum), ("max", maximum), ("_bound", None)):
            object.__setattr__(variable, field, content)
        return variable

    @property
    def number(self) -> int:
        """The number that distinguishes variables of one name."""
        return self.label if isinstance(self.label, int) else 0

    @property
    def value(self) -> int | None:
        """The value it is bound to, or None."""
        return self._bound

    @property
    def description(self) -> str:
        """``n#0 in [1, 8]``."""
        return f"{self.name}#{self.number} in [{as_text(self.min)}, {as_text(self.max)}]"

    def bind(self, number: int) -> None:
        """Bind to a value, wherever the variable occurs, until the next call.

        Raises
        ------
        SymbolError
            The value is outside the bounds.
        """
        object.__setattr__(self, "_bound", self.checked(number))

    def unbind(self) -> None:
        """Forget the value."""
        object.__setattr__(self, "_bound", None)

    def checked(self, number: int) -> int:
        """Return ``number`` if it lies within the bounds."""
        value = as_integer(number, f"a value of {self.name}#{self.number}")
        if not self.min <= value <= self.max:
            raise SymbolError(
                f"value {as_text(value)} of {self.name}#{self.number} is outside its bounds "
                f"[{as_text(self.min)}, {as_text(self.max)}]"
            )
        return int(value)

    def range_of(self, expression: Node) -> Range | None:
        """Bounds of an expression over this variable and others, bound or not: a binding may change."""
        with suppress(SymbolError):
            return bounds(expression)
        return None

    def __reduce__(self) -> tuple[object, ...]:
        """Copy and pickle as a new variable of the same name and bounds, one for all its occurrences."""
        return Var, (self.name, self.min, self.max)

    def __str__(self) -> str:
        """Name and number, and the value if there is one: ``n#0``, ``n#0=4``."""
        return f"{self.name}#{self.number}" + ("" if self.value is None else f"={as_text(self.value)}")


def var(name: str, minimum: int, maximum: int) -> Var:
    """Make a new variable with inclusive bounds; another call makes another variable, whatever the name.

    >>> from mdview.symbolic import var
    >>> var("n", 1, 8) == var("n", 1, 8)
    False
    """
    return Var(name, minimum, maximum)


def constant(number: SupportsIndex) -> Const:
    """Make a static extent.

    Raises
    ------
    ExtentsError
        It is negative.
    """
    extent = as_integer(number, "a static extent")
    if extent < 0:
        raise ExtentsError(f"a static extent is at least 0, got {as_text(extent)}")
    return Const(extent)


def Add(left: IntOrExpr, right: IntOrExpr) -> Expr:  # noqa: N802 - it makes a part of an expression, as a class does
    """Make a sum."""
    return Op("add", left, right)


def Mul(left: IntOrExpr, right: IntOrExpr) -> Expr:  # noqa: N802 - likewise
    """Make a product."""
    return Op("mul", left, right)


def Neg(operand: IntOrExpr) -> Expr:  # noqa: N802 - likewise
    """Make a negative."""
    return Op(NEGATIVE, operand)


def FloorDiv(left: IntOrExpr, right: IntOrExpr) -> Expr:  # noqa: N802 - likewise
    """Make a quotient rounded down, as ``//`` does.

    Raises
    ------
    SymbolError
        The divisor may be 0.
    """
    return as_node(left) // right


def bounds(expression: IntOrExpr) -> Range:
    """Lowest and highest value that the bounds of the variables allow, perhaps not tight.

    >>> from mdview.symbolic.symbolic_variables import bounds, var
    >>> bounds(3 * var("n", 1, 8) - 1)
    (2, 23)

    Raises
    ------
    SymbolError
        Some part of the expression is not known to be a number: one way of a `Select` may divide by 0.
    """
    node = as_node(expression)
    try:
        return expression_range(node, limits, None)
    except RangeError as error:
        raise SymbolError(f"{node} has no bounds: {error}") from None


def limits(leaf: Node) -> Range:
    """Return the bounds of a variable; other leaves have none."""
    if isinstance(leaf, Var):
        return leaf.min, leaf.max
    raise RangeError(f"{leaf} is no variable with bounds")


def variables(*expressions: Node) -> tuple[Var, ...]:
    """Return each variable of the expressions once, in order of appearance; other symbols are refused."""
    leaves = dict.fromkeys([leaf for expression in expressions for leaf in expression.vars])
    for leaf in leaves:
        if not isinstance(leaf, Var):
            refuse("a symbol", "a variable made by var", leaf, f"{leaf} has no bounds")
    return tuple([leaf for leaf in leaves if isinstance(leaf, Var)])


def checked_values(values: Mapping[Var, int]) -> dict[Var, int]:
    """Return ``values`` of variables if they are within the bounds."""
    bindings = as_values(values)
    return {v: v.checked(bindings[v]) for v in variables(*bindings)}


def simplified(expression: IntOrExpr) -> Expr:
    """Return an equal expression in normal form: a sum of products.

    >>> from mdview.symbolic import bounds, var
    >>> n = var("n", 1, 8)
    >>> bounds(simplified(n + (n - 1) * 3 - 4 * n))
    (-3, -3)
    """
    form = NormalForm(limits)
    return form.expression(form(as_node(expression)))


def settled(name: str, left: IntOrExpr, right: IntOrExpr) -> bool | None:
    """Answer of a comparison, named as in ``lt``, where it is the same for all values of the variables, else None.

    Their difference is analysed as it is written, and in normal form.

    >>> from mdview.symbolic.symbolic_variables import settled, var
    >>> n = var("n", 1, 8)
    >>> settled("lt", n, 9), settled("lt", n, n + 1), settled("lt", n, 8), settled("eq", 2 * n, 5)
    (True, True, None, False)
    """
    if as_node(left) == as_node(right):
        return bool(FUNCTIONS[name](0, 0))
    gap, form = as_node(left) - right, NormalForm(limits)
    for written in (as_node, lambda gap: form.expression(form(gap))):
        with suppress(RangeError):
            answer = decided(Op(name, written(gap), 0), ranging(limits, None))
            if answer is not None:
                return answer
    return name == "ne" if name in {"eq", "ne"} and _never_zero(form(gap)) else None


def equal(left: IntOrExpr, right: IntOrExpr) -> bool | None:
    """Tell whether two expressions are equal for all values of their variables (True), for none (False), or None."""
    return settled("eq", left, right)


def less(left: IntOrExpr, right: IntOrExpr) -> bool | None:
    """Tell whether ``left < right`` for all values of their variables (True), for none (False), or None."""
    return settled("lt", left, right)


def divides(divisor: IntOrExpr, number: IntOrExpr) -> bool | None:
    """Tell whether ``number`` is a multiple of ``divisor`` for all values of their variables, for none, or None."""
    if quotient(number, divisor) is not None:
        return True
    step = simplified(divisor)
    is_refuted = (
        isinstance(step, Const) and step.number and _never_zero(NormalForm(limits)(as_node(number)), step.number)
    )
    return False if is_refuted else None


def quotient(number: IntOrExpr, divisor: IntOrExpr) -> Expr | None:
    """Return the polynomial that times ``divisor`` is ``number``, if there is one with integer coefficients."""
    form = NormalForm(limits)
    above, below = form(as_node(number)), form(as_node(divisor))
    ratio = form.divided(above, below) if below else None
    return None if ratio is None else form.expression(ratio)


def _never_zero(found: Polynomial, step: int = 0) -> bool:
    """Tell whether the constant term is no multiple of the common divisor of all other coefficients and a step."""
    divisor = gcd(step, *[times for product, times in found.items() if product])
    return found.get((), 0) % divisor != 0 if divisor else () in found


def to_c(expression: IntOrExpr) -> str:
    """Write an expression in C; each variable is one of C, of the same name, and lies within its bounds.

    It is an ``int64_t``, as that of `mdview.Mapping.to_c` is.

    >>> from mdview.symbolic import SymbolicMapping, to_c, var
    >>> m, n, i, j = var("m", 1, 1000), var("n", 1, 1000), var("i", 0, 999), var("j", 0, 999)
    >>> print(to_c(SymbolicMapping((m, n)).offset(i, j)))
    ((int64_t)i * (int64_t)n + (int64_t)j)

    Raises
    ------
    SourceError
        The name of a variable is no identifier or that of another one, the bounds do not keep each part within 64 bits,
        or it is too long.
    """
    root = as_node(expression)
    symbols = variables(root)
    c_codegen.as_names(len(symbols), tuple([symbol.name for symbol in symbols]))
    form = c_codegen.first_in_64_bits(root, (lambda: rewritten(root, limits), lambda: root), limits)
    return c_codegen.expression(form, _leaf)


def _leaf(node: Node) -> str:
    return f"(int64_t){node.name}" if isinstance(node, Var) else str(node)
