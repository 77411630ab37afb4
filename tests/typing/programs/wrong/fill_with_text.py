"""`fill` takes an element."""

from mdview import Dims2, MDView, fill


def clear(table: MDView[float, Dims2]) -> None:
    fill(table, "0")  # error: text is no number


clear(MDView([1.0, 2.0], (2, 1)))
