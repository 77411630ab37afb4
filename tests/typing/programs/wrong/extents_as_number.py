"""Extents are a tuple, also of rank 1."""

from array import array

from mdview import Dims1, MDView


def line(values: list[float]) -> MDView[float, Dims1]:
    data = array("d", values)
    return MDView(data, len(values))  # error: extents are (len(values),)


print(line([1.0]))
