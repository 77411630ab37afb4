"""Walks over indices: one at a time, over several operands in step, by runs of memory, tiles, or the ranges of bins.

It may know views, mappings and the index space, and none of the operations, which stand on it: `transform`, for one, is
a walk over operands. Begin with `view_iterators`, the functions that people call, in index and in memory order;
`coalesced_loops` broadcasts operands and merges their dimensions, `cursor` has the places in such a walk, which are
moved, and `bins` goes by the ranges of cells.
"""

from mdview.iteration.bins import Binned, Bins
from mdview.iteration.cursor import MultiIndex, ViewIndex
from mdview.iteration.view_iterators import elements, flat, indices, runs, tiles

__all__ = [
    "Binned",
    "Bins",
    "MultiIndex",
    "ViewIndex",
    "elements",
    "flat",
    "indices",
    "runs",
    "tiles",
]
