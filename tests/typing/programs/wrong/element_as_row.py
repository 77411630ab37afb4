"""Two indices into a matrix are an element, which has no parts."""

from mdview import Dims2, MDView


def width(table: MDView[float, Dims2]) -> int:
    return len(table[0, 0])  # error: a number has no length


print(width(MDView([1.0, 2.0], (1, 2))))
