"""Layouts: functions from an index to an offset, with their traits; one module for each family.

It may know the index space, expressions and arithmetic, and neither data nor accessors nor mappings. Begin with
`layout`, the interface: two methods without a default, and every other question with one that is right for any layout.
`strided_layout` and `swizzle_transpose` are the abstract classes of linear layouts and of layouts around another one;
`composed` has what operations make of layouts without strides, `explicit_strides` the choice of a layout for given
strides, `enumeration` what follows from `offset` alone.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    composed="LayoutComposed",
    explicit_strides="LayoutStride LayoutStrideRelaxed",
    layout="Composition Layout StrideRule Tiling",
    morton_packed="LayoutBlasPacked LayoutLinear LayoutMorton",
    nested="LayoutNested",
    strided_layout="LayoutLeft LayoutLeftPadded LayoutRight LayoutRightPadded StridedLayout",
    swizzle_transpose="LayoutSwizzled LayoutTranspose LayoutWrapper",
    tiled="LayoutTiled",
)
