"""The extents that a layout is tried on: all small ones of each rank that it takes, smallest first."""

from __future__ import annotations

from itertools import product
from typing import Final

from mdview.index.extents import size_of
from mdview.layouts.base import Layout

LARGEST: Final = {0: 0, 1: 9, 2: 4, 3: 2, 4: 1}
"""Per rank the largest extent of the boxes that are all tried."""

FURTHER: Final = ((17,), (7, 5), (9, 2), (2, 17), (3, 3, 3), (2, 5, 4), (2, 2, 2, 2), (5, 1, 4, 2))
"""Some larger extents: several tiles, more than a power of two, long and thin."""

Shape = tuple[int, ...]


def small_extents(layout: Layout) -> list[Shape]:
    """All extents to try on ``layout``, in increasing order of size: the first that breaks a law is a smallest one."""
    ranks = [rank for rank in LARGEST if _takes(layout, rank)]
    shapes = [shape for rank in ranks for shape in product(range(LARGEST[rank] + 1), repeat=rank)]
    return sorted({*shapes, *(shape for shape in FURTHER if len(shape) in ranks)}, key=_order)


def _order(shape: Shape) -> tuple[int, int, int, Shape]:
    return max(size_of(shape), 1), sum(shape), len(shape), shape


def _takes(layout: Layout, rank: int) -> bool:
    """Tell whether a layout takes extents of ``rank`` at all: its offset is of use for some index of some extents."""
    equal = [(e,) * rank for e in (1, 2, 3, 4)]
    one_long = [(*(1,) * r, 3, *(1,) * (rank - r - 1)) for r in range(rank)]
    return any(_works(layout, shape) for shape in (*equal, *one_long))


def _works(layout: Layout, shape: Shape) -> bool:
    try:
        layout.check(shape)
        layout.required_span_size(shape)
        layout.offset(shape, (0,) * len(shape))
    except Exception:  # noqa: BLE001 - a layout without a check of its rank raises anything on others
        return False
    return True
