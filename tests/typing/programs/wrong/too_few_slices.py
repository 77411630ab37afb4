"""`subview` takes a slice for each dimension."""

from mdview import Dims2, MDView, subview


def row(table: MDView[float, Dims2]) -> int:
    return subview(table, 1).size  # error: a matrix takes two; ALL is all of a dimension


print(row(MDView([1.0] * 6, (2, 3))))
