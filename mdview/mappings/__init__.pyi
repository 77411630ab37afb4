# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.mappings.mapping import Mapping
from mdview.mappings.mapping_manipulation import dense_like
from mdview.mappings.predicates import bounds, coalesced, collision, contiguous_runs, hole, inner_contiguous, is_contiguous, is_dense, mergeable_axes, overlap, stride_order
from mdview.mappings.slicing import submapping

__all__ = ["Mapping", "bounds", "coalesced", "collision", "contiguous_runs", "dense_like", "hole", "inner_contiguous", "is_contiguous", "is_dense", "mergeable_axes", "overlap", "stride_order", "submapping"]
