"""Axis tables: per dimension the offsets of its indices, which add up to the offset of any index.

A layout has them if its arithmetic is a sum of terms in one index each: every strided layout, tiles, Morton order.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from mdview.base.caches import remembered_by_value
from mdview.expressions.ranges import spans, within
from mdview.expressions.separability import is_separable
from mdview.expressions.simplification import simplified
from mdview.expressions.tracing import MOST_DIMENSIONS, Arithmetic, trace
from mdview.layouts.answers import offset_of

TABLE_LIMIT: Final = 4096
"""How many entries the axis tables of one layout may have in all; beyond that arithmetic is used instead."""

Tables: TypeAlias = tuple[list[int], ...]
"""One list per dimension, never changed. The entries for one index, one of each list, add up to its offset."""


def axis_tables(layout: Arithmetic, extents: tuple[int, ...]) -> Tables | None:
    """Axis tables of a layout over extents; None where it has none, or they would be too long.

    >>> from mdview import LayoutTiled
    >>> axis_tables(LayoutTiled(2, 2), (4, 4))
    ([0, 2, 8, 10], [0, 1, 4, 5])
    """
    return _tables(layout, extents)


@remembered_by_value(256)
def _tables(layout: Arithmetic, extents: tuple[int, ...]) -> Tables | None:
    rank = len(extents)
    if not 0 < rank <= MOST_DIMENSIONS or 0 in extents or sum(extents) > TABLE_LIMIT:
        return None
    root = trace(layout, tuple(map(int, extents))).root
    if root is None or not (is_separable(root) or is_separable(simplified(root, within(spans(extents))))):
        return None
    start = offset_of(layout, extents, (0,) * rank)
    tables = []
    for r, extent in enumerate(extents):
        before, after = (0,) * r, (0,) * (rank - r - 1)
        known = 0 if r == 0 else start
        tables.append([offset_of(layout, extents, (*before, i, *after)) - known for i in range(extent)])
    return tuple(tables)
