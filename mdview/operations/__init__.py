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

__all__ = [
    "accumulate",
    "bitcast",
    "broadcast_to",
    "conjugate_transposed",
    "conjugated",
    "copy",
    "diagonal",
    "empty",
    "empty_like",
    "equal",
    "expand_dims",
    "fill",
    "flip",
    "full",
    "full_like",
    "moveaxis",
    "ones",
    "pad",
    "permute_dims",
    "ravel",
    "reduce",
    "relayout",
    "reshape",
    "scaled",
    "shrink",
    "sliding_window",
    "squeeze",
    "swapaxes",
    "transform",
    "transposed",
    "zeros",
    "zeros_like",
]
