"""Bulk access: reading or writing all elements of a view at once, in index order, last index fastest.

Here in plain Python over the offsets of the mapping. Values are always read before any is written, so that source and
target may overlap, and are tried out on scratch items before the data changes, so that a bad value changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any, Final, cast

from mdview.accessors.base import Accessor, Writable
from mdview.engines import halo
from mdview.errors import ShapeError
from mdview.extents import shape_text
from mdview.layouts.base import Layout
from mdview.mapping import Mapping

MOST_EMPTY: Final = 1_000_000
"""How many empty lists are made of a view without elements."""

AnyMapping = Mapping[tuple[int, ...], Layout]


def values(items: Sequence[Any], mapping: AnyMapping, origin: int, accessor: Accessor[Any, Any]) -> Iterator[Any]:
    """Values of all elements (never proxies), last index fastest. Any: what the accessor's elements are."""
    return _each(accessor.read, items, mapping, origin, accessor)


def references(items: Sequence[Any], mapping: AnyMapping, origin: int, accessor: Accessor[Any, Any]) -> Iterator[Any]:
    """What loads return for all elements, proxies included, last index fastest."""
    return _each(accessor.load, items, mapping, origin, accessor)


def _each(
    read: Any, items: Sequence[Any], mapping: AnyMapping, origin: int, accessor: Accessor[Any, Any]
) -> Iterator[Any]:
    if not mapping.layout.is_total():
        return halo.loads(read, items, mapping, origin, accessor)
    offsets = (origin + offset for offset in mapping.offsets()) if origin else mapping.offsets()
    if accessor.is_plain:
        return map(items.__getitem__, offsets)
    return (read(items, offset) for offset in offsets)


def fill(items: Any, mapping: AnyMapping, origin: int, accessor: Writable[Any, Any], value: Any) -> None:
    """Make ``value`` every element."""
    for offset in mapping.offsets():
        accessor.store(items, origin + offset, value)


def assign(items: Any, mapping: AnyMapping, origin: int, accessor: Writable[Any, Any], source: Iterable[Any]) -> None:
    """Make the values of ``source``, one per index, the elements."""
    staged = list(source)
    if accessor.is_plain:
        _try_out(items, staged)
    for offset, value in zip(mapping.offsets(), staged, strict=True):
        accessor.store(items, origin + offset, value)


def _try_out(items: Any, staged: Sequence[Any]) -> None:
    """Raise what storing one of the values in a buffer would raise, without touching the data."""
    if not isinstance(items, memoryview):
        return
    scratch = memoryview(bytearray(items.itemsize)).cast(cast("Any", items.format))
    for value in staged:
        scratch[0] = value


def nested(flat: Iterator[Any], extents: Sequence[int]) -> Any:
    """Nested lists of the shape ``extents`` from values in index order; the value itself for rank 0."""
    if not extents:
        return next(flat)
    if 0 in extents and prod(extents[: extents.index(0)]) > MOST_EMPTY:
        message = f"lists of shape {shape_text(extents)} would be {prod(extents[: extents.index(0)])} empty ones"
        raise ShapeError(message)
    rows = list(flat)
    for r in range(len(extents) - 1, 0, -1):  # from the inside out, so that no rank is too deep
        n = extents[r]
        rows = [rows[k * n : (k + 1) * n] for k in range(prod(extents[:r]))]
    return rows
