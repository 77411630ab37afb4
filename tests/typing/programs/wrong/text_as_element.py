"""Text into a view of numbers."""

from mdview import Dims2, MDView


def read(table: MDView[float, Dims2], lines: list[str]) -> None:
    for i, line in enumerate(lines):
        table[i, 0] = line  # error: text is no number; float(line) is


read(MDView([1.0, 2.0], (2, 1)), ["1.5"])
