"""Operations on views: array-API verbs, linear algebra, copies, fills, reductions, elementwise functions.

An operation asks mappings and engines and stands on views; it knows no layout by name. Begin with `manipulation` for
what only rearranges, with `copy_fill_reduce` for what reads and writes elements, with `creation` for new memory, with
`elementwise_functions` for functions of elements.
"""

from mdview.operations.copy_fill_reduce import copy, equal, fill, reduce
from mdview.operations.creation import empty, empty_like, full, full_like, ones, relayout, zeros, zeros_like
from mdview.operations.elementwise_functions import accumulate, transform
from mdview.operations.linalg import conjugate_transposed, conjugated, scaled, transposed
from mdview.operations.manipulation import (
    bitcast,
    broadcast_to,
    diagonal,
    expand_dims,
    flip,
    moveaxis,
    pad,
    permute_dims,
    ravel,
    reshape,
    shrink,
    sliding_window,
    squeeze,
    swapaxes,
)

__all__ = ["bitcast", "broadcast_to", "diagonal", "expand_dims", "flip", "moveaxis", "pad", "permute_dims", "ravel"]
__all__ += ["reshape", "shrink", "sliding_window", "squeeze", "swapaxes"]
__all__ += ["conjugate_transposed", "conjugated", "scaled", "transposed"]
__all__ += ["empty", "empty_like", "full", "full_like", "ones", "relayout", "zeros", "zeros_like"]
__all__ += ["accumulate", "copy", "equal", "fill", "reduce", "transform"]
