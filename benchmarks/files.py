"""Files: `open_view`, copies of cold tiles compared with `preadv` of their bytes, `relayout_file` compared with `cp`.

A tile is cold if its bytes are not in the page cache. Before each timed copy, `madvise(MADV_DONTNEED)` unmaps the
pages, since mapped pages are kept, `fdatasync` writes them, since only clean pages are dropped, and
`posix_fadvise(POSIX_FADV_DONTNEED)` drops them. The file is sparse, 36 GiB long, with data in the tiles that are read.
In a folder in memory (tmpfs) no tile becomes cold: set TMPDIR to a folder on a disk.
"""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from math import isqrt
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.harness import Case, Report, compare, row_of
from mdview import LayoutTiled, Mapping, MDView, copy, equal, open_view, relayout_file, save

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_SECONDS: Final = 200e-6
"""The most seconds of `open_view`."""
GRID: Final = (65536, 73728)
"""Extents of the view of doubles: 36 GiB."""
TILES: Final = (256, 1024)
"""Sides of the tiles, which have 512 KiB and 8 MiB."""
LARGE: Final = 1024
"""Side from which the disk dominates the time and `GOAL` is a goal; for smaller tiles, it is an aim."""
ROUNDS: Final = 41
GOAL: Final = 1.2


CONVERSIONS: Final = (
    ("<f8", "right", "tiled(64, 64)"),
    ("<f8", "tiled(64, 64)", "right"),
    ("<f8", "right", "tiled(256, 256)"),
    ("<f8", "left", "right"),
    ("<f4", "right", "tiled(64, 64)"),
    ("<f4", "right", "tiled(256, 256)"),
)
RELAYOUT_GOAL: Final = 2.5
MOST_RESIDENT: Final = 512
"""The most MiB of resident memory at the peak of a process."""
CHILD: Final = """
import re, sys
from mdview import relayout_file
relayout_file(*sys.argv[1:4])
print(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
"""


@contextmanager
def sparse(side: int) -> Iterator[tuple[str, Any]]:
    """Yield the path of a raw file of 36 GiB with data in eight tiles on the diagonal, and its mapping."""
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
    """Measure `open_view` for kinds of files, relative to `open` and `close`."""
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
    """Measure copies of cold tiles out of a view, relative to `preadv` into the same buffer."""
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
    """Return the seconds of ``work`` on tile ``k`` after its bytes are dropped from the page cache."""
    view.data.obj.madvise(mmap.MADV_DONTNEED)
    os.fdatasync(descriptor)
    os.posix_fadvise(descriptor, begin, length, os.POSIX_FADV_DONTNEED)
    start = perf_counter()
    work(k)
    return perf_counter() - start


def relaid(source: Path, target: Path, layout: str, peaks: list[int]) -> None:
    """Run the conversion in a separate process, and append its peak of resident memory in KiB to ``peaks``."""
    target.unlink(missing_ok=True)
    command = [sys.executable, "-c", CHILD, str(source), str(target), layout]
    peaks.append(int(subprocess.run(command, check=True, capture_output=True).stdout))


def copied(source: Path, target: Path) -> None:
    """Copy a file by `cp`."""
    target.unlink(missing_ok=True)
    subprocess.run([which("cp") or "cp", str(source), str(target)], check=True)


def make(path: Path, dtype: str, layout: str, size: int) -> None:
    """Write a file of random numbers in a layout, of about ``size`` bytes."""
    side = isqrt(size // np.dtype(dtype).itemsize)
    rows = path.with_name("rows.npy") if layout != "right" else path
    made = np.lib.format.open_memmap(rows, "w+", dtype, (side, side))
    noise = np.random.default_rng(1).integers(0, 255, (1 << 20) + side * made.itemsize, np.uint8)
    for k in range(side):
        made[k] = noise[k * 509 % (1 << 20) :][: side * made.itemsize].view(dtype)
    made.flush()
    del made
    if rows != path:
        relayout_file(rows, path, layout)
        rows.unlink()


def measure(folder: Path, conversion: tuple[str, str, str], size: int, rounds: int) -> Report:
    """Measure one conversion relative to `cp` of its source."""
    dtype, before, after = conversion
    source, copy, target = [folder / name for name in ("source.npy", "copy.npy", "target.npy")]
    make(source, dtype, before, size)
    relayout_file(source, target, after)
    assert equal(open_view(source), open_view(target))
    peaks: list[int] = []
    report = compare(
        Case("cp", "run()", {"run": partial(copied, source, copy)}),
        [Case(f"{before} to {after}", "run()", {"run": partial(relaid, source, target, after, peaks)}, RELAYOUT_GOAL)],
        title=f"relayout_file of {size / 2**30:g} GiB of {dtype}",
        rounds=rounds,
        min_batch_seconds=0,
    )
    for path in (source, copy, target):
        path.unlink()
    peak = max(peaks) / 1024
    verdict = "pass" if peak < MOST_RESIDENT else "MISS"
    return replace(report, notes=(f"peak resident: {peak:.0f} MiB of {MOST_RESIDENT}, {verdict}",))


def conversions() -> Iterator[Report]:
    """Measure all conversions of files in a temporary folder."""
    with TemporaryDirectory() as name:
        for conversion in CONVERSIONS:
            yield measure(Path(name), conversion, 1 << 30, 3)


def main(part: str = "") -> Iterator[Report]:
    """Measure opening, cold tiles of two sizes, and conversions; or, as part ``relayout_file``, conversions alone."""
    if not part:
        yield opening()
        yield from map(cold, TILES)
    yield from conversions()
