"""Constant folding, and the normal form of an expression: a polynomial over the integers, a sum of products of atoms.

An operator on constants becomes its result, an operator without effect its operand: ``x + 0`` and ``x * 1`` are ``x``,
``x * 0`` and ``x % 1`` are 0, and ``x + (0 - y)`` is ``x - y``.

Sums, products and negatives become those of polynomials. A remainder is its number less multiples of the divisor, a
shift by a known number of bits a product or a quotient, and a mask picks bits by quotients and remainders. Out of a
quotient comes what the divisor divides, and it is a sum where what is left over stays within one period of the divisor.
Whatever else there is (leaves, quotients rounded down, bits, selections) is an atom: equal ones are one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from itertools import product
from typing import Final, TypeAlias, final

from mdview.expressions.expression_tree import Analysis, Const, Node, Op, Select
from mdview.expressions.operators import FUNCTIONS, NEGATIVE
from mdview.expressions.range_analysis import MOST_SHIFTED, LeafRange, Range, RangeError, ranging

# Numbers that change nothing (the result is the other operand) or everything (the result is 0), by side.
_RIGHT_NEUTRAL: Final = {**dict.fromkeys(("add", "sub", "or", "xor", "lshift", "rshift"), 0), "mul": 1, "floordiv": 1}
_LEFT_NEUTRAL: Final = {"add": 0, "or": 0, "xor": 0, "mul": 1}
_RIGHT_ZERO: Final = {"mul": 0, "and": 0, "mod": 1}
_LEFT_ZERO: Final = {"mul": 0, "and": 0}

SHIFT_LIMIT: Final = 1 << 10
"""By how many bits a number is shifted at once: a larger result would take much memory."""


def folded(name: str, left: Node, right: Node) -> Node:
    """Fold an operator over two operands; one that raises on numbers (a division by 0) is not folded."""
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


def combined(node: Node, operands: list[Node]) -> Node:
    """Return the part ``node`` over other operands, folded. Arithmetic over a choice is a choice between arithmetic."""
    if isinstance(node, Op):
        return over_alternatives(node.name, operands)
    if isinstance(node, Select) and isinstance(operands[0], Const):
        return operands[1] if operands[0].number else operands[2]
    return node.over(operands)


def over_alternatives(name: str, operands: list[Node]) -> Node:
    """Operator over operands that may select: it moves into the arithmetic that is selected from."""
    for k, operand in enumerate(operands):
        if isinstance(operand, Select):
            yes, no = ([*operands[:k], way, *operands[k + 1 :]] for way in (operand.yes, operand.no))
            return Select(operand.test, over_alternatives(name, yes), over_alternatives(name, no))
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
"""Numbers of the atoms in a product, in ascending order; none in the constant term."""

Polynomial: TypeAlias = "dict[Monomial, int]"
"""How many times each product is added; never 0 times."""

MOST_TERMS: Final = 64
"""How many terms a polynomial may have, and factors a term; a larger one is an atom, since sums are copied."""

_BITWISE: Final = frozenset({"and", "or", "xor"})


@final
class NormalForm(Analysis[Polynomial]):
    """Normal forms of expressions whose leaves lie within ranges; without these, of sums and products alone."""

    def __init__(self, leaf: LeafRange | None = None) -> None:
        """Begin with no atoms."""
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
        """Return a sum or difference with equal terms as one, and anything else as it is."""
        if not isinstance(node, Op) or node.name not in {"add", "sub"}:
            return node
        found, parts = self(node), [self(operand) for operand in node.operands]
        return node if len(found) == sum(map(len, parts)) else self.expression(found)

    def divided(self, above: Polynomial, below: Polynomial) -> Polynomial | None:
        """Return the polynomial that times ``below``, which is not 0, is ``above``; None where there is none."""
        found: Polynomial = {}
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
            found[tuple(factors)] = times
            above = _added(above, self._times(below, {tuple(factors): times}), -1)
        return found

    def visit(self, node: Node, operands: list[Polynomial]) -> Polynomial:
        """Polynomial of a part from those of its operands."""
        if isinstance(node, Const):
            return {(): node.number} if node.number else {}
        found = self._operator(node, operands) if isinstance(node, Op) else None
        if found is not None and len(found) <= MOST_TERMS and max(map(len, found), default=0) <= MOST_TERMS:
            return found
        if self.range is None or not operands:
            return self._atom(node)
        if isinstance(node, Select) and (test := _constant(operands[0])) is not None:
            return operands[1 if test else 2]
        return self._atom(node.over([self.expression(operand) for operand in operands]))

    def _operator(self, node: Op, operands: list[Polynomial]) -> Polynomial | None:
        """Polynomial of an operator, or None where it is an atom."""
        name, left, right = node.name, operands[0], operands[-1]
        if name == NEGATIVE:
            return _scaled(left, -1)
        if name in {"add", "sub"}:
            return _added(left, right, 1 if name == "add" else -1)
        if name == "mul":
            return self._times(left, right)
        return None if self.range is None else self._division(node, left, right)

    def _division(self, node: Op, left: Polynomial, right: Polynomial) -> Polynomial | None:
        """Polynomial of a quotient, a remainder, or a shift or bits by a number."""
        name = node.name
        if name in {"floordiv", "mod"}:
            if not right:
                return None  # it divides by 0
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
        """Product of two polynomials."""
        for one, other in ((left, right), (right, left)):
            if (number := _constant(one)) is not None:
                return _scaled(other, number)
        found: Polynomial = {}
        for (mine, n), (its, m) in product(left.items(), right.items()):
            key = self._product(mine, its)
            found[key] = found.get(key, 0) + n * m
        return {key: n for key, n in found.items() if n}

    def _product(self, left: Monomial, right: Monomial) -> Monomial:
        """Product of two products; what is 0 or 1 is its own square."""
        factors = sorted((*left, *right))
        return tuple([n for k, n in enumerate(factors) if n not in factors[:k] or self._span(self.atoms[n]) != (0, 1)])

    def _quotient(self, node: Op, above: Polynomial, below: Polynomial) -> Polynomial:
        """Quotient rounded down of the operands of a division."""
        divisor = _constant(below)
        if divisor:
            return self._floor(_scaled(above, -1 if divisor < 0 else 1), abs(divisor))
        quotient = Op("floordiv", self.expression(above), self.expression(below))
        if self._span(quotient) is None:  # the normal form of the divisor may not show that it is never 0
            quotient = Op("floordiv", quotient.operands[0], node.operands[1])
        return self._atom(quotient)

    def _floor(self, whole: Polynomial, divisor: int) -> Polynomial:
        """Quotient of a polynomial and a positive number: what the divisor divides comes out of it.

        What is left over is a sum or an atom; a quotient in it is divided by both divisors at once. This ends: the next
        such quotient was made before the last one, since all other terms now are multiples of the last one's divisor.
        """
        total: Polynomial = {}
        while True:
            total = _added(total, {key: n // divisor for key, n in whole.items() if n // divisor}, 1)
            rest = {key: n % divisor for key, n in whole.items() if n % divisor}
            found = self._within_period(rest, divisor)
            if found is not None:
                return _added(total, found, 1)
            inner = [key for key, n in rest.items() if n == 1 and key in self.quotients]
            if len(inner) != 1:
                return _added(total, self._undivided(rest, divisor), 1)
            above, by = self.quotients[inner[0]]
            others = {key: n for key, n in rest.items() if key != inner[0]}
            whole, divisor = _added(_scaled(others, by), above, 1), by * divisor

    def _within_period(self, rest: Polynomial, divisor: int) -> Polynomial | None:
        """Quotient of what the divisor does not divide, if its terms' quotients leave less than the divisor over."""
        start = rest.get((), 0)
        steps = {key: (start + n) // divisor - start // divisor for key, n in rest.items() if key}
        found = _added({key: n for key, n in steps.items() if n}, {(): start // divisor} if start // divisor else {}, 1)
        span = self._sum_span(_added(rest, _scaled(found, divisor), -1))
        return found if span is not None and span[0] >= 0 and span[1] < divisor else None

    def _undivided(self, rest: Polynomial, divisor: int) -> Polynomial:
        """Quotient as an atom; a new one is noted, with its parts, all of which were made before it."""
        number = len(self.atoms)
        made = self._atom(Op("floordiv", self.expression(rest), divisor))
        if len(self.atoms) > number:
            self.quotients[number,] = rest, divisor
        return made

    def _joined(self, name: str, left: Polynomial, number: int) -> Polynomial:
        """Polynomial of an operator on bits, of which one operand is a number: of the bits that both have, and both."""
        both = self._masked(left, number) if number >= 0 else _added(left, self._masked(left, ~number), -1)
        if name == "and":
            return both
        return _added(_added(left, {(): number}, 1), _scaled(both, 2 if name == "xor" else 1), -1)

    def _masked(self, whole: Polynomial, mask: int) -> Polynomial:
        """Polynomial of the bits of ``whole`` that ``mask`` has: of each run of them, a quotient's remainder."""
        found: Polynomial = {}
        low = 0
        while mask >> low:
            width = (~(mask >> low) & ((mask >> low) + 1)).bit_length() - 1
            if width:
                bits = self._floor(whole, 1 << low)
                rest = _added(bits, _scaled(self._floor(bits, 1 << width), 1 << width), -1)
                found = _added(found, _scaled(rest, 1 << low), 1)
            low += width or 1
        return found

    def _atom(self, node: Node) -> Polynomial:
        """Polynomial of an atom, or its number if it can only be one."""
        number = self._number(node)
        if number is not None:
            return {(): number} if number else {}
        if node not in self.numbers:
            self.numbers[node] = len(self.atoms)
            self.atoms.append(node)
        return {(self.numbers[node],): 1}

    def _sum_span(self, polynomial: Polynomial) -> Range | None:
        """Lowest and highest number of a polynomial, as `_span` has it of the expression, which is not made."""
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

    def _number(self, node: Node) -> int | None:
        """Return the one number that an expression may be, or None."""
        span = self._span(node)
        return span[0] if span is not None and span[0] == span[1] else None

    def _span(self, node: Node) -> Range | None:
        """Lowest and highest number of an expression; None where some part may not be a number."""
        try:
            return None if self.range is None else self.range(node)
        except RangeError:
            return None


def _multiple(product: Node, times: int) -> Node:
    """Return a product taken ``times`` times, without a sign; the constant term has one."""
    if type(product) is Const:
        return Const(times)
    return product if abs(times) == 1 else folded("mul", product, Const(abs(times)))


def _degree(monomial: Monomial) -> tuple[int, Monomial]:
    """Key of an order of products that multiplying by another one keeps."""
    return len(monomial), monomial


def _constant(polynomial: Polynomial) -> int | None:
    """Return the number that a polynomial is, or None."""
    return polynomial.get((), 0) if polynomial.keys() <= {()} else None


def _scaled(polynomial: Polynomial, number: int) -> Polynomial:
    return {key: n * number for key, n in polynomial.items()} if number else {}


def _added(left: Polynomial, right: Polynomial, sign: int) -> Polynomial:
    """Sum of two polynomials, or their difference."""
    found = dict(left)
    for key, n in right.items():
        total = found.pop(key, 0) + sign * n
        if total:
            found[key] = total
    return found
