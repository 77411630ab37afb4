"""Three coordinates have no fourth one."""

from typing import Literal

from mdview import Dim, Dyn, Extents, MDView, dim


def fourth(points: MDView[float, Extents[Dim[Literal[3]], Dyn]]) -> float:
    return points[3, 0]  # error: indices of extent 3 end at 2


print(fourth(MDView([0.0] * 6, (dim(3), 2))))
