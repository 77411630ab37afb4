"""Who may write floats may not have the integers of another one."""

from array import array

from mdview import Dims1, MDView


def halve(line: MDView[float, Dims1]) -> None:
    for i in range(len(line)):
        line[i] /= 2


counts = MDView(array("q", [1, 2]), (2,))
halve(counts)  # error: halves are no integers
