"""Regions: boxes of indices in which the offset is a sum of terms in one index each, though it is none everywhere.

A layout may go by which of two indices is larger, by a comparison or by arithmetic on signs. Where all ``i`` are above
all ``j`` that is settled, and what remains is often a sum of such terms (see `mdview.engines.bulk.vector_offsets`). So
a box is halved along all dimensions until its parts are regions, or too small to pay: for a triangle, those along the
diagonal.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from mdview.base.caches import remembered_by_value
from mdview.engines.bulk.arrays.tables import LONGEST, separable
from mdview.engines.bulk.boxes import Box, whole
from mdview.engines.bulk.operand import AnyMapping
from mdview.engines.bulk.vector_offsets import vector_offset

SMALLEST: Final = 1 << 16
"""Indices of a box that is halved no more, where the layout has a vectorised form for all of them."""
SMALLEST_CALLED: Final = 1 << 11
"""Indices of a box that is halved no more, where the layout has no vectorised form and is called for each of them."""
PAYS_FROM: Final = 64
"""How many boxes of that size there are to be at least; looking for regions takes as long as some of them."""
MOST_HALVED: Final = 4
"""How many dimensions are halved at most."""


@remembered_by_value(16)
def regions(mapping: AnyMapping) -> tuple[tuple[Box, bool], ...] | None:
    """Boxes that together are all indices, each with whether it is a region; None where there are too few of them.

    >>> from mdview import LayoutBlasPacked, Mapping
    >>> found = regions(Mapping((4096, 4096), LayoutBlasPacked("lower", "row")))
    >>> sum(box.size for box, is_region in found if is_region) / 4096**2
    0.9375
    """
    box, everywhere = whole(mapping.extents), vector_offset(mapping.layout, mapping.extents)
    least = SMALLEST if everywhere is not None else SMALLEST_CALLED
    if box.size < PAYS_FROM * least or len(box.counts) > MOST_HALVED or mapping.found_strides() is not None:
        return None
    if everywhere is not None and everywhere.is_separable:
        return None
    found: list[tuple[Box, bool]] = []
    unsettled = [box]
    for level in range(box.size.bit_length()):
        parts = [(part, _is_region(mapping, part)) for box in unsettled for part in _halves(box)]
        found += [(part, is_region) for part, is_region in parts if is_region or part.size <= least]
        unsettled = [part for part, is_region in parts if not is_region and part.size > least]
        # What goes by the larger index is settled for half of all indices at once; bits mixed in many ways never are.
        if level == 1 and not any(is_region for _, is_region in found):
            return None
    return tuple(found)


def _is_region(mapping: AnyMapping, box: Box) -> bool:
    return max(box.counts) <= LONGEST and separable(mapping, box) is not None


def _halves(box: Box) -> Iterator[Box]:
    """Cut a box in the middle of each dimension."""
    cuts = [
        [(f, n)] if n == 1 else [(f, n // 2), (f + n // 2, n - n // 2)]
        for f, n in zip(box.first, box.counts, strict=True)
    ]
    for parts in product(*cuts):
        yield Box(tuple([f for f, _ in parts]), tuple([n for _, n in parts]))
