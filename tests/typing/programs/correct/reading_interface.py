"""An object that hands out its elements for reading only."""

from array import array

from mdview import Accessor, Dims2, Layout, LayoutRight, MDView, ReadOnlyAccessor, Writable, equal, readonly
from mdview.layouts import StridedLayout


class Elevation:
    """A grid of heights that only its owner changes."""

    def __init__(self, rows: int, columns: int) -> None:
        self._heights: MDView[float, Dims2] = MDView(array("d", bytes(8 * rows * columns)), (rows, columns))

    @property
    def heights(self) -> MDView[float, Dims2, LayoutRight, ReadOnlyAccessor[float]]:
        return readonly(self._heights)

    def raise_by(self, row: int, by: float) -> None:
        add(self._heights[row : row + 1], by)


def add(view: MDView[float, Dims2, StridedLayout, Writable[float, float]], by: float) -> None:
    for i in range(view.extent(0)):
        for j in range(view.extent(1)):
            view[i, j] += by


def peak(view: MDView[float, Dims2, Layout, Accessor[float, float]]) -> float:
    return max(max(row) for row in view)


def main() -> None:
    grid = Elevation(2, 3)
    grid.raise_by(1, 2.5)
    assert peak(grid.heights) == 2.5
    assert equal(grid.heights[0], MDView([0.0] * 3, (3,)))
    anything: MDView[float, Dims2, LayoutRight, Accessor[float, float]] = grid.heights
    assert not hasattr(anything.accessor, "store")


main()
