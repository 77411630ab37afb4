"""Mappings: layouts bound to extents, and what follows from both: queries, slicing, verbs, explanations, text.

The folder imports the index space and layouts, and no data, accessor or engine. Begin with `mapping`; `slicing` and
`mapping_manipulation` derive one mapping from another, `predicates` answers exact questions about one and
`mapping_explanation` puts the answers into words. `notation` reads and writes mappings as text.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    mapping="Mapping",
    mapping_manipulation="dense_like",
    predicates=(
        "bounds coalesced collision contiguous_runs hole inner_contiguous is_contiguous is_dense mergeable_axes "
        "overlap stride_order"
    ),
    slicing="submapping",
)
