"""Row buffers: reading the items of a view in index order, each when it is asked for.

A row buffer is the memory between the first and the last item of a row, or of a few short ones; it is a memoryview,
which shares the items. The runs of a row are at the same places in each (see `mdview.engines.bulk.runs.repeated`), so
what takes them out of a row buffer is made once, and a walk does nothing for a run but slice it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from mdview.accessors.struct_items import StructItems
from mdview.engines.bulk.operand import AnyMapping
from mdview.engines.bulk.runs import MOST, Items, Run, positions, repeated, runs, slices
from mdview.engines.positions import refuse

PAYS_FROM: Final = 512
"""Elements of a view from which it pays to look for row buffers."""
SMALLEST: Final = 32
"""Elements of a row buffer from which it pays to make one."""
SHORTEST_RUN: Final = 4
"""Elements of a run, on average, from which a slice for each run is faster than an index for each element."""


def values(items: Items, mapping: AnyMapping, origin: int) -> Iterator[Any]:
    """Items of all elements, in index order. Any: items of any format.

    Of a list a run is read at a time.
    """
    if type(items) in {list, tuple}:
        return chain.from_iterable(items[part] for part in slices(runs(mapping, origin, len(items))))
    return each(items, mapping, origin)


def each(items: Items, mapping: AnyMapping, origin: int) -> Iterator[Any]:
    """Items of all elements, in index order; each is read when it is asked for. Any: items of any format."""
    if isinstance(items, StructItems):
        return items.at(positions(mapping, origin, len(items)))
    if not isinstance(items, memoryview) or mapping.size < PAYS_FROM:
        return map(items.__getitem__, positions(mapping, origin, len(items)))
    starts, pattern = repeated(mapping, origin, len(items))
    count = sum([n for _, n, _ in pattern])
    is_short = count < SHORTEST_RUN * len(pattern)
    if count < SMALLEST or (is_short and count > MOST) or any(step == 0 for _, _, step in pattern):
        return map(items.__getitem__, positions(mapping, origin, len(items)))
    low, length = _reach(pattern)
    pattern = [(first - low, n, step) for first, n, step in pattern]
    if is_short:
        places = [first + k * step for first, n, step in pattern for k in range(n)]
        return chain.from_iterable(_taken(items, starts, low, length, places))
    return chain.from_iterable(chain.from_iterable(_taken(items, starts, low, length, list(slices(pattern)))))


def _reach(pattern: Sequence[Run]) -> tuple[int, int]:
    """Lowest place of runs, and how many places there are up to the highest."""
    firsts, lasts = [first for first, _, _ in pattern], [first + (n - 1) * step for first, n, step in pattern]
    low = min(*firsts, *lasts)
    return low, max(*firsts, *lasts) + 1 - low


def _taken(
    items: memoryview[Any], starts: Iterable[int], low: int, length: int, keys: Sequence[int] | Sequence[slice]
) -> Iterator[Iterator[Any]]:
    """What places or slices take from the row buffers of ``length`` items that begin ``low`` after each start."""
    last = len(items) - length
    for start in starts:
        first = start + low
        if not 0 <= first <= last:
            refuse(first, first + length - 1, len(items))
        take: Callable[[Any], Any] = items[first : first + length].__getitem__
        yield map(take, keys)
