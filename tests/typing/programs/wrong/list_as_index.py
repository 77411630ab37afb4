"""Lists of indices are NumPy's: nothing would be shared with the view."""

from mdview import Dims2, MDView


def chosen(table: MDView[float, Dims2], rows: list[int]) -> float:
    return sum(table[rows])  # error: a list is no index


print(chosen(MDView([1.0, 2.0], (1, 2)), [0]))
