"""Kernels over views whose offsets take more than strides, next to the same loops over rows and over NumPy arrays.

Sums over padded, scattered and reshaped views are compared with one over rows of as many elements; stencils through
padding with NumPy, which pads a copy and adds up nine slices of it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

import mdview.numba  # noqa: F401 - teaches Numba what a view is
from benchmarks.harness import Case, Report, compare
from benchmarks.kernels import sum2d
from benchmarks.views import View, square
from mdview import LayoutMorton, LayoutRight, LayoutTiled, atomic, pad, readonly, reshape, sliding_window, unchecked
from mdview.operations import scaled

# Any, in this module: kernels take views and arrays of any kind.
PADDED_GOAL: Final = 2.0
SCATTERED_GOAL: Final = 4.0
RESHAPED_GOAL: Final = 6.0
STENCIL_GOAL: Final = 1.5
MODES: Final = ("constant", "edge", "reflect", "wrap")


@njit
def stencil(v: Any, weights: Any, out: Any) -> None:
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0.0
            for k in range(3):
                for m in range(3):
                    total += weights[k, m] * v[i + k, j + m]
            out[i, j] = total


@njit
def stencil_windows(v: Any, weights: Any, out: Any) -> None:
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0.0
            for k in range(3):
                for m in range(3):
                    total += weights[k, m] * v[i, j, k, m]
            out[i, j] = total


def stencil_numpy(array: Any, weights: Any) -> Any:
    """Nine-point stencil of NumPy."""
    rows, columns = array.shape
    padded, out = np.pad(array, 1), np.zeros_like(array)
    for k in range(3):
        for m in range(3):
            out += weights[k, m] * padded[k : k + rows, m : m + columns]
    return out


def views(side: int) -> dict[str, tuple[View, float]]:
    """Views of about as many elements each, and how many times as long as over rows a sum may take."""
    rows, tiles, morton = [square(side, layout, 0.5) for layout in (LayoutRight(), LayoutTiled(8, 8), LayoutMorton())]
    wide = square(2 * side, LayoutRight(), 0.5)[::2, 1::2]
    shape = side // 2, side * 2
    padded: dict[str, View] = {f"rows, padded: {mode}": pad(rows, 1, mode=mode) for mode in MODES}
    padded |= {"tiles, padded": pad(tiles, 1), "slice, padded": pad(wide, 1), "Morton, padded": pad(morton, 1)}
    padded |= {"scaled, padded": pad(scaled(2.0, rows), 1), "read-only, padded": readonly(pad(rows, 1))}
    scattered = {"Morton": morton, "slice of Morton": morton[1:, 1:], "atomic": atomic(rows)}
    reshaped = {"tiles, reshaped": reshape(tiles, shape), "Morton, reshaped": reshape(morton, shape)}
    goals = (padded, PADDED_GOAL), (scattered, SCATTERED_GOAL), (reshaped, RESHAPED_GOAL)
    return {name: (view, goal) for group, goal in goals for name, view in group.items()}


def sums(side: int) -> list[Report]:
    """Time sums over all elements, with index rules and without."""
    reports = []
    for rule in ("", ", unchecked"):
        cases = []
        for name, (view, goal) in views(side).items():
            given = unchecked(view) if rule and name != "atomic" else view
            expected, found = float(np.sum(np.asarray(view))), sum2d(given)
            assert np.isclose(found, expected), (name, found, expected)
            cases.append(Case(name, "f(v)", {"f": sum2d, "v": given}, goal, is_aim=True))
        rows = square(side, LayoutRight(), 0.5)
        peer = Case("rows", "f(v)", {"f": sum2d, "v": unchecked(rows) if rule else rows})
        reports.append(compare(peer, cases, title=f"kernels: sum of {side} x {side} float64{rule}", rounds=15))
    return reports


def stencils(side: int) -> Report:
    """Time stencils through padding."""
    view = square(side, LayoutRight(), 0.5)
    array, weights, out = np.asarray(view), np.arange(9.0).reshape(3, 3), np.zeros((side, side))
    cases = []
    for mode in MODES:
        padded = pad(view, 1, mode=mode)
        for name, loop, given in (
            ("pad", stencil, padded),
            ("sliding_window of pad", stencil_windows, sliding_window(padded, (3, 3))),
        ):
            loop(given, weights, out)
            assert mode != "constant" or np.allclose(out, stencil_numpy(array, weights)), name
            names = {"f": loop, "v": given, "w": weights, "out": out}
            cases.append(Case(f"{name}, {mode}", "f(v, w, out)", names, STENCIL_GOAL, is_aim=True))
    peer = Case("NumPy", "f(a, w)", {"f": stencil_numpy, "a": array, "w": weights})
    return compare(peer, cases, title=f"kernels: nine-point stencil of {side} x {side} float64", rounds=15)


def main() -> list[Report]:
    """Measure sums and stencils."""
    return [*sums(100), *sums(1000), stencils(1000)]
