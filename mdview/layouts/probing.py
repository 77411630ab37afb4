"""Probing: whether a layout is strided, by a look at every offset, for what its arithmetic does not show."""

from __future__ import annotations

from collections.abc import Sequence

from mdview.base.strided_sets import strided_offsets
from mdview.base.texts import shown
from mdview.errors import UndecidedError
from mdview.index.extents import shape_text
from mdview.index.orders import right_strides
from mdview.layouts.answers import offset_of
from mdview.layouts.base import ENUMERATION_BUDGET, Layout, Strides, indices


def probed_strides(layout: Layout, extents: Sequence[int]) -> Strides | None:
    """Strides of a layout that states none, found by comparing every offset with a linear one; None for none.

    Raises
    ------
    UndecidedError
        So far every offset was linear, and there are more than `ENUMERATION_BUDGET` of them.
    """
    if not layout.is_total():
        return None
    if 0 in extents:
        return right_strides(extents)
    zero = (0,) * len(extents)
    origin = offset_of(layout, extents, zero)
    units = [(*zero[:r], 1, *zero[r + 1 :]) if e > 1 else zero for r, e in enumerate(extents)]
    strides = tuple([offset_of(layout, extents, unit) - origin for unit in units])
    linear = strided_offsets(extents, strides, origin)
    for count, (index, offset) in enumerate(zip(indices(extents), linear, strict=True)):
        if offset_of(layout, extents, index) != offset:
            return None
        if count >= ENUMERATION_BUDGET:
            message = (
                f"whether {shown(layout, repr)} over {shape_text(extents)} is strided takes more than {count} offsets; "
                f"define strides in the layout"
            )
            raise UndecidedError(message)
    return strides


def strided_obstacle(layout: Layout, extents: Sequence[int]) -> str:
    """Say why a mapping is not strided: the first place where neighbours are further apart than at the start."""
    if not layout.is_total():
        return f"{shown(layout, repr)} has padding, whose indices stand for no element"
    zero = (0,) * len(extents)
    units = [(*zero[:r], 1, *zero[r + 1 :]) for r in range(len(extents))]
    start = offset_of(layout, extents, zero)
    for index in indices(extents):
        for r, unit in enumerate(units):
            following = tuple([i + u for i, u in zip(index, unit, strict=True)])
            if following[r] < extents[r]:
                here = offset_of(layout, extents, following) - offset_of(layout, extents, index)
                usual = offset_of(layout, extents, unit) - start
                if here != usual:
                    return (
                        f"{shown(layout, repr)} over {shape_text(extents)} is not strided: "
                        f"neighbours along dimension {r} are "
                        f"{shown(usual)} apart at index {shown(zero)} and {shown(here)} apart at index {index}"
                    )
    return f"{shown(layout, repr)} over {shape_text(extents)} is strided"
