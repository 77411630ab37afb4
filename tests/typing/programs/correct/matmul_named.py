"""Shapes known when run alone: named extents link the operands of a product."""

from array import array
from typing import NewType, TypeVar

from mdview import Accessor, Dim, Extents, Layout, LayoutTiled, MDView, dim

Rows = NewType("Rows", int)
Inner = NewType("Inner", int)
Columns = NewType("Columns", int)
M = TypeVar("M", bound=int)
K = TypeVar("K", bound=int)
N = TypeVar("N", bound=int)
Reads = Accessor[float, float]


def matmul(
    a: MDView[float, Extents[Dim[M], Dim[K]], Layout, Reads],
    b: MDView[float, Extents[Dim[K], Dim[N]], Layout, Reads],
) -> MDView[float, Extents[Dim[M], Dim[N]]]:
    rows, inner = a.extents
    columns = b.extents[1]
    out = MDView(array("d", bytes(8 * rows * columns)), (rows, columns))
    for i in range(rows):
        for j in range(columns):
            out[i, j] = sum(a[i, k] * b[k, j] for k in range(inner))
    return out


def main(rows: Rows, inner: Inner, columns: Columns) -> None:
    m, k, n = dim(rows), dim(inner), dim(columns)
    a = MDView(array("d", range(6)), (m, k))
    b = MDView(array("d", range(12)), (k, n), LayoutTiled(1, 2))
    product: MDView[float, Extents[Dim[Rows], Dim[Columns]]] = matmul(a, b)
    assert product.shape == (2, 4)
    assert matmul(product, MDView([1.0] * 4, (n, dim(Rows(1))))).shape == (2, 1)


main(Rows(2), Inner(3), Columns(4))
