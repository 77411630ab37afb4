"""Operations keep what is known: element type, access and, where arguments tell it, rank and layout."""

from array import array
from typing import assert_type

from mdview import (
    Accessor,
    Dims1,
    Dims2,
    Layout,
    LayoutRight,
    MDView,
    ReadOnlyAccessor,
    broadcast_to,
    diagonal,
    expand_dims,
    flip,
    moveaxis,
    permute_dims,
    ravel,
    readonly,
    reshape,
    squeeze,
    swapaxes,
)


def total(row: MDView[float, Dims1, Layout, Accessor[float, float]]) -> float:
    return sum(row)


def main() -> None:
    view = MDView(array("d", range(6)), (2, 3))
    element: float = flip(view)[0, 0]
    assert element == 5.0
    flip(view, 1)[0, 0] = 7.0
    assert view[0, 2] == 7.0
    assert permute_dims(view, (1, 0))[2, 0] == 7.0
    assert total(ravel(view)) == 20.0
    assert total(reshape(view, (6,))) == 20.0
    assert total(diagonal(view)) == 4.0
    assert total(broadcast_to(view[0], (2, 3))[1]) == 8.0
    assert expand_dims(view, 0)[0, 1, 2] == 5.0
    assert total(squeeze(view[:1], 0)) == 8.0
    assert total(swapaxes(view, 0, 1)[0]) == total(moveaxis(view, 0, 1)[0]) == 3.0
    fixed: MDView[float, Dims2, Layout, ReadOnlyAccessor[float]] = flip(readonly(view))
    assert_type(fixed[0, 0], float)
    assert fixed[0, 0] == 5.0
    grid: MDView[int, Dims2, LayoutRight] = MDView([1, 2, 3, 4], (2, 2))
    number: int = permute_dims(grid, (1, 0))[0, 1]
    assert number == 3


main()
