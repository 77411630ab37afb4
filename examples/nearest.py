"""Nearest neighbours: points in cells in Morton order, so that neighbours in the plane are close in memory.

The points are the peaks of a terrain model, sorted by their cell in a grid. The cells are in Z order. A query visits
the 3 x 3 cells around its own, a few runs of the array. The order of the cells is the layout of one mapping;
``LayoutRight`` gives the same results from places further apart.

Run ``python examples/nearest.py``; it needs NumPy, and matplotlib for the terrain model.
"""

from __future__ import annotations

import argparse
import sys
from array import array
from itertools import accumulate, pairwise, product
from math import dist, inf, sqrt
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from mdview import Layout, LayoutMorton, LayoutRight, Mapping, MDView
from mdview.iteration import Binned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Point: TypeAlias = tuple[int, int]
SIDE: Final = 16
"""Rows and columns of cells."""
NEAR: Final = 32
"""Places in the array that count as near."""


def load() -> tuple[list[Point], tuple[int, int]]:
    """Peaks around the Jacksboro fault, Tennessee: cells of the terrain model that are higher than all around."""
    from matplotlib.cbook import get_sample_data  # noqa: PLC0415 - the search itself needs no matplotlib

    with np.load(get_sample_data("jacksboro_fault_dem.npz", asfileobj=False)) as dem:
        heights: NDArray[np.int16] = dem["elevation"]
    inner = heights[1:-1, 1:-1]
    shifts = [(di, dj) for di, dj in product(range(3), repeat=2) if (di, dj) != (1, 1)]
    rows, columns = inner.shape
    higher = np.all([inner > heights[di : di + rows, dj : dj + columns] for di, dj in shifts], axis=0)
    return [(int(i), int(j)) for i, j in np.argwhere(higher)], (rows, columns)


class Grid:
    """Points sorted by cell, the cells in the order of a layout."""

    def __init__(self, points: Sequence[Point], shape: tuple[int, int], layout: Layout) -> None:
        """Sort the points into cells."""
        self.size = [-(-extent // SIDE) for extent in shape]
        self.cells = Mapping((SIDE, SIDE), layout)
        self.order = sorted(range(len(points)), key=lambda k: (self.cells(*self.cell(points[k])), k))
        self.points = [points[k] for k in self.order]
        counts = [0] * self.cells.required_span_size
        for point in points:
            counts[self.cells(*self.cell(point))] += 1
        ranges = list(pairwise(accumulate(counts, initial=0)))
        places = MDView(array("q", range(len(points))), (len(points),))
        self.binned = Binned(places, ranges, cells=self.cells)

    def cell(self, point: Point) -> tuple[int, int]:
        """Cell of a point."""
        return point[0] // self.size[0], point[1] // self.size[1]

    def near(self, point: Point, reach: int) -> list[int]:
        """Places of the points in the cells around a point's, ``reach`` cells in each direction."""
        i, j = self.cell(point)
        rows = range(max(i - reach, 0), min(i + reach + 1, SIDE))
        columns = range(max(j - reach, 0), min(j + reach + 1, SIDE))
        return [int(place) for cell in product(rows, columns) for place in self.binned[cell]]

    def nearest(self, place: int) -> tuple[float, int]:
        """Distance and place of the nearest other point; ``reach`` grows until nothing nearer can be outside."""
        point = self.points[place]
        best = inf, -1
        for reach in range(1, SIDE + 1):
            found = [(dist(point, self.points[other]), other) for other in self.near(point, reach) if other != place]
            best = min([best, *found])
            if best[0] <= reach * min(self.size):
                break
        return best


def steps(grid: Grid) -> NDArray[np.int64]:
    """Distances in the array between each point and those in the cells around it."""
    pairs = [(place, other) for place, point in enumerate(grid.points) for other in grid.near(point, 1)]
    return np.array([abs(other - place) for place, other in pairs])


def by_brute_force(points: Sequence[Point]) -> NDArray[np.float64]:
    """Distance of each point to its nearest neighbour, from all pairs."""
    at = np.array(points, dtype=float)
    squared = ((at[:, np.newaxis] - at) ** 2).sum(axis=2)
    np.fill_diagonal(squared, inf)
    return np.array([sqrt(least) for least in squared.min(axis=1)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Search under two orders of the cells, compare with all pairs, and show where the points lie."""
    argparse.ArgumentParser(description="Nearest neighbours among the peaks of a terrain model.").parse_args(arguments)
    points, shape = load()
    expected = by_brute_force(points)
    print(
        f"{len(points)} peaks in {shape[0]} x {shape[1]} cells; the mean distance to the next is {expected.mean():.2f}"
    )
    agree = True
    for layout in (LayoutRight(), LayoutMorton()):
        grid = Grid(points, shape, layout)
        found = np.empty(len(points))
        found[grid.order] = [grid.nearest(place)[0] for place in range(len(points))]
        agree &= bool(np.array_equal(found, expected))
        apart = steps(grid)
        print(f"{layout!r}: of the points in the cells around, {(apart < NEAR).mean():.0%} lie within {NEAR} places, ")
        print(f"    half within {np.median(apart):.0f}, all within {apart.max()}")
    print("The neighbours are those of all pairs." if agree else "The neighbours differ.")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
