"""Padding: access to a view some of whose indices stand for no element, see `mdview.layouts.composed`.

A load there gives what the view's `FillAccessor` says, through every accessor around it; without one it is an error. A
store is always an error. No position outside the data is ever computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from typing import Any, Final, NoReturn

from mdview.accessors.base import Accessor
from mdview.accessors.fill import Constant, StandIns, fill_of
from mdview.base.texts import shown, told
from mdview.engines.positions import located
from mdview.errors import HaloError
from mdview.index.boundary import inside_index
from mdview.index.extents import is_empty
from mdview.layouts.arithmetic import offset_of
from mdview.layouts.base import Layout
from mdview.layouts.enumeration import first_missing
from mdview.mappings.mapping import Mapping

AnyMapping = Mapping[tuple[int, ...], Layout]
# Any: what the accessor's elements are, here and below.
Read = Callable[[Any, int], Any]

FILLED: Final = -1
"""What stands for the position of an index that no element stands in for."""


def load(
    read: Read, items: Any, mapping: AnyMapping, origin: int, accessor: Accessor[Any, Any], index: Sequence[int]
) -> Any:
    """Load with ``read`` the element at ``index``, or what the padding reads as.

    Raises
    ------
    HaloError
        ``index`` lies in the padding, and no `FillAccessor` says what that reads as or there is no element to repeat.
    """
    fill = fill_of(accessor)
    found = place(mapping, None if fill is None else fill.mode, origin, items, index)
    if found != FILLED:
        is_element = fill is None or mapping.layout.has_element(mapping.extents, index)
        return read(items if is_element else StandIns(items), found)
    if fill is None:
        refuse(mapping, index, "read; wrap its accessor: FillAccessor(mode, constant, inner)")
    return read(Constant(fill.constant), 0)


def place(mapping: AnyMapping, mode: str | None, origin: int, items: Sized, index: Sequence[int]) -> int:
    """Position in the items of what an index reads as, where ``mode`` fills the padding; `FILLED` for none."""
    layout, extents = mapping.layout, mapping.extents
    if layout.has_element(extents, index):
        found = origin + offset_of(layout, extents, index)
    elif mode in {None, "constant"}:
        return FILLED
    else:
        found = origin + stand_in(str(mode), layout, extents, index)
    return located(found, items)


def stand_in(mode: str, layout: Layout, extents: Sequence[int], index: Sequence[int]) -> int:
    """Offset of the element that ``mode`` puts in the place of an index in the padding.

    Raises
    ------
    HaloError
        There is none: the inside is empty, or a layout of a user's own does not say what its padding surrounds.
    """
    whole, place = Mapping.trusted(tuple(extents), layout), index
    found = layout.composition(extents)
    while found.base is not layout and not (found.box is not None and is_empty(found.extents)):
        index = found.transform.apply(index)
        if found.box is not None:
            index = inside_index(mode, index, [(0, e) for e in found.extents])
        layout, extents = found.base, found.extents
        found = layout.composition(extents)
    if found.base is not layout or not layout.has_element(extents, index):
        refuse(whole, place, f"read: mode {mode!r} finds no element to repeat")
    return offset_of(layout, extents, index)


def position(items: Any, mapping: AnyMapping, origin: int, index: Sequence[int]) -> int:
    """Position in the items of an element that is stored to.

    Raises
    ------
    HaloError
        ``index`` lies in the padding.
    """
    if not mapping.layout.has_element(mapping.extents, index):
        refuse(mapping, index, "stored to; ask is_valid(index) first")
    return located(origin + offset_of(mapping.layout, mapping.extents, index), items)


def refuse_stores(mapping: AnyMapping) -> None:
    """Refuse to store to all indices where some stand for no element.

    Raises
    ------
    HaloError
        It names the first one.
    """
    outside = None if mapping.layout.is_total() else first_missing(mapping.layout, mapping.extents)
    if outside is not None:
        refuse(mapping, outside, "stored to; slice the view to its valid_box first")


def refuse(mapping: AnyMapping, index: Sequence[int], what: str) -> NoReturn:
    """Raise `HaloError` for an index in the padding."""
    raise HaloError(
        f"index {shown(tuple(map(int, index)))} of {told(mapping)} lies in the padding, which is not {what}"
    )
