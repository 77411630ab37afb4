"""The largest number is a number."""

from mdview import Dims1, MDView, reduce


def largest(numbers: MDView[int, Dims1]) -> str:
    return reduce(max, numbers)  # error: the elements are numbers


print(largest(MDView([1, 2], (2,))))
