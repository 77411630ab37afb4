"""The reference loop: operations on whole views, element by element in index order, in plain Python.

The loop runs if NumPy is not installed, or if items or accessor cannot be handled as arrays; the functions on arrays
have the same results. Items are copied as words, so all bits are kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import Any, Final, TypeAlias, cast

from mdview.accessors.accessor import Writable, refuse_store
from mdview.accessors.policies import constant_items, constant_of, fills_of
from mdview.base.strided_sets import merged_dimensions
from mdview.engines import bounds_check
from mdview.engines.bounds_check import check, checked_positions
from mdview.engines.bulk.bulk_operand import Operand
from mdview.engines.bulk.progress import Done, reporting
from mdview.layouts.layout import indices
from mdview.memory.item_formats import REFUSALS
from mdview.memory.struct_items import StructItems

ItemRow: TypeAlias = Any
"""Items of any format that support slices; elements have any type, here and below."""

_WORDS: Final = {1: "B", 2: "H", 4: "I", 8: "Q"}


def positions(operand: Operand) -> Iterator[int]:
    """Return an iterator over the positions of all elements in index order; positions outside the items are refused.

    Every index of the operand must have an element.
    """
    ends, origin, length = operand.plan.ends, operand.origin, len(operand.items)
    found = operand.plan.offsets()
    if origin:
        found = map(origin.__add__, found)
    is_inside = ends is not None and ends[0] + origin >= 0 and ends[1] + origin < length
    return found if is_inside else checked_positions(found, length)


def each(read: Any, operand: Operand, known: Iterator[int] | None = None) -> Iterator[Any]:
    """Return an iterator over the results of ``read(items, position)`` for all elements in index order.

    ``known`` contains the positions if they are computed already; positions in padding are negative.
    """
    if not operand.is_direct:
        return _each_filled(read, operand, known)
    items, places = operand.items, positions(operand) if known is None else known
    if operand.is_plain and isinstance(items, StructItems):
        return items.at(places)
    if operand.is_plain and type(items) in {list, memoryview}:
        return map(items.__getitem__, places)
    return (read(items, place) for place in places)  # a generator turns StopIteration of a user's code into an error


def _each_filled(read: Any, operand: Operand, known: Iterator[int] | None) -> Iterator[Any]:
    """Return the iterator of `each` for a padded operand; a proxy for padding refuses stores."""
    items, plan, origin, accessor = operand.items, operand.plan, operand.origin, operand.accessor
    fills = fills_of(accessor)
    fill = constant_of(fills)
    if known is None or fill is None or (accessor.has_references() and not all(map(constant_of, zip(fills)))):
        return (bounds_check.load_padded(read, items, plan, origin, accessor, index) for index in indices(plan.extents))
    blank = constant_items(fill.constant)
    return (read(items, place) if place >= 0 else read(blank, 0) for place in known)


def store(target: Operand, source: Iterator[Any], done: Done) -> None:
    """Store values in index order through the accessor, one by one."""
    store_each(cast("Writable[Any, Any]", target.accessor), target.items, positions(target), reporting(source, done))


def store_each(accessor: Writable[Any, Any], items: Any, places: Iterable[int], values: Iterable[Any]) -> None:
    """Store a value at each position of ``items``, one by one; if a value is refused, no item is changed.

    A store changes only the item at its position, so a rollback restores the items.
    """
    replaced: list[tuple[int, Any]] = []
    value: Any = None
    try:
        for position, value in zip(places, values, strict=True):
            replaced.append((position, kept(items[position])))
            accessor.store(items, position, value)
    except BaseException as error:
        for position, item in reversed(replaced):
            items[position] = item
        if isinstance(error, REFUSALS):
            refuse_store(accessor, items, value, error)
        raise


def unshared(value: Any) -> Any:
    """Return a NumPy record as a tuple, with lists for fields that are arrays; return other values unchanged.

    A record shares the memory of the items, and so do the arrays in the tuple that the method ``item`` of the record
    returns.
    """
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        return value
    if getattr(value, "ndim", 0):
        return [*map(unshared, value)]
    return tuple([unshared(value[name]) for name in dtype.names]) if dtype.names else value.item()


def kept(loaded: Any) -> Any:
    """Return a value that does not change with the items: a NumPy record, which shares their memory, is copied."""
    is_record = type(loaded).__name__ == "void" and type(loaded).__module__ == "numpy"
    return loaded.copy() if is_record else loaded


def fill(item: ItemRow, target: Operand) -> None:
    """Copy the single item of the sequence ``item`` to each element."""
    _put(target, repeat(as_words(item)[0], target.plan.size))


def copy(source: Operand, target: Operand) -> None:
    """Copy items of equal format, or items of lists; the last of several items for the same position is kept.

    All items are read before the first one is stored.
    """
    row, run = as_words(source.items), _run(source)
    _put(target, [*map(row.__getitem__, positions(source))] if run is None else row[run])


def _put(target: Operand, words: Iterable[Any]) -> None:
    """Store words in index order; all positions are checked before the first store."""
    row, run = as_words(target.items), _run(target)
    if run is None:
        deque(map(row.__setitem__, [*positions(target)], words), 0)
    else:
        row[run] = words


def _run(operand: Operand) -> slice | None:
    """Return the slice, with a positive step, that selects all items in index order; None if there is no such slice."""
    plan, origin = operand.plan, operand.origin
    if type(operand.items) is not list or plan.strides is None or not plan.size:
        return None
    extents, strides = merged_dimensions(plan.extents, plan.strides, "C")
    step, start = strides[0] if strides else 1, origin + plan.start
    if len(extents) > 1 or step < 1:
        return None
    check(start, start + (plan.size - 1) * step, len(operand.items))
    return slice(start, start + (plan.size - 1) * step + 1, step)


def as_words(items: ItemRow) -> ItemRow:
    """Return items in memory as unsigned integers of the same size.

    Other items, and items for whose size there is no such integer, are returned unchanged.
    """
    raw = items.raw if isinstance(items, StructItems) else items
    word = _WORDS.get(items.itemsize) if isinstance(raw, memoryview) else None
    return items if word is None else raw.cast("B").cast(cast("Any", word))
