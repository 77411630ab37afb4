"""A grid is a memoryview of as many dimensions as the view: its item of an index is the element.

Memory with strides can be indexed so in one step, without arithmetic in Python. The standard library makes grids of
rows that lie one after the other, NumPy, where it is loaded already, of all strides. To make one costs as much as some
twenty elements, so it pays for views of many.
"""

from __future__ import annotations

from math import prod
from typing import Any, Final

from mdview.base.partners import loaded
from mdview.engines.positions import check
from mdview.engines.scalar.access import Access
from mdview.engines.scalar.offset_code import AnyMapping
from mdview.index.orders import right_strides

PAYS_FROM: Final = 1024
"""How many elements a view must have."""

MOST_DIMENSIONS: Final = 32
"""What every version of NumPy and of Python takes."""


def has_grid(access: Access, mapping: AnyMapping) -> bool:
    """Tell whether element access to a mapping is served best by a grid."""
    if not access.has_grids or not 1 < len(mapping.extents) <= MOST_DIMENSIONS or prod(mapping.extents) < PAYS_FROM:
        return False
    strides = mapping.found_strides()
    if strides is None:
        return False
    return loaded("numpy") is not None or strides == right_strides(mapping.extents)


def grid(items: Any, mapping: AnyMapping, origin: int) -> Any:
    """Memory of a mapping that `has_grid`, whose offset 0 is the item at ``origin``. Any: memoryviews of any format."""
    extents, strides = mapping.extents, mapping.found_strides() or ()
    low, high = mapping.reach() or (0, -1)
    check(origin + low, origin + high, len(items))
    first = origin + mapping.origin
    if strides == right_strides(extents):
        return items[first : first + mapping.size].cast("B").cast(items.format, extents)
    import numpy as np  # noqa: PLC0415 - loaded already, or `has_grid` says no

    size = items.itemsize
    steps = [size * s for s in strides]
    locked = np.frombuffer(items, np.uint8)  # of a memoryview itself an array keeps the exporter alone, and no lock
    array: Any = np.ndarray(extents, items.format, locked, first * size, steps)  # a buffer, which its types do not say
    return memoryview(array)
