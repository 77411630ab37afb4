"""The index space: extents, slices that select from them, and maps from one index to another.

The folder imports `base` and `expressions`; it has no offsets. Begin with `extents` (`dim`), then `slices` (every
spelling of a slice becomes one of three forms) and `index_map` (slicing, permuting, flipping and reshaping as one
affine map, after one mixed-radix step of `mixed_radix`). `rearrangement` checks the arguments of verbs and makes their
index maps; `domains` has the indices that a map sends into a box, `boundary_modes` the maps of indices outside an
extent, and `no_copy_reshape` the strides of a new shape.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    extents="Dim Dims1 Dims2 Dims3 Dims4 Dims5 Dims6 Dyn Extents dim",
    index_map="IndexMap",
    slices="ALL ExtentSlice RangeSlice StridedSlice",
)
