"""Square views of new numbers, for benchmarks."""

from __future__ import annotations

from typing import Any

import numpy as np

from mdview import Layout, LayoutRight, Mapping, MDView, asview, copy

View = MDView[Any, Any, Any, Any]


def square(side: int, layout: Layout | None = None, first: float | None = None) -> View:
    """Return a view of `side` by `side` doubles in touched memory, counted from `first` in index order, or all -1."""
    mapping: Mapping[Any, Layout] = Mapping((side, side), layout or LayoutRight())
    view: View = MDView.from_mapping(np.full(mapping.required_span_size, -1.0), mapping)
    if first is not None:
        copy(asview(np.arange(float(side * side)).reshape(side, side) + first), view)
    return view
