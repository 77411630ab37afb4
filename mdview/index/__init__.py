"""The index space: extents, the slices that select from them, and the transforms that lead from one index to another.

It may know `base` alone: nothing here asks where an index lies. Begin with `extents` (what `dim` means), then `slices`
(every spelling of a slice becomes one of three forms) and `transforms` (slicing, permuting, flipping and reshaping as
one affine map); `no_copy_reshape` has the rule by which strides survive a new shape.
"""
