"""Vectorised offsets: a layout's own arithmetic run on arrays of indices instead of one index.

The arithmetic runs on NumPy arrays that broadcast, one per dimension, so what depends on one index is computed once for
each value of that index. A layout whose numbers may leave 64 bits has no vectorised form. One that compares indices
(``if i > j``) computes both ways, unless its extents settle the question.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, final

from mdview.base.frozen_values import value
from mdview.expressions.expression_tree import Node, alternatives
from mdview.expressions.python_codegen import on_arrays
from mdview.expressions.range_analysis import Range, RangeError, expression_range, ranging, spans, within
from mdview.expressions.simplification import is_separable, simplified
from mdview.expressions.tracing import trace
from mdview.layouts.layout import Layout

# Any: an int, or an array of them; NumPy's types are only there where it is.
Indices: TypeAlias = Any


@final
@value
class VectorOffset:
    """Offsets of many indices at once.

    Attributes
    ----------
    root
        The offset as an expression.
    low, high
        Between which offsets all of them lie.
    bits
        Size of the integers that compute them: 32 where that is enough, else 64.
    """

    root: Node
    rank: int
    low: int
    high: int
    bits: int

    @property
    def is_separable(self) -> bool:
        """Whether the offset is a sum of terms in one index each."""
        return is_separable(self.root)

    @property
    def offset(self) -> Callable[..., Indices]:
        """Function that takes one array, or int, per dimension, which broadcast; its result is an int if all are."""
        return on_arrays(self.root, self.rank)


def vector_offset(layout: Layout, extents: tuple[int, ...]) -> VectorOffset | None:
    """Vectorised form of a layout over extents, or None where it has none.

    >>> from mdview import LayoutTiled
    >>> found = vector_offset(LayoutTiled(2, 2), (4, 4))
    >>> found.offset(3, 2), found.is_separable
    (14, True)
    """
    box = spans(extents)
    if not layout.is_total() or any(low > high for low, high in box):
        return None
    root = trace(layout, tuple(map(int, extents))).root
    if root is None:
        return None
    leaf = within(box)
    try:
        root = simplified(root, leaf)
        bits = _bits_of(root, box)
        ranges = ranging(leaf, bits)
        for part in alternatives(root):
            ranges(part)
        low, high = ranges(root)
    except RangeError:
        return None
    return VectorOffset(root, len(extents), low, high, bits)


def _bits_of(root: Node, box: tuple[Range, ...]) -> int:
    """Size in bits of the smallest integers that compute an expression, 64 being the largest there are."""
    try:
        expression_range(root, within(box), 32)
    except RangeError:
        return 64
    return 32
