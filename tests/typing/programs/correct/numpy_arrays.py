"""NumPy both ways: a view of an array's memory, and an array of a view's."""

from typing import assert_type

import numpy as np
import numpy.typing as npt

from mdview import Accessor, DefaultAccessor, Dims2, Layout, LayoutTiled, MDView, asview, copy
from mdview.layouts import StridedLayout


def row_sums(view: MDView[float, Dims2, Layout, Accessor[float, float]]) -> list[float]:
    return [sum(row) for row in view]


def as_array(view: MDView[float, tuple[int, ...], Layout, Accessor[float, float]]) -> npt.NDArray[np.float64]:
    return np.asarray(view, dtype=np.float64)


def mask_at(mask: np.ndarray[tuple[int, int], np.dtype[np.bool]], i: int, j: int) -> bool:
    view = asview(mask)
    assert_type(view[i, j], bool)
    return view[i, j]


def main() -> None:
    grid = np.arange(12, dtype=np.float64).reshape(3, 4)
    view = asview(grid)
    assert_type(view, MDView[float, tuple[int, int], StridedLayout, DefaultAccessor[float]])
    view[1, 1] = -5.0
    assert grid[1, 1] == -5.0
    assert row_sums(view) == [6.0, 12.0, 38.0]
    assert row_sums(asview(grid[::2, ::-1]))[1] == 38.0
    tiled = MDView(np.zeros(16), (4, 4), LayoutTiled(2, 2))
    copy(asview(np.ones((4, 4))), tiled)
    assert as_array(tiled).sum() == 16.0
    counts = asview(np.zeros((2, 2), dtype=np.int32))
    assert_type(counts[0, 0], int)
    assert mask_at(grid > 5.0, 0, 3) is False


main()
