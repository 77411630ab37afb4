"""Access to one element of the parts of a view: where it lies, and what is read there.

It works on parts that were taken once, so another thread that releases the view meanwhile changes nothing here. This is
what compiled element access leaves to general code: padding, offsets that nobody has proven, errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

from mdview.accessors.base import IndexRule
from mdview.base.texts import shown
from mdview.engines import padding
from mdview.errors import IndexOutOfRangeError
from mdview.index.extents import Dim
from mdview.index.slices import Selection
from mdview.layouts.answers import offset_of
from mdview.views.brackets import Brackets, parse_brackets
from mdview.views.parts import Parts

Read: TypeAlias = Callable[[Any, int], Any]
"""A load of an accessor, or its read. Any: items and elements of any kind."""


def brackets(parts: Parts, key: object) -> Brackets:
    """Return what a key in brackets selects.

    An unchecked view takes an index of one element as it is; its parts are checked like any other's.
    """
    rule, mapping = parts.accessor.index_rule, parts.mapping
    if rule is IndexRule.TRUST:
        entries = key if isinstance(key, tuple) else (key,)
        if len(entries) == mapping.rank and all(type(entry) in {int, Dim} for entry in entries):
            return Brackets(cast("tuple[Selection, ...]", entries), is_element=True)
        rule = IndexRule.CHECK
    return parse_brackets(mapping.extents, key, rule)


def element(parts: Parts, read: Read, index: Sequence[int]) -> Any:
    """Return the element at an index, which may lie in the padding of a padded view. Any: the accessor's element."""
    mapping, items = parts.mapping, parts.items
    if mapping.layout.is_total():
        return read(items, position(parts, index))
    return padding.load(read, items, mapping, parts.origin, parts.accessor, index)


def position(parts: Parts, index: Sequence[Any]) -> int:
    """Return the position of an index in the items. Any: canonical slices of which each is an int.

    Raises
    ------
    IndexOutOfRangeError
        It lies beyond them, as an index that nobody has checked may, or one of a layout that contradicts itself.
    HaloError
        It lies in the padding.
    """
    mapping, items = parts.mapping, parts.items
    if not mapping.layout.is_total():
        return padding.position(items, mapping, parts.origin, index)
    found = parts.origin + offset_of(mapping.layout, mapping.extents, index)
    if not 0 <= found < len(items):
        place = shown(tuple(map(int, index)))
        message = f"index {place} lies at position {shown(found)}, the data has {len(items)} elements"
        raise IndexOutOfRangeError(message)
    return found
