"""Probing: whether a layout is strided, by a look at every offset, for what its arithmetic does not show."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

from mdview.base.strided_sets import strided_offsets
from mdview.base.texts import shown, told
from mdview.errors import UndecidedError
from mdview.index.extents import shape_text
from mdview.index.orders import right_strides
from mdview.layouts.answers import offset_of
from mdview.layouts.base import ENUMERATION_BUDGET, Layout, Strides
from mdview.layouts.enumeration import element_offsets, indices_within
from mdview.layouts.linear import linear_parts

MOST_PARTS: Final = 100
"""How many parts of an index space are looked at in order to say why there are no strides."""


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
    strides = tuple(
        [offset_of(layout, extents, _next(zero, r)) - origin if e > 1 else 0 for r, e in enumerate(extents)]
    )
    linear = strided_offsets(extents, strides, origin)
    for count, (offset, wanted) in enumerate(zip(element_offsets(layout, extents), linear, strict=True)):
        if offset != wanted:
            return None
        if count >= ENUMERATION_BUDGET:
            message = (
                f"whether {told(layout)} over {shape_text(extents)} is strided takes more than {count} offsets; "
                f"define strides in the layout"
            )
            raise UndecidedError(message)
    return strides


def strided_obstacle(layout: Layout, extents: Sequence[int]) -> str:
    """Say why a mapping is not strided: the first place where neighbours are further apart than at the start."""
    if not layout.is_total():
        return f"{told(layout)} has padding, whose indices stand for no element"
    zero = (0,) * len(extents)
    start = offset_of(layout, extents, zero)
    usual = {r: offset_of(layout, extents, _next(zero, r)) - start for r, e in enumerate(extents) if e > 1}
    for part, form in islice(linear_parts(layout, extents), MOST_PARTS):
        corner = [low for low, _ in part]
        # Where a part is linear its first index stands for all.
        for index in indices_within(tuple([(low, high + 1) for low, high in part])) if form is None else [corner]:
            for r, step in usual.items():
                if index[r] + 1 < extents[r]:
                    here = offset_of(layout, extents, _next(index, r)) - offset_of(layout, extents, index)
                    if here != step:
                        return (
                            f"{told(layout)} over {shape_text(extents)} is not strided: neighbours along "
                            f"dimension {r} are {shown(step)} apart at index {shown(zero)} and {shown(here)} apart "
                            f"at index {tuple(index)}"
                        )
    return f"{told(layout)} over {shape_text(extents)} has no strides that a look at {MOST_PARTS} parts of it shows"


def _next(index: Sequence[int], r: int) -> tuple[int, ...]:
    """Return the next index along dimension ``r``."""
    return (*index[:r], index[r] + 1, *index[r + 1 :])
