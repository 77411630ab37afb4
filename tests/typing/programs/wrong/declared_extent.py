"""Four coordinates where three are declared."""

from typing import Literal

from mdview import Dim, Dyn, Extents, MDView, dim


def points(values: list[float]) -> MDView[float, Extents[Dyn, Dim[Literal[3]]]]:
    return MDView(values, (len(values) // 4, dim(4)))  # error: 4 is not 3


print(points([1.0] * 4))
