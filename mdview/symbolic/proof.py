"""A proof answers a question about expressions for every value of their variables: True, False, or None.

Expressions become polynomials over the integers, with sympy. Equality of polynomials proves equality; bounds and
divisibility of coefficients refute it. What neither settles is None.
"""

from __future__ import annotations

from math import gcd
from typing import Any, final

from mdview.errors import MissingExtraError
from mdview.symbolic.expression import Add, Const, Expr, FloorDiv, Mul, Neg, as_expr, bounds

__all__ = ["divides", "equal", "less", "quotient", "simplified"]


def simplified(expression: int | Expr) -> Expr:
    """Return an equal expression in normal form: a sum of products.

    >>> from mdview.symbolic import var
    >>> n = var("n", 1, 8)
    >>> bounds(simplified(n + (n - 1) * 3 - 4 * n))
    (-3, -3)
    """
    polynomials = _Polynomials()
    return polynomials.expression(polynomials.of(as_expr(expression)))


def equal(left: int | Expr, right: int | Expr) -> bool | None:
    """Tell whether two expressions are equal for all values of their variables (True), for none (False), or None."""
    if as_expr(left) == as_expr(right):
        return True
    gap = simplified(as_expr(left) - as_expr(right))
    low, high = bounds(gap)
    if low == high:
        return low == 0
    return False if low > 0 or high < 0 or _never_zero(gap) else None


def less(left: int | Expr, right: int | Expr) -> bool | None:
    """Tell whether ``left < right`` for all values of their variables (True), for none (False), or None."""
    gap = simplified(as_expr(right) - as_expr(left))
    low, high = bounds(gap)
    if low > 0:
        return True
    return False if high <= 0 else None


def divides(divisor: int | Expr, number: int | Expr) -> bool | None:
    """Tell whether ``number`` is a multiple of ``divisor`` for all values of their variables, for none, or None."""
    if quotient(number, divisor) is not None:
        return True
    step = simplified(as_expr(divisor))
    if isinstance(step, Const) and step.number:
        parts = _coefficients(simplified(as_expr(number)))
        rest, constant = gcd(*parts[1:], step.number), parts[0]
        return False if constant % rest else None
    return None


def quotient(number: int | Expr, divisor: int | Expr) -> Expr | None:
    """Return the polynomial that times ``divisor`` is ``number``, if there is one with integer coefficients."""
    polynomials = _Polynomials()
    above, below = polynomials.of(as_expr(number)), polynomials.of(as_expr(divisor))
    if below == 0:
        return None
    found = polynomials.sympy.cancel(above / below)
    if found.is_polynomial(*found.free_symbols) and all(c.is_integer for c in _sympy_coefficients(found)):
        return polynomials.expression(found)
    return None


def _never_zero(gap: Expr) -> bool:
    """Tell whether the constant term is no multiple of what divides all the others."""
    constant, *others = _coefficients(gap)
    return constant % gcd(*others) != 0


def _coefficients(expression: Expr) -> list[int]:
    """Coefficients of an expression in normal form, the constant first."""
    terms = [_term(term) for term in _terms(expression)]
    return [sum([c for c, atoms in terms if not atoms]), *[c for c, atoms in terms if atoms]]


def _terms(expression: Expr) -> list[Expr]:
    return [*_terms(expression.left), *_terms(expression.right)] if isinstance(expression, Add) else [expression]


def _term(term: Expr) -> tuple[int, tuple[Expr, ...]]:
    """Coefficient and other factors of a product in normal form."""
    if isinstance(term, Const):
        return term.number, ()
    if isinstance(term, Mul):
        (a, left), (b, right) = _term(term.left), _term(term.right)
        return a * b, left + right
    return 1, (term,)


def _sympy_coefficients(polynomial: Any) -> list[Any]:  # Any: sympy has no types
    return [c for c, _ in [term.as_coeff_Mul() for term in polynomial.expand().as_ordered_terms()]]


@final
class _Polynomials:
    """Polynomials of expressions; variables and quotients rounded down are its indeterminates."""

    __slots__ = ("atoms", "symbols", "sympy")

    def __init__(self) -> None:
        """Load sympy.

        Raises
        ------
        MissingExtraError
            It is not installed.
        """
        try:
            import sympy  # noqa: PLC0415 - an optional partner, and slow to load
        except ImportError:
            message = "proofs about symbolic extents need sympy: pip install 'mdview-layouts[symbolic]'"
            raise MissingExtraError(message) from None
        self.sympy: Any = sympy  # Any: sympy has no types
        self.symbols: dict[Expr, Any] = {}
        self.atoms: dict[Any, Expr] = {}

    def of(self, expression: Expr) -> Any:
        """Polynomial of ``expression``, expanded."""
        return self._polynomial(expression).expand()

    def _polynomial(self, expression: Expr) -> Any:
        parts = [self._polynomial(part) for part in expression.parts]
        if isinstance(expression, Add):
            return parts[0] + parts[1]
        if isinstance(expression, Mul):
            return parts[0] * parts[1]
        if isinstance(expression, Neg):
            return -parts[0]
        low, high = bounds(expression)
        if low == high:
            return self.sympy.Integer(low)
        if isinstance(expression, FloorDiv):
            return self._floor(parts[0].expand(), parts[1].expand())
        return self._symbol(expression)

    def _floor(self, above: Any, below: Any) -> Any:
        """Quotient rounded down: multiples of the divisor come out of it; what remains is one indeterminate."""
        if not below.is_Integer:
            return self._symbol(FloorDiv(self.expression(above), self.expression(below)))
        terms = above.as_ordered_terms()
        out = [term for term in terms if term.as_coeff_Mul()[0] % below == 0]
        rest = self.expression(above - sum(out))
        left = FloorDiv(rest, Const(int(below)))
        low, high = bounds(left)
        floor = self.sympy.Integer(low) if low == high else self._symbol(left)
        return sum(out) / below + floor

    def _symbol(self, atom: Expr) -> Any:
        if atom not in self.symbols:
            symbol = self.sympy.Symbol(f"x{len(self.symbols)}", integer=True)
            self.symbols[atom] = symbol
            self.atoms[symbol] = atom
        return self.symbols[atom]

    def expression(self, polynomial: Any) -> Expr:
        """Return the expression of a polynomial: a sum of products."""
        total: Expr | None = None
        for term in polynomial.expand().as_ordered_terms():
            product = self._product(term)
            total = product if total is None else Add(total, product)
        return Const(0) if total is None else total

    def _product(self, term: Any) -> Expr:
        coefficient, rest = term.as_coeff_Mul()
        factors = [
            self.atoms[base] for base, power in rest.as_powers_dict().items() for _ in range(int(power)) if base != 1
        ]
        if not factors:
            return Const(int(coefficient))
        product: Expr | None = None if coefficient == 1 else Const(int(coefficient))
        for factor in factors:
            product = factor if product is None else Mul(product, factor)
        return Const(0) if product is None else product
