"""Time to compile a kernel for a view, compared with an array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

import mdview.numba  # noqa: F401 - registers the type of views
from benchmarks.harness import Case, Report, compare
from benchmarks.views import square
from mdview import LayoutLeft, LayoutMorton, LayoutRight, LayoutTiled, unchecked


def total(v: Any) -> Any:  # Any: a view or an array
    """Return the sum of a matrix."""
    found = 0.0
    for i in range(v.shape[0]):
        for j in range(v.shape[1]):
            found += v[i, j]
    return found


def main() -> list[Report]:
    """Measure compilation for several layouts."""
    layouts = {"right": LayoutRight(), "left": LayoutLeft(), "tiled": LayoutTiled(4, 4), "morton": LayoutMorton()}
    views = {name: square(8, layout, 0.5) for name, layout in layouts.items()}
    views["right, unchecked"] = unchecked(views["right"])
    assert all(njit(total)(each) == 32 * 64 for each in views.values())
    statement = "njit(total)(v)"
    names: dict[str, Any] = {"njit": njit, "total": total}
    cases = [Case(name, statement, names | {"v": given}) for name, given in views.items()]
    reference = Case("ndarray", statement, names | {"v": np.ones((8, 8))})
    return [compare(reference, cases, title="compiling a sum over 8 x 8", rounds=5)]
