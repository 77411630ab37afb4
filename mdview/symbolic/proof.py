"""A proof answers a question about expressions for every value of their variables: True, False, or None.

Expressions become polynomials over the integers (`mdview.expressions.normal_form`). Equality of polynomials proves
equality; bounds and divisibility of coefficients refute it. What neither settles is None.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd
from typing import Final

from mdview.expressions.nodes import Const, as_node
from mdview.expressions.normal_form import NormalForm
from mdview.expressions.ranges import Range
from mdview.symbolic.variables import Expr, known_bounds, limits

UNSETTLED: Final = (-1, 1)
"""Bounds that settle nothing about a difference."""


def simplified(expression: int | Expr) -> Expr:
    """Return an equal expression in normal form: a sum of products.

    >>> from mdview.symbolic import bounds, var
    >>> n = var("n", 1, 8)
    >>> bounds(simplified(n + (n - 1) * 3 - 4 * n))
    (-3, -3)
    """
    form = NormalForm(limits)
    return form.expression(form(as_node(expression)))


def equal(left: int | Expr, right: int | Expr) -> bool | None:
    """Tell whether two expressions are equal for all values of their variables (True), for none (False), or None."""
    if as_node(left) == as_node(right):
        return True
    for gap, (low, high) in _gaps(left, right):
        if low == high == 0:
            return True
        if low > 0 or high < 0 or _never_zero(gap):
            return False
    return None


def less(left: int | Expr, right: int | Expr) -> bool | None:
    """Tell whether ``left < right`` for all values of their variables (True), for none (False), or None."""
    for _, (low, high) in _gaps(right, left):
        if low > 0 or high <= 0:
            return low > 0
    return None


def _gaps(left: int | Expr, right: int | Expr) -> Iterator[tuple[Expr, Range]]:
    """Difference of two expressions with its bounds: as it is written, and in normal form."""
    gap = as_node(left) - as_node(right)
    yield gap, known_bounds(gap) or UNSETTLED
    gap = simplified(gap)
    yield gap, known_bounds(gap) or UNSETTLED


def divides(divisor: int | Expr, number: int | Expr) -> bool | None:
    """Tell whether ``number`` is a multiple of ``divisor`` for all values of their variables, for none, or None."""
    if quotient(number, divisor) is not None:
        return True
    step = simplified(as_node(divisor))
    if isinstance(step, Const) and step.number:
        constant, *others = _coefficients(as_node(number))
        return False if constant % gcd(*others, step.number) else None
    return None


def quotient(number: int | Expr, divisor: int | Expr) -> Expr | None:
    """Return the polynomial that times ``divisor`` is ``number``, if there is one with integer coefficients."""
    form = NormalForm(limits)
    above, below = form(as_node(number)), form(as_node(divisor))
    found = form.divided(above, below) if below else None
    return None if found is None else form.expression(found)


def _never_zero(gap: Expr) -> bool:
    """Tell whether the constant term is no multiple of what divides all the others."""
    constant, *others = _coefficients(gap)
    return constant % gcd(*others) != 0 if any(others) else constant != 0


def _coefficients(expression: Expr) -> list[int]:
    """Coefficients of the normal form of an expression, the constant first."""
    found = NormalForm(limits)(expression)
    return [found.get((), 0), *[times for product, times in found.items() if product]]
