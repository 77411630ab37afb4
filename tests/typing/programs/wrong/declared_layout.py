"""C order where Fortran's is declared."""

from mdview import Dims2, LayoutLeft, MDView


def columns_first(values: list[float]) -> MDView[float, Dims2, LayoutLeft]:
    return MDView(values, (1, len(values)))  # error: without a layout it is LayoutRight


print(columns_first([1.0]))
