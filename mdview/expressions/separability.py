"""Separable expressions are sums of terms that depend on one index each, so that tables can replace them."""

from __future__ import annotations

from mdview.expressions.nodes import Node, Op, fold

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
