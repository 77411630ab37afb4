"""The transpose of C order is Fortran's order."""

from mdview import Dims2, LayoutRight, MDView
from mdview.operations import transposed


def write(table: MDView[float, Dims2, LayoutRight]) -> None:
    print(bytes(table.size))


write(transposed(MDView([1.0, 2.0], (2, 1))))  # error: LayoutLeft is not LayoutRight
