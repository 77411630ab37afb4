"""What is turned around is in C order no more."""

from mdview import Dims1, LayoutRight, MDView, flip


def write(line: MDView[float, Dims1, LayoutRight]) -> None:
    print(bytes(line.size))


write(flip(MDView([1.0, 2.0], (2,))))  # error: the layout of the result is another one
