"""The layouts that mdview ships, each of which has a short name."""

from __future__ import annotations

from typing import Final

from mdview.layouts.base import Layout
from mdview.layouts.composed import LayoutComposed
from mdview.layouts.morton import LayoutMorton
from mdview.layouts.packed import LayoutBlasPacked
from mdview.layouts.stride import LayoutStride, LayoutStrideRelaxed
from mdview.layouts.strided import LayoutLeft, LayoutLeftPadded, LayoutRight, LayoutRightPadded
from mdview.layouts.swizzled import LayoutSwizzled
from mdview.layouts.tiled import LayoutTiled
from mdview.layouts.wrapper import LayoutTranspose

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
