"""A new axis by `None` in brackets, as NumPy has it."""

from array import array

from mdview import Accessor, Dims1, Dims2, Dims3, Layout, MDView, transform

Reads = Accessor[float, float]


def column(row: MDView[float, Dims1]) -> MDView[float, Dims2, Layout]:
    return row[:, None]


def outer(a: MDView[float, Dims1], b: MDView[float, Dims1]) -> list[list[float]]:
    product = transform(lambda x, y: x * y, a[:, None], b[None])
    return [[product.at((i, j)) for j in range(len(b))] for i in range(len(a))]


def main() -> None:
    row = MDView(array("d", [1, 2, 3]), (3,))
    assert column(row).shape == (3, 1)
    assert column(row)[2, 0] == 3.0
    assert outer(row, row[:2]) == [[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]
    grid = MDView(array("d", range(6)), (2, 3))
    batch: MDView[float, Dims3, Layout, Reads] = grid[None]
    assert batch.shape == (1, 2, 3)
    assert grid[:, None][1, 0, 2] == 5.0
    assert grid[..., None].shape == (2, 3, 1)
    grid[:, None][0, 0, 0] = 9.0
    assert grid[0, 0] == 9.0


main()
