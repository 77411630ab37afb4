"""Parallel writes to Zarr: stores checked by `conflicts` and rechunked by `aligned`, compared with unchecked stores."""

from __future__ import annotations

from typing import Any, Final

import dask.array
import numpy as np
import zarr

from benchmarks.harness import Case, Report, compare
from mdview.interop.writers import aligned, conflicts

da: Any = dask.array  # Any: dask has annotations in part, and some are wrong
SIDE: Final = 4096
SHARD: Final = 512
THREADS: Final = 2
GOAL: Final = 1.1

BOXES: Final = (100, 1_000, 10_000)
SQUARE: Final = 10**9
"""Extent of a store of 10**12 chunks, for which no file is made."""


def plain_store(array: Any, target: Any) -> None:
    """Store by threads without a lock, even if writes collide. Any: an array of dask, and one of zarr."""
    da.store(array, target, lock=False, scheduler="threads", num_workers=THREADS)


def planned_store(array: Any, target: Any) -> None:
    """Store by threads after rechunking, if writes would collide. Any: an array of dask, and one of zarr."""
    if conflicts(array, target) is not None:
        array = array.rechunk(aligned(array.chunks, target))
    plain_store(array, target)


def of_stores() -> list[Report]:
    """Store chunks that collide and chunks that do not, without and with the check."""
    numbers = np.arange(SIDE * SIDE, dtype="f8").reshape(SIDE, SIDE)
    reports = []
    for name, chunk in (("half a shard", SHARD // 2), ("a shard", SHARD), ("a third more", SHARD * 4 // 3)):
        array = da.from_array(numbers, chunks=(chunk, chunk))
        target: Any = zarr.create_array({}, data=numbers, chunks=(SHARD // 2,) * 2, shards=(SHARD,) * 2)
        target[...] = 0
        planned_store(array, target)
        assert (target[...] == numbers).all()
        names = {"array": array, "target": target, "unsafe": plain_store, "planned": planned_store}
        title = f"{SIDE} x {SIDE} doubles to shards of {SHARD} x {SHARD}, chunks of {name} ({chunk} x {chunk})"
        unsafe = Case("unsafe", "unsafe(array, target)", names)
        planned = Case("planned", "planned(array, target)", names, goal=GOAL)
        reports.append(compare(unsafe, [planned], title=title, rounds=9))
    return reports


def boxes(count: int) -> list[tuple[tuple[int, int], ...]]:
    """Return adjacent squares that share no chunk of the store."""
    rows = round(count**0.5)
    step = SQUARE // rows // 1000 * 1000
    ends = [(k * step, k * step + step) for k in range(rows)]
    return [(i, j) for i in ends for j in ends]


def of_answers() -> Report:
    """Call `conflicts` for increasing numbers of boxes; times are per box."""
    store = ((SQUARE, SQUARE), (1000, 1000))
    blocks = ((1000,) * 1000, (1000,) * 1000)
    names = {"conflicts": conflicts, "store": store, "blocks": blocks, "of_blocks": ((10**6, 10**6), (1000, 1000))}
    first, *others = [
        Case(f"{n} boxes", "conflicts(parts, store)", {**names, "parts": boxes(n)}, units=len(boxes(n))) for n in BOXES
    ]
    others.append(Case("10**6 blocks of a grid", "conflicts(blocks, of_blocks)", names, units=10**6))
    return compare(first, others, title="conflicts, time for a part", rounds=5)


def main() -> list[Report]:
    """Measure stores, and calls of `conflicts`."""
    return [*of_stores(), of_answers()]
