"""Axis tables: one list of numbers for each dimension of a layout; the offset is the sum of one entry of each list.

A layout has axis tables if its arithmetic is a sum of terms that each depend on one index. If the layout can be traced
over symbolic extents, the terms are found once, with the extents as parameters; otherwise, once for each extents.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Final, TypeAlias

from mdview.base.caches import remembered_by_value
from mdview.expressions.expression_tree import Const, Node
from mdview.expressions.python_codegen import numbers_along
from mdview.expressions.range_analysis import spans
from mdview.expressions.simplification import is_separable, separable, separated
from mdview.expressions.tracing import MOST_DIMENSIONS, TabledArithmetic, trace

TABLE_LIMIT: Final = 4096
"""The largest number of entries in the axis tables of a layout; layouts with more entries use arithmetic."""

Terms: TypeAlias = tuple[tuple[Node, int], ...]
"""An expression of one index for each dimension, with the dimension; the offset is the sum of the expressions."""

Tables: TypeAlias = tuple[list[int], ...]
"""One list for each dimension; it must not be changed. The offset of an index is the sum of one entry of each list."""


def axis_tables(layout: TabledArithmetic, extents: tuple[int, ...]) -> Tables | None:
    """Return the axis tables of a layout over extents; None if it has none, or if they exceed `TABLE_LIMIT` entries.

    >>> from mdview import LayoutTiled
    >>> axis_tables(LayoutTiled(2, 2), (4, 4))
    ([0, 2, 8, 10], [0, 1, 4, 5])
    """
    if not 0 < len(extents) <= MOST_DIMENSIONS or 0 in extents or sum(extents) > TABLE_LIMIT:
        return None
    shape = tuple(map(int, extents))
    alike = layout.enclosing(shape)
    tables = _kept_tables(layout, alike if sum(alike) <= 2 * sum(shape) else shape)
    return tables and tuple([table[:n] for table, n in zip(tables, extents, strict=True)])


def separate_tables(layout: TabledArithmetic, extents: tuple[int, ...]) -> Tables | None:
    """Return the axis tables of a layout, of any length; None if it has none. The rank and the extents are not 0."""
    for terms, parameters in _terms(layout, extents):
        try:
            tables = [numbers_along(*term, n, parameters) for term, n in zip(terms, extents, strict=True)]
        except (ZeroDivisionError, ValueError):  # raised in a branch of a `Select` that no index selects
            continue
        firsts = [table[0] for table in tables[1:]]
        return tuple([_less(table, first) for table, first in zip(tables, [-sum(firsts), *firsts], strict=True)])
    return None


def _less(table: list[int], first: int) -> list[int]:
    """Return a table with ``first`` subtracted from each entry."""
    return [number - first for number in table] if first else table


def _terms(layout: TabledArithmetic, extents: tuple[int, ...]) -> Iterator[tuple[Terms, tuple[int, ...]]]:
    """Yield terms of the offset with their parameters: terms for all extents, then terms for the given extents."""
    shared = _shared_terms(layout, len(extents))
    if shared is not None:
        yield shared, extents
    root = trace(layout, extents).root
    form = None if root is None else separable(root, spans(extents))
    if form is not None:
        yield _terms_of(form, len(extents)), ()


@remembered_by_value(256)
def _shared_terms(layout: TabledArithmetic, rank: int) -> Terms | None:
    """Return the terms of the offset with the extents as parameters; None if the offset is no such sum.

    A view of new extents takes 0.3 ms with them, and 0.6 ms by an expression of its own extents.
    """
    try:
        traced = copy(layout)  # a layout may store its extents, which must not be symbols
    except Exception:  # noqa: BLE001 - a user's class may not support copies
        return None
    root = trace(traced, (None,) * rank).root
    return _terms_of(root, rank) if root is not None and is_separable(root) else None


def _terms_of(form: Node, rank: int) -> Terms:
    """Return the terms of a separable expression with their dimensions; constants belong to the term of dimension 0."""
    terms: list[Node | None] = [None] * rank
    for part in separated(form):
        r = min(part.dimensions, default=0)
        term = terms[r]
        terms[r] = part if term is None else term + part
    return tuple([(Const(0) if term is None else term, r) for r, term in enumerate(terms)])


@remembered_by_value(512)
def _kept_tables(layout: TabledArithmetic, extents: tuple[int, ...]) -> Tables | None:
    """Return the axis tables of a layout, cached: a new view needs them for strides, then offsets, 0.1 ms each time."""
    return separate_tables(layout, extents)
