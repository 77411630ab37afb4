"""Atomic histogram: threads count into the same bins, with and without atomic access.

``counts[bin] += 1`` is a load, an addition and a store, so two threads may load the same number and lose a count. On
``atomic(counts)`` the same line is one atomic step. The kernel stays the same; the accessor of the view changes. The
compiled kernel releases Python's lock, so threads run in parallel. A plain view loses a different number of counts in
each run.

Run ``python examples/atomic_histogram.py [--threads N]``; it needs NumPy, Numba, and matplotlib for a terrain model,
whose heights are counted.
"""

from __future__ import annotations

import argparse
import sys
from array import array
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from mdview import Accessor, Dims1, Layout, MDView, atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

Heights: TypeAlias = MDView[int, Dims1, Layout, Accessor[int, int]]
# Any: a plain view gives numbers, an atomic one references, and the kernel takes both.
Counts: TypeAlias = MDView[Any, Dims1, Layout, Any]
Kernel: TypeAlias = "Callable[[Heights, Counts, int, int], None]"

WIDTH: Final = 32
"""Metres of height in a bin."""
ROUNDS: Final = 300
"""Each thread counts its part so often, so that threads are at work for long enough to meet."""


def count(heights: Heights, counts: Counts, lowest: int, rounds: int) -> None:
    """Count heights into bins from the lowest on."""
    for _ in range(rounds):
        for i in range(heights.extent(0)):
            counts[(heights[i] - lowest) // WIDTH] += 1


def load() -> NDArray[np.int64]:
    """Heights around the Jacksboro fault, Tennessee, in metres."""
    from matplotlib.cbook import get_sample_data  # noqa: PLC0415 - the kernel itself needs no matplotlib

    with np.load(get_sample_data("jacksboro_fault_dem.npz", asfileobj=False)) as dem:
        heights: NDArray[np.int64] = dem["elevation"].astype(np.int64).ravel()
    return heights


def compiled() -> Kernel:
    """The kernel as machine code, which runs without Python's lock."""
    from mdview.numba import jit  # noqa: PLC0415

    kernel: Kernel = jit(nogil=True)(count)
    return kernel


def in_threads(kernel: Kernel, heights: NDArray[np.int64], counts: Counts, threads: int) -> float:
    """Let each thread count a part of the heights, all into the same bins; return the seconds that took."""
    lowest = int(heights.min())
    view: Heights = MDView(heights, (heights.size,))
    together = Barrier(threads + 1)

    def work(part: int) -> None:
        together.wait()
        kernel(view[part::threads], counts, lowest, ROUNDS)

    kernel(view[:0:threads], counts, lowest, 1)  # compiles
    with ThreadPoolExecutor(threads) as pool:
        tasks = [pool.submit(work, part) for part in range(threads)]
        start = perf_counter()
        together.wait()
        for task in tasks:
            task.result()
        return perf_counter() - start


def bars(numbers: Sequence[int], lowest: int) -> str:
    """Draw a histogram in characters, a line for each bin."""
    most = max(numbers) or 1
    return "\n".join(
        [f"{lowest + WIDTH * k:5d} m {'#' * round(60 * number / most)}" for k, number in enumerate(numbers)]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Count with plain and with atomic access, and compare with NumPy's histogram."""
    parser = argparse.ArgumentParser(description="A histogram by threads that share its bins.")
    parser.add_argument("--threads", type=int, default=4, help="threads that count")
    threads: int = parser.parse_args(arguments).threads
    if threads < 1:
        parser.error("there is at least 1 thread")
    heights, kernel = load(), compiled()
    lowest, bins = int(heights.min()), int(np.ptp(heights)) // WIDTH + 1
    expected = ROUNDS * np.histogram(heights, lowest + WIDTH * np.arange(bins + 1))[0]
    total = int(expected.sum())
    print(f"{heights.size} heights, each counted {ROUNDS} times, {bins} bins, {threads} threads\n")

    plain = MDView(array("q", bytes(8 * bins)), (bins,))
    shared = MDView(array("q", bytes(8 * bins)), (bins,))
    seconds = {"plain": in_threads(kernel, heights, plain, threads)}
    seconds["atomic"] = in_threads(kernel, heights, atomic(shared), threads)
    agree = shared.tolist() == expected.tolist()
    print(bars(shared.tolist(), lowest))
    for name, view in (("plain", plain), ("atomic", shared)):
        lost = total - sum(view.tolist())
        print(f"{name:>7}: {lost:>8} of {total} counts lost this time, {1e3 * seconds[name]:.0f} ms")
    print(
        "The atomic counts are those of np.histogram." if agree else "The atomic counts are not those of np.histogram."
    )
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
