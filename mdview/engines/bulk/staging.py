"""A staging buffer holds elements, in index order, between reading all of them and storing the first.

It has the format of the target, so that a value that cannot be stored there is refused while nothing has changed yet.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from typing import Any, Final

from mdview.memory.dtypes import REFUSALS, refusal
from mdview.memory.items import StructItems
from mdview.memory.storage import Storage

_WHOLE: Final = frozenset({int, bool})
_TAKEN: Final = dict.fromkeys("bBhHiIlLqQ", _WHOLE) | dict.fromkeys("fd", _WHOLE | {float})
"""Formats and types of numbers that an `array.array` takes as a memoryview does."""
AT_ONCE: Final = 1 << 16
"""How many values are put there together at most."""


def staging_buffer(items: Any, count: int) -> Any:
    """Make a buffer of ``count`` items of the format that ``items`` have. Any: items of any format.

    >>> staging_buffer(memoryview(b"abc"), 2).tolist(), staging_buffer(["abc"], 2)
    ([0, 0], [None, None])
    """
    if type(items).__module__ == "numpy" and not items.dtype.hasobject:
        return type(items)((count,), items.dtype, bytearray(count * items.itemsize))
    if not isinstance(items, memoryview | StructItems):
        return [None] * count
    return Storage(bytearray(count * items.itemsize), items.format).items if count else [None] * count


def staged(items: Any, values: Iterable[Any], count: int) -> Any:
    """Put ``values`` for ``items`` into a staging buffer; raise what storing one of them would raise."""
    held = staging_buffer(items, count)
    if isinstance(held, list):
        return list(values)
    each = iter(values)
    for start in range(0, count, AT_ONCE):
        part = list(islice(each, min(AT_ONCE, count - start)))
        try:
            _put(held, start, part)
        except REFUSALS:
            _refuse(held, start, part)
            raise
    return held


def _refuse(held: Any, start: int, values: list[Any]) -> None:
    """Put values one by one, up to the one that is refused, and say which it is. Any: see `staged`."""
    for k, value in enumerate(values, start):
        try:
            held[k] = value
        except REFUSALS as error:
            found = refusal(held, value, error)
            try:
                if found is error:
                    raise
                raise found from error
            finally:
                del found  # as in `refuse_store`


def _put(held: Any, start: int, values: list[Any]) -> None:
    """Put values into a buffer, together where they are numbers that `array.array` takes. Any: see `staged`."""
    if isinstance(held, StructItems):
        held.put(start, values)
        return
    kinds = _TAKEN.get(held.format) if isinstance(held, memoryview) else None
    if kinds is not None and kinds.issuperset(map(type, values)):
        with suppress(OverflowError):  # one of them does not fit; who stores it says so
            held[start : start + len(values)] = memoryview(array(held.format, values))
            return
    for k, value in enumerate(values, start):
        held[k] = value
