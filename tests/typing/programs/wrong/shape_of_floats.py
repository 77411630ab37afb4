"""A shape for a reshape is made of integers."""

from mdview import Dims2, MDView, reshape


def folded(table: MDView[float, Dims2]) -> int:
    return reshape(table, (table.size / 2, 2)).size  # error: a quotient is no integer; // gives one


print(folded(MDView([1.0, 2.0], (2, 1))))
