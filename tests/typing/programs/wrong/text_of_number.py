"""Iterating over rank 1 gives elements."""

from mdview import Dims1, MDView


def shouted(line: MDView[int, Dims1]) -> list[str]:
    return [word.upper() for word in line]  # error: the elements are numbers


print(shouted(MDView([1], (1,))))
