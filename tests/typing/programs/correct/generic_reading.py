"""One function for views of every layout and access: reading is all it asks for."""

from mdview import Accessor, Dims2, Layout, LayoutMorton, LayoutTiled, MDView, checked, flip, readonly, unchecked
from mdview.iteration import elements
from mdview.operations import scaled, transposed


def total(view: MDView[float, Dims2, Layout, Accessor[float, float]]) -> float:
    found = 0.0
    for i in range(view.extent(0)):
        for j in range(view.extent(1)):
            found += view[i, j]
    return found


def largest(view: MDView[float, tuple[int, ...], Layout, Accessor[float, float]]) -> float:
    return max(elements(view))


def main() -> None:
    data = [float(x) for x in range(16)]
    right = MDView(data, (4, 4))
    assert total(right) == 120.0
    assert total(MDView(data, (4, 4), LayoutTiled(2, 2))) == 120.0
    assert total(MDView(data, (4, 4), LayoutMorton())) == 120.0
    assert total(readonly(right)) == total(checked(right)) == total(unchecked(right))
    assert total(right[1:3, ::2]) == 28.0
    assert total(transposed(right)) == total(flip(right)) == 120.0
    assert total(scaled(2.0, right)) == 240.0
    assert largest(right[0]) == 3.0
    assert largest(right) == 15.0


main()
