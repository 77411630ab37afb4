# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.layouts.composed import LayoutComposed
from mdview.layouts.explicit_strides import LayoutStride, LayoutStrideRelaxed
from mdview.layouts.layout import Composition, Layout, StrideRule, Tiling
from mdview.layouts.morton_packed import LayoutBlasPacked, LayoutLinear, LayoutMorton
from mdview.layouts.nested import LayoutNested
from mdview.layouts.strided_layout import LayoutLeft, LayoutLeftPadded, LayoutRight, LayoutRightPadded, StridedLayout
from mdview.layouts.swizzle_transpose import LayoutSwizzled, LayoutTranspose, LayoutWrapper
from mdview.layouts.tiled import LayoutTiled

__all__ = ["Composition", "Layout", "LayoutBlasPacked", "LayoutComposed", "LayoutLeft", "LayoutLeftPadded", "LayoutLinear", "LayoutMorton", "LayoutNested", "LayoutRight", "LayoutRightPadded", "LayoutStride", "LayoutStrideRelaxed", "LayoutSwizzled", "LayoutTiled", "LayoutTranspose", "LayoutWrapper", "StrideRule", "StridedLayout", "Tiling"]
