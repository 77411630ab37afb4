"""An extent that is known when run where one is wanted that the type says."""

from typing import Literal, TypeAlias

from mdview import Dim, Dyn, Extents, MDView

Points: TypeAlias = MDView[float, Extents[Dyn, Dim[Literal[3]]]]


def lengths(points: Points) -> list[float]:
    return [sum(x * x for x in point) ** 0.5 for point in points]


def main(values: list[float], width: int) -> None:
    view = MDView(values, (len(values) // width, width))
    print(lengths(view))  # error: nothing says that width is 3; assume(view, (n, dim(3))) checks it


main([1.0, 2.0, 2.0], 3)
