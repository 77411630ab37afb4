"""The algebra of layouts: CuTe's operations on mappings, each of which returns an exact result or raises the reason.

An operation reads a mapping as a function of the 1-D index of its elements. The 1-D index counts with the first index
fastest in order "F", which is CuTe's order and the default, and with the last index fastest in order "C". `compose`
applies one mapping to the results of another; division, products and inverses are built from it. A result has a
`mdview.LayoutNested` if there is one. The submodule `mdview.algebra.f2` treats offsets that are linear over bits.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    composition="at_coordinate coalesce compose group nested refine",
    nested_forms="from_cute to_cute",
    inverses="complement left_inverse quasi_inverse right_inverse",
    tiling=(
        "blocked_product flat_divide logical_divide logical_product max_common nullspace raked_product recast "
        "tile_to_shape tiled_divide zipped_divide"
    ),
    f2="",
)
