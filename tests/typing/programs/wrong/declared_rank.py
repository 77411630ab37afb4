"""A line where a matrix is declared."""

from mdview import Dims2, MDView


def matrix(values: list[float]) -> MDView[float, Dims2]:
    return MDView(values, (len(values),))  # error: one extent is rank 1


print(matrix([1.0]))
