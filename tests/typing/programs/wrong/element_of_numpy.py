"""The elements of an array of floats are numbers."""

import numpy as np

from mdview import MDView


def label(count: int) -> str:
    view = MDView(np.zeros(count), (count,))
    return "first: " + view[0]  # error: a number is no text; str(view[0]) is


print(label(2))
