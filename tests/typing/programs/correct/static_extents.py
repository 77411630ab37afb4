"""Static extents: part of the type, checked where they are assumed, and wider than nothing."""

from __future__ import annotations

from array import array
from math import isqrt
from typing import Literal, TypeAlias, assert_type

from mdview import Dim, Dims2, Dyn, Extents, MDView, assume, dim, has_extents

D3: TypeAlias = Dim[Literal[3]]
Points: TypeAlias = MDView[float, Extents[Dyn, D3]]
Rotation: TypeAlias = MDView[float, Extents[D3, D3]]


def rotate(points: Points, rotation: Rotation) -> list[tuple[float, float, float]]:
    return [
        (
            sum(rotation[0, k] * points[i, k] for k in range(3)),
            sum(rotation[1, k] * points[i, k] for k in range(3)),
            sum(rotation[2, k] * points[i, k] for k in range(3)),
        )
        for i in range(len(points))
    ]


def from_file(values: array[float]) -> Points:
    return MDView(values, (len(values) // 3, dim(3)))


def main() -> None:
    rotation = MDView(array("d", [0, -1, 0, 1, 0, 0, 0, 0, 1]), (dim(3), dim(3)))
    assert_type(rotation.extents, Extents[D3, D3])
    points = from_file(array("d", [1, 0, 0, 0, 1, 0]))
    assert rotate(points, rotation) == [(0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)]
    values = array("d", range(9))
    side = isqrt(len(values))
    read: MDView[float, Dims2] = MDView(values, (side, side))
    assert len(rotate(assume(read, (3, dim(3))), assume(read, (dim(3), dim(3))))) == 3
    if has_extents(read, (dim(3), dim(3))):
        assert rotate(points, read)[0] == (0.0, 3.0, 6.0)
    dynamic: MDView[float, Dims2] = rotation
    assert dynamic.static_extents == (3, 3)


main()
