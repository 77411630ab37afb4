"""Elements that operands share, and positions that several indices of one operand share.

For strided operands NumPy decides exactly whether they share an element, within a limit of work; for other operands the
ranges of their elements are compared. Two memory maps of the same file share its bytes, which NumPy does not know.

Several items for one position *agree* if the bytes of their values are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from mdview.engines.bulk.arrays.gather_scatter import item_range, window
from mdview.engines.bulk.arrays.item_arrays import as_bytes, value_words
from mdview.engines.bulk.arrays.plan_positions import COMPUTED, MOST_LOOKED_UP, plan_positions
from mdview.engines.bulk.arrays.strided_blocks import aligned_boxes
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
    """Return an array over all elements of an operand, for tests of shared memory; None for Python objects."""
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
        (region, start), part = mapped, _byte_range(side)
        begin = region.offset + start
        found.append((region.path, region.inode, begin + part.start, begin + part.stop))
    (*mine, low, high), (*its, begin, end) = found
    return mine == its and low < end and begin < high


def shares_positions(target: Operand) -> bool:
    """Tell whether several indices of an operand have the same position."""
    is_hit = np.zeros(0, bool)
    for _, places, length in _positions_in_order(target):
        is_hit = is_hit if is_hit.size else np.zeros(length, bool)
        is_hit[places] = True
    return int(np.count_nonzero(is_hit)) < target.plan.size


def first_differing(items: Array, target: Operand) -> tuple[int, int] | None:
    """Return the numbers of two items for the same position that differ, or None if all items agree.

    The first number belongs to the first item for the position; the second number is the lowest one of an item that
    differs from the first item for its position.
    """
    first = np.zeros(0, np.intp)
    for begin, places, length in _positions_in_order(target):
        first = first if first.size else np.full(length, -1, np.intp)
        numbers = np.arange(begin, begin + places.size)
        is_new = first.take(places) < 0
        first[places[is_new][::-1]] = numbers[is_new][::-1]
        differs = items[begin : begin + places.size] != items.take(first.take(places), axis=0)
        if differs.any():
            k = int(differs.argmax()) // items.shape[1]
            return int(first[places[k]]), begin + k
    return None


def agreeing_items(items: Array, target: Operand) -> tuple[Array, int] | None:
    """Return new items from the lowest position of a target on, and this position; None if ``items`` do not agree.

    ``items`` contains one item for each index of the target, in index order. New items between the elements may have
    any value.
    """
    row, held = as_bytes(items), np.empty(0, "u1")
    for begin, places, length in _positions_in_order(target):
        held = held if held.size else np.empty(length, row.dtype)
        held[places] = row[begin : begin + places.size]
    for begin, places, _ in _positions_in_order(target):
        found = held.take(places, mode="clip").view(items.dtype)
        if not np.array_equal(value_words(found), value_words(items[begin : begin + places.size])):
            return None
    return held.view(items.dtype), item_range(target.plan, target.origin, target.row)[0]


def _positions_in_order(target: Operand) -> Iterator[tuple[int, Array, int]]:
    """Yield for each box the number of its first index, its positions, and the number of positions in the range of all.

    Positions are counted from the lowest position of the target on.
    """
    begin, plan, origin, length = 0, target.plan, target.origin, len(target.row)
    if plan.size <= MOST_LOOKED_UP:
        plan_positions(plan, origin, length)  # cached, for the boxes as well
    for box in aligned_boxes(plan.extents, COMPUTED):
        places = plan_positions(plan.cut(*box), origin, length, keeps=False).reshape(-1)
        low, stop = item_range(plan, origin, target.row)
        yield begin, places - low if low else places, stop - low
        begin += box.size
