"""A slice is made of numbers."""

from mdview import ALL, Dims2, MDView, subview


def part(table: MDView[float, Dims2]) -> int:
    return subview(table, "1:2", ALL).size  # error: slice(1, 2), or (1, 2)


print(part(MDView([1.0] * 6, (2, 3))))
