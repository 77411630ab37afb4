"""The normal form of an expression is a polynomial over the integers, kept by sympy, which is loaded on use.

Sums, products and negatives become those of polynomials. A remainder is its number less multiples of the divisor, a
shift by a known number of bits a product or a quotient. What is left (variables, quotients rounded down, bits,
selections) are the indeterminates of the polynomial: equal ones are one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, final

from mdview.errors import MissingExtraError
from mdview.expressions.nodes import Const, Node, Op, Select, fold
from mdview.expressions.ranges import LeafRange, Range, RangeError, ranging

Polynomial: TypeAlias = Any
"""A polynomial of sympy, which has no types."""

_SUMS: Final[dict[str, Callable[..., Polynomial]]] = {
    "add": lambda left, right: left + right,
    "sub": lambda left, right: left - right,
    "mul": lambda left, right: left * right,
    "neg": lambda operand: -operand,
}

_SHIFTS: Final = {"lshift": "mul", "rshift": "floordiv"}
_MOST_SHIFTED: Final = 63
"""By how many bits a shift is at most that is read as a product or a quotient."""


@final
class SympyForm:
    """Normal forms of expressions whose variables have the ranges that ``leaf`` tells."""

    __slots__ = ("atoms", "range", "symbols", "sympy")

    def __init__(self, leaf: LeafRange) -> None:
        """Load sympy.

        Raises
        ------
        MissingExtraError
            It is not installed.
        """
        try:
            import sympy  # noqa: PLC0415 - an optional partner, and slow to load
        except ImportError:
            raise MissingExtraError(
                "proofs about symbolic extents need sympy: pip install 'mdview-layouts[symbolic]'"
            ) from None
        self.sympy: Any = sympy  # Any: sympy has no types
        self.range: Callable[[Node], Range] = ranging(leaf, None)
        self.symbols: dict[Node, Any] = {}
        self.atoms: dict[Any, Node] = {}

    def polynomial(self, root: Node) -> Polynomial:
        """Polynomial of an expression, expanded."""
        return fold(root, self._part)

    def expression(self, polynomial: Polynomial) -> Node:
        """Return the expression of a polynomial: a sum of products."""
        total: Node | None = None
        for term in polynomial.expand().as_ordered_terms():
            product = self._product(term)
            total = product if total is None else Op("add", total, product)
        return Const(0) if total is None else total

    def _part(self, node: Node, operands: list[Polynomial]) -> Polynomial:
        """Polynomial of a part from those of its operands."""
        span = self._span(node)
        if span is not None and span[0] == span[1]:
            return self.sympy.Integer(span[0])
        if isinstance(node, Select) and operands[0].is_Integer:
            return operands[1] if operands[0] else operands[2]
        name, operands = self._plain(node, operands)
        if name in _SUMS:
            return _SUMS[name](*operands).expand()
        if name == "floordiv":
            return self._quotient(node, *operands)
        if name == "mod":
            return (operands[0] - operands[1] * self._quotient(node, *operands)).expand()
        return self._atom(node, operands)

    def _plain(self, node: Node, operands: list[Polynomial]) -> tuple[str, list[Polynomial]]:
        """Name and operands of the same part as a product, a quotient or a remainder, where it is one."""
        if not isinstance(node, Op):
            return "", operands
        last = operands[-1]
        number = int(last) if last.is_Integer else -1
        if node.name in _SHIFTS and 0 <= number <= _MOST_SHIFTED:
            return _SHIFTS[node.name], [operands[0], self.sympy.Integer(1 << number)]
        if node.name == "and" and number >= 0 and number & (number + 1) == 0:
            return "mod", [operands[0], self.sympy.Integer(number + 1)]
        return node.name, operands

    def _quotient(self, node: Node, above: Polynomial, below: Polynomial) -> Polynomial:
        """Quotient rounded down: multiples of a known divisor come out of it; what remains is one indeterminate."""
        if below.is_Integer and below != 0:
            out = [term for term in above.as_ordered_terms() if term.as_coeff_Mul()[0] % below == 0]
            rest = Op("floordiv", self.expression(above - sum(out)), int(below))
            return (sum(out) / below + self._indeterminate(rest)).expand()
        quotient = Op("floordiv", self.expression(above), self.expression(below))
        if self._span(quotient) is None:  # the normal form of the divisor may not show that it is never 0
            quotient = Op("floordiv", quotient.operands[0], node.operands[1])
        return self._indeterminate(quotient)

    def _atom(self, node: Node, operands: list[Polynomial]) -> Polynomial:
        return self._indeterminate(node.over([self.expression(operand) for operand in operands]))

    def _indeterminate(self, atom: Node) -> Polynomial:
        """Symbol that stands for a part, or its number if it can only be one."""
        span = self._span(atom)
        if span is not None and span[0] == span[1]:
            return self.sympy.Integer(span[0])
        if atom not in self.symbols:
            symbol = self.sympy.Symbol(f"x{len(self.symbols)}", integer=True)
            self.symbols[atom] = symbol
            self.atoms[symbol] = atom
        return self.symbols[atom]

    def _span(self, node: Node) -> Range | None:
        """Lowest and highest number of an expression; None where some part may not be a number."""
        try:
            return self.range(node)
        except RangeError:
            return None

    def _product(self, term: Polynomial) -> Node:
        coefficient, rest = term.as_coeff_Mul()
        factors = [
            self.atoms[base] for base, power in rest.as_powers_dict().items() for _ in range(int(power)) if base != 1
        ]
        if coefficient != 1 or not factors:
            factors.insert(0, Const(int(coefficient)))
        product, *others = factors
        for factor in others:
            product = Op("mul", product, factor)
        return product
