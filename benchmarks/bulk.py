"""Whole views: copies within a layout, reductions and elementwise sums, compared with one contiguous array."""

from __future__ import annotations

from typing import Final

import numpy as np

from benchmarks.copies import ROUNDS, case, copies
from benchmarks.harness import Case, Report, compare
from benchmarks.views import square
from mdview import LayoutLeft, LayoutRight, LayoutTiled, equal, reduce, transform

TILE: Final = 32


def same_layout(side: int) -> Report:
    """Measure copies between two views of the same layout."""
    layouts = {"right": LayoutRight(), "left": LayoutLeft(), "tiled 32": LayoutTiled(TILE, TILE)}
    cases = [case(name, square(side, it, 0.5), square(side, it), 1.1) for name, it in layouts.items()]
    return copies(side, cases, "same-layout copy of")


def reductions(side: int) -> Report:
    """Measure sums of all elements, relative to the sum of a contiguous array."""
    row = np.arange(float(side * side)) + 0.5
    names: dict[str, object] = {"add": np.add, "a": row, "reduce": reduce}
    tiled = square(side, LayoutTiled(TILE, TILE), 0.5)
    assert np.isclose(reduce(np.add, tiled), np.add.reduce(row))
    reference = Case("np.add.reduce", "add.reduce(a)", names)
    cases = [
        Case("reduce, tiled 32", "reduce(add, v)", names | {"v": tiled}, 1.15),
        Case("reduce, right", "reduce(add, v)", names | {"v": square(side, LayoutRight(), 0.5)}, 1.15),
    ]
    return compare(reference, cases, title=f"reductions of {side} x {side} float64", rounds=ROUNDS)


def elementwise(side: int) -> Report:
    """Measure elementwise sums of two views into a third, for tiles relative to views in C order."""
    tiles, rows = ([square(side, layout, k) for k in range(3)] for layout in (LayoutTiled(TILE, TILE), LayoutRight()))
    for one, other, third in (tiles, rows):
        transform(np.add, one, other, out=third)
    assert equal(tiles[2], rows[2])
    names = {"transform": transform, "add": np.add}
    return compare(
        Case("rows", "transform(add, a, b, out=c)", names | dict(zip("abc", rows, strict=True))),
        [Case("tiled 32", "transform(add, a, b, out=c)", names | dict(zip("abc", tiles, strict=True)), 1.15)],
        title=f"elementwise sum of {side} x {side} float64",
        rounds=ROUNDS,
    )


def main() -> list[Report]:
    """Measure operations within one layout; `copies` measures transposes and changes of layout."""
    return [same_layout(4096), same_layout(4093), reductions(4096), elementwise(4096)]
