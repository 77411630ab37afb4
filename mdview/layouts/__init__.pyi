# The public names, which load on first use.

from mdview.layouts.composed import LayoutComposed as LayoutComposed
from mdview.layouts.explicit_strides import LayoutStride as LayoutStride, LayoutStrideRelaxed as LayoutStrideRelaxed
from mdview.layouts.layout import Composition as Composition, Layout as Layout, StrideRule as StrideRule, Tiling as Tiling
from mdview.layouts.morton_packed import LayoutBlasPacked as LayoutBlasPacked, LayoutLinear as LayoutLinear, LayoutMorton as LayoutMorton
from mdview.layouts.nested import LayoutNested as LayoutNested
from mdview.layouts.strided_layout import LayoutLeft as LayoutLeft, LayoutLeftPadded as LayoutLeftPadded, LayoutRight as LayoutRight, LayoutRightPadded as LayoutRightPadded, StridedLayout as StridedLayout
from mdview.layouts.swizzle_transpose import LayoutSwizzled as LayoutSwizzled, LayoutTranspose as LayoutTranspose, LayoutWrapper as LayoutWrapper
from mdview.layouts.tiled import LayoutTiled as LayoutTiled
