"""Layouts: functions from an index to an offset, with their traits; one module for each family.

It may know the index space, expressions and arithmetic, and neither data nor accessors nor mappings. Begin with
`layout`, the interface: two methods without a default, and every other question with one that is right for any layout.
`strided_layout` and `swizzle_transpose` are the abstract classes of linear layouts and of layouts around another one;
`composed` has what operations make of layouts without strides, `explicit_strides` the choice of a layout for given
strides, `enumeration` what follows from `offset` alone.
"""

from typing import Final

from mdview.layouts.composed import LayoutComposed
from mdview.layouts.explicit_strides import LayoutStride, LayoutStrideRelaxed
from mdview.layouts.layout import Composition, Layout, StrideRule, Tiling
from mdview.layouts.morton_packed import LayoutBlasPacked, LayoutLinear, LayoutMorton
from mdview.layouts.nested import LayoutNested
from mdview.layouts.strided_layout import LayoutLeft, LayoutLeftPadded, LayoutRight, LayoutRightPadded, StridedLayout
from mdview.layouts.swizzle_transpose import LayoutSwizzled, LayoutTranspose, LayoutWrapper
from mdview.layouts.tiled import LayoutTiled

__all__ = [
    "Composition",
    "Layout",
    "LayoutBlasPacked",
    "LayoutComposed",
    "LayoutLeft",
    "LayoutLeftPadded",
    "LayoutLinear",
    "LayoutMorton",
    "LayoutNested",
    "LayoutRight",
    "LayoutRightPadded",
    "LayoutStride",
    "LayoutStrideRelaxed",
    "LayoutSwizzled",
    "LayoutTiled",
    "LayoutTranspose",
    "LayoutWrapper",
    "StrideRule",
    "StridedLayout",
    "Tiling",
]

SHIPPED: Final[tuple[type[Layout], ...]] = (
    *(LayoutRight, LayoutLeft, LayoutRightPadded, LayoutLeftPadded, LayoutStride, LayoutStrideRelaxed, LayoutTiled),
    *(LayoutNested, LayoutMorton, LayoutLinear, LayoutBlasPacked, LayoutSwizzled, LayoutTranspose, LayoutComposed),
)
"""The layouts that have short names, in the order in which a reader meets them."""
