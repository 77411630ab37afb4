"""Interning of mappings: one representative stands for all mappings of equal layout and extents.

Caches are asked for what is known of a mapping at each access to a part of a view, and comparing values there would
cost more than the access. So the value is looked up once, and from there on the identity of the representative is the
key. A mapping keeps its own; the functions here fill that slot.
"""

from __future__ import annotations

from typing import Final

from mdview.base import Dim
from mdview.base.caches import is_small, remember
from mdview.layouts.layout import Layout
from mdview.mappings.mapping import UNASKED, AnyMapping, Mapping

_set = object.__setattr__  # mappings are immutable otherwise
MOST_DIMENSIONS: Final = 64
"""The highest rank of a mapping that is remembered."""
_representatives: dict[tuple[object, ...], AnyMapping] = {}


def representative(mapping: AnyMapping) -> AnyMapping | None:
    """Return the one mapping that stands for all of this layout and these extents, so that its identity is a key.

    None where nothing is remembered of a mapping: its layout has no hash, or holds much memory.
    """
    known = mapping._representative  # noqa: SLF001 - a slot of mappings that functions here fill
    if known is True:
        return mapping
    if known is UNASKED:
        try:
            return _represented(mapping, value_key(mapping.layout, mapping.extents))
        except TypeError:  # a layout without a hash
            _set(mapping, "_representative", None)
            return None
    return known


def canonical(mapping: AnyMapping) -> AnyMapping:
    """Return the mapping that stands for all that equal this one; the mapping itself where there is none."""
    return representative(mapping) or mapping


def bound(extents: tuple[int, ...], layout: Layout) -> AnyMapping:
    """Return the mapping that stands for ``layout`` over ``extents``, which are ints; make and check one if need be.

    Raises
    ------
    ExtentsError, LayoutTypeError, LayoutError, RankError
        As `Mapping` raises them.
    """
    try:
        key = value_key(layout, extents)
        known = _representatives.get(key)
    except (AttributeError, TypeError):  # no layout, as its mapping will say, or one without a hash
        return Mapping(extents, layout)
    if known is None:
        made = Mapping(extents, layout)
        return _represented(made, key) or made
    return known


def value_key(layout: Layout, extents: tuple[int, ...]) -> tuple[object, ...]:
    """Key of a mapping by value: equal layouts of one type over equal extents, static or dynamic alike, have one."""
    if Dim in map(type, extents):  # dim(3) == 3, and they differ
        return type(layout), layout, layout.static_parameters(), extents, *map(type, extents)
    return type(layout), layout, layout.static_parameters(), extents


def _represented(mapping: AnyMapping, key: tuple[object, ...]) -> AnyMapping | None:
    """Return the mapping that stands for ``key``, which is ``mapping`` if there was none, and remember it there."""
    found = _representatives.get(key)
    if found is None and len(mapping.extents) <= MOST_DIMENSIONS and is_small(mapping.layout):
        found = remember(_representatives, key, mapping)
    # A mapping that held itself would outlive its last user.
    _set(mapping, "_representative", True if found is mapping else found)
    return found
