"""Walks over indices: over one view, over several operands in step, by runs of memory, tiles, or ranges of bins.

The folder imports views, mappings and the index space; operations import it. `walks` has the elements of one view, its
indices, its runs of memory, and its tiles. `coalesced_loops` broadcasts operands and merges their dimensions, `cursor`
has cursors into such a walk, and `bins` has cells with ranges of elements.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    bins="Binned Bins",
    cursor="MultiIndex ViewIndex",
    walks="indices elements flat runs tiles",
)
