"""Hillshade: the brightness of each cell of an elevation grid in the sun, under four storage layouts.

``relief`` is one kernel on views. It runs over an elevation grid of NumPy without a copy, and over copies of that
grid in rows, columns, padded rows and tiles.

Run ``python examples/hillshade.py [--out FILE]``; it needs NumPy, and matplotlib for the terrain model and the
picture. Numba, if installed, compiles the kernel, which then takes milliseconds; the times of copies are without
compiling.
"""

from __future__ import annotations

import argparse
import sys
from array import array
from dataclasses import dataclass
from functools import cache
from math import atan, cos, degrees, radians, sin, sqrt
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from mdview import (
    Accessor,
    Dims2,
    Layout,
    LayoutLeft,
    LayoutRight,
    LayoutRightPadded,
    LayoutTiled,
    Mapping,
    MDView,
    Writable,
    asview,
    copy,
)
from mdview import format as notation
from mdview.mappings import submapping

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

Grid: TypeAlias = MDView[float, Dims2, Layout, Accessor[float, float]]
Canvas: TypeAlias = MDView[float, Dims2, Layout, Writable[float, float]]
Direction: TypeAlias = tuple[float, float, float]
Kernel: TypeAlias = "Callable[[Grid, Canvas, Canvas, tuple[float, float], Direction], None]"

METRES_PER_DEGREE: Final = 111_200
LAYOUTS: Final = (LayoutRight(), LayoutLeft(), LayoutRightPadded(8), LayoutTiled(16, 16))


@dataclass(frozen=True)
class Cell:
    """Size of one cell of a grid on the ground, in metres."""

    east: float
    north: float

    @classmethod
    def from_degrees(cls, east: float, north: float, latitude: float) -> Cell:
        """Convert steps of longitude and latitude, in degrees, at a latitude."""
        return cls(METRES_PER_DEGREE * east * cos(radians(latitude)), METRES_PER_DEGREE * north)


@dataclass(frozen=True)
class Sun:
    """Where the light comes from, in degrees: clockwise from north, and above the horizon."""

    azimuth: float = 315.0
    altitude: float = 45.0

    @property
    def direction(self) -> Direction:
        """Unit vector towards the sun: east, north, up."""
        azimuth, altitude = radians(self.azimuth), radians(self.altitude)
        return sin(azimuth) * cos(altitude), cos(azimuth) * cos(altitude), sin(altitude)


@dataclass(frozen=True)
class Result:
    """What `run` made of one grid: relief, and how long that took."""

    shade: Canvas
    slope: Canvas
    seconds: float


def relief(dem: Grid, shade: Canvas, slope: Canvas, cell: Cell, sun: Sun) -> None:
    """Shade and slope of the inner cells of a grid, by Horn's 3×3 stencil, whatever the layouts and accessors.

    Parameters
    ----------
    dem
        Elevations in metres; index 0 grows southwards, index 1 eastwards.
    shade, slope
        Results, two cells shorter each way: brightness from 0 to 1, and degrees.
    cell, sun
        Size of a cell, and the light.
    """
    kernel()(dem, shade, slope, (cell.east, cell.north), sun.direction)


def stencil(dem: Grid, shade: Canvas, slope: Canvas, cell: tuple[float, float], light: Direction) -> None:
    """Do as `relief`, in numbers and views alone: the loop that is compiled."""
    east, north_step = cell
    to_east, to_north, up = light
    rows, columns = dem.extents
    for i in range(1, rows - 1 if columns > 2 else 1):
        north, here, south = dem[i - 1], dem[i], dem[i + 1]
        nw, w, sw, n, c, s = north[0], here[0], south[0], north[1], here[1], south[1]
        for j in range(1, columns - 1):
            ne, e, se = north[j + 1], here[j + 1], south[j + 1]
            eastward = (ne + 2 * e + se - nw - 2 * w - sw) / (8 * east)
            northward = (nw + 2 * n + ne - sw - 2 * s - se) / (8 * north_step)
            squared = eastward * eastward + northward * northward
            lit = (up - to_east * eastward - to_north * northward) / sqrt(1 + squared)
            shade[i - 1, j - 1] = max(lit, 0.0)
            slope[i - 1, j - 1] = degrees(atan(sqrt(squared)))
            nw, w, sw, n, c, s = n, c, s, ne, e, se


@cache
def kernel() -> Kernel:
    """The stencil, compiled where Numba is installed; the results are the same to the bit."""
    from mdview.numba import jit  # noqa: PLC0415 - which asks for Numba when it is called

    try:
        return jit(stencil)
    except ImportError:
        return stencil


def allocate(rows: int, columns: int, layout: Layout) -> Canvas:
    """View of a new array of float64, as long as the layout needs for a grid of this shape."""
    mapping = Mapping((rows, columns), layout)
    return MDView.from_mapping(array("d", bytes(8 * mapping.required_span_size)), mapping)


def placed(dem: Grid, layout: Layout) -> Canvas:
    """Copy of a grid under another layout."""
    target = allocate(*dem.extents, layout)
    copy(dem, target)
    return target


def run(dem: Grid, cell: Cell, sun: Sun) -> Result:
    """Compute relief under the layout that the grid has."""
    rows, columns = (max(extent - 2, 0) for extent in dem.extents)
    shade, slope = allocate(rows, columns, dem.layout), allocate(rows, columns, dem.layout)
    start = perf_counter()
    relief(dem, shade, slope, cell, sun)
    return Result(shade, slope, perf_counter() - start)


