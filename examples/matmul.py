"""Tiled matrix product: one kernel, timed on several storage layouts.

``multiply`` works block by block, so that three blocks fit into the cache. Each call passes views in another layout,
and the kernel is compiled for it. Its inner loop walks along rows: in row order it is vectorised, and in column order
each step is on another cache line. Tiles and Morton order keep a block together in every direction.
"""

from __future__ import annotations

import argparse
import sys
from array import array
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from mdview import (
    Accessor,
    Dims2,
    Layout,
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutTiled,
    Mapping,
    MDView,
    Writable,
    asview,
    copy,
    unchecked,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

Matrix: TypeAlias = MDView[float, Dims2, Layout]
Operand: TypeAlias = MDView[float, Dims2, Layout, Accessor[float, float]]
Target: TypeAlias = MDView[float, Dims2, Layout, Writable[float, float]]
Numbers: TypeAlias = "NDArray[np.float64]"
Kernel: TypeAlias = "Callable[[Operand, Operand, Target, int], None]"

TURNS: Final = 2
"""Each layout is timed so often; the best time counts, as anything else on the machine only adds to it."""


def layouts(block: int) -> list[tuple[str, Layout]]:
    """Layouts to compare, and what to call them."""
    return [
        ("rows", LayoutRight()),
        ("columns", LayoutLeft()),
        (f"tiles of {block} x {block}", LayoutTiled(block, block)),
        ("Morton order", LayoutMorton()),
    ]


def multiply(a: Operand, b: Operand, c: Target, block: int) -> None:
    """Add the product of ``a`` and ``b`` to ``c``, block by block."""
    rows, inner = a.extents
    columns = b.extent(1)
    for i0 in range(0, rows, block):
        for k0 in range(0, inner, block):
            for j0 in range(0, columns, block):
                for i in range(i0, min(i0 + block, rows)):
                    for k in range(k0, min(k0 + block, inner)):
                        factor = a[i, k]
                        for j in range(j0, min(j0 + block, columns)):
                            c[i, j] += factor * b[k, j]


@dataclass(frozen=True)
class Timing:
    """What one layout took: seconds of the first call, which compiles, and of the best one after it.

    ``error`` is the largest difference from NumPy's product.
    """

    name: str
    first: float
    seconds: float
    error: float


def matrix(extents: tuple[int, int], layout: Layout) -> Matrix:
    """Matrix of zeros under a layout, in as many numbers as the layout needs."""
    mapping = Mapping(extents, layout)
    return MDView.from_mapping(array("d", bytes(8 * mapping.required_span_size)), mapping)


def placed(numbers: Numbers, layout: Layout) -> Matrix:
    """Copy of an array under a layout."""
    result = matrix((numbers.shape[0], numbers.shape[1]), layout)
    copy(asview(numbers), result)
    return result


def measured(kernel: Kernel, name: str, layout: Layout, operands: tuple[Numbers, Numbers], block: int) -> Timing:
    """Time the kernel on copies of two arrays under a layout, and compare what it finds with NumPy's product."""
    left, right = operands
    # The loops stay within the extents, so nothing has to test each index again: see `unchecked`.
    a, b = unchecked(placed(left, layout)), unchecked(placed(right, layout))
    times: list[float] = []
    error = 0.0
    for _ in range(1 + TURNS):
        c = matrix((left.shape[0], right.shape[1]), layout)
        start = perf_counter()
        kernel(a, b, unchecked(c), block)
        times.append(perf_counter() - start)
        error = max(error, float(np.abs(np.asarray(c) - left @ right).max(initial=0.0)))
    return Timing(name, times[0], min(times[1:]), error)


def report(timings: Sequence[Timing], operations: int) -> str:
    """Table of the timings, a line for each layout."""
    lines = [f"{'layout':<18}{'ms':>8}{'Gflop/s':>9}{'error':>10}{'first call':>13}"]
    for each in timings:
        speed = operations / each.seconds / 1e9
        lines.append(f"{each.name:<18}{1e3 * each.seconds:>8.1f}{speed:>9.2f}{each.error:>10.1e}{each.first:>11.1f} s")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Multiply under every layout, compare with NumPy, and print the times."""
    parser = argparse.ArgumentParser(description="A matrix product: one kernel, several layouts.")
    parser.add_argument("--size", type=int, default=512, help="rows and columns of the matrices")
    parser.add_argument("--block", type=int, default=32, help="rows and columns of a block")
    given = parser.parse_args(arguments)
    if given.size < 1 or given.block < 1:
        parser.error("size and block are at least 1")
    from mdview.numba import jit  # noqa: PLC0415 - `multiply` itself runs without Numba

    random = np.random.default_rng(1)
    operands = random.random((given.size, given.size)), random.random((given.size, given.size))
    kernel = jit(multiply)
    timings = [measured(kernel, name, layout, operands, given.block) for name, layout in layouts(given.block)]
    start = perf_counter()
    _ = operands[0] @ operands[1]
    blas = perf_counter() - start
    print(f"{given.size} x {given.size} matrices of float64, blocks of {given.block} x {given.block}, one thread\n")
    print(report(timings, 2 * given.size**3))
    print(f"\nNumPy's product, which is BLAS with kernels written for this processor, takes {1e3 * blas:.1f} ms.")
    agree = all(each.error < 1e-10 * given.size for each in timings)
    print("All products agree with NumPy's." if agree else "A product differs from NumPy's.")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
