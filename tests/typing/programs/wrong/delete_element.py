"""Elements are there as long as the view."""

from mdview import Dims1, MDView


def shortened(line: MDView[float, Dims1]) -> None:
    del line[0]  # error: a view has no items to delete


print(shortened)
