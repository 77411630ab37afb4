"""Constant folding, and the normal form of an expression: a polynomial, as a sum of products of atoms, and its bounds.

Constant folding replaces an operator on constants by its result, and an operator without effect by its operand:
``x + 0`` and ``x * 1`` are ``x``,
``x * 0`` and ``x % 1`` are 0, and ``x + (0 - y)`` is ``x - y``.

Sums, products and negatives become sums, products and negatives of polynomials. A remainder is the number minus a
multiple of the divisor, a shift by a known number of bits is a product or a quotient, and a mask with a known number is
a sum of quotients and remainders. Terms that the divisor divides are taken out of a quotient, which becomes a sum if
the remaining terms stay within one period of the divisor. All other nodes (leaves, quotients rounded down, bits,
selections) are atoms; equal atoms are one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial, reduce
from itertools import product
from typing import Final, TypeAlias, cast, final

from mdview.expressions.expression_tree import Const, Node, Op, Select
from mdview.expressions.operators import FUNCTIONS, NEGATIVE
from mdview.expressions.range_analysis import MOST_SHIFTED, Analysis, LeafRange, Range, RangeError, only_value, ranging

# Neutral operands (the result is the other operand) and absorbing ones (the result is 0), by side.
_RIGHT_NEUTRAL: Final = {**dict.fromkeys(("add", "sub", "or", "xor", "lshift", "rshift"), 0), "mul": 1, "floordiv": 1}
_LEFT_NEUTRAL: Final = {"add": 0, "or": 0, "xor": 0, "mul": 1}
_RIGHT_ZERO: Final = {"mul": 0, "and": 0, "mod": 1}
_LEFT_ZERO: Final = {"mul": 0, "and": 0}

SHIFT_LIMIT: Final = 1 << 10
"""The most bits of a shift that is folded: a larger result would take much memory."""


def folded(name: str, left: Node, right: Node) -> Node:
    """Return an operator over two operands, folded; a division by 0 or an invalid shift is not folded."""
    if type(left) is Const and type(right) is Const:
        return _computed(name, left, right)
    for number, other, neutral, zero in (
        (right, left, _RIGHT_NEUTRAL, _RIGHT_ZERO),
        (left, right, _LEFT_NEUTRAL, _LEFT_ZERO),
    ):
        if type(number) is Const and number.number == neutral.get(name):
            return other
        if type(number) is Const and number.number == zero.get(name):
            return Const(0)
    if name == "add" and type(right) is Op and right.label == "sub" and right.operands[0] == Const(0):
        return Op("sub", left, right.operands[1])
    return Op(name, left, right)


def total(parts: Iterable[Node]) -> Node:
    """Return the sum of expressions, folded."""
    return reduce(partial(folded, "add"), parts, cast("Node", Const(0)))


def combined(node: Node, operands: list[Node]) -> Node:
    """Return ``node`` over other operands, folded; an operator over a choice becomes a choice between operators."""
    if isinstance(node, Op):
        return over_alternatives(node.name, operands)
    if isinstance(node, Select) and isinstance(operands[0], Const):
        return operands[1] if operands[0].number else operands[2]
    return node.over(operands)


def over_alternatives(name: str, operands: list[Node]) -> Node:
    """Return an operator over operands, folded; it moves into the alternatives of operands that are choices."""
    for k, operand in enumerate(operands):
        if isinstance(operand, Select):
            test, *ways = operand.operands
            yes, no = ([*operands[:k], way, *operands[k + 1 :]] for way in ways)
            return Select(test, over_alternatives(name, yes), over_alternatives(name, no))
    if name == NEGATIVE:
        return folded("sub", Const(0), operands[0])
    return folded(name, *operands)


def _computed(name: str, left: Const, right: Const) -> Node:
    if name in {"lshift", "rshift"} and not 0 <= right.number <= SHIFT_LIMIT:
        return Op(name, left, right)
    if name in {"floordiv", "mod"} and right.number == 0:
        return Op(name, left, right)
    return Const(int(FUNCTIONS[name](left.number, right.number)))


Monomial: TypeAlias = tuple[int, ...]
"""Numbers of the atoms of a product, in ascending order; empty for the constant term."""

Polynomial: TypeAlias = "dict[Monomial, int]"
"""The coefficient of each product of atoms; no coefficient is 0."""

MOST_TERMS: Final = 64
"""The most terms of a polynomial, and the most factors of a term; a larger polynomial becomes an atom."""

_BITWISE: Final = frozenset({"and", "or", "xor"})


@final
class NormalForm(Analysis[Polynomial]):
    """Normal forms of expressions whose leaves lie within ranges.

    Without ranges only sums, products and negatives are expanded; all other operators are atoms.
    """

    def __init__(self, leaf: LeafRange | None = None) -> None:
        """Begin without atoms."""
        super().__init__()
        self.range: Callable[[Node], Range] | None = None if leaf is None else ranging(leaf, None)
        self.atoms: list[Node] = []
        self.numbers: dict[Node, int] = {}
        self.quotients: dict[Monomial, tuple[Polynomial, int]] = {}

    def expression(self, polynomial: Polynomial) -> Node:
        """Return the expression of a polynomial: a sum of products, the constant last."""
        total: Node = Const(0)
        for monomial, times in sorted(polynomial.items(), key=lambda term: not term[0]):
            product = reduce(partial(folded, "mul"), [self.atoms[number] for number in monomial] or [Const(1)])
            total = folded("add" if times > 0 or not monomial else "sub", total, _multiple(product, times))
        return total

    def collected(self, node: Node) -> Node:
        """Return a sum or difference with equal terms merged, and any other node unchanged."""
        if not isinstance(node, Op) or node.name not in {"add", "sub"}:
            return node
        total, parts = self(node), [self(operand) for operand in node.operands]
        return node if len(total) == sum(map(len, parts)) else self.expression(total)

    def divided(self, above: Polynomial, below: Polynomial) -> Polynomial | None:
        """Return the exact quotient of ``above`` by ``below``, which is not 0; None if the division is not exact."""
        quotient: Polynomial = {}
        first = max(below, key=_degree)
        while above:
            top = max(above, key=_degree)
            times, rest = divmod(above[top], below[first])
            factors = list(top)
            for number in first:
                if number not in factors:
                    return None
                factors.remove(number)
            if rest:
                return None
            quotient[tuple(factors)] = times
            above = _added(above, self._times(below, {tuple(factors): times}), -1)
        return quotient

    def visit(self, node: Node, operands: list[Polynomial]) -> Polynomial:
        """Return the polynomial of a part from the polynomials of its operands."""
        if isinstance(node, Const):
            return {(): node.number} if node.number else {}
        polynomial = self._operator(node, operands) if isinstance(node, Op) else None
        if polynomial is not None and max([len(polynomial), *map(len, polynomial)]) <= MOST_TERMS:
            return polynomial
        if self.range is None or not operands:
            return self._atom(node)
        if isinstance(node, Select) and (test := _constant(operands[0])) is not None:
            return operands[1 if test else 2]
        return self._atom(node.over([self.expression(operand) for operand in operands]))

    def _operator(self, node: Op, operands: list[Polynomial]) -> Polynomial | None:
        """Return the polynomial of an operator, or None if the operator is an atom."""
        name, left, right = node.name, operands[0], operands[-1]
        if name == NEGATIVE:
            return _scaled(left, -1)
        if name in {"add", "sub"}:
            return _added(left, right, 1 if name == "add" else -1)
        if name == "mul":
            return self._times(left, right)
        return None if self.range is None else self._division(node, left, right)

    def _division(self, node: Op, left: Polynomial, right: Polynomial) -> Polynomial | None:
        """Return the polynomial of a quotient, a remainder, or a shift or mask by a known number; None for an atom."""
        name = node.name
        if name in {"floordiv", "mod"}:
            if not right:
                return None  # a division by 0
            quotient = self._quotient(node, left, right)
            return quotient if name == "floordiv" else _added(left, self._times(right, quotient), -1)
        if name in _BITWISE and _constant(left) is not None:
            left, right = right, left
        number = _constant(right)
        if number is not None and name in _BITWISE:
            return self._joined(name, left, number)
        if number is None or not 0 <= number <= MOST_SHIFTED:
            return None
        if name == "lshift":
            return _scaled(left, 1 << number)
        return self._floor(left, 1 << number) if name == "rshift" else None

    def _times(self, left: Polynomial, right: Polynomial) -> Polynomial:
        """Return the product of two polynomials."""
        for one, other in ((left, right), (right, left)):
            if (number := _constant(one)) is not None:
                return _scaled(other, number)
        result: Polynomial = {}
        for (mine, n), (its, m) in product(left.items(), right.items()):
            key = self._product(mine, its)
            result[key] = result.get(key, 0) + n * m
        return {key: n for key, n in result.items() if n}

    def _product(self, left: Monomial, right: Monomial) -> Monomial:
        """Return the product of two monomials; an atom that is 0 or 1 is its own square."""
        factors = sorted((*left, *right))
        return tuple([n for k, n in enumerate(factors) if n not in factors[:k] or self._span(self.atoms[n]) != (0, 1)])

    def _quotient(self, node: Op, above: Polynomial, below: Polynomial) -> Polynomial:
        """Return the polynomial of a quotient rounded down."""
        divisor = _constant(below)
        if divisor:
            return self._floor(_scaled(above, -1 if divisor < 0 else 1), abs(divisor))
        quotient = Op("floordiv", self.expression(above), self.expression(below))
        if self._span(quotient) is None:  # the normal form of the divisor may not show that it is never 0
            quotient = Op("floordiv", quotient.operands[0], node.operands[1])
        return self._atom(quotient)

    def _floor(self, whole: Polynomial, divisor: int) -> Polynomial:
        """Return the quotient of a polynomial by a positive number, rounded down.

        Multiples of the divisor are taken out. The quotient of the rest is a sum or an atom; if the rest has one inner
        quotient of coefficient 1, its dividend is divided by the product of both divisors. The loop ends: each inner
        quotient is an older atom than the previous inner quotient, since all other terms are multiples of the last
        divisor.
        """
        total: Polynomial = {}
        while True:
            total = _added(total, {key: n // divisor for key, n in whole.items() if n // divisor}, 1)
            rest = {key: n % divisor for key, n in whole.items() if n % divisor}
            quotient = self._within_period(rest, divisor)
            if quotient is not None:
                return _added(total, quotient, 1)
            inner = [key for key, n in rest.items() if n == 1 and key in self.quotients]
            if len(inner) != 1:
                return _added(total, self._undivided(rest, divisor), 1)
            above, by = self.quotients[inner[0]]
            others = {key: n for key, n in rest.items() if key != inner[0]}
            whole, divisor = _added(_scaled(others, by), above, 1), by * divisor

    def _within_period(self, rest: Polynomial, divisor: int) -> Polynomial | None:
        """Return the quotient of a rest as a sum over its terms; None if a remainder may leave one period."""
        start = rest.get((), 0)
        steps = {key: (start + n) // divisor - start // divisor for key, n in rest.items() if key}
        quotient = _added(
            {key: n for key, n in steps.items() if n}, {(): start // divisor} if start // divisor else {}, 1
        )
        span = self._sum_span(_added(rest, _scaled(quotient, divisor), -1))
        return quotient if span is not None and span[0] >= 0 and span[1] < divisor else None

    def _undivided(self, rest: Polynomial, divisor: int) -> Polynomial:
        """Return a quotient as an atom; a new atom is recorded with its operands, whose atoms are all older."""
        number = len(self.atoms)
        atom = self._atom(Op("floordiv", self.expression(rest), divisor))
        if len(self.atoms) > number:
            self.quotients[number,] = rest, divisor
        return atom

    def _joined(self, name: str, left: Polynomial, number: int) -> Polynomial:
        """Return the polynomial of a bitwise operator with a number, as in ``x | n == x + n - (x & n)``."""
        both = self._masked(left, number) if number >= 0 else _added(left, self._masked(left, ~number), -1)
        if name == "and":
            return both
        return _added(_added(left, {(): number}, 1), _scaled(both, 2 if name == "xor" else 1), -1)

    def _masked(self, whole: Polynomial, mask: int) -> Polynomial:
        """Return the polynomial of ``whole & mask``: for each run of bits of the mask, a remainder of a quotient."""
        total: Polynomial = {}
        low = 0
        while mask >> low:
            width = (~(mask >> low) & ((mask >> low) + 1)).bit_length() - 1
            if width:
                bits = self._floor(whole, 1 << low)
                rest = _added(bits, _scaled(self._floor(bits, 1 << width), 1 << width), -1)
                total = _added(total, _scaled(rest, 1 << low), 1)
            low += width or 1
        return total

    def _atom(self, node: Node) -> Polynomial:
        """Return the polynomial of a node as an atom, or as a constant if its range is a single number."""
        number = None if self.range is None else only_value(node, self.range)
        if number is not None:
            return {(): number} if number else {}
        if node not in self.numbers:
            self.numbers[node] = len(self.atoms)
            self.atoms.append(node)
        return {(self.numbers[node],): 1}

    def _sum_span(self, polynomial: Polynomial) -> Range | None:
        """Return a lower and an upper bound of a polynomial; None if a part may be undefined."""
        low = high = 0
        for monomial, times in polynomial.items():
            ends = [times]
            for number in monomial:
                span = self._span(self.atoms[number])
                if span is None:
                    return None
                corners = [end * factor for end in ends for factor in span]
                ends = [min(corners), max(corners)]
            low, high = low + ends[0], high + ends[-1]
        return low, high

    def _span(self, node: Node) -> Range | None:
        """Return a lower and an upper bound of an expression; None without ranges, or if a part may be undefined."""
        try:
            return None if self.range is None else self.range(node)
        except RangeError:
            return None


def _multiple(product: Node, times: int) -> Node:
    """Return a product times the absolute value of its coefficient; the constant term keeps its sign."""
    if type(product) is Const:
        return Const(times)
    return product if abs(times) == 1 else folded("mul", product, Const(abs(times)))


def _degree(monomial: Monomial) -> tuple[int, Monomial]:
    """Return the sort key of a monomial, by degree first: multiplication by a monomial keeps this order."""
    return len(monomial), monomial


def _constant(polynomial: Polynomial) -> int | None:
    """Return the value of a constant polynomial, else None."""
    return polynomial.get((), 0) if polynomial.keys() <= {()} else None


def _scaled(polynomial: Polynomial, number: int) -> Polynomial:
    return {key: n * number for key, n in polynomial.items()} if number else {}


def _added(left: Polynomial, right: Polynomial, sign: int) -> Polynomial:
    """Return the sum of two polynomials, or their difference if ``sign`` is -1."""
    terms = dict(left)
    for key, n in right.items():
        total = terms.pop(key, 0) + sign * n
        if total:
            terms[key] = total
    return terms
