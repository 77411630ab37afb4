"""Iteration over the elements, indices, contiguous runs or tiles of a view, and over several operands together.

`walks` iterates over one view. `coalesced_loops` broadcasts several operands and merges their dimensions into fewer
loops, `cursor` has cursors into these loops, and `bins` has cells that each hold a range of elements. The folder
imports views, mappings and the index space; operations import it.
"""

from mdview import _on_first_use

_on_first_use(globals())
