"""Storing to parts: a value, a sequence, an array or another view fills what is selected."""

from array import array

import numpy as np

from mdview import Dims2, MDView, copy, readonly


def identity(size: int) -> MDView[float, Dims2]:
    view = MDView(array("d", bytes(8 * size * size)), (size, size))
    for i in range(size):
        view[i, i] = 1.0
    return view


def main() -> None:
    view = identity(3)
    view[0] = [7.0, 8.0, 9.0]
    view[1, :2] = (4.0, 5.0)
    assert view.tolist() == [[7.0, 8.0, 9.0], [4.0, 5.0, 0.0], [0.0, 0.0, 1.0]]
    view[2] = array("d", [1.0, 2.0, 3.0])
    view[:, 0] = np.zeros(3)
    assert view[:, 0].tolist() == [0.0, 0.0, 0.0]
    view[1:, 1:] = [[1.0, 2.0], [3.0, 4.0]]
    assert view[2, 2] == 4.0
    view[...] = readonly(identity(3))
    assert view[1].tolist() == [0.0, 1.0, 0.0]
    view[:] = 5.0
    view[0] = view[1]
    view[0, 0] += 1
    assert view[0].tolist() == [6.0, 5.0, 5.0]
    target = identity(3)
    copy(view, target)
    assert target[0, 0] == 6.0


main()
