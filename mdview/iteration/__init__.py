"""Walks over indices: over one view, over several operands in step, by runs of memory, tiles, or ranges of bins.

It may know views, mappings and the index space, and none of the operations, which stand on it. `walks` has the
elements of one view, its indices, its runs of memory, and its tiles. `coalesced_loops` broadcasts operands and merges
their dimensions, `cursor` has the places in such a walk, which are moved, and `bins` goes by the ranges of cells.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    bins="Binned Bins",
    cursor="MultiIndex ViewIndex",
    walks="indices elements flat runs tiles",
)
