"""Quantised weights: 4-bit integers in swizzled tiles, their scales in columns, multiplied in one kernel.

A matrix of weights is quantised in groups of 32 of a row: ``int4`` numbers and a scale for each group. Two numbers
share a byte and lie in swizzled tiles, as GPU kernels keep them; the scales lie column by column. The kernel names
neither layout: it reads ``weights[i, k]`` and ``scales[i, g]``, and Numba compiles the shift and mask of a number
together with the arithmetic of its layout.

Run ``python examples/int4_weights.py``; another layout is one word: ``--layout right``.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from mdview import MDView, asview, errors, zeros
from mdview.numba import jit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

GROUP: Final = 32
LARGEST: Final = 7
LAYOUT: Final = "swizzled(tiled(8, 64), 3, 4, 6)"
Numbers: TypeAlias = "NDArray[np.float32]"
# Any: layouts of any kind, and numbers of single precision, which Python has none of.
Weights: TypeAlias = MDView[int, Any, Any]
Scales: TypeAlias = MDView[Any, Any, Any]


def quantised(matrix: Numbers, layout: str) -> tuple[Weights, Scales]:
    """Weights of 4 bits in a layout, and the scales of their groups, column by column."""
    rows, columns = matrix.shape
    groups = matrix.reshape(rows, columns // GROUP, GROUP)
    scales = np.abs(groups).max(axis=2) / np.float32(LARGEST)
    numbers = np.rint(groups / scales[..., None]).astype(np.int8).reshape(rows, columns)
    weights: Weights = zeros(matrix.shape, layout, "int4")
    weights[:] = numbers
    kept: Scales = zeros(scales.shape, "left", "float32")
    kept[:] = scales
    return weights, kept


@jit
def multiply(weights: Weights, scales: Scales, vector: Scales, product: Scales) -> None:
    """Multiply the weights, each times the scale of its group, with a vector."""
    for i in range(weights.extent(0)):
        total = np.float32(0)
        for g in range(scales.extent(1)):
            part = np.float32(0)
            for k in range(g * GROUP, (g + 1) * GROUP):
                part += np.float32(weights[i, k]) * vector[k]
            total += scales[i, g] * part
        product[i] = total


def main(arguments: Sequence[str] | None = None) -> int:
    """Quantise a matrix, multiply it with a vector, and compare the product with NumPy's."""
    parser = argparse.ArgumentParser(description="4-bit weights in any layout, multiplied in a kernel.")
    parser.add_argument("--size", type=int, default=512, help="rows and columns, a multiple of 32 (default: 512)")
    parser.add_argument("--layout", default=LAYOUT, help=f"layout of the weights (default: {LAYOUT})")
    given = parser.parse_args(arguments)
    if given.size < GROUP or given.size % GROUP:
        parser.error(f"the size is a multiple of {GROUP}")
    random, size = np.random.default_rng(4), int(given.size)
    matrix = random.standard_normal((size, size), dtype=np.float32)
    try:
        weights, scales = quantised(matrix, given.layout)
    except errors.MDViewError as error:
        parser.error(str(error))
    print(f"Weights: {weights.mapping!r}, {weights.format}, {weights.nbytes} bytes instead of {matrix.nbytes}")
    print(f"Scales: {scales.mapping!r}, {scales.nbytes} bytes")

    vector: Numbers = random.standard_normal(size, dtype=np.float32)
    product: Numbers = np.zeros(size, np.float32)
    multiply(weights, scales, asview(vector), asview(product))
    dequantised = np.asarray(weights) * np.repeat(np.asarray(scales), GROUP, axis=1).astype(np.float64)
    expected = dequantised @ vector
    same = np.allclose(product, expected, rtol=1e-4, atol=1e-4 * size**0.5)
    lost = np.linalg.norm(matrix @ vector - expected) / np.linalg.norm(expected)
    print(f"The product agrees with NumPy's of the same weights: {same}")
    print(f"It is {lost:.1%} off that of the matrix before it was quantised.")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
