# The public names, which load on first use.

from mdview.mappings.mapping import Mapping as Mapping
from mdview.mappings.mapping_manipulation import dense_like as dense_like
from mdview.mappings.predicates import bounds as bounds, coalesced as coalesced, collision as collision, contiguous_runs as contiguous_runs, hole as hole, inner_contiguous as inner_contiguous, is_contiguous as is_contiguous, is_dense as is_dense, mergeable_axes as mergeable_axes, overlap as overlap, stride_order as stride_order
from mdview.mappings.slicing import submapping as submapping
