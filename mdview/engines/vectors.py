"""Vectorised offsets: a layout's own arithmetic run on arrays of indices instead of one index.

The arithmetic is traced (see `mdview.engines.trace`) and compiled once for a layout and its extents. It runs on NumPy
arrays that broadcast, one per dimension, so what depends on one index is computed once for each value of that index.
A layout that asks for the index itself (``if i > j``), or whose numbers may leave 64 bits, has no vectorised form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias, final

from mdview.engines.ranges import RangeError, expression_range
from mdview.engines.rewriting import rewritten
from mdview.engines.trace import Operand, expression, is_separable, written
from mdview.extents import is_empty
from mdview.layouts.base import Layout
from mdview.value import value

# Any: an int, or an array of them; NumPy's types are only there where it is.
Indices: TypeAlias = Any


@final
@value
class VectorOffset:
    """Offsets of many indices at once.

    Attributes
    ----------
    offset
        Takes one array, or int, per dimension; they broadcast. What depends on no index at all is an int.
    is_separable
        Whether the offset is a sum of terms in one index each.
    low, high
        Between which offsets all of them lie.
    bits
        Size of the integers that compute them: 32 where that is enough, else 64.
    """

    offset: Callable[..., Indices]
    is_separable: bool
    low: int
    high: int
    bits: int


def _size(root: Operand, extents: Sequence[int]) -> int:
    """Size in bits of the smallest integers that compute an expression, 64 being the largest there are."""
    try:
        expression_range(root, extents, 32)
    except RangeError:
        return 64
    return 32


@lru_cache(maxsize=256, typed=True)
def vector_offset(layout: Layout, extents: tuple[int, ...]) -> VectorOffset | None:
    """Vectorised form of a layout over extents, or None where it has none.

    >>> from mdview import LayoutTiled
    >>> found = vector_offset(LayoutTiled(2, 2), (4, 4))
    >>> found.offset(3, 2), found.is_separable
    (14, True)
    """
    if not layout.is_total() or is_empty(extents):
        return None
    try:
        root = expression(lambda _, index: layout.offset(extents, index), 0, len(extents))
        root = rewritten(root, extents)
        bits = _size(root, extents)
        low, high = expression_range(root, extents, bits)
    except Exception:  # noqa: BLE001 - a user's arithmetic may fail on symbols in any way; it then runs on numbers
        return None
    source = written(root)
    names = ", ".join([f"i{r}" for r in range(len(extents))])
    lines = [f"def offset({names}):", *[f"    {line}" for line in source.statements], f"    return {source.result}"]
    namespace: dict[str, Any] = {}
    exec(compile("\n".join(lines), f"<offset of {layout!r}>", "exec"), namespace)
    return VectorOffset(namespace["offset"], is_separable(root), low, high, bits)
