"""An operation keeps the type of the elements."""

from mdview import Dims2, MDView, flip


def last(names: MDView[int, Dims2]) -> str:
    return flip(names)[0, 0]  # error: the elements are numbers


print(last(MDView([1, 2], (2, 1))))
