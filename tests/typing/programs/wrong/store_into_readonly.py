"""A view for reading does not store."""

from mdview import Dims2, MDView, readonly


def cleared(table: MDView[float, Dims2]) -> None:
    fixed = readonly(table)
    for i in range(len(table)):
        fixed[i, 0] = 0.0  # error: the view is read-only


cleared(MDView([1.0, 2.0], (1, 2)))
