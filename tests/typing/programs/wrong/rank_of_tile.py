"""A tile of a matrix is a matrix."""

from mdview import Dims2, MDView, tiles


def corners(table: MDView[float, Dims2]) -> list[float]:
    return [tile[0] for tile in tiles(table, (2, 2))]  # error: a row of the tile is no number


print(corners(MDView([0.0] * 4, (2, 2))))
