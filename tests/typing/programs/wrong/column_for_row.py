"""A column of C order has strides."""

from mdview import Dims1, Dims2, LayoutRight, MDView


def write(line: MDView[float, Dims1, LayoutRight]) -> None:
    print(bytes(line.size))


def main(table: MDView[float, Dims2]) -> None:
    write(table[0])
    write(table[:, 0])  # error: LayoutStride is not LayoutRight


main(MDView([1.0, 2.0], (2, 1)))
