"""Access to elements without a grid: keys of any form, padding, positions outside the items; elements as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, TypeAlias, cast

from mdview.accessors.accessor import IndexRule
from mdview.base import as_text
from mdview.engines import bounds_check
from mdview.engines.mapping_plan import plan_of
from mdview.errors import HaloError, IndexOutOfRangeError
from mdview.index.extents import Dim
from mdview.index.slices import Selection
from mdview.layouts.offset_analysis import offset_of
from mdview.mappings.bracket_keys import Brackets, parse_key
from mdview.memory.storage import Storage
from mdview.views.view_base import ViewBase, parts_of

MOST_TEXT: Final = 40
"""The most characters of an element in a repr."""

ReadItem: TypeAlias = Callable[[Any, int], Any]
"""The method ``load`` or ``read`` of an accessor. Any: items and elements of any type."""


def selected_by(view: ViewBase, key: object) -> Brackets:
    """Return the selection of a key in brackets.

    With `IndexRule.TRUST` the index of an element is not tested; keys that select parts are checked with any rule.
    """
    _, _, mapping, accessor = parts_of(view)
    rule = accessor.index_rule
    if rule is IndexRule.TRUST:
        entries = key if isinstance(key, tuple) else (key,)
        if len(entries) == mapping.rank and all(type(entry) in {int, Dim} for entry in entries):
            return Brackets(cast("tuple[Selection, ...]", entries), is_element=True)
    return parse_key(mapping.extents, key, wraps=rule is IndexRule.WRAP)


def element(view: ViewBase, read: ReadItem, index: Sequence[int]) -> Any:
    """Return the element at an index, also at an index in the padding. Any: an element of the accessor."""
    storage, origin, mapping, accessor = parts_of(view)
    items = cast("Storage", storage).items
    if mapping.layout.is_total():
        return read(items, position_of(view, index))
    return bounds_check.load_padded(read, items, plan_of(mapping), origin, accessor, index)


def position_of(view: ViewBase, index: Sequence[Any]) -> int:
    """Return the position of an index in the items, for a store. Any: canonical slices, each of which is an int.

    Raises
    ------
    IndexOutOfRangeError
        The position is outside the items: the index was not tested, or the layout contradicts itself.
    HaloError
        The index is in the padding.
    """
    storage, origin, mapping, _ = parts_of(view)
    count = len(cast("Storage", storage).items)
    if not mapping.layout.is_total() and not plan_of(mapping).has_element(index):
        bounds_check.refuse_halo_store(mapping, index, "stored to; ask is_valid(index) first")
    position = origin + offset_of(mapping.layout, mapping.extents, index)
    if not 0 <= position < count:
        place = as_text(tuple(map(int, index)))
        raise IndexOutOfRangeError(f"index {place} lies at position {as_text(position)}, the data has {count} elements")
    return position


def shown(view: ViewBase, index: tuple[int, ...]) -> str:
    """Return one element as text, cut if it is long; ``"padding"`` for padding without a value."""
    try:
        found = as_text(element(view, parts_of(view)[3].read, index), repr)
    except HaloError:
        return "padding"
    return found if len(found) <= MOST_TEXT else f"{found[: MOST_TEXT - 1]}…"


def card_of(view: ViewBase) -> str:
    """Return the HTML of a view for notebooks."""
    from mdview.drawing.figures import view_card  # noqa: PLC0415 - draws pictures, for notebooks only

    storage, _, mapping, accessor = parts_of(view)
    asked = {"data": lambda: _source(storage), "accessor": lambda: as_text(accessor, repr)}
    extents = (0,) if storage is None else mapping.extents
    return view_card(asked, mapping, extents, partial(shown, view), data_offsets(view))


def data_offsets(view: ViewBase) -> range:
    """Return the positions of all items of the data, counted from offset 0 of the mapping."""
    storage, origin, *_ = parts_of(view)
    return range(-origin, storage.length - origin) if storage is not None else range(0)


def _source(storage: Storage | None) -> str:
    return "none" if storage is None else f"{type(storage.source).__name__} of format {storage.format!r}"
