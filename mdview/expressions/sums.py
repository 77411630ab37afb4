"""Sums: an expression as multiples of terms that are no sums themselves, in which equal terms are one.

So ``i - (i - j)`` is seen to be ``j``, whatever the indices are.
"""

from __future__ import annotations

from typing import Final, TypeAlias, final

from mdview.expressions.folding import folded
from mdview.expressions.nodes import Const, Node, Op, Sharing, each_part

Terms: TypeAlias = "dict[int, tuple[Node, int]]"
"""Terms, each with how many times it is added, by their identity: equal terms are one object."""

_ONE: Final = Const(1)
"""The term that numbers are multiples of."""

MOST_TERMS: Final = 64
"""How many terms a sum may have; one of more is a term of its own, since sums are copied to be added."""


@final
class Sums:
    """Sums of expressions that share terms."""

    def __init__(self) -> None:
        """Begin with none."""
        self.known: dict[int, tuple[Node, Terms]] = {}  # the part is held, so that no other gets its id
        self.sharing: Sharing = Sharing()

    def collected(self, node: Node) -> Node:
        """Return a sum or difference with equal terms as one, and anything else as it is."""
        if not isinstance(node, Op) or node.name not in {"add", "sub"}:
            return node
        terms, parts = self.terms(node), [self.terms(operand) for operand in node.operands]
        if len(terms) == sum(map(len, parts)):
            return node
        total: Node = Const(0)
        for term, times in terms.values():
            if term is not _ONE:
                total = folded("add" if times > 0 else "sub", total, folded("mul", term, Const(abs(times))))
        total = folded("add", total, Const(terms[id(_ONE)][1] if id(_ONE) in terms else 0))
        self.known[id(total)] = total, terms
        return total

    def terms(self, root: Node) -> Terms:
        """Terms of an expression; none of them is taken 0 times."""
        for node in each_part(root, self.known):
            found = self._found(node)
            self.known[id(node)] = node, found if len(found) <= MOST_TERMS else self._alone(node)
        return self.known[id(root)][1]

    def _found(self, node: Node) -> Terms:
        if isinstance(node, Const):
            return {id(_ONE): (_ONE, node.number)} if node.number else {}
        if isinstance(node, Op) and node.name in {"add", "sub"}:
            left, right = [self.known[id(operand)][1] for operand in node.operands]
            return _added(left, right, 1 if node.name == "add" else -1)
        if isinstance(node, Op) and node.name == "mul":
            for times, other in (node.operands, node.operands[::-1]):
                if isinstance(times, Const):
                    terms = self.known[id(other)][1] if times.number else {}
                    return {key: (term, n * times.number) for key, (term, n) in terms.items()}
        return self._alone(node)

    def _alone(self, node: Node) -> Terms:
        """Terms of what is no sum, or one of too many: itself."""
        shared = self.sharing.copy(node)
        return {id(shared): (shared, 1)}


def _added(left: Terms, right: Terms, sign: int) -> Terms:
    """Sum of two sums, or their difference."""
    found = dict(left)
    for key, (term, times) in right.items():
        total = found.pop(key, (term, 0))[1] + sign * times
        if total:
            found[key] = term, total
    return found
