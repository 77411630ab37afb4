"""Mappings: layouts bound to extents, and what follows from both: queries, slicing, verbs, explanations, text.

It may know the index space and layouts, and no data, accessor or engine. Begin with `mapping`; `slicing` and
`mapping_manipulation` derive one mapping from another, `predicates` answers exact questions about one and
`mapping_explanation` puts the answers into words. `notation` reads and writes mappings as text.
"""

from mdview.mappings.mapping import Mapping
from mdview.mappings.mapping_manipulation import dense_like
from mdview.mappings.predicates import (
    bounds,
    coalesced,
    collision,
    contiguous_runs,
    hole,
    inner_contiguous,
    is_contiguous,
    is_dense,
    mergeable_axes,
    overlap,
    stride_order,
)
from mdview.mappings.slicing import submapping

__all__ = [
    "Mapping",
    "bounds",
    "coalesced",
    "collision",
    "contiguous_runs",
    "dense_like",
    "hole",
    "inner_contiguous",
    "is_contiguous",
    "is_dense",
    "mergeable_axes",
    "overlap",
    "stride_order",
    "submapping",
]
