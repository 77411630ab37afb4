"""The algebra of layouts: operations from mapping to mapping, as CuTe has them, each exact or refused with a reason.

A mapping is a function of the 1-D index of its elements, which counts with the first index fastest in order "F", that
of CuTe and the default, or with the last one in order "C". `compose` puts one mapping after another; division, products
and inverses are made of it. What `mdview.LayoutNested` expresses has that layout. `mdview.algebra.f2` has the algebra
of offsets that are linear over bits.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    composition="at_coordinate coalesce compose group nested refine",
    digits="complement explain from_cute to_cute",
    inverses="left_inverse quasi_inverse right_inverse",
    tiling=(
        "blocked_product flat_divide logical_divide logical_product max_common nullspace raked_product recast "
        "tile_to_shape tiled_divide zipped_divide"
    ),
    f2="",
)
