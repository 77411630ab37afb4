"""Symbolic variables with bounds, expressions over variables (`Expr`), proofs of equality, order and divisibility.

An expression is a tree and is not simplified: equality is structural, and ``1 + 2`` differs from ``3``. A variable
equals only itself; its name is used in strings and in C code. Binding a variable to a value changes all expressions
that contain it.

A proof decides a question about expressions for all values of their variables. The result is True if the statement
holds for all values, False if it holds for no value, and None if it is not decided. Expressions become polynomials over
the integers (`mdview.expressions.normal_form`): equal polynomials prove that expressions are equal; bounds, or the
divisibility of coefficients, prove that they are not.
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
from mdview.expressions.expression_tree import Const, Node, Op, as_node, as_values
from mdview.expressions.normal_form import NormalForm, Polynomial
from mdview.expressions.operators import FUNCTIONS, NEGATIVE
from mdview.expressions.range_analysis import Range, RangeError, only_value, ranging
from mdview.expressions.simplification import simplified as rewritten

Expr: TypeAlias = Node
IntOrExpr: TypeAlias = int | Expr

_NUMBERS: Final = count()


@final
class Var(Node):
    """A variable with a name and inclusive bounds ``minimum`` and ``maximum``; it equals only itself. See `var`."""

    __slots__ = ("_bound", "max", "min", "name")

    name: str
    min: int
    max: int
    _bound: int | None

    def __new__(cls, name: str, minimum: int, maximum: int) -> Var:
        """Check the bounds and number the variable.

        Raises
        ------
        OperandError, ExtentsTypeError
            The name is not a str, or a bound is not an integer.
        SymbolError
            The bounds do not satisfy ``0 <= minimum <= maximum``.
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
        """The number that distinguishes variables with the same name."""
        return self.label if isinstance(self.label, int) else 0

    @property
    def value(self) -> int | None:
        """The value to which the variable is bound; None if it is unbound."""
        return self._bound

    @property
    def description(self) -> str:
        """The name, the number and the bounds as a string: ``n#0 in [1, 8]``."""
        return f"{self.name}#{self.number} in [{as_text(self.min)}, {as_text(self.max)}]"

    def bind(self, number: int) -> None:
        """Bind the variable to a value, in all expressions that contain it, until the next `bind` or `unbind`.

        Raises
        ------
        SymbolError
            ``number`` is outside the bounds.
        """
        object.__setattr__(self, "_bound", self.checked(number))

    def unbind(self) -> None:
        """Remove the binding."""
        object.__setattr__(self, "_bound", None)

    def checked(self, number: int) -> int:
        """Return ``number`` as an int; raise `SymbolError` if it is outside the bounds."""
        value = as_integer(number, f"a value of {self.name}#{self.number}")
        if not self.min <= value <= self.max:
            raise SymbolError(
                f"value {as_text(value)} of {self.name}#{self.number} is outside its bounds "
                f"[{as_text(self.min)}, {as_text(self.max)}]"
            )
        return int(value)

    def range_of(self, expression: Node) -> Range | None:
        """Return the bounds of an expression over this and other variables; None if the expression has no bounds.

        Bindings are ignored, since they may change.
        """
        with suppress(SymbolError):
            return bounds(expression)
        return None

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle or copy the variable as a new variable with the same name and bounds.

        All occurrences of the variable in a pickle or a deep copy become the same new variable.
        """
        return Var, (self.name, self.min, self.max)

    def __str__(self) -> str:
        """Return the name and the number, ``n#0``, and the value of a bound variable, ``n#0=4``."""
        return f"{self.name}#{self.number}" + ("" if self.value is None else f"={as_text(self.value)}")


def var(name: str, minimum: int, maximum: int) -> Var:
    """Return a new variable with inclusive bounds; variables of two calls differ even if their names are equal.

    >>> from mdview.symbolic import var
    >>> var("n", 1, 8) == var("n", 1, 8)
    False
    """
    return Var(name, minimum, maximum)


def constant(number: SupportsIndex) -> Const:
    """Return a static extent as an expression.

    Raises
    ------
    ExtentsError
        ``number`` is negative.
    """
    extent = as_integer(number, "a static extent")
    if extent < 0:
        raise ExtentsError(f"a static extent is at least 0, got {as_text(extent)}")
    return Const(extent)


def Add(left: IntOrExpr, right: IntOrExpr) -> Expr:  # noqa: N802 - named like a class, as it makes a node of a tree
    """Return the sum of two expressions."""
    return Op("add", left, right)


def Mul(left: IntOrExpr, right: IntOrExpr) -> Expr:  # noqa: N802 - likewise
    """Return the product of two expressions."""
    return Op("mul", left, right)


def Neg(operand: IntOrExpr) -> Expr:  # noqa: N802 - likewise
    """Return the negative of an expression."""
    return Op(NEGATIVE, operand)


def FloorDiv(left: IntOrExpr, right: IntOrExpr) -> Expr:  # noqa: N802 - likewise
    """Return the quotient of two expressions rounded down, as ``//`` does.

    Raises
    ------
    SymbolError
        The divisor may be 0.
    """
    return as_node(left) // right


def bounds(expression: IntOrExpr) -> Range:
    """Return a lower and an upper bound of an expression for all values of its variables; they may not be tight.

    >>> from mdview.symbolic.symbolic_variables import bounds, var
    >>> bounds(3 * var("n", 1, 8) - 1)
    (2, 23)

    Raises
    ------
    SymbolError
        A part of the expression may have no value: for example, a branch of a `Select` may divide by 0.
    """
    node = as_node(expression)
    try:
        return ranging(limits, None)(node)
    except RangeError as error:
        raise SymbolError(f"{node} has no bounds: {error}") from None


