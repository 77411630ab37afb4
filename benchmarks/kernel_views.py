"""Kernels over views that are not strided, compared with the same loops over views in C order and with NumPy.

Sums over padded, scattered and reshaped views are compared with a sum over a view in C order of as many elements.
Stencils through padding are compared with NumPy, which pads a copy and adds nine slices of it.

Calls of an empty kernel with views are compared with calls with arrays, and so is the compilation of a sum.

A call with a new view is measured by the time that the call adds to the construction of the view, relative to a goal of
5 µs, or of 200 µs for new extents.
"""

from __future__ import annotations

from itertools import chain, cycle, permutations, repeat
from typing import Any, Final

import numpy as np
from numba import njit

import mdview.numba
from benchmarks.harness import Case, Report, Row, compare
from benchmarks.kernels import sum2d
from benchmarks.views import View, square
from mdview import (
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutStride,
    LayoutTiled,
    MDView,
    atomic,
    flip,
    pad,
    readonly,
    reshape,
    sliding_window,
    tiles,
    unchecked,
)
from mdview.operations import scaled
from tests.samples.layouts import LayoutSymmetric

# Any, in this module: kernels take views and arrays of any kind.
PADDED_GOAL: Final = 2.0
SCATTERED_GOAL: Final = 4.0
RESHAPED_GOAL: Final = 6.0
STENCIL_GOAL: Final = 1.5
NEW_GOAL: Final = 5e-6
NEW_EXTENTS_GOAL: Final = 200e-6
CALL_GOALS: Final = {1: 220 / 176, 3: 450 / 242}
"""The largest ratio of a call with views to a call with arrays, by number of arguments."""
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
    """Return a nine-point stencil, computed by NumPy."""
    rows, columns = array.shape
    padded, out = np.pad(array, 1), np.zeros_like(array)
    for k in range(3):
        for m in range(3):
            out += weights[k, m] * padded[k : k + rows, m : m + columns]
    return out


def views(side: int) -> dict[str, tuple[View, float]]:
    """Return views with about equal numbers of elements, each with the largest ratio of its sum to one over C order."""
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
    """Time sums over all elements, with and without a test of indices."""
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


def one(v: Any) -> None:
    """Take a view and do nothing."""


def three(v: Any, w: Any, x: Any) -> None:
    """Take three views and do nothing."""


nothing = mdview.numba.jit(one)


def run_through(parts: Any) -> None:
    """Make the parts of a view."""
    for _ in parts:
        pass


def pass_all(parts: Any) -> None:
    """Make the parts of a view, and call the kernel with each part."""
    for part in parts:
        nothing(part)


def new_views() -> Report:
    """Measure calls with new views: the time that a call adds to the construction of the view, relative to the goal."""
    rows, names = [], {"f": nothing, "run": run_through, "each": pass_all, "tiles": tiles}
    shapes = chain.from_iterable(repeat([*permutations(range(190, 250), 2)])).__next__
    layouts: dict[str, Any] = {"rows": LayoutRight(), "tiles": LayoutTiled(8, 8), "Morton": LayoutMorton()}
    for kind, layout in (layouts | {"a user's": LayoutSymmetric()}).items():
        data, ways = np.zeros(1 << 18), {"view": "MDView(data, (256, 256), layout)", "part": "v[i(), 3:]"}
        ways |= {"window": "v[i():i() + 9, 2:14]", "flip": "flip(MDView(data, (256, 256), layout))"}
        ways |= {"padded": "pad(MDView(data, (256, 256), layout), 1)", "new extents": "MDView(data, shape(), layout)"}
        view = MDView(data, (256, 256), layout)
        known = names | {"data": data, "layout": layout, "v": view, "MDView": MDView, "flip": flip, "pad": pad}
        known |= {"i": cycle(range(100)).__next__, "shape": shapes}
        calls = {way: (text, f"f({text})", 1) for way, text in ways.items()}
        calls["each tile"] = "run(tiles(v, (8, 8)))", "each(tiles(v, (8, 8)))", 1024
        for way, (made, called, count) in calls.items():
            pair = [Case(way, text, known, units=count) for text in (made, called)]
            found = compare(pair[0], pair[1:], rounds=9, min_batch_seconds=0.005).rows
            added, goal = found[2].seconds - found[0].seconds, NEW_EXTENTS_GOAL if way == "new extents" else NEW_GOAL
            rows.append(Row(f"{kind}: {way}", added, added / goal, found[2].spread, 1.0, added <= goal))
    return Report("kernels: a new view as an argument, added to its making", tuple(rows), 9)


def calls(count: int) -> Report:
    """Time calls of an empty kernel with one or three arguments."""
    names = [f"a{k}" for k in range(count)]
    empty: Any = one if count == 1 else three
    statement = f"f({', '.join(names)})"
    arrays = {name: np.zeros((4, 4)) for name in names}
    views = {name: MDView(np.zeros(64), (4, 4), LayoutStride((16, 2))) for name in names}
    compiled, direct = {"f": njit(empty)}, {"f": mdview.numba.jit(empty)}
    cases = [
        Case("view, mdview.numba.jit", statement, views | direct, CALL_GOALS[count]),
        Case("view, numba.njit", statement, views | compiled),
        Case("ndarray, mdview.numba.jit", statement, arrays | direct, 1.0),
    ]
    # Short batches fit between the interruptions of a busy machine.
    reference, title = Case("ndarray, numba.njit", statement, arrays | compiled), f"calls with {count} arguments"
    return compare(reference, cases, title=title, rounds=101, min_batch_seconds=0.001)


def compilation() -> Report:
    """Time the compilation of a sum for views of several layouts, relative to an array."""
    layouts = {"right": LayoutRight(), "left": LayoutLeft(), "tiled": LayoutTiled(4, 4), "morton": LayoutMorton()}
    views = {name: square(8, layout, 0.5) for name, layout in layouts.items()}
    views["right, unchecked"] = unchecked(views["right"])
    kernel: Any = sum2d
    names = {"njit": njit, "total": kernel.py_func}
    cases = [Case(name, "njit(total)(v)", names | {"v": view}) for name, view in views.items()]
    reference = Case("ndarray", "njit(total)(v)", names | {"v": np.ones((8, 8))})
    return compare(reference, cases, title="compiling a sum over 8 x 8", rounds=5)


def main() -> list[Report]:
    """Measure sums, stencils, calls, compilation and new views."""
    return [*sums(100), *sums(1000), stencils(1000), calls(1), calls(3), compilation(), new_views()]
