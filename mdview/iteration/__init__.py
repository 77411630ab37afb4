"""Walks over indices: one at a time, over several operands in step, by runs of memory, tiles, or the ranges of bins.

It may know views, mappings and the index space, and none of the operations, which stand on it: `transform`, for one, is
a walk over operands. Begin with `walks`, the functions that people call; `memory_order`, `broadcasting` and `merging`
are the steps before a walk, `multi_index` and `view_index` are places that are moved, `bins` and `tiling` say what is
walked by something else than single indices.
"""
