"""Expressions in C: sizes and offsets over extents that are known only to the program that computes them."""

from __future__ import annotations

from mdview.errors import SourceError
from mdview.expressions import c_source
from mdview.expressions.c_source import for_c
from mdview.expressions.nodes import Node, as_node
from mdview.expressions.ranges import RangeError
from mdview.expressions.simplification import simplified
from mdview.symbolic.variables import Expr, Var, limits, variables


def to_c(expression: int | Expr) -> str:
    """Write an expression in C; each variable is one of C, of the same name, and lies within its bounds.

    It is an ``int64_t``, as that of `mdview.Mapping.to_c` is.

    >>> from mdview.symbolic import SymbolicMapping, var
    >>> m, n, i, j = var("m", 1, 1000), var("n", 1, 1000), var("i", 0, 999), var("j", 0, 999)
    >>> print(to_c(SymbolicMapping((m, n)).offset(i, j)))
    ((int64_t)i * (int64_t)n + (int64_t)j)

    Raises
    ------
    SourceError
        The name of a variable is no identifier or that of another one, the bounds do not keep each part within 64 bits,
        or it is too long.
    """
    root = as_node(expression)
    found = variables(root)
    c_source.as_names(len(found), tuple([each.name for each in found]))
    reason = ""
    for form in (simplified(root, limits), root):
        try:
            return c_source.expression(for_c(form, limits), _leaf)
        except RangeError as error:
            reason = str(error)
    raise SourceError(
        f"no C is known for {root}: {reason}, and each part must be a number of 64 bits within the bounds"
    )


def _leaf(node: Node) -> str:
    return f"(int64_t){node.name}" if isinstance(node, Var) else str(node)
