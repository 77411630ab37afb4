"""Sums: an expression as multiples of terms that are no sums themselves, in which equal terms are one.

So ``i - (i - j)`` is seen to be ``j``, whatever the indices are.
"""

from __future__ import annotations

from typing import Final, TypeAlias, final

from mdview.expressions.trace import Numbering, Operand, Symbol, applied

Terms: TypeAlias = "dict[int, tuple[Operand, int]]"
"""Terms, each with how many times it is added, by its number."""

_ONE: Final = -1
"""Number of the term 1."""


@final
class Sums:
    """Sums of expressions that share terms."""

    def __init__(self) -> None:
        """Begin with none."""
        self.known: dict[int, tuple[Operand, Terms]] = {}  # the operand is held, so that no other gets its id
        self.numbering = Numbering()

    def collected(self, node: Operand) -> Operand:
        """Return a sum or difference with equal terms as one, and anything else as it is."""
        if isinstance(node, int) or node.name not in {"add", "sub"}:
            return node
        terms = self.terms(node)
        if len(terms) == len(self.terms(node.left)) + len(self.terms(node.right)):
            return node
        total: Operand = 0
        for key, (term, times) in terms.items():
            if key != _ONE:
                total = applied("add" if times > 0 else "sub", total, applied("mul", term, abs(times)))
        constant = terms[_ONE][1] if _ONE in terms else 0
        total = constant if isinstance(total, int) else applied("add", total, constant)
        self.known[id(total)] = total, terms
        return total

    def terms(self, node: Operand) -> Terms:
        """Terms of an expression; none of them is taken 0 times."""
        if isinstance(node, int):
            return {_ONE: (1, node)} if node else {}
        if id(node) not in self.known:
            self.known[id(node)] = node, self._found(node)
        return self.known[id(node)][1]

    def _found(self, node: Symbol) -> Terms:
        if node.name in {"add", "sub"}:
            return _added(self.terms(node.left), self.terms(node.right), 1 if node.name == "add" else -1)
        for times, other in ((node.left, node.right), (node.right, node.left)):
            if node.name == "mul" and isinstance(times, int):
                return {key: (term, n * times) for key, (term, n) in self.terms(other).items()}
        return {self.numbering.of(node): (node, 1)}


def _added(left: Terms, right: Terms, sign: int) -> Terms:
    """Sum of two sums, or their difference."""
    found = dict(left)
    for key, (term, times) in right.items():
        total = found.pop(key, (term, 0))[1] + sign * times
        if total:
            found[key] = term, total
    return found
