# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.algebra.composition import at_coordinate, coalesce, compose, group, nested, refine
from mdview.algebra.digits import complement, explain, from_cute, to_cute
from mdview.algebra.inverses import left_inverse, quasi_inverse, right_inverse
from mdview.algebra.tiling import blocked_product, flat_divide, logical_divide, logical_product, max_common, nullspace, raked_product, recast, tile_to_shape, tiled_divide, zipped_divide

__all__ = ["at_coordinate", "blocked_product", "coalesce", "complement", "compose", "explain", "flat_divide", "from_cute", "group", "left_inverse", "logical_divide", "logical_product", "max_common", "nested", "nullspace", "quasi_inverse", "raked_product", "recast", "refine", "right_inverse", "tile_to_shape", "tiled_divide", "to_cute", "zipped_divide"]
