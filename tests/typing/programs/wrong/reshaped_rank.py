"""A shape of one extent is rank 1."""

from mdview import Dims2, MDView, reshape


def corner(table: MDView[float, Dims2]) -> float:
    line = reshape(table, (6,))
    return line[0, 0]  # error: rank 1 takes one index


print(corner(MDView([1.0] * 6, (2, 3))))
