"""Walks over indices: one at a time, over several operands in step, by runs of memory, tiles, or the ranges of bins.

It may know views, mappings and the index space, and none of the operations, which stand on it: `transform`, for one, is
a walk over operands. Begin with `walks`, the functions that people call, in index and in memory order; `walk`
broadcasts operands and merges their dimensions, `places` has the places in such a walk, which are moved, and `bins` and
`tiling` go by something else than single indices.
"""

from mdview.iteration.bins import Binned, Bins
from mdview.iteration.places import MultiIndex, ViewIndex
from mdview.iteration.tiling import tiles
from mdview.iteration.walks import elements, flat, indices, runs

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
