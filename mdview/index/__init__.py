"""The index space: extents, slices of dimensions, and maps from one index to another.

`extents` contains `dim`, the checks of extents, and dense strides. `slices` converts every spelling of a slice to one
of three forms. `index_map` expresses slicing, permuting, flipping and reshaping as one affine map, which may follow a
mixed-radix stage. `reshape` finds the strides of a new shape, and defines the mixed radix. `rearrangement` checks the
arguments of operations such as `permute_dims` and makes their index maps. `padding` finds the indices that a map sends
into a box, and maps indices outside an extent to indices inside. `nesting` implements CuTe's nested dimensions. The
folder imports `base` and `expressions`, and does not know layouts.
"""

from mdview import _on_first_use

_on_first_use(globals())
