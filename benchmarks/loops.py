"""Python loops over rows, tiles and elements of views, compared with the same loops over an array."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from benchmarks.harness import Case, Report, compare
from benchmarks.views import square
from mdview import Layout, LayoutMorton, LayoutRight, LayoutTiled, asview, tiles

TILE: Final = 16
LAYOUTS: Final[dict[str, Layout]] = {"right": LayoutRight(), "tiled": LayoutTiled(TILE, TILE), "Morton": LayoutMorton()}
MOST_STORING: Final = 15e-6
"""The most seconds for storing a row."""
LOOPS: Final[dict[str, tuple[str, str, dict[str, float]]]] = {
    "rows": (
        "for i in range(n): add(asarray(v[i]))",
        "for i in range(n): add(v[i])",
        {"right": 4.0, "tiled": 8.0, "Morton": 8.0},
    ),
    "columns": (
        "for j in range(n): add(asarray(v[:, j]))",
        "for j in range(n): add(v[:, j])",
        {"right": 4.0, "tiled": 8.0, "Morton": 8.0},
    ),
    "tiles": (
        "for t in tiles(v, (k, k)): add(asarray(t), axis=None)",
        "for i in range(0, n, k):\n  for j in range(0, n, k): add(v[i : i + k, j : j + k], axis=None)",
        {"right": 3.0, "tiled": 3.0, "Morton": 8.0},
    ),
    "elements": ("for row in v:\n  for x in row: x", "for row in v:\n  for x in row: x", {}),
}
"""By name a loop over a view, the same loop over an array, and the largest ratio for each layout."""
STORES: Final = {
    "v[i] = array": "for i in range(n): v[i] = array",
    "v[i] = view": "for i in range(n): v[i] = row",
    "v[i] = v[i - 1]": "for i in range(n): v[i] = v[i - 1]",
}


def of_loops(side: int) -> list[Report]:
    """Measure loops that add up parts; times are per part."""
    names = {"add": np.add.reduce, "asarray": np.asarray, "tiles": tiles, "n": side, "k": TILE}
    views = {name: square(side, layout, 0.5) for name, layout in LAYOUTS.items()}
    parts = {"rows": side, "columns": side, "tiles": (side // TILE) ** 2, "elements": side * side}
    reports = []
    for name, (ours, numpys, goals) in LOOPS.items():
        cases = [
            Case(at, ours, names | {"v": view}, goals.get(at), parts[name], is_aim=True) for at, view in views.items()
        ]
        array = Case("NumPy", numpys, names | {"v": np.array(views["right"])}, units=parts[name])
        reports.append(compare(array, cases, title=f"{name} of {side} x {side} float64: {ours}", rounds=9))
    return reports


def of_stores(side: int) -> Report:
    """Measure loops that store rows."""
    array = np.arange(float(side))
    names: dict[str, Any] = {"array": array, "row": asview(array), "n": side}
    cases = [
        Case(f"{at}, {name}", text, names | {"v": square(side, layout)}, units=side, is_aim=True, most=MOST_STORING)
        for at, layout in LAYOUTS.items()
        for name, text in STORES.items()
    ]
    reference = Case("NumPy", STORES["v[i] = array"], names | {"v": np.zeros((side, side))}, units=side)
    return compare(reference, cases, title=f"storing rows of {side} float64", rounds=9)


def main() -> list[Report]:
    """Measure loops that read, and loops that store."""
    return [*of_loops(64), *of_loops(512), of_stores(64), of_stores(512)]
