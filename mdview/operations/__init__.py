"""Operations on views: array-API verbs, linear algebra, copies, fills, reductions, elementwise functions.

An operation asks mappings and engines and stands on views; it knows no layout by name. Begin with `manipulation` for
what only rearranges, with `copy_fill_reduce` for what reads and writes elements, with `creation` for new memory, with
`elementwise_functions` for functions of elements.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    copy_fill_reduce="copy equal fill reduce",
    creation="empty empty_like full full_like ones relayout zeros zeros_like",
    elementwise_functions="accumulate transform",
    linalg="conjugate_transposed conjugated scaled transposed",
    manipulation=(
        "bitcast broadcast_to diagonal expand_dims flip moveaxis pad permute_dims ravel reshape shrink sliding_window "
        "squeeze swapaxes"
    ),
)
