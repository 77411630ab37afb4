"""Asking whether shapes are equal that are known to differ."""

from mdview import MDView, dim, equal


def main() -> None:
    first = MDView([1.0] * 6, (dim(2), dim(3)))
    second = MDView([1.0] * 6, (dim(3), dim(2)))
    print(equal(first, second))  # error: 2 rows are not 3


main()
