"""NumPy's methods are no methods of a view."""

from mdview import Dims2, MDView


def average(table: MDView[float, Dims2]) -> float:
    return table.mean()  # error: a view computes nothing; reduce does


print(average(MDView([1.0], (1, 1))))
