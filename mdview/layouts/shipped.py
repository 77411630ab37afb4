"""The layouts that mdview ships, each of which has a short name."""

from __future__ import annotations

from typing import Final

from mdview.layouts.base import Layout
from mdview.layouts.composed import LayoutComposed
from mdview.layouts.left import LayoutLeft
from mdview.layouts.left_padded import LayoutLeftPadded
from mdview.layouts.morton import LayoutMorton
from mdview.layouts.packed import LayoutBlasPacked
from mdview.layouts.right import LayoutRight
from mdview.layouts.right_padded import LayoutRightPadded
from mdview.layouts.stride import LayoutStride
from mdview.layouts.stride_relaxed import LayoutStrideRelaxed
from mdview.layouts.swizzled import LayoutSwizzled
from mdview.layouts.tiled import LayoutTiled
from mdview.layouts.transpose import LayoutTranspose

SHIPPED: Final[tuple[type[Layout], ...]] = (
    LayoutRight,
    LayoutLeft,
    LayoutRightPadded,
    LayoutLeftPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutTiled,
    LayoutMorton,
    LayoutBlasPacked,
    LayoutSwizzled,
    LayoutTranspose,
    LayoutComposed,
)
"""In the order in which a reader meets them."""
