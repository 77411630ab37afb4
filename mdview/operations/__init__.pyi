# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.operations.copy_fill_reduce import copy, equal, fill, reduce
from mdview.operations.creation import empty, empty_like, full, full_like, ones, relayout, zeros, zeros_like
from mdview.operations.elementwise_functions import accumulate, transform
from mdview.operations.linalg import conjugate_transposed, conjugated, scaled, transposed
from mdview.operations.manipulation import bitcast, broadcast_to, diagonal, expand_dims, flip, moveaxis, pad, permute_dims, ravel, reshape, shrink, sliding_window, squeeze, swapaxes

__all__ = ["bitcast", "broadcast_to", "diagonal", "expand_dims", "flip", "moveaxis", "pad", "permute_dims", "ravel", "reshape", "shrink", "sliding_window", "squeeze", "swapaxes", "conjugate_transposed", "conjugated", "scaled", "transposed", "empty", "empty_like", "full", "full_like", "ones", "relayout", "zeros", "zeros_like", "accumulate", "copy", "equal", "fill", "reduce", "transform"]
