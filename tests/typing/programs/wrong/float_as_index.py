"""Half of an odd number of rows."""

from mdview import Dims2, MDView


def middle(table: MDView[float, Dims2]) -> float:
    return table[len(table) / 2, 0]  # error: a quotient is no integer; // gives one


print(middle(MDView([1.0, 2.0], (2, 1))))
