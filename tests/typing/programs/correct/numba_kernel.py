"""A compiled kernel that takes views of several layouts."""

from array import array

from mdview import Accessor, Dims2, Layout, LayoutTiled, MDView
from mdview.numba import jit


@jit
def trace(view: MDView[float, Dims2, Layout, Accessor[float, float]]) -> float:
    found = 0.0
    for i in range(min(view.extent(0), view.extent(1))):
        found += view[i, i]
    return found


def main() -> None:
    data = array("d", range(16))
    right = MDView(data, (4, 4))
    tiled = MDView(data, (4, 4), LayoutTiled(2, 2))
    found: float = trace(right)
    assert found == 30.0
    assert trace(tiled) == sum(tiled[i, i] for i in range(4))
    assert trace(right[::-1]) == 30.0


main()
