# The public names, which load on first use.

from mdview.operations.copy_fill_reduce import copy as copy, equal as equal, fill as fill, reduce as reduce
from mdview.operations.creation import empty as empty, empty_like as empty_like, full as full, full_like as full_like, ones as ones, relayout as relayout, zeros as zeros, zeros_like as zeros_like
from mdview.operations.elementwise_functions import accumulate as accumulate, transform as transform
from mdview.operations.linalg import conjugate_transposed as conjugate_transposed, conjugated as conjugated, scaled as scaled, transposed as transposed
from mdview.operations.manipulation import bitcast as bitcast, broadcast_to as broadcast_to, diagonal as diagonal, expand_dims as expand_dims, flip as flip, moveaxis as moveaxis, pad as pad, permute_dims as permute_dims, ravel as ravel, reshape as reshape, shrink as shrink, sliding_window as sliding_window, squeeze as squeeze, swapaxes as swapaxes
