"""A scaled view is for reading."""

from mdview import Dims1, MDView, scaled


def doubled(line: MDView[float, Dims1]) -> None:
    twice = scaled(2.0, line)
    twice[0] = 1.0  # error: what is computed cannot be stored to


doubled(MDView([1.0], (1,)))
