"""Vectorised offsets: a layout's own arithmetic run on arrays of indices instead of one index.

The arithmetic is traced (see `mdview.expressions.trace`) and compiled once for a layout and its extents. It runs on
NumPy arrays that broadcast, one per dimension, so what depends on one index is computed once for each value of that
index. A layout that compares indices (``if i > j``), or whose numbers may leave 64 bits, has no vectorised form here.
But it may have one for some of the indices: where all ``i`` are above all ``j`` the question is settled.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, TypeAlias, final

from mdview.base.values import value
from mdview.expressions.ranges import Range, RangeError, expression_range, spans
from mdview.expressions.rewriting import rewritten
from mdview.expressions.trace import (
    OffsetSource,
    Operand,
    Symbol,
    TraceError,
    applied,
    decided_by,
    expression,
    is_separable,
    written,
)
from mdview.layouts.base import Layout

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


def vector_offset(layout: Layout, extents: tuple[int, ...]) -> VectorOffset | None:
    """Vectorised form of a layout over extents, or None where it has none.

    >>> from mdview import LayoutTiled
    >>> found = vector_offset(LayoutTiled(2, 2), (4, 4))
    >>> found.offset(3, 2), found.is_separable
    (14, True)
    """
    return vector_within(layout, extents, spans(extents))


@lru_cache(maxsize=4096, typed=True)
def vector_within(layout: Layout, extents: tuple[int, ...], within: tuple[Range, ...]) -> VectorOffset | None:
    """Vectorised form of a layout for indices within these ranges, or None where it has none.

    A comparison that has one answer there is no obstacle.
    """
    if not layout.is_total() or any(low > high for low, high in within):
        return None
    try:
        with decided_by(partial(_decide, within)):
            root = expression(lambda _, index: layout.offset(extents, index), 0, len(extents))
        root = rewritten(root, within)
        bits = bits_of(root, within)
        low, high = expression_range(root, within, bits)
    except Exception:  # noqa: BLE001 - a user's arithmetic may fail on symbols in any way; it then runs on numbers
        return None
    return VectorOffset(compiled(root, len(extents)), is_separable(root), low, high, bits)


def _decide(within: Sequence[Range], name: str, left: Symbol, right: Operand) -> bool:
    """Answer a comparison that has one answer for all indices within these ranges."""
    low, high = expression_range(rewritten(applied("sub", left, right), within), within, 64)
    compare: Callable[[int, int], bool] = getattr(operator, name)
    answers = {compare(number, 0) for number in (low, high, min(max(low, 0), high))}
    if len(answers) > 1:
        message = f"whether {name} holds depends on the index"
        raise TraceError(message)
    return answers.pop()


def bits_of(root: Operand, within: Sequence[Range]) -> int:
    """Size in bits of the smallest integers that compute an expression, 64 being the largest there are."""
    try:
        expression_range(root, within, 32)
    except RangeError:
        return 64
    return 32


def compiled(root: Operand, rank: int) -> Callable[..., Indices]:
    """Return the function of ``rank`` index arrays, or ints, that computes an expression."""
    return _compiled(written(root), rank)


@lru_cache(maxsize=256)
def _compiled(source: OffsetSource, rank: int) -> Callable[..., Indices]:
    names = ", ".join([f"i{r}" for r in range(rank)])
    lines = [f"def offset({names}):", *[f"    {line}" for line in source.statements], f"    return {source.result}"]
    namespace: dict[str, Any] = {}
    exec(compile("\n".join(lines), "<offset of many indices>", "exec"), namespace)
    found: Callable[..., Indices] = namespace["offset"]
    return found
