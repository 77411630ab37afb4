"""The table of shipped layouts, which have a short name in the notation, in the order of the docs."""

from typing import Final

from mdview.layouts.composed import LayoutComposed
from mdview.layouts.explicit_strides import LayoutStride, LayoutStrideRelaxed
from mdview.layouts.layout import Layout
from mdview.layouts.morton_packed import LayoutBlasPacked, LayoutLinear, LayoutMorton
from mdview.layouts.nested import LayoutNested
from mdview.layouts.strided_layout import LayoutLeft, LayoutLeftPadded, LayoutRight, LayoutRightPadded
from mdview.layouts.swizzle_transpose import LayoutSwizzled, LayoutTranspose
from mdview.layouts.tiled import LayoutTiled

SHIPPED: Final[tuple[type[Layout], ...]] = (
    *(LayoutRight, LayoutLeft, LayoutRightPadded, LayoutLeftPadded, LayoutStride, LayoutStrideRelaxed, LayoutTiled),
    *(LayoutNested, LayoutMorton, LayoutLinear, LayoutBlasPacked, LayoutSwizzled, LayoutTranspose, LayoutComposed),
)
