"""The reference: whole views one element after the other, in index order, last index fastest, in plain Python.

This is what whole-view functions do where there is no NumPy, or accessors and items are no arrays, and what the other
ways agree with. Items are copied as words, so that every bit of them arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice, product, repeat
from typing import Any, Final, TypeAlias, cast

from mdview.accessors.base import Writable, refuse_store
from mdview.accessors.fill import Constant, fill_of
from mdview.base.strided_sets import AffineImage, merged
from mdview.engines import padding
from mdview.engines.bulk.operand import Operand
from mdview.engines.plan import AnyMapping
from mdview.engines.positions import check, checked
from mdview.layouts.base import indices
from mdview.memory.dtypes import REFUSALS
from mdview.memory.items import StructItems

Done = Callable[[int], None]
"""Told how many elements more are done."""
Run: TypeAlias = tuple[int, int, int]
"""First position, how many, and the step to the next, which is not 0."""
Items: TypeAlias = Any
"""Items of any format, which slice like a list. Any: elements of any type, here and below."""

REPORTED: Final = 1 << 14
"""Values between two reports of progress."""
MOST: Final = 1 << 16
"""How many items are copied at once at most, which bounds what slices take of memory."""

_WORDS: Final = {1: "B", 2: "H", 4: "I", 8: "Q"}
_LONG_WORD: Final = 8


def nothing(count: int) -> None:
    """Take a report of progress and drop it."""


def told(each: Iterator[Any], done: Done) -> Iterator[Any]:
    """Iterate as before, and report progress now and then."""
    return each if done is nothing else chain.from_iterable(_reported(each, done))


def _reported(each: Iterator[Any], done: Done) -> Iterator[list[Any]]:
    while part := list(islice(each, REPORTED)):
        yield part
        done(len(part))


def positions(operand: Operand) -> Iterator[int]:
    """Positions of all elements of a total operand, in index order; each is known to lie in the items."""
    items, plan, origin, _ = operand
    ends = plan.ends
    offsets = plan.offsets()
    if ends is not None and (plan.axes is not None or (ends[0] + origin >= 0 and ends[1] + origin < len(items))):
        if ends[0] <= ends[1]:
            check(ends[0] + origin, ends[1] + origin, len(items))
        return map(origin.__add__, offsets) if origin else offsets
    return checked(map(origin.__add__, offsets), len(items))


def each(read: Any, operand: Operand, known: Iterator[int] | None = None) -> Iterator[Any]:
    """What a function of items and a position gives for all elements; positions may be ``known`` already.

    Each element is read when it is asked for.
    """
    items, plan, _, accessor = operand
    if not plan.is_total:
        return _each_filled(read, operand, known)
    places = positions(operand) if known is None else known
    if accessor.is_plain and isinstance(items, StructItems):
        return items.at(places)
    return map(items.__getitem__, places) if accessor.is_plain else map(read, repeat(items), places)


def _each_filled(read: Any, operand: Operand, known: Iterator[int] | None) -> Iterator[Any]:
    """Read elements of a padded operand; what stands in for a reference to padding is stored to by nobody."""
    items, plan, origin, accessor = operand
    mapping, fill = cast("AnyMapping", plan.mapping), fill_of(accessor)
    if known is None or fill is None or (fill.mode != "constant" and accessor.has_references()):
        return (padding.load(read, items, mapping, origin, accessor, index) for index in indices(mapping.extents))
    blank = Constant(fill.constant)
    return (read(items, place) if place != padding.FILLED else read(blank, 0) for place in known)


def store(target: Operand, source: Iterator[Any], done: Done) -> None:
    """Store values through the accessor, one by one."""
    store_each(cast("Writable[Any, Any]", target.accessor), target.items, positions(target), told(source, done))


def store_each(accessor: Writable[Any, Any], items: Any, places: Iterable[int], values: Iterable[Any]) -> None:
    """Store a value at each position of ``items``, one by one: all of them, or none where one is refused.

    A store changes the item at its position alone, so the items are what is put back; the accessor is not asked.
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


def kept(loaded: Any) -> Any:
    """Return a value that stays as it is: a record of NumPy follows the memory that it was loaded from."""
    is_record = type(loaded).__name__ == "void" and type(loaded).__module__ == "numpy"
    return loaded.copy() if is_record else loaded


def fill(item: Items, target: Operand) -> None:
    """Copy the one item of ``item`` to each element; all positions are known to lie in the items before the first."""
    n, (row, width) = min(MOST, target.plan.size), _words(item)
    many = row * n if isinstance(row, list) else memoryview(bytes(row) * n).cast(row.format)
    _copy((many, width), _words(target.items), repeat((0, n, 1)), _target_runs(target))


def copy(source: Operand, target: Operand) -> None:
    """Copy items of one format, or of lists, which share no memory; of several items for one place the last one stays.

    All positions of the target are known to lie in its items before the first is stored to.
    """
    _copy(_words(source.items), _words(target.items), _runs(source), _target_runs(target))


def _target_runs(target: Operand) -> Iterator[Run]:
    if target.plan.axes is None:
        for _ in positions(target):
            pass
    return _runs(target)


def _runs(operand: Operand) -> Iterator[Run]:
    """Runs of positions in index order."""
    items, plan, origin, _ = operand
    strides = plan.strides
    if strides is None:
        return ((place, 1, 1) for place in positions(operand))
    if 0 in plan.extents:
        return iter(())
    low, high = plan.ends or (0, -1)
    check(low + origin, high + origin, len(items))
    image = merged(AffineImage(plan.extents, strides, plan.start + origin), "C")
    *outer, count = (1, *image.extents)
    *steps, step = (1, *image.strides)
    starts = map(sum, product((image.origin,), *[[i * s for i in range(n)] for n, s in zip(outer, steps, strict=True)]))
    if step == 0:
        return ((start, 1, 1) for start in starts for _ in range(count))
    return ((start + k * step, min(MOST, count - k), step) for start in starts for k in range(0, count, MOST))


def _copy(read: tuple[Items, int], written: tuple[Items, int], out: Iterator[Run], into: Iterator[Run]) -> None:
    """Copy runs of items, each of which is some words."""
    (source, width), (target, _) = read, written
    there, left, step = 0, 0, 1
    for start, total, stride in into:
        here, count = start, total
        while count:
            if not left:
                there, left, step = next(out)
            n = min(count, left)
            for k in range(width):
                a, b = (there * width + k, n, step * width), (here * width + k, n, stride * width)
                target[_slice(*b)] = source[_slice(*a)]
            here, there, count, left = here + n * stride, there + n * step, count - n, left - n


def _slice(start: int, count: int, step: int) -> slice:
    stop = start + count * step
    return slice(start, stop if stop >= 0 else None, step)


def _words(items: Items) -> tuple[Items, int]:
    """Return the same memory as whole numbers, and how many of them are an item; a list as it is."""
    raw = items.raw if isinstance(items, StructItems) else items
    if not isinstance(raw, memoryview):
        return items, 1
    size = min(items.itemsize, _LONG_WORD)
    return raw.cast("B").cast(cast("Any", _WORDS[size])), items.itemsize // size
