"""Block transfer: copying, filling, comparing, reducing and reading views as NumPy arrays.

Through common blocks of all operands where there are some, else through looked-up offsets in index order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdview.engines.bulk.arrays.boxes import Box, short_boxes, whole
from mdview.engines.bulk.arrays.cache_order import STEP, copy_array, copy_blocks
from mdview.engines.bulk.arrays.convert import converted, misfit, needs_test
from mdview.engines.bulk.arrays.gather import (
    chunks,
    finder,
    gathered,
    is_distinct,
    scatter,
    summed,
    tables,
    target_finder,
)
from mdview.engines.bulk.arrays.progressions import progression_of
from mdview.engines.bulk.arrays.regions import regions
from mdview.engines.bulk.arrays.strided_blocks import Block, common_blocks, parts
from mdview.engines.bulk.operand import AnyMapping, Operand
from mdview.layouts.answers import offset_of
from mdview.mappings.facts import is_contiguous

Array = NDArray[Any]  # Any: of whatever format the items are
Side = tuple[Operand, Array]
"""An operand and the row of its items."""
Done = Callable[[int], None]


def copy(source: Side, target: Side, done: Done, threads: int = 1) -> None:
    """Copy every element; the two share no memory, and numbers of another format fit.

    Several ``threads`` take part where there are common blocks.
    """
    mapping, (_, out), (_, into) = target[0].mapping, source, target
    box = _last_of_repeated(mapping)
    if into.dtype == out.dtype and is_distinct(mapping, box):
        found = _blocks([target[0], source[0]], box)
        if found is not None:
            copy_blocks(out, into, found, done, threads)
            return
    found_regions = regions(source[0].mapping) if is_distinct(mapping, whole(mapping.extents)) else None
    if found_regions is not None:
        _copy_regions(source, target, found_regions, done)
        return
    write, read = _writer(target), reader(source)
    looked_up = source[0].mapping.found_strides() is None
    straight = looked_up and into.dtype == out.dtype and _is_row(mapping)
    for part in chunks(mapping):
        if straight:
            start = target[0].origin + offset_of(mapping.layout, mapping.extents, part.first)
            read(part, into[start : start + part.size])
        else:
            write(part, converted(read(part), into.dtype))
        done(part.size)


def _copy_regions(source: Side, target: Side, found: Sequence[tuple[Box, bool]], done: Done) -> None:
    """Copy box by box, to elements of which none is there twice; some of the boxes are regions."""
    operand, row = source
    write, read = _writer(target), reader(source)
    for box, is_region in found:
        places = tables(operand.mapping, operand.origin, len(row), box) if is_region else None
        progression = None if places is None else progression_of(places, box)
        for part in [box] if progression is None else progression.parts():
            if progression is not None:
                elements = progression.read(row, part)
            else:
                elements = read(part) if places is None else gathered(row, summed(places, box, part))
            write(part, converted(elements, target[1].dtype))
            done(part.size)


def fill(target: Side, value: Array, done: Done) -> None:
    """Make the one element of ``value`` every element."""
    operand, row = target
    found = _blocks([operand], whole(operand.mapping.extents))
    if found is not None:
        for block in found:
            for part in parts(block, STEP):
                np.copyto(part.of(0, row), value)
                done(part.size)
        return
    find = target_finder(operand.mapping, operand.origin, len(row))
    for box in chunks(operand.mapping):
        row[find(box)] = value
        done(box.size)


def misfitting(source: Side, target: Array) -> object | None:
    """Return a number of ``source`` that does not fit the format of a row, or None."""
    if not needs_test(source[1].dtype, target.dtype):
        return None
    read = reader(source)
    found = (misfit(read(box), target.dtype) for box in chunks(source[0].mapping))
    return next((number for number in found if number is not None), None)


def values(source: Side, done: Done) -> Iterator[list[Any]]:
    """Python numbers of all elements in index order, a list at a time. Any: numbers of the format."""
    read = reader(source)
    for box in chunks(source[0].mapping):
        yield read(box).tolist()
        done(box.size)


def are_comparable(first: Array, second: Array) -> bool:
    """Tell whether NumPy compares numbers of these formats as Python does: exactly."""
    kinds = {first.dtype.kind, second.dtype.kind}
    return kinds <= set("biu") or kinds == {"f"} or (kinds == {"c"} and first.dtype == second.dtype)


def equal(first: Side, second: Side, done: Done) -> bool:
    """Tell whether numbers are equal throughout, see `are_comparable`."""
    for mine, its in pairs_of([first, second]):
        if not np.array_equal(mine, its):
            return False
        done(mine.size)
    return True


def is_reorderable(function: np.ufunc) -> bool:
    """Tell whether a ufunc reduces several axes at once, as those do to which no order matters."""
    try:
        function.reduce(np.ones((1, 1)), axis=None)
    except (TypeError, ValueError):
        return False
    return True


def reduced_values(function: np.ufunc, values: list[Any]) -> Any:
    """Reduce Python values in their order. Any: numbers, and a scalar of the function's type."""
    return function.reduce(np.array(values))


