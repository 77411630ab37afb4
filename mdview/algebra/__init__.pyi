# The public names, which load on first use.

from mdview.algebra import f2 as f2
from mdview.algebra.composition import at_coordinate as at_coordinate, coalesce as coalesce, compose as compose, group as group, nested as nested, refine as refine
from mdview.algebra.inverses import complement as complement, left_inverse as left_inverse, quasi_inverse as quasi_inverse, right_inverse as right_inverse
from mdview.algebra.nested_forms import from_cute as from_cute, to_cute as to_cute
from mdview.algebra.tiling import blocked_product as blocked_product, flat_divide as flat_divide, logical_divide as logical_divide, logical_product as logical_product, max_common as max_common, nullspace as nullspace, raked_product as raked_product, recast as recast, tile_to_shape as tile_to_shape, tiled_divide as tiled_divide, zipped_divide as zipped_divide
