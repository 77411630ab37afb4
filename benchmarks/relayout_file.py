"""`relayout_file` to another layout, compared with `cp` of the same file: time, and peak of resident memory.

``python -m benchmarks.relayout_file --gib 8 --folder /scratch`` measures another size; the folder needs the space of
three such files.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import replace
from functools import partial
from math import isqrt
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import numpy as np

from benchmarks.harness import Case, Report, compare
from mdview import equal, open_view, relayout_file

if TYPE_CHECKING:
    from collections.abc import Iterator

CONVERSIONS: Final = (
    ("<f8", "right", "tiled(64, 64)"),
    ("<f8", "tiled(64, 64)", "right"),
    ("<f8", "right", "tiled(256, 256)"),
    ("<f8", "left", "right"),
    ("<f4", "right", "tiled(64, 64)"),
    ("<f4", "right", "tiled(256, 256)"),
)
GOAL: Final = 2.5
MOST_RESIDENT: Final = 512
"""The most MiB of resident memory at the peak of a process."""
CHILD: Final = """
import re, sys
from mdview import relayout_file
relayout_file(*sys.argv[1:4])
print(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
"""


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
        [Case(f"{before} to {after}", "run()", {"run": partial(relaid, source, target, after, peaks)}, GOAL)],
        title=f"relayout_file of {size / 2**30:g} GiB of {dtype}",
        rounds=rounds,
        min_batch_seconds=0,
    )
    for path in (source, copy, target):
        path.unlink()
    peak = max(peaks) / 1024
    verdict = "pass" if peak < MOST_RESIDENT else "MISS"
    return replace(report, notes=(f"peak resident: {peak:.0f} MiB of {MOST_RESIDENT}, {verdict}",))


def run(size: int, rounds: int, where: str | None) -> Iterator[Report]:
    """Measure all conversions in a temporary folder."""
    with TemporaryDirectory(dir=where) as name:
        for conversion in CONVERSIONS:
            yield measure(Path(name), conversion, size, rounds)


def main() -> list[Report]:
    """Measure files of one gibibyte."""
    return list(run(1 << 30, 3, None))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gib", type=float, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder")
    options = parser.parse_args()
    for found in run(int(options.gib * 2**30), options.rounds, options.folder):
        print(found.render(), end="\n\n", flush=True)