def reduced_in_order(function: np.ufunc, source: Side, done: Done) -> Any:  # Any: a scalar of the function's type
    """Reduce elements in index order, by a function to which order matters; there may be none."""
    operand, row = source
    if not operand.mapping.size:
        return function.reduce(row[:0])
    read, so_far = reader(source), row[:0]
    for box in chunks(operand.mapping):
        so_far = np.array([function.reduce(np.concatenate([so_far, read(box)]))])
        done(box.size)
    return so_far[0]


def reduced(function: np.ufunc, source: Side, done: Done) -> Any:  # Any: a scalar of the function's type
    """Reduce all elements, in whatever order they are near each other, by a function to which no order matters."""
    found = []
    for (part,) in pairs_of([source]):
        found.append(function.reduce(part, axis=None))
        done(part.size)
    return function.reduce(np.array(found))


def pairs_of(sides: Sequence[Side]) -> Iterator[list[Array]]:
    """Arrays that together hold the elements of several operands of equal extents, those at one place side by side.

    Strided arrays over the items where there are common blocks, and copies of them in index order elsewhere.
    """
    mapping = sides[0][0].mapping
    found = _blocks([operand for operand, _ in sides], whole(mapping.extents))
    if found is not None:
        for block in found:
            for part in parts(block, STEP):
                yield [part.of(k, row) for k, (_, row) in enumerate(sides)]
        return
    readers = [reader(side) for side in sides]
    for box in chunks(mapping):
        yield [read(box) for read in readers]


def reader(side: Side) -> Callable[..., Array]:
    """Return what reads the elements of a box as one row, in index order; perhaps the items themselves.

    What it returns takes a `Box`, and a row to read into where the mapping is not strided.
    """
    operand, row = side
    seen = _window(operand, row)
    if seen is not None:
        return lambda box: seen[_slices(box)].ravel()
    find = finder(operand.mapping, operand.origin, len(row))
    return lambda box, out=None: gathered(row, find(box), out)


def _writer(side: Side) -> Callable[[Box, Array], None]:
    """Return what stores the elements of a box, from its shape or from one row, in index order."""
    operand, row = side
    distinct = is_distinct(operand.mapping, whole(operand.mapping.extents))
    seen = _window(operand, row) if distinct else None
    find = target_finder(operand.mapping, operand.origin, len(row))

    def write(box: Box, values: Array) -> None:
        if seen is None:
            scatter(row, find(box), values.ravel(), distinct=distinct)
        else:
            _store(seen, _slices(box), values.reshape(box.count))

    return write


def _store(seen: Array, place: tuple[slice, ...], values: Array) -> None:
    """Store values of the same shape."""
    if min(seen.strides, default=0) > 0 and sorted(seen.strides, reverse=True) == list(seen.strides):
        copy_array(values, seen[place])
    else:
        seen[place] = values


def _blocks(operands: Sequence[Operand], box: Box) -> list[Block] | None:
    """Common blocks of all of ``box``, or None."""
    sides = tuple([(operand.mapping, operand.origin) for operand in operands])
    found: list[Block] = []
    for part in short_boxes(box):
        blocks = common_blocks(sides, part)
        if blocks is None:
            return None
        found += blocks
    return found


def _is_row(mapping: AnyMapping) -> bool:
    """Tell whether elements follow each other in index order."""
    return mapping.found_strides() is not None and is_contiguous(mapping)


def _last_of_repeated(mapping: AnyMapping) -> Box:
    """Box of the indices whose elements stay when all are stored in index order: the last along a stride of 0."""
    strides = mapping.found_strides() or (1,) * mapping.rank
    first = tuple([n - 1 if s == 0 else 0 for n, s in zip(mapping.extents, strides, strict=True)])
    return Box(first, tuple([int(n) - f for n, f in zip(mapping.extents, first, strict=True)]))


def _window(operand: Operand, row: Array) -> Array | None:
    """Array of a strided mapping over its items, or None where it has no strides."""
    strides = operand.mapping.found_strides()
    if strides is None:
        return None
    start = (operand.origin + operand.mapping.origin) * row.itemsize
    steps = tuple([s * row.itemsize for s in strides])
    return np.ndarray(operand.mapping.extents, row.dtype, row.data, start, steps)


def _slices(box: Box) -> tuple[slice, ...]:
    return tuple([slice(f, f + n) for f, n in zip(box.first, box.count, strict=True)])
