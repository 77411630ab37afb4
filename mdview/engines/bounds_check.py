"""Bounds checks of positions; loads at an index in padding, and refusals of stores there.

A position is the origin of a view plus an offset of its mapping. Offsets are computed by the code of a layout, possibly
a user's layout, so each position is proven to be in the items, or checked before a load or store. A position behind the
last item may remain unchecked, since the items refuse it; a negative position may not, since it would count from the
end.

A load at an index in padding (see `mdview.layouts.composed`) returns the value of the view's `FillAccessor`, through
all accessors around it; without a `FillAccessor` the load is an error. A store is always an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn

from mdview.accessors.accessor import Accessor
from mdview.accessors.policies import HaloItems, constant_items, fills_of
from mdview.base import as_text, brief
from mdview.engines.mapping_plan import Plan
from mdview.errors import HaloError, IndexOutOfRangeError
from mdview.index.extents import shape_text
from mdview.index.padding import inside_index
from mdview.layouts.offset_analysis import first_missing
from mdview.mappings.mapping import AnyMapping

# ``Any`` stands for the accessor's elements, here and below.
ReadItem = Callable[[Any, int], Any]


def refuse_position(low: int, high: int, length: int) -> NoReturn:
    """Raise `IndexOutOfRangeError` for positions outside ``length`` items: a layout has a wrong span or strides."""
    raise IndexOutOfRangeError(
        f"the layout has positions from {as_text(low)} to {as_text(high)}, the data has {length} elements; the layout "
        f"contradicts itself, mdview certify shows where"
    )


def check(low: int, high: int, length: int) -> None:
    """Check that positions from ``low`` to ``high`` are in ``length`` items; see `refuse_position`."""
    if low < 0 or high >= length:
        refuse_position(low, high, length)


def checked_positions(positions: Iterable[int], length: int) -> Iterator[int]:
    """Iterate over positions; refuse the first one that is not in ``length`` items."""
    for position in positions:
        if not 0 <= position < length:
            refuse_position(position, position, length)
        yield position


def load_padded(
    read: ReadItem, items: Any, plan: Plan, origin: int, accessor: Accessor[Any, Any], index: Sequence[int]
) -> Any:
    """Return the element that ``read`` loads at ``index``, or the value of padding if ``index`` is in padding.

    Raises
    ------
    HaloError
        ``index`` is in padding and the view has no `FillAccessor`, or there is no element to repeat.
    """
    fills, source = fills_of(accessor), items
    while not plan.is_total:
        fill = plan.mode_of(fills) if fills else None
        base, transform, is_outside = plan.base, plan.transform, not plan.is_inside(index)
        if is_outside and (fill is None or (fill.mode != "constant" and (base is None or 0 in base.extents))):
            way = "; wrap its accessor: FillAccessor(mode, constant, inner)"
            way = way if fill is None else f": mode {fill.mode!r} finds no element to repeat"
            refuse_halo_store(plan.mapping or plan.extents, index, f"read{way}")
        if is_outside and fill is not None and fill.mode == "constant":
            return read(constant_items(fill.constant), 0)
        if base is None or transform is None:
            break
        index = transform.apply(index)
        if is_outside and fill is not None:
            source = HaloItems(items)
            index = [inside_index(fill.mode, i, n) for i, n in zip(index, base.extents, strict=True)]
        plan = base
    place = origin + plan.at(index)
    check(place, place, len(items))
    return read(source, place)


def refuse_stores(mapping: AnyMapping) -> None:
    """Check that all indices of a mapping have an element, before a store to all of them.

    Raises
    ------
    HaloError
        The mapping has padding; the message names the first index without an element.
    """
    outside = None if mapping.layout.is_total() else first_missing(mapping.layout, mapping.extents)
    if outside is not None:
        refuse_halo_store(mapping, outside, "stored to; slice the view to its valid_box first")


def refuse_halo_store(subject: AnyMapping | tuple[int, ...], index: Sequence[int], what: str) -> NoReturn:
    """Raise `HaloError` for an index in the padding of ``subject``, a mapping or the extents of a part."""
    text = f"a part of extents {shape_text(subject)}" if isinstance(subject, tuple) else brief(subject)
    raise HaloError(f"index {as_text(tuple(map(int, index)))} of {text} lies in the padding, which is not {what}")
