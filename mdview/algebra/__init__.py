"""The algebra of layouts: operations from mapping to mapping, as CuTe has them, each exact or refused with a reason.

A mapping is a function of the 1-D index of its elements, which counts with the first index fastest in order "F", that
of CuTe and the default, or with the last one in order "C". `compose` puts one mapping after another; division, products
and inverses are made of it. What `mdview.LayoutNested` expresses has that layout. `mdview.algebra.f2` has the algebra
of offsets that are linear over bits.
"""

from mdview.algebra.composition import at_coordinate, coalesce, compose, group, nested, refine
from mdview.algebra.digits import complement, explain, from_cute, left_inverse, quasi_inverse, right_inverse, to_cute
from mdview.algebra.tiling import (
    blocked_product,
    flat_divide,
    logical_divide,
    logical_product,
    max_common,
    nullspace,
    raked_product,
    recast,
    tile_to_shape,
    tiled_divide,
    zipped_divide,
)

__all__ = ["at_coordinate", "blocked_product", "coalesce", "complement", "compose", "explain", "flat_divide"]
__all__ += ["from_cute", "group", "left_inverse", "logical_divide", "logical_product", "max_common", "nested"]
__all__ += ["nullspace", "quasi_inverse", "raked_product", "recast", "refine", "right_inverse", "tile_to_shape"]
__all__ += ["tiled_divide", "to_cute", "zipped_divide"]