def limits(leaf: Node) -> Range:
    """Return the bounds of a variable; raise `RangeError` for another leaf."""
    if isinstance(leaf, Var):
        return leaf.min, leaf.max
    raise RangeError(f"{leaf} is no variable with bounds")


def variables(*expressions: Node) -> tuple[Var, ...]:
    """Return the variables of expressions, each once, in order of appearance; refuse symbols that are not a `Var`."""
    leaves = dict.fromkeys([leaf for expression in expressions for leaf in expression.vars])
    for leaf in leaves:
        if not isinstance(leaf, Var):
            refuse("a symbol", "a variable made by var", leaf, f"{leaf} has no bounds")
    return tuple([leaf for leaf in leaves if isinstance(leaf, Var)])


def checked_values(values: Mapping[Var, int]) -> dict[Var, int]:
    """Return ``values`` of variables as ints; raise `SymbolError` if a value is outside the bounds."""
    bindings = as_values(values)
    return {v: v.checked(bindings[v]) for v in variables(*bindings)}


def simplified(expression: IntOrExpr) -> Expr:
    """Return an equal expression in normal form, which is a sum of products.

    >>> from mdview.symbolic import bounds, var
    >>> n = var("n", 1, 8)
    >>> bounds(simplified(n + (n - 1) * 3 - 4 * n))
    (-3, -3)
    """
    form = NormalForm(limits)
    return form.expression(form(as_node(expression)))


def settled(name: str, left: IntOrExpr, right: IntOrExpr) -> bool | None:
    """Return the outcome of a comparison if it is the same for all values of the variables; None if undecided.

    ``name`` is the name of the comparison, such as ``"lt"``. The difference of both sides is analysed in two forms: as
    it is written, and in normal form.

    >>> from mdview.symbolic.symbolic_variables import settled, var
    >>> n = var("n", 1, 8)
    >>> settled("lt", n, 9), settled("lt", n, n + 1), settled("lt", n, 8), settled("eq", 2 * n, 5)
    (True, True, None, False)
    """
    if as_node(left) == as_node(right):
        return bool(FUNCTIONS[name](0, 0))
    gap, form = as_node(left) - right, NormalForm(limits)
    for written in (as_node, lambda gap: form.expression(form(gap))):
        answer = only_value(Op(name, written(gap), 0), ranging(limits, None))
        if answer is not None:
            return bool(answer)
    return name == "ne" if name in {"eq", "ne"} and _never_zero(form(gap)) else None


def equal(left: IntOrExpr, right: IntOrExpr) -> bool | None:
    """Tell whether two expressions are equal.

    The result is True if this holds for all values of the variables, False if it holds for no value, and None if the
    question is not decided.
    """
    return settled("eq", left, right)


def less(left: IntOrExpr, right: IntOrExpr) -> bool | None:
    """Tell whether ``left < right``.

    The result is True if this holds for all values of the variables, False if it holds for no value, and None if the
    question is not decided.
    """
    return settled("lt", left, right)


def divides(divisor: IntOrExpr, number: IntOrExpr) -> bool | None:
    """Tell whether ``divisor`` divides ``number``.

    The result is True if this holds for all values of the variables, False if it holds for no value, and None if the
    question is not decided.
    """
    if quotient(number, divisor) is not None:
        return True
    step = simplified(divisor)
    is_refuted = (
        isinstance(step, Const) and step.number and _never_zero(NormalForm(limits)(as_node(number)), step.number)
    )
    return False if is_refuted else None


def quotient(number: IntOrExpr, divisor: IntOrExpr) -> Expr | None:
    """Return the polynomial ``q`` over the integers for which ``q * divisor == number``; None if none exists."""
    form = NormalForm(limits)
    above, below = form(as_node(number)), form(as_node(divisor))
    ratio = form.divided(above, below) if below else None
    return None if ratio is None else form.expression(ratio)


def _never_zero(polynomial: Polynomial, step: int = 0) -> bool:
    """Tell whether a polynomial is proved not to be a multiple of ``step`` for any values of its variables.

    The proof is that the constant term is not a multiple of the greatest common divisor of ``step`` and all other
    coefficients. The only multiple of 0 is 0.
    """
    divisor = gcd(step, *[times for product, times in polynomial.items() if product])
    return polynomial.get((), 0) % divisor != 0 if divisor else () in polynomial


def to_c(expression: IntOrExpr) -> str:
    """Return an expression as C code of type ``int64_t``, like that of `mdview.Mapping.to_c`.

    Each variable becomes a C variable with the same name, whose value must lie within the bounds.

    >>> from mdview.symbolic import SymbolicMapping, to_c, var
    >>> m, n, i, j = var("m", 1, 1000), var("n", 1, 1000), var("i", 0, 999), var("j", 0, 999)
    >>> print(to_c(SymbolicMapping((m, n)).offset(i, j)))
    (((int64_t)i * (int64_t)n) + (int64_t)j)

    Raises
    ------
    SourceError
        The name of a variable is not a C identifier or occurs twice, the bounds do not keep each intermediate result
        within 64 bits, or the code would be too long.
    """
    root = as_node(expression)
    symbols = variables(root)
    c_codegen.as_names(len(symbols), tuple([symbol.name for symbol in symbols]))
    form = c_codegen.first_in_64_bits(root, (lambda: rewritten(root, limits), lambda: root), limits)
    return c_codegen.expression(form, _leaf)


def _leaf(node: Node) -> str:
    return f"(int64_t){node.name}" if isinstance(node, Var) else str(node)
