"""A layout says where an index lies, and answers what follows from that: one module for each layout.

It may know the index space, expressions and arithmetic, and neither data nor accessors nor mappings. Begin with `base`,
the interface: two methods without a default, and every other question with one that is right for any layout. `strided`
and `wrapper` are the abstract classes of linear layouts and of layouts around another one; `composed` has
what operations make of layouts without strides, `stride` the choice of a layout for given strides, `arithmetic` and
`enumeration` what follows from `offset` alone.
"""

from mdview.layouts.base import Composition, Layout, StrideRule, Tiling
from mdview.layouts.composed import LayoutComposed
from mdview.layouts.linear import LayoutLinear
from mdview.layouts.morton import LayoutMorton
from mdview.layouts.nested import LayoutNested
from mdview.layouts.packed import LayoutBlasPacked
from mdview.layouts.stride import LayoutStride, LayoutStrideRelaxed
from mdview.layouts.strided import LayoutLeft, LayoutLeftPadded, LayoutRight, LayoutRightPadded, StridedLayout
from mdview.layouts.tiled import LayoutTiled
from mdview.layouts.wrapper import LayoutSwizzled, LayoutTranspose, LayoutWrapper

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
