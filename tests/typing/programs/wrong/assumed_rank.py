"""A matrix cannot be assumed to be a line."""

from mdview import Dims2, MDView, assume, dim


def line(view: MDView[float, Dims2]) -> int:
    return len(assume(view, (dim(4),)))  # error: rank 2 is not rank 1


print(line(MDView([0.0] * 4, (2, 2))))
