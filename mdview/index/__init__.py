"""The index space: extents, slices that select from them, and maps from one index to another.

It may know `base` and `expressions`: nothing here asks where an index lies. Begin with `extents` (what `dim` means),
then `slices` (every spelling of a slice becomes one of three forms) and `index_map` (slicing, permuting, flipping and
reshaping as one affine map, after one mixed-radix step of `mixed_radix`). `rearrangement` checks what rearranges an
index space and makes its map; `domains` has the indices that a map leads into a box, `boundary_modes` what leads an
index outside an extent inside, and `no_copy_reshape` the rule by which strides survive a new shape.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    extents="Dim Dims1 Dims2 Dims3 Dims4 Dims5 Dims6 Dyn Extents dim",
    index_map="IndexMap",
    slices="ALL ExtentSlice RangeSlice StridedSlice",
)
