"""Runs: the offsets of a mapping in index order as few ranges, so that slices of the items do the work.

This is bulk access without NumPy. Items are copied as words, so that every bit of them arrives. The runs of a row, or
of a few short ones, are the same in all rows, counted from where the row starts; so they are found once.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, product, repeat, starmap
from typing import Any, Final, TypeAlias, cast

from mdview.accessors.struct_items import StructItems
from mdview.base.strided_sets import AffineImage, each_offset, merged
from mdview.engines.axis_tables import Tables, offset_tables, table_bounds
from mdview.engines.bulk.boxes import boxes, whole
from mdview.engines.bulk.operand import AnyMapping
from mdview.engines.bulk.vector_offsets import vector_offset
from mdview.engines.positions import check, checked
from mdview.expressions.python_source import function
from mdview.layouts.base import indices

Run: TypeAlias = tuple[int, int, int]
"""First position, how many, and the step to the next."""
# Any: items of any format, which slice like a list.
Items: TypeAlias = Any

TRACED_FROM: Final = 256
"""Elements from which it pays to trace a layout in order to find its runs."""
LONGEST_TABLE: Final = 1 << 20
"""How many indices along one dimension have their offsets in a table at most."""
MOST_REPEATED: Final = 32
"""How many runs of several rows are kept together; to find more of them costs what they save."""
AT_ONCE: Final = 1 << 13
"""How many positions are looked up together."""
MOST: Final = 1 << 16
"""How many items are copied at once at most, which bounds what slices take of memory."""

_WORDS: Final = {1: "B", 2: "H", 4: "I", 8: "Q"}
_LONG_WORD: Final = 8


def runs(mapping: AnyMapping, origin: int, length: int) -> Iterator[Run]:
    """Runs of the positions of all elements in ``length`` items, in index order.

    >>> from mdview import LayoutStrideRelaxed, Mapping
    >>> list(runs(Mapping((2, 3), LayoutStrideRelaxed((-4, 1), 4)), 0, 7))
    [(4, 3, 1), (0, 3, 1)]
    """
    starts, pattern = repeated(mapping, origin, length)
    return ((start + first, count, step) for start in starts for first, count, step in pattern)


def repeated(mapping: AnyMapping, origin: int, length: int) -> tuple[Iterator[int], list[Run]]:
    """Runs that repeat: where they start each time, and the runs from there on, counted from the start.

    Raises
    ------
    IndexOutOfRangeError
        Some do not lie in ``length`` items; where they are found one by one, that one is refused when it is reached.

    >>> from mdview import LayoutTiled, Mapping
    >>> starts, pattern = repeated(Mapping((40, 30), LayoutTiled(20, 20)), 7, 2000)
    >>> [next(starts) for _ in range(3)], pattern
    ([7, 27, 47], [(0, 20, 1), (400, 10, 1)])
    """
    image = _image(mapping, origin, length)
    if image is not None:
        return _strided(image)
    found = _tables(mapping)
    if found is None:
        return _looked_up(mapping, origin, length), [(0, 1, 1)]
    (*outer, last), constant = found
    first = origin + constant
    low, high = table_bounds(found[0])
    check(first + low, first + high, length)
    pattern = _cut(last)
    while outer and len(pattern) * len(outer[-1]) <= MOST_REPEATED:
        pattern = _times(outer.pop(), pattern)
    return map(sum, product((first,), *outer)), pattern


def target_runs(mapping: AnyMapping, origin: int, length: int) -> Iterator[Run]:
    """Runs of positions that are written to: all are known to lie in the items before the first one is used."""
    if mapping.found_strides() is None and _tables(mapping) is None:
        deque(runs(mapping, origin, length), maxlen=0)
    return runs(mapping, origin, length)


def _image(mapping: AnyMapping, origin: int, length: int) -> AffineImage | None:
    """Positions of a strided mapping, all in ``length`` items; None where it has no strides."""
    strides, reach = mapping.found_strides(), mapping.reach()
    if reach is not None:
        check(origin + reach[0], origin + reach[1], length)
    return None if strides is None else AffineImage(tuple(map(int, mapping.extents)), strides, origin + mapping.origin)


def _tables(mapping: AnyMapping) -> tuple[Tables, int] | None:
    """Tables of a mapping and what to add to their sum; None where there are none."""
    found = offset_tables(mapping)
    if found is None and mapping.size >= TRACED_FROM and mapping.rank:
        return _long_tables(mapping)
    return found


def _looked_up(mapping: AnyMapping, origin: int, length: int) -> Iterator[int]:
    """Positions one by one, by the layout's compiled arithmetic where it pays to compile it."""
    vector = vector_offset(mapping.layout, mapping.extents) if mapping.size >= TRACED_FROM else None
    if vector is None:
        offsets = mapping.offsets()
    elif sys.modules.get("numpy"):
        from mdview.engines.bulk.arrays.gather import finder  # noqa: PLC0415 - NumPy is there

        find = finder(mapping, origin, length)
        return chain.from_iterable(find(box).ravel().tolist() for box in boxes(whole(mapping.extents), AT_ONCE))
    else:
        offsets = starmap(function(vector.root, mapping.rank), indices(mapping.extents))
    return checked((origin + offset for offset in offsets), length)


