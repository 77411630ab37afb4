"""Offset tables: per dimension the offsets of its indices, which add up to the offset of any index.

Every strided mapping has them, and so has each layout whose arithmetic is a sum of terms in one index each (tiled,
Morton; found out by tracing), and every affine view of such a layout. List indexing then does the bounds check and the
negative wrap of an element access.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from mdview.expressions.trace import expression, is_separable
from mdview.index.transforms import Radix
from mdview.layouts.base import Layout
from mdview.layouts.composed import LayoutComposed
from mdview.mappings.mapping import Mapping

TABLE_LIMIT: Final = 4096
"""How many entries the offset tables of one view may have in all; beyond that arithmetic is used instead."""

Tables: TypeAlias = tuple[list[int], ...]


def offset_tables(mapping: Mapping[tuple[int, ...], Layout]) -> tuple[Tables, int] | None:
    """Tables of a mapping and what to add to their sum; None where there are none, or they would be too long."""
    extents = mapping.extents
    if not extents or sum(extents) > TABLE_LIMIT:
        return None
    strides = mapping.found_strides()
    if strides is not None:
        return tuple(map(_steps, extents, strides)), mapping.origin
    layout = mapping.layout
    if isinstance(layout, LayoutComposed):
        return _composed_tables(layout, extents) if layout.transform.is_affine else None
    tables = _layout_tables(layout, extents)
    return None if tables is None else (tables, 0)


def digit_tables(layout: LayoutComposed) -> tuple[Tables, int] | None:
    """Tables of the digits that a reshape reads an index as, and what to add to their sum; see `offset_tables`."""
    radix = layout.transform.radix
    if radix is None or sum(radix.shape) > TABLE_LIMIT:
        return None
    return _composed_tables(layout, radix.shape)


def position_tables(extents: Sequence[int], radix: Radix) -> Tables | None:
    """Tables whose entries add up to the number, but for its start, that a reshape reads an index as."""
    if not extents or sum(extents) > TABLE_LIMIT:
        return None
    weights = (*radix.weights, *((0,) * (len(extents) - len(radix.weights))))
    return tuple(map(_steps, extents, weights))


@lru_cache(maxsize=256)
def _steps(extent: int, stride: int) -> list[int]:
    """Offsets along one dimension; shared between views and never changed."""
    return [i * stride for i in range(extent)]


@lru_cache(maxsize=256, typed=True)
def _layout_tables(layout: Layout, extents: tuple[int, ...]) -> Tables | None:
    """Offset tables of a layout that is not strided, if its arithmetic is separable."""
    rank = len(extents)
    if 0 in extents or sum(extents) > TABLE_LIMIT or not layout.is_total():
        return None
    try:
        separable = is_separable(expression(lambda _, index: layout.offset(extents, index), 0, rank))
    except Exception:  # noqa: BLE001 - a user's arithmetic may fail on symbols in any way; it then runs on numbers
        return None
    if not separable:
        return None
    start = layout.offset(extents, (0,) * rank)
    tables = []
    for r, extent in enumerate(extents):
        before, after = (0,) * r, (0,) * (rank - r - 1)
        known = 0 if r == 0 else start
        tables.append([layout.offset(extents, (*before, i, *after)) - known for i in range(extent)])
    return tuple(tables)


def _composed_tables(layout: LayoutComposed, extents: Sequence[int]) -> tuple[Tables, int] | None:
    """Tables of an affine view, or of the digits of a reshape: parts of the tables of the base."""
    transform = layout.transform
    if not layout.is_total() or 0 in extents:
        return None
    base = _layout_tables(layout.base, layout.base_extents)
    if base is None:
        return None
    constant = 0
    tables: list[list[int] | None] = [None] * len(extents)
    for table, first, step, source in zip(base, transform.offset, transform.stride, transform.source, strict=True):
        if source is None or step == 0:
            constant += table[first]
            continue
        stop = first + step * extents[source]
        part = table[first : stop if stop >= 0 else None : step]
        known = tables[source]
        tables[source] = part if known is None else [a + b for a, b in zip(known, part, strict=True)]
    return tuple([_steps(e, 0) if t is None else t for e, t in zip(extents, tables, strict=True)]), constant
