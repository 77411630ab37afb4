"""Tables of a mapping in a box: the offsets along each dimension, where they add up to those of the box.

Every strided mapping has such tables, as one number per dimension, and so has each layout whose arithmetic is a sum of
terms in one index each (tiled, Morton; found out by tracing). Some layouts have them in that box only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from mdview.engines.bulk.boxes import Box, whole
from mdview.engines.bulk.operand import AnyMapping
from mdview.engines.bulk.vector_offsets import VectorOffset, vector_within
from mdview.engines.positions import check

if TYPE_CHECKING:
    from numpy.typing import NDArray

AxisTable: TypeAlias = "int | NDArray[np.int64]"
"""Offsets along one dimension, from the first index of a box: their constant step, or all of them."""
Offsets: TypeAlias = "NDArray[np.int64]"
Tables: TypeAlias = "tuple[int, list[Offsets]]"
"""Position of the first index of a box, and along each dimension how far the others are from there."""

LONGEST: Final = 1 << 20
"""How many indices along one dimension a box has at most, so that tables take little memory."""


def axis_tables(mapping: AnyMapping, box: Box) -> tuple[int, list[AxisTable]] | None:
    """Offset of the first index of ``box``, and the table along each dimension; None where there are none."""
    strides = mapping.found_strides()
    if strides is not None:
        return mapping.origin + sum([i * s for i, s in zip(box.first, strides, strict=True)]), list(strides)
    found = separable(mapping, box)
    if found is None:
        return None
    start = int(found.offset(*box.first))
    along: list[AxisTable] = []
    for r, (first, count) in enumerate(zip(box.first, box.counts, strict=True)):
        axis = np.arange(first, first + count, dtype=np.int64)
        table = found.offset(*box.first[:r], axis, *box.first[r + 1 :]) - start
        along.append(table if isinstance(table, np.ndarray) else 0)
    return start, along


def separable(mapping: AnyMapping, box: Box) -> VectorOffset | None:
    """Offsets of a mapping as a sum of terms in one index each, everywhere or in that box; None where they are none."""
    for within in (whole(mapping.extents), box):
        found = vector_within(mapping.layout, mapping.extents, within.spans)
        if found is not None and found.is_separable:
            return found
    return None


def tables(mapping: AnyMapping, origin: int, length: int, box: Box) -> Tables | None:
    """Positions in a box as tables that add up, checked to lie in ``length`` items; None where there are none."""
    found = axis_tables(mapping, box)
    if found is None:
        return None
    start, along = found[0] + origin, [_table(*pair) for pair in zip(found[1], box.counts, strict=True)]
    ends = [(int(t.min()), int(t.max())) for t in along]
    check(start + sum([low for low, _ in ends]), start + sum([high for _, high in ends]), length)
    return start, along


def summed(found: Tables, box: Box, part: Box) -> Offsets:
    """Positions in a part of the ``box`` that tables are for, in its shape."""
    total = np.array(found[0])
    for table, begin, first, count in zip(found[1], box.first, part.first, part.counts, strict=True):
        total = total[..., None] + table[first - begin : first - begin + count]
    return total


def _table(found: AxisTable, count: int) -> Offsets:
    return np.arange(count, dtype=np.int64) * found if isinstance(found, int) else found
