"""Hillshade of elevations larger than memory: one task per tile, on a cluster of processes.

The elevations are a tiled ``.npy`` file, in which a tile is one read. ``map_tiles`` passes each tile, with a border
of one cell, to a stencil on the workers of a ``distributed.LocalCluster``, and stores the result as a tile of a
second file. Workers receive a path and offsets. NumPy computes tiles from the formula of the terrain, all or some,
and compares them to the bit.

Run ``python examples/tiled_hillshade.py [--gib 8] [--folder FOLDER]``; it needs NumPy, dask and distributed, and
twice the space of the elevations on disk. The files are removed afterwards unless a folder is given.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass
from functools import cached_property
from logging import CRITICAL
from math import isqrt, sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from mdview import LayoutTiled, MDView, broadcast_to, open_view, save
from mdview.interop.dask import map_tiles

if TYPE_CHECKING:
    from collections.abc import Sequence

Block: TypeAlias = "np.ndarray[Any, np.dtype[np.float32]]"
Box: TypeAlias = tuple[tuple[int, int], tuple[int, int]]
"""First and end of the rows, first and end of the columns."""

CELL: Final = 30.0
"""Metres from cell to cell."""
LIGHT: Final = (-0.5, 0.5, sqrt(0.5))
"""Unit vector towards the sun, in the north-west at 45 degrees: east, north, up."""
HILLS: Final = ((900.0, 901.0, 701.0), (300.0, 121.0, 171.0), (120.0, 31.0, 43.0), (30.0, 7.0, 11.0))
"""Height in metres, and length in cells southwards and eastwards."""
SAMPLES: Final = 64
"""Tiles that are compared, of a file that has more."""


@dataclass(frozen=True)
class Terrain:
    """A square of elevations, each a formula of its place.

    Parameters
    ----------
    side
        Cells in each direction.
    tile
        Cells in each direction of a tile.
    """

    side: int
    tile: int

    @classmethod
    def of_size(cls, gib: float, tile: int) -> Terrain:
        """Terrain whose elevations take so many GiB."""
        return cls(isqrt(int(gib * 2**30) // 4), tile)

    @cached_property
    def waves(self) -> list[tuple[Block, Block]]:
        """A column and a row for each kind of hills: the elevations are the sum of their products."""
        places = np.arange(self.side)
        return [
            (
                (height * np.sin(places / south)).astype(np.float32)[:, np.newaxis],
                np.cos(places / east).astype(np.float32),
            )
            for height, south, east in HILLS
        ]

    @property
    def boxes(self) -> list[Box]:
        """Cells of each tile; those at the edges are cut."""
        ranges = [(first, min(first + self.tile, self.side)) for first in range(0, self.side, self.tile)]
        return [(rows, columns) for rows in ranges for columns in ranges]

    def elevations(self, box: Box, halo: int = 0) -> Block:
        """Elevations of a box with a halo, in metres; beyond the edge they are those at the edge."""
        rows, columns = (np.arange(first - halo, end + halo).clip(0, self.side - 1) for first, end in box)
        found = np.zeros((len(rows), len(columns)), np.float32)
        for south, east in self.waves:
            found += south[rows] * east[columns]
        return found


def shaded(block: Block) -> Block:
    """Brightness, from 0 to 1, of the inner cells of a block: Horn's 3×3 stencil."""
    north, here, south = block[:-2], block[1:-1], block[2:]
    across = north + 2 * here + south
    along = block[:, :-2] + 2 * block[:, 1:-1] + block[:, 2:]
    eastward = (across[:, 2:] - across[:, :-2]) / (8 * CELL)
    northward = (along[:-2] - along[2:]) / (8 * CELL)
    lit = LIGHT[2] - LIGHT[0] * eastward - LIGHT[1] * northward
    return np.maximum(lit / np.sqrt(1 + eastward * eastward + northward * northward), 0)


def create(path: Path, terrain: Terrain) -> None:
    """Write a tiled file of zeros, from a view that shows one zero everywhere."""
    zero = MDView(np.zeros(1, np.float32), (1, 1))
    save(broadcast_to(zero, (terrain.side, terrain.side)), path, LayoutTiled(terrain.tile, terrain.tile))


def part(view: Any, box: Box) -> Block:
    """Cells of a tile: the memory itself, since a tile is strided."""
    (top, bottom), (left, right) = box
    return np.asarray(view[top:bottom, left:right])


def fill(path: Path, terrain: Terrain) -> None:
    """Write the elevations, tile by tile."""
    with open_view(path, mode="r+") as view:
        for box in terrain.boxes:
            part(view, box)[:] = terrain.elevations(box)


def differing(path: Path, terrain: Terrain, boxes: Sequence[Box]) -> list[Box]:
    """Tiles of a hillshade that are not, to the bit, what NumPy makes of the formula of the terrain."""
    with open_view(path) as view:
        return [box for box in boxes if part(view, box).tobytes() != shaded(terrain.elevations(box, 1)).tobytes()]


