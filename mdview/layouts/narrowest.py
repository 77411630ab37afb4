"""The narrowest layout that has given strides: right before left before padded before stride before relaxed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mdview.base.strided_sets import nests
from mdview.index.extents import is_empty
from mdview.index.orders import left_strides, right_strides
from mdview.layouts.left import LayoutLeft
from mdview.layouts.left_padded import LayoutLeftPadded
from mdview.layouts.right import LayoutRight
from mdview.layouts.right_padded import LayoutRightPadded
from mdview.layouts.stride import LayoutStride
from mdview.layouts.stride_relaxed import LayoutStrideRelaxed, negative_reach
from mdview.layouts.strided import StridedLayout

RIGHT: Final = LayoutRight()
LEFT: Final = LayoutLeft()


def strided_layout(extents: Sequence[int], strides: Sequence[int]) -> tuple[StridedLayout, int]:
    """`LayoutStride` where it admits ``strides``, else `LayoutStrideRelaxed`; and the offset of index (0, ..., 0).

    The offset is that of the returned layout: 0, or what covers the reach of negative strides.
    """
    if is_empty(extents):
        return LayoutStride([abs(s) for s in strides]), 0
    if all(s > 0 for s in strides) and nests(extents, strides):
        return LayoutStride(strides), 0
    origin = -negative_reach(extents, strides)
    return LayoutStrideRelaxed(strides, origin), origin


def narrowest_layout(extents: Sequence[int], strides: Sequence[int]) -> tuple[StridedLayout, int]:
    """Right, left or padded where these are its strides, else what `strided_layout` gives; and the offset of index 0.

    The strides of dimensions of extent 1 carry no meaning and do not count; neither do any over an empty index space.
    """
    if is_empty(extents) or _agree(extents, strides, right_strides(extents)):
        return RIGHT, 0
    if _agree(extents, strides, left_strides(extents)):
        return LEFT, 0
    if len(extents) > 1:
        for padded_layout, padded in ((LayoutRightPadded, strides[-2]), (LayoutLeftPadded, strides[1])):
            if padded > 0:
                layout = padded_layout(padded)
                if _agree(extents, strides, layout.strides(extents)):
                    return layout, 0
    return strided_layout(extents, strides)


def _agree(extents: Sequence[int], strides: Sequence[int], own: Sequence[int]) -> bool:
    """Tell whether two sets of strides are equal where they count."""
    if strides == own:
        return True
    for e, s, t in zip(extents, strides, own, strict=True):  # noqa: SIM110 - a generator takes longer than it
        if s != t and e != 1:
            return False
    return True
