"""The shapes of a product are linked: the operands have an order."""

from typing import NewType, TypeVar

from mdview import Accessor, Dim, Extents, Layout, MDView

Rows = NewType("Rows", int)
Inner = NewType("Inner", int)
Columns = NewType("Columns", int)
M = TypeVar("M", bound=int)
K = TypeVar("K", bound=int)
N = TypeVar("N", bound=int)
Reads = Accessor[float, float]
Left = MDView[float, Extents[Dim[Rows], Dim[Inner]]]
Right = MDView[float, Extents[Dim[Inner], Dim[Columns]]]


def matmul(
    a: MDView[float, Extents[Dim[M], Dim[K]], Layout, Reads], b: MDView[float, Extents[Dim[K], Dim[N]], Layout, Reads]
) -> MDView[float, Extents[Dim[M], Dim[N]]]:
    return MDView([0.0] * (len(a) * b.extent(1)), (a.extents[0], b.extents[1]))


def product(a: Left, b: Right) -> int:
    return matmul(b, a).size  # error: Columns is not Rows


print(product)
