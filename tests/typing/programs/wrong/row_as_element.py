"""One index into a matrix is a row."""

from mdview import Dims2, MDView


def first(table: MDView[float, Dims2]) -> float:
    return table[0]  # error: a row is no number


print(first(MDView([1.0, 2.0], (1, 2))))
