"""Times of one tile on this machine: a read from disk with a border, a stencil, and a write to disk."""

from __future__ import annotations

import mmap
import os
import pickle
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.scaling_cluster import sparse_files
from mdview import LayoutTiled, Mapping, MDView
from mdview.interop.dask import map_tiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SIDES: Final = (256, 512, 1024)
"""Elements of float32 in each direction of a tile."""
PLANNED: Final = 1024
"""Side of the tiles of the simulation."""
GRID: Final = 6
"""Tiles in each direction of the file."""
LOCAL_TASKS: Final = 2000


@dataclass(frozen=True)
class TileTimes:
    """Times of the tiles of a file: a read with a border of one element, a stencil, and a write to disk.

    Parameters
    ----------
    side
        Elements in each direction of a tile.
    read, cached, compute, write
        Seconds for each tile; `cached` is a second read, from the page cache.
    """

    side: int
    read: Sequence[float]
    cached: Sequence[float]
    compute: Sequence[float]
    write: Sequence[float]

    @property
    def seconds(self) -> list[float]:
        """Sum of read, stencil and write for each tile."""
        return [sum(parts) for parts in zip(self.read, self.compute, self.write, strict=True)]

    @property
    def moved(self) -> int:
        """Bytes that are read and written for a tile."""
        return 4 * ((self.side + 2) ** 2 + self.side**2)

    def row(self) -> dict[str, str]:
        """Return a row of the table: medians in milliseconds."""
        parts = {"read from disk": self.read, "read from cache": self.cached, "3 x 3 stencil": self.compute}
        parts["written to disk"] = self.write
        size = f"{self.side} x {self.side}, {4 * self.side**2 / 2**20:.2f} MiB"
        return {"tile of float32": size, **{f"{name}, ms": f"{1e3 * median(part):.2f}" for name, part in parts.items()}}


def stencil(block: Any) -> Any:
    """Return the slope at the inner elements of a block, each from its eight neighbours."""
    east = (
        block[:-2, 2:] + 2 * block[1:-1, 2:] + block[2:, 2:] - block[:-2, :-2] - 2 * block[1:-1, :-2] - block[2:, :-2]
    )
    north = (
        block[:-2, :-2] + 2 * block[:-2, 1:-1] + block[:-2, 2:] - block[2:, :-2] - 2 * block[2:, 1:-1] - block[2:, 2:]
    )
    return np.sqrt(east * east + north * north)


def measure() -> list[TileTimes]:
    """Measure tiles of each size."""
    with TemporaryDirectory(prefix="mdview-scaling-") as folder:
        return [of_size(side, Path(folder, "tiles.raw")) for side in SIDES]


def of_size(side: int, path: Path) -> TileTimes:
    """Measure the inner tiles of a file, which have neighbours on all sides."""
    mapping = Mapping((GRID * side, GRID * side), LayoutTiled(side, side))
    values = np.random.default_rng(0).random(mapping.required_span_size, np.float32)
    values.tofile(path)
    with path.open("r+b") as file:
        os.fsync(file.fileno())
        mapped = mmap.mmap(file.fileno(), 0)
        view = MDView.from_mapping(memoryview(mapped).cast("f"), mapping)
        tiles = [timed(file.fileno(), mapped, view, place, side) for place in inner(side)]
        view.release()
        mapped.close()
    read, cached, compute, write = zip(*tiles, strict=True)
    return TileTimes(side, read, cached, compute, write)


def inner(side: int) -> Iterator[tuple[int, int]]:
    """Return the first indices of all tiles that have neighbours on all sides."""
    return ((i * side, j * side) for i in range(1, GRID - 1) for j in range(1, GRID - 1))


def timed(file: int, mapped: mmap.mmap, view: Any, place: tuple[int, int], side: int) -> tuple[float, ...]:
    """Return seconds of one tile: read from disk, read from the page cache, stencil, write to disk."""
    i, j = place
    forget(file, mapped)
    window = view[i - 1 : i + side + 1, j - 1 : j + side + 1]
    read, block = clocked(partial(np.array, window))
    cached, block = clocked(partial(np.array, window))
    compute, result = clocked(partial(stencil, block))
    return read, cached, compute, clocked(partial(stored, mapped, view[i : i + side, j : j + side], result))[0]


def clocked(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds and the result of a call."""
    start = perf_counter()
    result = call()
    return perf_counter() - start, result


def stored(mapped: mmap.mmap, tile: Any, result: Any) -> None:
    """Write a tile, and wait until it is on disk."""
    tile[:, :] = result
    mapped.flush()


def forget(file: int, mapped: mmap.mmap) -> None:
    """Ask the operating system to drop its cache of a file, if the system supports it."""
    mapped.flush()
    if hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)


def local_schedulers() -> dict[str, float]:
    """Return the seconds of a task of `map_tiles` that does nothing, by scheduler within one process."""
    with sparse_files(LOCAL_TASKS) as (view, other):
        ways = {name: partial(map_tiles, same, view, out=other, scheduler=name) for name in ("synchronous", "threads")}
        return {name: median(clocked(way)[0] for _ in range(3)) / LOCAL_TASKS for name, way in ways.items()}


def same(block: Any) -> Any:
    """Return the block."""
    return block


def graph() -> tuple[float, float]:
    """Return seconds and pickled bytes of a task in a graph of `map_tiles`, with a halo, from a file to a file."""
    with sparse_files(LOCAL_TASKS, 64) as (view, other):
        make = partial(map_tiles, stencil, view, out=other, halo=1, boundary="edge", compute=False)
        seconds = median(clocked(make)[0] for _ in range(3))
        tasks = dict(make().__dask_graph__())
        return seconds / LOCAL_TASKS, median(len(pickle.dumps(task)) for task in tasks.values())
