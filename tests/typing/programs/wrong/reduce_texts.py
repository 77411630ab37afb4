"""`reduce` with a function of texts over numbers."""

from mdview import Dims1, MDView, reduce


def joined(first: str, second: str) -> str:
    return first + second


def line(numbers: MDView[int, Dims1]) -> str:
    return reduce(joined, numbers)  # error: the elements are numbers


print(line(MDView([1, 2], (2,))))
