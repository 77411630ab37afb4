"""A matrix of four columns and a vector of three elements."""

from typing import TypeVar

from mdview import Dim, Extents, MDView, dim

M = TypeVar("M", bound=int)
K = TypeVar("K", bound=int)


def matvec(a: MDView[float, Extents[Dim[M], Dim[K]]], x: MDView[float, Extents[Dim[K]]]) -> list[float]:
    return [sum(u * v for u, v in zip(row, x, strict=True)) for row in a]


matrix = MDView([1.0] * 12, (dim(3), dim(4)))
vector = MDView([1.0] * 3, (dim(3),))
print(matvec(matrix, vector))  # error: 4 columns, 3 elements
