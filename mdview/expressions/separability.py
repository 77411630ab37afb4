"""Separable expressions are sums of terms that depend on one index each, so that tables can replace them."""

from __future__ import annotations

from mdview.expressions.folding import folded
from mdview.expressions.nodes import Const, Node, Op, fold

_SUMS = frozenset({"add", "sub", "neg"})


def is_separable(root: Node) -> bool:
    """Tell whether an expression is such a sum, as far as its form shows.

    >>> from mdview.expressions.nodes import Index
    >>> i, j = Index(0), Index(1)
    >>> is_separable(i // 4 * 8 + j % 4), is_separable((i + j) % 4)
    (True, False)
    """
    return fold(root, _is_sum)


def _is_sum(node: Node, operands: list[bool]) -> bool:
    if len(node.dimensions) <= 1:
        return True
    if not isinstance(node, Op):
        return False
    is_product = node.name == "mul" and not all(operand.dimensions for operand in node.operands)
    return (node.name in _SUMS or is_product) and all(operands)


def separated(root: Node) -> list[Node]:
    """Expressions that add up to ``root`` and depend on different indices each, as far as its form shows.

    >>> from mdview.expressions.nodes import Index
    >>> i, j, k = Index(0), Index(1), Index(2)
    >>> separated((i // 4 + j % 4) * 8 + (k & i))
    [(((i0 // 4) * 8) + (i2 & i0)), ((i1 % 4) * 8)]
    """
    return fold(root, _summands)


def _summands(node: Node, operands: list[list[Node]]) -> list[Node]:
    if isinstance(node, Op) and node.name in {"add", "sub"}:
        left, right = operands
        for part in right:
            left = _with(left, node.name, part)
        return left
    if isinstance(node, Op) and node.name == "mul":
        for factor, parts in ((node.operands[1], operands[0]), (node.operands[0], operands[1])):
            if isinstance(factor, Const):
                return [folded("mul", part, factor) for part in parts]
    return [node]


def _with(parts: list[Node], name: str, added: Node) -> list[Node]:
    """Add a part, or subtract it; those that share an index with it become one."""
    apart = [part for part in parts if not part.dimensions & added.dimensions]
    total: Node = Const(0)
    for part in parts:
        if part.dimensions & added.dimensions:
            total = folded("add", total, part)
    return [folded(name, total, added), *apart]
