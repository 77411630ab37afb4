"""A kernel with type variables: shapes are linked, layout and access are free."""

from array import array
from typing import TypeVar

from mdview import Accessor, Dim, Extents, Layout, LayoutLeft, MDView, dim, readonly

M = TypeVar("M", bound=int)
K = TypeVar("K", bound=int)
Reads = Accessor[float, float]


def matvec(
    a: MDView[float, Extents[Dim[M], Dim[K]], Layout, Reads], x: MDView[float, Extents[Dim[K]], Layout, Reads]
) -> MDView[float, Extents[Dim[M]]]:
    rows, columns = a.extents
    out = MDView([0.0] * rows, (rows,))
    for i in range(rows):
        out[i] = sum(a[i, j] * x[j] for j in range(columns))
    return out


def main() -> None:
    matrix = MDView(array("d", range(12)), (dim(3), dim(4)))
    columns_first = MDView(array("d", range(12)), (dim(3), dim(4)), LayoutLeft())
    vector = MDView([1.0, 2.0, 3.0, 4.0], (dim(4),))
    assert matvec(matrix, vector).tolist() == [20.0, 60.0, 100.0]
    assert matvec(readonly(columns_first), vector)[0] == 60.0


main()
