"""Conjugates of complex numbers are complex."""

from mdview import Dims1, MDView, conjugated


def words(line: MDView[complex, Dims1]) -> str:
    return conjugated(line)[0]  # error: the elements are numbers


print(words(MDView([1j], (1,))))
