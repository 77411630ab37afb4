"""Aliasing: whether what is written may be what is read, over whatever memory the two lie in."""

from __future__ import annotations

from array import array
from typing import Any, Final

from mdview.accessors.buffers import address_of
from mdview.accessors.places import map_under, site_of
from mdview.accessors.struct_items import StructItems
from mdview.engines.bulk.operand import AnyMapping, Operand
from mdview.errors import UndecidedError
from mdview.index.extents import is_empty
from mdview.mappings.facts import bounds, overlap

_OWNERS: Final = (bytes, bytearray, array)
"""Objects whose memory nobody else owns."""


def may_overlap(source: Operand, target: Operand) -> bool:
    """Tell whether the two may share an element; exactly for strided mappings over the same items.

    >>> from mdview import DefaultAccessor, LayoutStride, Mapping
    >>> row, even = memoryview(bytearray(8)), Mapping((4,), LayoutStride((2,)))
    >>> may_overlap(Operand(row, even, 0, DefaultAccessor()), Operand(row, even, 1, DefaultAccessor()))
    False
    """
    distance = _distance(target.items, source.items)
    if distance is None:
        return False
    size = getattr(target.items, "itemsize", 1)
    if distance % size or size != getattr(source.items, "itemsize", 1):
        return True
    shift = distance // size + source.origin - target.origin
    first, second = target.mapping, source.mapping
    if first.found_strides() is None or second.found_strides() is None:
        return not _are_apart(first, second, shift)
    try:
        return overlap(first, second, shift=shift) is not None
    except UndecidedError:
        return True


def _distance(target: Any, source: Any) -> int | None:
    """How far the first item of ``source`` lies behind that of ``target``, in bytes; None where memory is apart.

    Any: items of any format. Sequences that are no memory are apart unless they are one object.
    """
    if target is source:
        return 0
    mine, its = _memory(target), _memory(source)
    if mine is None or its is None or (mine.obj is not its.obj and {type(mine.obj), type(its.obj)} <= {*_OWNERS}):
        return None
    start, begin = address_of(mine), address_of(its)
    if start + mine.nbytes <= begin or begin + its.nbytes <= start:
        return _distance_in_file(mine, its, start, begin)
    return begin - start


def _distance_in_file(mine: memoryview, its: memoryview, start: int, begin: int) -> int | None:
    """How far one lies behind the other in the file of which they are two maps; None where they are apart."""
    (first, told), (second, too) = map_under(None, mine), map_under(None, its)
    if first is None or second is None or first is second:
        return None
    low, high = address_of(memoryview(first)), address_of(memoryview(second))
    mapped, other = site_of(first, low, told), site_of(second, high, too)
    if mapped is None or other is None or (mapped.name, mapped.inode) != (other.name, other.inode):
        return None
    start, begin = mapped.offset + start - low, other.offset + begin - high
    return None if start + mine.nbytes <= begin or begin + its.nbytes <= start else begin - start


def _memory(items: Any) -> memoryview | None:
    if isinstance(items, StructItems):
        return items.raw
    if isinstance(items, memoryview):
        return items
    if type(items).__module__ == "numpy" and not items.dtype.hasobject:
        found: memoryview = items.view(f"V{items.itemsize}").data
        return found
    return None


def _are_apart(first: AnyMapping, second: AnyMapping, shift: int) -> bool:
    """Tell whether all offsets of one mapping lie below those of the other, as far as that costs nothing."""
    if not all(m.layout.is_monotone() or m.found_strides() is not None or is_empty(m.extents) for m in (first, second)):
        return False
    mine, its = bounds(first), bounds(second)
    return mine is None or its is None or mine[1] < its[0] + shift or its[1] + shift < mine[0]
