"""NumPy's memory and NumPy's integers: what holds the elements, and extents that were computed."""

from math import isqrt
from typing import assert_type

import numpy as np

from mdview import Dims2, LayoutLeft, MDView


def square(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> MDView[float, Dims2]:
    side = np.int64(isqrt(values.size))
    return MDView(values, (side, side))


def main() -> None:
    data = np.zeros(12)
    view = MDView(data, (3, 4))
    assert_type(view[0, 0], float)
    view[2, 3] = 1.5
    assert data[11] == 1.5
    assert square(np.arange(9, dtype=np.float64))[1, 1] == 4.0
    rows, columns = np.intp(3), np.intp(4)
    left = MDView(data, (rows, columns), LayoutLeft())
    assert left[2, 3] == 1.5
    i = np.argmax(data) % columns
    assert left[0, i] == left[0, int(i)]
    ints = MDView(np.arange(6, dtype=np.int32), (2, 3))
    assert_type(ints[1, 1], int)


main()
