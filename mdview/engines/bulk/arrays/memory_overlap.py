"""Overlap of operands: the test whether a store to one may change elements of the other.

For strided operands NumPy decides this exactly, within a limit of work; for other operands the ranges of their elements
are compared. Two memory maps of the same file share its bytes, which NumPy does not know.
"""

from __future__ import annotations

from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from mdview.engines.bulk.arrays.gather_scatter import item_range, window
from mdview.engines.bulk.bulk_operand import Operand
from mdview.memory.exporters import owns_memory
from mdview.memory.storage import Storage
from mdview.memory.struct_items import bits_of, is_scattered, raw_of

Array = NDArray[Any]  # Any: items of any format
_SEARCHED: Final = 1 << 14
"""The limit of NumPy's search for an element that two strided arrays share, in candidate solutions."""


def may_overlap(source: Operand, target: Operand) -> bool:
    """Tell whether two operands may share an element; exact for strided operands of the same buffer.

    >>> from mdview import DefaultAccessor, LayoutStride, Mapping
    >>> from mdview.engines.mapping_plan import plan_of
    >>> row, even = memoryview(bytearray(8)), plan_of(Mapping((4,), LayoutStride((2,))))
    >>> may_overlap(Operand(row, even, 0, DefaultAccessor()), Operand(row, even, 1, DefaultAccessor()))
    False
    """
    row, into = source.row, target.row
    if type(row) is type(into) is np.ndarray and not np.may_share_memory(row, into):
        return _share_file(target, source)
    mine, its = _memory(target), _memory(source)
    if mine is None or its is None:
        return source.items is target.items
    try:
        return np.shares_memory(mine, its, cast("Any", _SEARCHED)) or _share_file(target, source)
    except np.exceptions.TooHardError:
        return True


def _memory(operand: Operand) -> Array | None:
    """Return an array over the elements of an operand, and possibly items between; None for a sequence of objects."""
    items, raw = operand.items, raw_of(operand.items)
    if is_scattered(items):
        return np.frombuffer(raw, "u1")[_byte_range(operand)]
    if isinstance(raw, memoryview):
        raw = np.frombuffer(raw, f"V{items.itemsize}")
    if not isinstance(raw, np.ndarray):
        return None
    found = window(raw, operand.plan, operand.origin)
    return raw[slice(*item_range(operand.plan, operand.origin, items))] if found is None else found


def _byte_range(operand: Operand) -> slice:
    """Return the range of bytes from the lowest element to the highest, relative to the first item."""
    (first, stop), bits = item_range(operand.plan, operand.origin, operand.items), bits_of(operand.items)
    return slice(first * bits // 8, -(-stop * bits // 8))


def _share_file(*sides: Operand) -> bool:
    """Tell whether two operands are in memory maps of the same file, and their ranges overlap."""
    found = []
    for side in sides:
        items = side.items
        is_owned = owns_memory(getattr(raw_of(items), "obj", items))
        mapped = None if is_owned else Storage.of_items(items, items, readonly=True).mapped()
        if mapped is None:
            return False
        region, part = mapped[0].region, _byte_range(side)
        begin = region.offset + mapped[1]
        found.append((region.path, region.inode, begin + part.start, begin + part.stop))
    (*mine, low, high), (*its, begin, end) = found
    return mine == its and low < end and begin < high
