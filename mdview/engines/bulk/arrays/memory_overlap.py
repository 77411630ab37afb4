"""Overlap of operands: whether a store to one may change elements of the other.

For strided operands NumPy decides this exactly, within a limit of steps; for others the ranges of their elements are
compared. Two maps of one file that mdview has opened share its bytes, which NumPy does not know.
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
"""The most steps of NumPy's search for an element that two strided arrays share."""


def may_overlap(source: Operand, target: Operand) -> bool:
    """Tell whether two operands may share an element; exactly for strided ones in one buffer.

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
    """Array over the elements of an operand, perhaps with the items between; None for a sequence of objects."""
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
    """The range of bytes from the first element to the last, counted from the first item."""
    (first, stop), bits = item_range(operand.plan, operand.origin, operand.items), bits_of(operand.items)
    return slice(first * bits // 8, -(-stop * bits // 8))


def _share_file(*sides: Operand) -> bool:
    """Tell whether the ranges of two operands overlap in one file, of which there are two maps."""
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
