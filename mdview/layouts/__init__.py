"""Layouts: functions from an index to an offset, with their traits; one module for each family.

It may import the index space, expressions and arithmetic, and neither data nor accessors nor mappings. Begin with
`layout`, the interface: two abstract methods, and all others with a default that is right for any layout.
`strided_layout` and `swizzle_transpose` are the abstract classes of linear layouts and of layouts around another one;
`composed` has the results of operations on layouts without strides, `explicit_strides` the choice of a layout for given
strides, `enumeration` the facts that follow from `offset` alone.
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
