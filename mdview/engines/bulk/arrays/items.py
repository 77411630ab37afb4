"""The items of a view as one row of a NumPy array, over the same memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdview.accessors.buffers import StructItems, typestr

_NUMBERS = "biufc"

Row = NDArray[Any]  # Any: of whatever format the items are


def row_of(items: object) -> Row | None:
    """Array over ``items``, or None where they are Python objects. Records, text and dates are bytes here.

    >>> row_of(memoryview(b"ab")), row_of([1, 2])
    (array([97, 98], dtype=uint8), None)
    """
    if isinstance(items, np.ndarray):
        if items.dtype.hasobject or not items.flags.c_contiguous:
            return None
        return items if items.dtype.kind in _NUMBERS else items.view(f"V{items.itemsize}")
    if isinstance(items, StructItems):
        raw, item_format = items.raw, items.format
    elif isinstance(items, memoryview):
        raw, item_format = items, items.format
    else:
        return None
    return np.frombuffer(raw, dtype=typestr(item_format, items.itemsize))
