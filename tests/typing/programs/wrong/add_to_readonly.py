"""`+=` on an element stores it."""

from mdview import Dims1, LayoutRight, MDView, ReadOnlyAccessor


def count(histogram: MDView[int, Dims1, LayoutRight, ReadOnlyAccessor[int]], value: int) -> None:
    histogram[value] += 1  # error: the view is read-only


print(count)
