"""What is turned around is still read-only."""

from mdview import Dims2, MDView, flip, readonly


def reset(table: MDView[float, Dims2]) -> None:
    backwards = flip(readonly(table))
    backwards[0, 0] = 1.0  # error: an operation keeps the access


reset(MDView([1.0, 2.0], (1, 2)))