def _strided(image: AffineImage) -> tuple[Iterator[int], list[Run]]:
    image = merged(image, "C")
    extents, strides = list(image.extents), list(image.strides)
    count, step = (extents.pop(), strides.pop()) if extents else (1, 1)
    pattern = [(0, count, step)] if count else []
    while extents and len(pattern) * extents[-1] <= MOST_REPEATED:
        extent, stride = extents.pop(), strides.pop()
        pattern = _times([i * stride for i in range(extent)], pattern)
    return each_offset(AffineImage(tuple(extents), tuple(strides), image.origin)), pattern


def _times(starts: Sequence[int], pattern: Sequence[Run]) -> list[Run]:
    """Return a pattern from each of these starts on."""
    return [(start + first, count, step) for start in starts for first, count, step in pattern]


def _long_tables(mapping: AnyMapping) -> tuple[Tables, int] | None:
    """Tables of a mapping, as `offset_tables` has them for small extents."""
    extents = mapping.extents
    found = vector_offset(mapping.layout, extents) if max(extents) <= LONGEST_TABLE else None
    if found is None or not found.is_separable:
        return None
    zero = (0,) * len(extents)
    start: int = found.offset(*zero)
    tables = [
        [found.offset(*zero[:r], i, *zero[r + 1 :]) - start for i in range(extent)] for r, extent in enumerate(extents)
    ]
    return tuple(tables), start


def _cut(table: Sequence[int]) -> list[Run]:
    """Cut a table into runs of one step each.

    >>> _cut([0, 1, 2, 8, 9, 7])
    [(0, 3, 1), (8, 2, 1), (7, 1, 1)]
    """
    found: list[Run] = []
    for offset in table:
        start, count, step = found[-1] if found else (0, 0, 0)
        if count == 1:
            found[-1] = start, 2, offset - start
        elif count and offset == start + count * step:
            found[-1] = start, count + 1, step
        else:
            found.append((offset, 1, 1))
    return found


def positions(mapping: AnyMapping, origin: int, length: int) -> Iterator[int]:
    """Positions of all elements in ``length`` items, in index order."""
    image = _image(mapping, origin, length)
    if image is not None:
        return each_offset(image)
    if _tables(mapping) is None:
        return _looked_up(mapping, origin, length)
    found = runs(mapping, origin, length)
    return chain.from_iterable(range(s, s + n * t, t) if t else repeat(s, n) for s, n, t in found)


def slices(found: Iterable[Run]) -> Iterator[slice]:
    """Slices that take the items of runs, `MOST` at a time; a step of 0 takes one item many times."""
    for start, count, step in found:
        if step == 0:
            yield from repeat(slice(start, start + 1), count)
        for first in range(0, count if step else 0, MOST):
            yield _slice(start + first * step, min(MOST, count - first), step)


def _slice(start: int, count: int, step: int) -> slice:
    stop = start + count * step
    return slice(start, stop if stop >= 0 else None, step)


def words(items: Items) -> tuple[Items, int]:
    """Return the same memory as whole numbers, and how many of them are an item; a list as it is."""
    raw = items.raw if isinstance(items, StructItems) else items
    if not isinstance(raw, memoryview):
        return items, 1
    size = min(items.itemsize, _LONG_WORD)
    return raw.cast("B").cast(cast("Any", _WORDS[size])), items.itemsize // size


def copy(source: Items, target: Items, out: Iterable[Run], into: Iterable[Run]) -> None:
    """Copy items from the runs ``out`` of ``source`` to the runs ``into`` of ``target``; they share nothing.

    Both are items of one format, or lists. Of several items for one place the last one stays.
    """
    (source, _), (target, width) = words(source), words(target)
    if width > 1:
        out, into = _widened(out, width), _widened(into, width)
    each = iter(out)
    there, left, step = 0, 0, 0
    for start, total, stride in into:
        here, count = start, total
        while count:
            if not left:
                there, left, step = next(each)
            n = min(count, left, MOST)
            _copy_run(source, target, (there, n, step), (here, n, stride))
            here, there, count, left = here + n * stride, there + n * step, count - n, left - n


def _copy_run(source: Items, target: Items, out: Run, into: Run) -> None:
    """Copy one run."""
    (here, count, stride), (there, _, step) = into, out
    if count == 1 or stride == 0:
        target[here] = source[there + (count - 1) * step]
    elif step:
        target[_slice(*into)] = source[_slice(*out)]
    elif isinstance(target, memoryview):
        item = bytes(source[there : there + 1])
        target[_slice(*into)] = memoryview(item * count).cast(cast("Any", target.format))
    else:
        target[_slice(*into)] = [source[there]] * count


def _widened(found: Iterable[Run], width: int) -> Iterator[Run]:
    """Runs of words for runs of items that are ``width`` words each."""
    for start, count, step in found:
        if step == 1:
            yield start * width, count * width, 1
        else:
            yield from (((start + k * step) * width, width, 1) for k in range(count))
