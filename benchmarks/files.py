"""Files: how long `open_view` takes, and what a cold tile costs next to `pread` of its bytes.

A tile is made cold by `posix_fadvise(POSIX_FADV_DONTNEED)` on its bytes, after `fdatasync`, as only clean pages are
dropped; a map of them is given back first (`madvise(MADV_DONTNEED)`), since pages that are mapped are kept. The file is
sparse, 36 GiB long, with data in the tiles that are read. Each case drops its tile in the same way, outside of what is
timed. Where the folder lies in memory (tmpfs) nothing becomes cold: set TMPDIR to one on a disk.
"""

from __future__ import annotations

import mmap
import os
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.harness import Case, Report, compare, row_of
from mdview import LayoutTiled, Mapping, MDView, copy, open_view, save

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_SECONDS: Final = 200e-6
"""How long `open_view` may take."""
GRID: Final = (65536, 73728)
"""Of doubles in tiles: 36 GiB."""
TILES: Final = (256, 1024)
"""Sides of tiles: of 512 KiB, and of 8 MiB."""
LARGE: Final = 1024
"""From which side on the disk decides; below, what Python does before it asks the disk is an aim to come closer to."""
ROUNDS: Final = 41
GOAL: Final = 1.2


@contextmanager
def sparse(side: int) -> Iterator[tuple[str, Any]]:
    """Give a file of 36 GiB with data in its tiles on the diagonal, as raw bytes, and its mapping."""
    mapping = Mapping(GRID, LayoutTiled(side, side))
    with TemporaryDirectory() as folder:
        path = f"{folder}/sparse.raw"
        with Path(path).open("wb") as file:
            file.truncate(8 * mapping.required_span_size)
        with open_view(path, mapping, "d", mode="r+") as view:
            data = np.random.default_rng(1).random((side, side))
            for k in range(8):
                view[k * side : (k + 1) * side, k * side : (k + 1) * side] = data
        yield path, mapping


def opening() -> Report:
    """How long each kind of file takes to open, next to `open` of it."""
    with TemporaryDirectory() as folder, sparse(64) as (raw, mapping):
        array = np.arange(1e4).reshape(100, 100)
        np.save(f"{folder}/a.npy", array)
        save(MDView(array, array.shape), f"{folder}/tiled.npy", "tiled(16, 16)")
        names = {"folder": folder, "raw": raw, "mapping": mapping, "open_view": open_view, "np": np}
        cases = [
            Case("npy", "open_view(f'{folder}/a.npy')", names, most=MOST_SECONDS),
            Case("npy, tiled", "open_view(f'{folder}/tiled.npy')", names, most=MOST_SECONDS),
            Case("raw, 36 GiB sparse", "open_view(raw, mapping, 'd')", names, most=MOST_SECONDS),
            Case("np.load, mapped", "np.load(f'{folder}/a.npy', mmap_mode='r')", names),
        ]
        reference = Case("open and close", "open(f'{folder}/a.npy', 'rb').close()", names)
        return compare(reference, cases, title="open_view, at most 200 µs")


def cold(side: int) -> Report:
    """A cold tile of a sparse file, copied out of the view, and read by `preadv` into the same buffer."""
    with sparse(side) as (path, mapping):
        descriptor = os.open(path, os.O_RDONLY)
        view = open_view(path, mapping, "d")
        memory = bytearray(8 * side * side)
        buffer = np.frombuffer(memory).reshape(side, side)
        target = MDView(buffer, buffer.shape)
        parts = [view[k * side : (k + 1) * side, k * side : (k + 1) * side] for k in range(8)]
        places = [8 * view.mapping(k * side, k * side) for k in range(8)]

        def by_pread(k: int) -> None:
            os.preadv(descriptor, [memory], places[k])

        def by_view(k: int) -> None:
            copy(parts[k], target)

        def by_array(k: int) -> None:
            np.copyto(buffer, np.asarray(parts[k]))

        cases = {"preadv": by_pread, "preadv (control)": by_pread, "copy(tile, target)": by_view}
        cases["np.copyto of np.asarray(tile)"] = by_array
        times: dict[str, list[float]] = {name: [] for name in cases}
        for turn in range(ROUNDS):
            names = [*cases][turn % 4 :] + [*cases][: turn % 4]
            for name in names:
                times[name].append(timed(cases[name], turn % 8, descriptor, view, places[turn % 8], len(memory)))
        os.close(descriptor)
    goals = {"copy(tile, target)": GOAL}
    rows = [
        row_of(Case(name, "", goal=goals.get(name), is_aim=side < LARGE), own, times["preadv"])
        for name, own in times.items()
    ]
    return Report(f"a cold tile of {side} x {side} doubles in 36 GiB", tuple(rows), ROUNDS)


def timed(work: Callable[[int], None], k: int, descriptor: int, view: Any, begin: int, length: int) -> float:
    """Return how long work on a tile takes once its bytes are out of memory."""
    view.data.obj.madvise(mmap.MADV_DONTNEED)
    os.fdatasync(descriptor)
    os.posix_fadvise(descriptor, begin, length, os.POSIX_FADV_DONTNEED)
    start = perf_counter()
    work(k)
    return perf_counter() - start


def main() -> list[Report]:
    """Measure opening, and cold tiles of two sizes."""
    return [opening(), *map(cold, TILES)]
