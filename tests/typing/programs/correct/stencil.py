"""A stencil over padding: the halo reads what its mode says, and nothing is allocated for it."""

from array import array

from mdview import Dims2, MDView, pad
from mdview.operations import shrink


def smoothed(field: MDView[float, Dims2], out: MDView[float, Dims2]) -> None:
    height, width = field.extents
    around = pad(field, 1, "edge")
    for i in range(height):
        for j in range(width):
            out[i, j] = (around[i, j + 1] + around[i + 2, j + 1] + around[i + 1, j] + around[i + 1, j + 2]) / 4


def main() -> None:
    field = MDView(array("d", [0, 0, 0, 0, 4, 0, 0, 0, 0]), (3, 3))
    out = MDView(array("d", bytes(72)), (3, 3))
    smoothed(field, out)
    assert out.tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    framed = pad(field, ((1, 1), (2, 2)), constant=-1.0)
    assert framed.shape == (5, 7)
    corner: float = framed[0, 0]
    assert corner == -1.0
    inside = shrink(framed, framed.valid_box)
    inside[1, 1] = 8.0
    assert field[1, 1] == 8.0
    assert pad(field, (1, 0), mode="wrap")[0, 1] == field[2, 0]


main()
