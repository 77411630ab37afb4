"""Axis tables of a mapping: per dimension the offsets of its indices, which add up to the offset of any index.

Every strided mapping has them, and so has each layout whose arithmetic is a sum of terms in one index each (see
`mdview.layouts.axis_tables`), and every affine view of such a layout. List indexing then does the bounds check and the
negative wrap of an element access.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mdview.index.transforms import IndexTransform, Radix
from mdview.layouts.axis_tables import TABLE_LIMIT, Tables, axis_tables
from mdview.layouts.base import Composition, Layout
from mdview.mappings.mapping import Mapping

__all__ = [
    "TABLE_LIMIT",
    "Tables",
    "digit_tables",
    "offset_tables",
    "position_tables",
    "selected_tables",
    "table_bounds",
]


def offset_tables(mapping: Mapping[tuple[int, ...], Layout]) -> tuple[Tables, int] | None:
    """Tables of a mapping and what to add to their sum; None where there are none, or they would be too long."""
    extents = mapping.extents
    if not extents or sum(extents) > TABLE_LIMIT:
        return None
    strides = mapping.found_strides()
    if strides is not None:
        return tuple(map(_steps, extents, strides)), mapping.origin
    if not mapping.layout.is_total():
        return None
    found = mapping.layout.composition(extents)
    return _composed_tables(found, extents) if found.transform.is_affine else None


def digit_tables(found: Composition) -> tuple[Tables, int] | None:
    """Tables of the digits that a reshape reads an index as, and what to add to their sum; see `offset_tables`."""
    radix = found.transform.radix
    if radix is None or sum(radix.shape) > TABLE_LIMIT or not found.base.is_total():
        return None
    return _composed_tables(found, radix.shape)


def table_bounds(tables: Tables) -> tuple[int, int]:
    """Lowest and highest sum of one entry of each table; the highest is below the lowest where there is no index."""
    if not all(tables):
        return 0, -1
    return sum(map(min, tables)), sum(map(max, tables))


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


def _composed_tables(found: Composition, extents: Sequence[int]) -> tuple[Tables, int] | None:
    """Tables of an affine view, or of the digits of a reshape: parts of the tables of the base."""
    base = None if 0 in extents or found.box is not None else axis_tables(found.base, found.extents)
    if base is None or (found.transform.is_identity() and tuple(extents) == found.extents):
        return None if base is None else (base, 0)
    return selected_tables(base, found.transform, extents)


def selected_tables(base: Sequence[list[int]], transform: IndexTransform, extents: Sequence[int]) -> tuple[Tables, int]:
    """Parts of the tables of a base that an affine transform of indices within ``extents`` takes, and what to add."""
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
