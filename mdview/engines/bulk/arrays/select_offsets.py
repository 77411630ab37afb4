"""Choices: the vectorised form of a layout that compares indices, for all of them at once.

Both ways of each comparison are computed for every index, and the one that holds is taken.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from mdview.engines.bulk.vector_offsets import Indices, VectorOffset, bits_of, compiled, vector_offset
from mdview.expressions.branches import Branches, Leaf, each_leaf, explore
from mdview.expressions.ranges import expression_range, spans
from mdview.expressions.rewriting import rewritten
from mdview.expressions.trace import Operand
from mdview.layouts.base import Layout


def offset_of_all(layout: Layout, extents: tuple[int, ...]) -> VectorOffset | None:
    """Vectorised form of a layout over extents, with choices where it compares; None where it has none.

    >>> from mdview import LayoutBlasPacked
    >>> found = offset_of_all(LayoutBlasPacked("lower", "row"), (4, 4))
    >>> found.offset(3, 2)
    8
    """
    return vector_offset(layout, extents) or _chosen(layout, extents)


@lru_cache(maxsize=256, typed=True)
def _chosen(layout: Layout, extents: tuple[int, ...]) -> VectorOffset | None:
    if not layout.is_total() or 0 in extents:
        return None
    within = spans(extents)
    leaves: list[Operand] = []

    def rewrite(root: Operand) -> Operand:
        leaves.append(rewritten(root, within))
        return leaves[-1]

    try:
        branches = each_leaf(explore(lambda _, index: layout.offset(extents, index), 0, len(extents)), rewrite)
        bits = max([bits_of(leaf, within) for leaf in leaves])
        ranges = [expression_range(leaf, within, bits) for leaf in leaves]
    except Exception:  # noqa: BLE001 - a user's arithmetic may fail on symbols in any way; it then runs on numbers
        return None
    low, high = min([low for low, _ in ranges]), max([high for _, high in ranges])
    functions = each_leaf(branches, lambda root: compiled(root, len(extents)))
    return VectorOffset(_taken(functions), is_separable=False, low=low, high=high, bits=bits)


def _taken(branches: Branches[Callable[..., Indices]]) -> Callable[..., Indices]:
    """Function that computes both ways of each choice and takes one. Any, below: ints or arrays of them."""
    if isinstance(branches, Leaf):
        return branches.content
    compare: Callable[[Any, Any], Any] = getattr(operator, branches.comparison)
    left, right, yes, no = branches.left, branches.right, _taken(branches.yes), _taken(branches.no)
    return lambda *index: np.where(compare(left(*index), right(*index)), yes(*index), no(*index))
