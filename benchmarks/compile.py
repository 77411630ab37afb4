"""Time to compile a kernel for a new kind of view, next to one for an array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

import mdview.numba  # noqa: F401 - teaches Numba what a view is
from benchmarks.harness import Case, compare
from mdview import Layout, LayoutLeft, LayoutMorton, LayoutRight, LayoutTiled, Mapping, MDView, unchecked

if TYPE_CHECKING:
    from benchmarks.harness import Report


def total(v: Any) -> Any:  # Any: a view or an array
    """Add up a matrix."""
    found = 0.0
    for i in range(v.shape[0]):
        for j in range(v.shape[1]):
            found += v[i, j]
    return found


def view(layout: Layout) -> Any:
    """View of ones."""
    mapping: Mapping[Any, Any] = Mapping((8, 8), layout)
    found: MDView[float, Any, Any, Any] = MDView.from_mapping(np.ones(mapping.required_span_size), mapping)
    assert njit(total)(found) == 64.0
    return found


def main() -> list[Report]:
    """Measure compiling for one kind after the other."""
    layouts = {"right": LayoutRight(), "left": LayoutLeft(), "tiled": LayoutTiled(4, 4), "morton": LayoutMorton()}
    views = {name: view(layout) for name, layout in layouts.items()}
    views["right, unchecked"] = unchecked(views["right"])
    statement = "njit(total)(v)"
    names: dict[str, Any] = {"njit": njit, "total": total}
    cases = [Case(name, statement, names | {"v": given}) for name, given in views.items()]
    reference = Case("ndarray", statement, names | {"v": np.ones((8, 8))})
    return [compare(reference, cases, title="compiling a sum over 8 x 8", rounds=5)]
