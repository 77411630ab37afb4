"""Tiled matrix product: one kernel, compiled for whatever layouts its operands have.

`product` walks blocks of indices and uses `a[i, k]`, `b[k, j]` and `c[i, j]`; it knows no layout. Numba compiles
it for each layout, with the layout's arithmetic in the loop. So where the numbers lie can be chosen, and measured,
without touching the kernel; every result is compared with NumPy's.
Run ``python examples/matmul.py [--size N] [--tile T]``; it needs NumPy and Numba. Times are those of this machine, the
best of some runs, without compiling. NumPy's own product, which is a library's of many years, is shown beside them.
"""

from __future__ import annotations

import argparse
import sys
from array import array
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from mdview import Dims2, Layout, LayoutLeft, LayoutMorton, LayoutRight, LayoutTiled, Mapping, MDView
from mdview.numba import jit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

Matrix: TypeAlias = MDView[float, Dims2, Layout]

RUNS: Final = 3


@dataclass(frozen=True)
class Timing:
    """What one layout gave: seconds of the best run, and the largest difference from NumPy's result."""

    layout: Layout
    seconds: float
    error: float


@jit
def product(a: Matrix, b: Matrix, c: Matrix, tile: int) -> None:
    """Add the product of ``a`` and ``b`` to ``c``, a block of ``tile`` indices each way after the other."""
    rows, inner = a.extents
    columns = b.extent(1)
    for i0 in range(0, rows, tile):
        for k0 in range(0, inner, tile):
            for j0 in range(0, columns, tile):
                for i in range(i0, min(i0 + tile, rows)):
                    for k in range(k0, min(k0 + tile, inner)):
                        factor = a[i, k]
                        for j in range(j0, min(j0 + tile, columns)):
                            c[i, j] += factor * b[k, j]


def stored(values: NDArray[np.float64], layout: Layout) -> Matrix:
    """Copy of a matrix under a layout."""
    mapping = Mapping(values.shape, layout)
    view: Matrix = MDView.from_mapping(array("d", bytes(8 * mapping.required_span_size)), mapping)
    view[...] = values
    return view


def measure(a: NDArray[np.float64], b: NDArray[np.float64], layout: Layout, tile: int) -> Timing:
    """Multiply under a layout, compare with NumPy, and take the best time."""
    left, right = stored(a, layout), stored(b, layout)
    result = stored(np.zeros((a.shape[0], b.shape[1])), layout)
    product(left, right, result, tile)
    error = float(np.abs(np.asarray(result) - a @ b).max(initial=0.0))
    return Timing(layout, best(lambda: product(left, right, result, tile)), error)


def best(call: Callable[[], object]) -> float:
    """Seconds of the fastest of some calls."""
    seconds = []
    for _ in range(RUNS):
        start = perf_counter()
        call()
        seconds.append(perf_counter() - start)
    return min(seconds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Multiply two random matrices under each layout and print what it took."""
    parser = argparse.ArgumentParser(description="One matrix product over several layouts.")
    parser.add_argument("--size", type=int, default=384, help="rows and columns of the matrices")
    parser.add_argument("--tile", type=int, default=32, help="rows and columns of a tile")
    given = parser.parse_args(arguments)
    if given.size < 1 or given.tile < 1:
        parser.error("size and tile are at least 1")
    random = np.random.default_rng(5)
    a, b = random.standard_normal((2, given.size, given.size))
    allowed = 1e-13 * given.size * max(1.0, float(np.abs(a @ b).max()))
    agree = True
    print(f"{given.size} x {given.size} matrices of float64, in blocks of {given.tile}; best of {RUNS} runs\n")
    for layout in (LayoutRight(), LayoutLeft(), LayoutTiled(given.tile, given.tile), LayoutMorton()):
        timing = measure(a, b, layout, given.tile)
        agree &= timing.error <= allowed
        print(f"{timing.layout!r:60} {timing.seconds * 1e3:8.1f} ms   differs from NumPy by {timing.error:.1e}")
    print(f"{'NumPy (a @ b)':60} {best(lambda: a @ b) * 1e3:8.1f} ms")
    print("\nAll products are NumPy's up to rounding." if agree else "\nA product differs from NumPy's.")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