def bits(result: Result) -> bytes:
    """Bytes of all values in index order: equal for two results exactly if they agree to the bit."""
    return np.asarray(result.shade).tobytes() + np.asarray(result.slope).tobytes()


def describe(dem: Grid, seconds: float) -> str:
    """Two lines on where the elements lie."""
    layout, mapping = dem.layout, dem.mapping
    if isinstance(layout, LayoutTiled):
        place = f"{' x '.join(map(str, layout.grid(dem.extents)))} tiles of {' x '.join(map(str, layout.tile))}"
    else:
        place = f"strides {mapping.found_strides()}"
    full = "exhaustive" if mapping.is_exhaustive else f"{mapping.required_span_size - mapping.size} holes"
    took = f"{1000 * seconds:.1f} ms"
    return f"{layout!r} of '{dem.format}'\n    {place}, spans {mapping.required_span_size}, {full}: {took}"


def load() -> tuple[NDArray[np.int16], Cell]:
    """Elevations around the Jacksboro fault, Tennessee, that matplotlib ships, and the size of their cells."""
    from matplotlib.cbook import get_sample_data  # noqa: PLC0415 - the kernel itself needs no matplotlib

    with np.load(get_sample_data("jacksboro_fault_dem.npz", asfileobj=False)) as dem:
        return dem["elevation"], Cell.from_degrees(float(dem["dx"]), float(dem["dy"]), float(dem["ymin"]))


def tinted(result: Result, elevation: NDArray[np.int16]) -> NDArray[Any]:
    """Tints of elevation under the light: red, green and blue of each inner cell, from 0 to 1."""
    from matplotlib import colormaps  # noqa: PLC0415

    inner = elevation[1:-1, 1:-1].astype(float)
    tints: NDArray[Any] = colormaps["gist_earth"](0.3 + 0.6 * (inner - inner.min()) / np.ptp(inner))[..., :3]
    return np.clip(tints * (0.3 + np.asarray(result.shade)[..., np.newaxis]), 0, 1)


def places(dem: Grid, size: int = 32) -> NDArray[Any]:
    """Rank in memory of each of the first cells, ``size`` in a row and a column: which lie near each other."""
    part, _ = submapping(dem.mapping, *[(0, min(size, extent)) for extent in dem.extents])
    offsets = np.fromiter(part.offsets(), dtype=np.int64, count=part.size)
    return offsets.argsort().argsort().reshape(part.extents)


def paint(results: Sequence[tuple[Grid, Result]], elevation: NDArray[np.int16], path: Path) -> None:
    """Write a PNG: the relief, and beside it for each layout where the first cells lie, and how long it took."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(15, 8.6), layout="constrained")
    grid = figure.add_gridspec(2, 4)
    relief = figure.add_subplot(grid[:, :2])
    relief.imshow(tinted(results[0][1], elevation))
    relief.set_title("Relief around the Jacksboro fault, Tennessee")
    relief.set_axis_off()
    for k, (dem, result) in enumerate(results):
        panel = figure.add_subplot(grid[k // 2, 2 + k % 2])
        panel.imshow(places(dem), cmap="plasma")
        panel.set_title(f"{notation(dem).rpartition(' (')[0]}: {1000 * result.seconds:.0f} ms", fontsize=10)
        panel.set_axis_off()
    figure.suptitle(
        "One kernel, four layouts; at the right, 32 x 32 cells coloured by their order in memory", fontsize=11
    )
    figure.savefig(path, format="png", dpi=110)


def compare(elevation: NDArray[np.int16], cell: Cell) -> tuple[list[tuple[Grid, Result]], bool]:
    """Relief under every layout, and whether all are that of the array as it is; prints what they take."""
    dem = asview(elevation)
    first = run(dem, cell, Sun())
    shared = "shares memory with" if np.shares_memory(elevation, np.asarray(dem)) else "is a copy of"
    print(f"The view {shared} the loaded array:\n{describe(dem, first.seconds)}\n\nCopies:")
    results: list[tuple[Grid, Result]] = []
    for layout in LAYOUTS:
        stored = placed(dem, layout)
        if kernel() is not stencil:
            run(stored, cell, Sun())  # compiles the kernel for this layout, which the times shown are without
        results.append((stored, run(stored, cell, Sun())))
        print(describe(stored, results[-1][1].seconds))
    agree = all(bits(result) == bits(first) for _, result in results)
    print("\nAll results agree to the bit." if agree else "\nThe results differ.")
    return results, agree


def main(arguments: Sequence[str] | None = None) -> int:
    """Shade the terrain under every layout, compare, and write the picture."""
    parser = argparse.ArgumentParser(description="Relief shading of a terrain model: one kernel, several layouts.")
    parser.add_argument("--out", type=Path, default=Path("hillshade.png"), metavar="FILE", help="picture to write")
    out: Path = parser.parse_args(arguments).out
    elevation, cell = load()
    print(f"{elevation.shape[0]} x {elevation.shape[1]} cells of {cell.east:.1f} m x {cell.north:.1f} m")
    results, agree = compare(elevation, cell)
    try:
        paint(results, elevation, out)
    except OSError as error:
        parser.error(f"cannot write the picture: {error}")
    print(f"The steepest slope is {np.asarray(results[0][1].slope).max():.1f} degrees. Picture: {out}")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
