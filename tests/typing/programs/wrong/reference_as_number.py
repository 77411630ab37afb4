"""A reference where a number is wanted."""

import math

from mdview import AtomicAccessor, Dims1, LayoutRight, MDView


def root(counts: MDView[float, Dims1, LayoutRight, AtomicAccessor[float]]) -> float:
    smallest: float = counts[0]  # error: a reference is no number; load() gives one
    return math.sqrt(smallest)


print(root)
