"""Bounds checks of positions, and access to padded views, in which some indices have none.

A position is the origin of a view plus an offset of its mapping. Offsets come from the text of a layout, which may be
anybody's, so each is proven to lie in the items or tested before anything is read or written there. What is left to the
items themselves is a position behind the last one, which they refuse; a negative one they would count from the end.

A load of an index in padding (see `mdview.layouts.composed`) gives what the view's `FillAccessor` says, through every
accessor around it; without one it is an error. A store is always an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn

from mdview.accessors.accessor import Accessor
from mdview.accessors.policies import HaloItems, constant_items, fill_of
from mdview.base import as_text, brief
from mdview.engines.mapping_plan import AnyMapping, Plan
from mdview.errors import HaloError, IndexOutOfRangeError
from mdview.index.extents import shape_text
from mdview.layouts.enumeration import first_missing

# Any: what the accessor's elements are, here and below.
ReadItem = Callable[[Any, int], Any]


def refuse_position(low: int, high: int, length: int) -> NoReturn:
    """Refuse positions that are not all in ``length`` items: those of a layout whose span or strides are wrong.

    Raises
    ------
    IndexOutOfRangeError
        Always.
    """
    raise IndexOutOfRangeError(
        f"the layout has positions from {as_text(low)} to {as_text(high)}, the data has {length} elements; the layout "
        f"contradicts itself, mdview certify shows where"
    )


def check(low: int, high: int, length: int) -> None:
    """Refuse positions from ``low`` to ``high`` that are not all in ``length`` items; see `refuse_position`."""
    if low < 0 or high >= length:
        refuse_position(low, high, length)


def checked_positions(positions: Iterable[int], length: int) -> Iterator[int]:
    """Iterate over positions; refuse the first that is not in ``length`` items."""
    for position in positions:
        if not 0 <= position < length:
            refuse_position(position, position, length)
        yield position


def load_padded(
    read: ReadItem, items: Any, plan: Plan, origin: int, accessor: Accessor[Any, Any], index: Sequence[int]
) -> Any:
    """Load with ``read`` the element at ``index``, or what the padding reads as.

    Raises
    ------
    HaloError
        ``index`` lies in the padding, and no `FillAccessor` says what that reads as or there is no element to repeat.
    """
    if plan.has_element(index):
        source, place = items, origin + plan.at(index)
    else:
        fill = fill_of(accessor)
        if fill is None:
            way = "read; wrap its accessor: FillAccessor(mode, constant, inner)"
            refuse_halo_store(plan.mapping or plan.extents, index, way)
        if fill.mode == "constant":
            return read(constant_items(fill.constant), 0)
        source, place = HaloItems(items), origin + offset(plan, fill.mode, index)
    check(place, place, len(items))
    return read(source, place)


def offset(plan: Plan, mode: str | None, index: Sequence[int]) -> int:
    """Offset of an element, or of that which a mode puts in its place.

    Raises
    ------
    HaloError
        There is none: the inside is empty, or a layout of a user's own does not say what its padding surrounds.
    """
    if plan.has_element(index):
        return plan.at(index)
    led = plan.led(str(mode))
    if led is None:
        refuse_halo_store(plan.mapping or plan.extents, index, f"read: mode {mode!r} finds no element to repeat")
    return led.at(index)


def refuse_stores(mapping: AnyMapping) -> None:
    """Refuse to store to all indices where some stand for no element.

    Raises
    ------
    HaloError
        It names the first one.
    """
    outside = None if mapping.layout.is_total() else first_missing(mapping.layout, mapping.extents)
    if outside is not None:
        refuse_halo_store(mapping, outside, "stored to; slice the view to its valid_box first")


def refuse_halo_store(subject: AnyMapping | tuple[int, ...], index: Sequence[int], what: str) -> NoReturn:
    """Raise `HaloError` for an index in the padding of a mapping, or of a part of these extents."""
    text = f"a part of extents {shape_text(subject)}" if isinstance(subject, tuple) else brief(subject)
    raise HaloError(f"index {as_text(tuple(map(int, index)))} of {text} lies in the padding, which is not {what}")
