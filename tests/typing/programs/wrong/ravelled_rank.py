"""A view in one line is rank 1."""

from mdview import Dims2, MDView, ravel


def corner(table: MDView[float, Dims2]) -> float:
    return ravel(table)[0, 0]  # error: rank 1 takes one index


print(corner(MDView([1.0] * 6, (2, 3))))
