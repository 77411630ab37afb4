"""Parts by `subview`: the standard's slices, one for each dimension."""

from array import array
from typing import assert_type

from mdview import ALL, Dims1, Dims2, ExtentSlice, LayoutLeft, MDView, RangeSlice, StridedSlice, dim, subview
from mdview.layouts import StridedLayout


def window(image: MDView[int, Dims2], top: int, left: int, size: int) -> MDView[int, Dims2, StridedLayout]:
    return subview(image, (top, top + size), (left, left + size))


def main() -> None:
    image = MDView(array("i", range(20)), (4, 5))
    assert window(image, 1, 2, 2).tolist() == [[7, 8], [12, 13]]
    row: MDView[int, Dims1] = subview(image, 2, ALL)
    assert sum(row) == 60
    assert subview(image, StridedSlice(0, 4, 2), 1).tolist() == [1, 11]
    assert subview(image, range(0, 4, 3), slice(1, 3)).tolist() == [[1, 2], [16, 17]]
    fixed = subview(image, ExtentSlice(dim(1), dim(2), dim(1)), RangeSlice(0, 5, 2))
    assert fixed.shape == (2, 3)
    columns = MDView(array("i", range(20)), (4, 5), LayoutLeft())
    middle: MDView[int, Dims2, LayoutLeft] = subview(columns, ALL, (1, 3))
    assert middle[0, 0] == 4
    assert_type(subview(columns, 3, 4)[()], int)
    assert subview(columns, 3, 4).tolist() == 19


main()
