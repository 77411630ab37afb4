"""NumPy's order "K" is none of a reshape."""

from mdview import Dims2, MDView, reshape


def line(table: MDView[float, Dims2]) -> int:
    return reshape(table, (6,), order="K").size  # error: "C" or "F"


print(line(MDView([1.0] * 6, (2, 3))))
