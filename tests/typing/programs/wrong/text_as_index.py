"""Columns have numbers and no names."""

from mdview import Dims2, MDView


def prices(table: MDView[float, Dims2]) -> list[float]:
    return [table[i, "price"] for i in range(len(table))]  # error: an index is an integer


print(prices(MDView([1.0, 2.0], (1, 2))))