def sampled(boxes: Sequence[Box]) -> list[Box]:
    """All boxes, or the corners and some of the others."""
    if len(boxes) <= SAMPLES:
        return [*boxes]
    side = isqrt(len(boxes))
    corners = [boxes[k] for k in (0, side - 1, len(boxes) - side, len(boxes) - 1)]
    others = [box for box in boxes if box not in corners]
    return corners + random.Random(0).sample(others, SAMPLES - len(corners))  # noqa: S311 - the same ones each time


@dataclass(frozen=True)
class Work:
    """What it took to shade a file.

    Parameters
    ----------
    seconds
        From the call of `map_tiles` to the last tile.
    moved
        Bytes that were read, with halos, and written.
    memory
        The most that each worker has had, in bytes, mapped parts of the files included.
    """

    seconds: float
    moved: int
    memory: Sequence[int]

    def __str__(self) -> str:
        """Say it in one line."""
        rate = self.moved / self.seconds / 2**30
        done = f"{self.moved / 2**30:.2f} GiB moved in {self.seconds:.1f} s, {rate:.2f} GiB/s"
        return f"{done}; most memory of a worker: {max(self.memory) / 2**20:.0f} MiB"


def most_memory() -> int:
    """Most memory that this process has had, in bytes; where the system does not tell, what it has now."""
    import psutil  # noqa: PLC0415 - comes with distributed

    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text(encoding="utf-8").splitlines())
        return 1024 * int(lines["VmHWM"].split()[0])
    return int(psutil.Process().memory_info().rss)


def moved(terrain: Terrain) -> int:
    """Bytes of all tiles, those that are read with a halo within the terrain."""
    sizes = [
        (min(end + 1, terrain.side) - max(first - 1, 0), end - first)
        for first, end in {rows for rows, _ in terrain.boxes}
    ]
    read, written = (sum(size[k] for size in sizes) for k in (0, 1))
    return 4 * (read**2 + written**2)


def shade(source: Path, target: Path, terrain: Terrain, workers: int) -> Work:
    """Shade a file on a cluster of this machine, with a bar that shows how far it is."""
    from distributed import Client, LocalCluster, progress  # noqa: PLC0415 - a second that --help need not take

    options: dict[str, Any] = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options, silence_logs=CRITICAL) as cluster, Client(cluster) as connected:  # type: ignore[no-untyped-call]
        client: Any = connected
        start = perf_counter()
        with open_view(source) as elevations, open_view(target, mode="r+") as brightness:
            tasks = map_tiles(shaded, elevations, out=brightness, halo=1, boundary="edge", compute=False)
            done = client.compute(tasks)
            progress(done)  # type: ignore[no-untyped-call]
            print()
            done.result()
        seconds = perf_counter() - start
        return Work(seconds, moved(terrain), [*client.run(most_memory).values()])


def run(folder: Path, terrain: Terrain, workers: int) -> bool:
    """Make the files, shade, compare; say what it took, and whether it is right."""
    source, target = folder / "elevations.npy", folder / "hillshade.npy"
    start = perf_counter()
    create(source, terrain)
    fill(source, terrain)
    create(target, terrain)
    side, tile, tiles = terrain.side, terrain.tile, terrain.boxes
    print(f"{side} x {side} elevations, {4 * side**2 / 2**30:.3g} GiB, in {len(tiles)} tiles of {tile} x {tile}")
    print(f"    and a file for the result, made in {perf_counter() - start:.1f} s")
    print(shade(source, target, terrain, workers))
    looked_at = sampled(tiles)
    wrong = differing(target, terrain, looked_at)
    print(
        f"{len(looked_at)} of {len(tiles)} tiles compared with NumPy: "
        + (f"these differ: {wrong}" if wrong else "all agree to the bit")
    )
    return not wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Shade a terrain of the size that is asked for."""
    parser = argparse.ArgumentParser(description="Hillshade of a tiled file, one task for each tile.")
    parser.add_argument("--gib", type=float, default=1 / 16, metavar="SIZE", help="size of the elevations, in GiB")
    parser.add_argument("--tile", type=int, default=512, metavar="CELLS", help="cells in each direction of a tile")
    parser.add_argument("--workers", type=int, default=2, metavar="COUNT", help="processes that work")
    parser.add_argument("--folder", type=Path, help="where the files go, and stay; a temporary one by default")
    options = parser.parse_args(arguments)
    terrain = Terrain.of_size(options.gib, options.tile)
    if terrain.side < 1 or options.tile < 1 or options.workers < 1:
        parser.error("at least 1 cell, a tile of 1 cell and 1 worker are needed")
    if options.folder is not None:
        return 0 if run(options.folder, terrain, options.workers) else 1
    with TemporaryDirectory(prefix="tiled-hillshade-") as folder:
        return 0 if run(Path(folder), terrain, options.workers) else 1


if __name__ == "__main__":
    sys.exit(main())
