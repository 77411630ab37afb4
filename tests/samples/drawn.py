"""Hypothesis strategies of extents and of mappings of all layouts."""

from hypothesis import strategies as st

import mdview as md
from samples.layouts import LAYOUTS, bound


def extents(max_rank=4, max_extent=5):
    """Extents of small ranks, some of them static."""
    extent = st.integers(0, max_extent)
    return st.lists(extent | extent.map(md.dim), max_size=max_rank).map(tuple)


def mappings(max_rank=4, max_extent=5):
    """Mappings of each sample layout over extents that it takes."""
    drawn = st.builds(bound, st.sampled_from([*LAYOUTS]), extents(max_rank, max_extent))
    return drawn.filter(lambda mapping: mapping is not None)
