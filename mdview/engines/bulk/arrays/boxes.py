"""Boxes of indices, and per-axis tables: the offsets along each dimension, where they add up to those of the box.

Every strided mapping has such tables, as one number per dimension, and so has each layout whose arithmetic is a sum of
terms in one index each (tiled, Morton; found out by tracing). Some layouts have them in that box only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

import numpy as np

from mdview.base.values import value
from mdview.engines.bulk.operand import AnyMapping
from mdview.engines.bulk.vector_offsets import VectorOffset, vector_within

if TYPE_CHECKING:
    from numpy.typing import NDArray

AxisTable: TypeAlias = "int | NDArray[np.int64]"
"""Offsets along one dimension, from the first index of a box: their constant step, or all of them."""

LONGEST: Final = 1 << 20
"""How many indices along one dimension a box has at most, so that tables take little memory."""


@final
@value
class Box:
    """Indices from ``first`` on, ``count`` along each dimension."""

    first: tuple[int, ...]
    count: tuple[int, ...]

    @property
    def size(self) -> int:
        """Count the indices."""
        return prod(self.count)

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """First and last index along each dimension."""
        return tuple([(f, f + n - 1) for f, n in zip(self.first, self.count, strict=True)])

    def axes(self, bits: int) -> list[Any]:
        """Index arrays that broadcast to the box, of integers of 32 or 64 bits."""
        dtype = np.int32 if bits == 32 else np.int64  # noqa: PLR2004
        ranges = [np.arange(f, f + n, dtype=dtype) for f, n in zip(self.first, self.count, strict=True)]
        rank = len(ranges)
        return [a.reshape((1,) * r + (-1,) + (1,) * (rank - r - 1)) for r, a in enumerate(ranges)]


def whole(extents: Sequence[int]) -> Box:
    """Box of all indices."""
    return Box((0,) * len(extents), tuple(map(int, extents)))


def boxes(box: Box, limit: int) -> Iterator[Box]:
    """Cut a box into boxes of about ``limit`` indices (one at least), each one a run of indices in index order.

    >>> [(part.first, part.count) for part in boxes(whole((2, 5)), 3)]
    [((0, 0), (1, 3)), ((0, 3), (1, 2)), ((1, 0), (1, 3)), ((1, 3), (1, 2))]
    """
    cut = next((r for r in range(len(box.count)) if prod(box.count[r + 1 :]) <= limit), 0)
    if not box.count or box.size <= limit:
        yield box
        return
    step = max(1, limit // prod(box.count[cut + 1 :]))
    for outer in np.ndindex(*box.count[:cut]):
        prefix = tuple([f + k for f, k in zip(box.first, outer, strict=False)])
        for start in range(0, box.count[cut], step):
            first = (*prefix, box.first[cut] + start, *box.first[cut + 1 :])
            yield Box(first, ((1,) * cut + (min(step, box.count[cut] - start),) + box.count[cut + 1 :]))


def short_boxes(box: Box) -> Iterator[Box]:
    """Cut a box along dimensions longer than `LONGEST`."""
    cuts = [range(0, n, LONGEST) for n in box.count]
    for starts in np.ndindex(*[len(c) for c in cuts]):
        begin = [c[k] for c, k in zip(cuts, starts, strict=True)]
        count = [min(LONGEST, n - b) for n, b in zip(box.count, begin, strict=True)]
        yield Box(tuple([f + b for f, b in zip(box.first, begin, strict=True)]), tuple(count))


def axis_tables(mapping: AnyMapping, box: Box) -> tuple[int, list[AxisTable]] | None:
    """Offset of the first index of ``box``, and the table along each dimension; None where there are none."""
    strides = mapping.found_strides()
    if strides is not None:
        return mapping.origin + sum([i * s for i, s in zip(box.first, strides, strict=True)]), list(strides)
    found = separable(mapping, box)
    if found is None:
        return None
    start = int(found.offset(*box.first))
    tables: list[AxisTable] = []
    for r, (first, count) in enumerate(zip(box.first, box.count, strict=True)):
        axis = np.arange(first, first + count, dtype=np.int64)
        table = found.offset(*box.first[:r], axis, *box.first[r + 1 :]) - start
        tables.append(table if isinstance(table, np.ndarray) else 0)
    return start, tables


def separable(mapping: AnyMapping, box: Box) -> VectorOffset | None:
    """Offsets of a mapping as a sum of terms in one index each, everywhere or in that box; None where they are none."""
    for within in (whole(mapping.extents), box):
        found = vector_within(mapping.layout, mapping.extents, within.spans)
        if found is not None and found.is_separable:
            return found
    return None
