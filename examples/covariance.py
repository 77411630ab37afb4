"""Packed covariance: a symmetric matrix in half the memory, shared with BLAS.

``LayoutBlasPacked`` maps index (i, j) and index (j, i) to one element: N(N + 1)/2 numbers instead of N × N. The
memory has the format of a packed matrix (``AP``) of BLAS and LAPACK, so SciPy's routines work on the buffer of the
view.

Run ``python examples/covariance.py``; the measurements of tumours come with scikit-learn.
"""

from __future__ import annotations

import argparse
import sys
from array import array
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from mdview import Dims2, LayoutBlasPacked, Mapping, MDView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Symmetric: TypeAlias = MDView[float, Dims2, LayoutBlasPacked]
Samples: TypeAlias = "NDArray[np.float64]"

LAYOUT: Final = LayoutBlasPacked("upper", "column")
ROUNDS: Final = 60
"""Steps of the power iteration; each brings the answer several times closer."""


def load() -> tuple[Samples, list[str]]:
    """Samples in rows, their features in columns with mean 0 and variance 1, and the names of the features."""
    from sklearn.datasets import load_breast_cancer  # noqa: PLC0415 - the functions below need no scikit-learn

    data: Any = load_breast_cancer()  # Any: a bunch of whatever a data set has
    samples: Samples = data.data
    return (samples - samples.mean(axis=0)) / samples.std(axis=0, ddof=1), [str(name) for name in data.feature_names]


def covariance(samples: Samples) -> Symmetric:
    """Covariance of the columns of ``samples``; one half of the products is computed and stored."""
    count, features = samples.shape
    centred = samples - samples.mean(axis=0)
    mapping = Mapping((features, features), LAYOUT)
    result = MDView.from_mapping(array("d", bytes(8 * mapping.required_span_size)), mapping)
    for i in range(features):
        for j in range(i, features):
            result[i, j] = float(centred[:, i] @ centred[:, j]) / (count - 1)  # and so result[j, i]
    return result


def buffer_of(matrix: Symmetric) -> Samples:
    """The packed numbers of a matrix as an array on the same memory."""
    return np.frombuffer(matrix.data)


def largest_eigenvalue(matrix: Symmetric) -> float:
    """Largest eigenvalue by power iteration: BLAS's ``dspmv`` multiplies the packed matrix with a vector."""
    from scipy.linalg import get_blas_funcs  # noqa: PLC0415

    dspmv: Any = get_blas_funcs("spmv", dtype=np.float64)  # Any: a function of Fortran
    size = matrix.extents[0]
    vector, packed = np.ones(size) / np.sqrt(size), buffer_of(matrix)
    length = 0.0
    for _ in range(ROUNDS):
        product = dspmv(size, 1.0, packed, vector)
        length = float(np.linalg.norm(product))
        vector = product / length
    return length


def add_outer_product(matrix: Symmetric, factor: float, vector: Samples) -> None:
    """Add ``factor`` times the product of each two elements of a vector, in place, by BLAS's ``dspr``."""
    from scipy.linalg import get_blas_funcs  # noqa: PLC0415

    dspr: Any = get_blas_funcs("spr", dtype=np.float64)  # Any: as above
    dspr(matrix.extents[0], factor, vector, buffer_of(matrix), overwrite_ap=True)


def strongest_pair(matrix: Symmetric, names: list[str]) -> str:
    """The two features that go together most, read from the lower triangle, which is not stored."""
    value, i, j = max((matrix[i, j], i, j) for i in range(len(names)) for j in range(i))
    return f"{names[j]} and {names[i]}: {value:.4f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Compute the matrix, compare it with NumPy's, and let BLAS read it and change it."""
    argparse.ArgumentParser(description="A covariance matrix in packed storage.").parse_args(arguments)
    samples, names = load()
    matrix, reference = covariance(samples), np.cov(samples, rowvar=False)
    print(f"{len(samples)} samples of {len(names)} features; the matrix is {matrix.mapping!r}")
    print(f"It takes {buffer_of(matrix).nbytes} bytes; NumPy's, with both triangles, {reference.nbytes}.")
    print(f"The features that go together most are {strongest_pair(matrix, names)}")
    same = np.allclose(np.asarray(matrix), reference, rtol=1e-12, atol=1e-14)
    print(f"All {matrix.size} elements agree with np.cov: {same}")

    expected = float(np.linalg.eigvalsh(reference)[-1])
    found = largest_eigenvalue(matrix)
    explained = found / len(names)
    print(f"The largest eigenvalue by dspmv is {found:.9f}, by NumPy {expected:.9f};")
    print(f"the direction it belongs to has {explained:.0%} of the variance.")

    before, outlier = matrix[3, 1], 10 * np.arange(1.0, len(names) + 1)
    add_outer_product(matrix, 1 / len(samples), outlier)
    changed = reference + np.outer(outlier, outlier) / len(samples)
    seen = np.allclose(np.asarray(matrix), changed, rtol=1e-12, atol=1e-14)
    print(f"dspr added a sample: element (3, 1) was {before:.4f} and is {matrix[3, 1]:.4f};")
    print(f"the view sees every change: {seen}")
    return 0 if same and seen and np.isclose(found, expected, rtol=1e-9) else 1


if __name__ == "__main__":
    sys.exit(main())
