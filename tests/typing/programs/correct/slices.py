"""Parts by brackets: the layout of a part follows from where it is cut."""

from array import array

from mdview import Dims1, Dims2, LayoutRight, LayoutRightPadded, LayoutStride, MDView, StridedLayout


def border(grid: MDView[float, Dims2]) -> list[float]:
    return [*grid[0], *grid[-1], *grid[1:-1, 0], *grid[1:-1, -1]]


def checkerboard(board: MDView[int, Dims2], one: int) -> None:
    board[::2, ::2] = one
    board[1::2, 1::2] = one


def main() -> None:
    grid = MDView(array("d", range(12)), (3, 4))
    assert border(grid) == [0, 1, 2, 3, 8, 9, 10, 11, 4, 7]
    row: MDView[float, Dims1, LayoutRight] = grid[1]
    column: MDView[float, Dims1, LayoutStride] = grid[:, 1]
    assert row[1] == column[1] == 5.0
    lower: MDView[float, Dims2, LayoutRight] = grid[1:, ...]
    turned: MDView[float, Dims2, StridedLayout] = grid[::-1, 1:3]
    assert (lower.shape, turned.shape) == ((2, 4), (3, 2))
    cube = MDView(list(range(24)), (2, 3, 4))
    padded: MDView[int, Dims2, LayoutRightPadded] = cube[:, 1, :]
    assert padded[1, 3] == 19
    assert cube[..., 0][1].tolist() == [12, 16, 20]
    board = MDView([0] * 9, (3, 3))
    checkerboard(board, 1)
    assert board.tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]
    grid[0] = grid[1]
    assert grid[0, 0] == 4.0
    step = 2
    assert grid[:, ::step][0].tolist() == [4.0, 6.0]


main()
