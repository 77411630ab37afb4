"""A sequence that fills a row holds elements."""

from mdview import Dims2, MDView


def header(table: MDView[float, Dims2]) -> None:
    table[0] = ["a", "b"]  # error: texts are no numbers


header(MDView([1.0, 2.0], (1, 2)))
