"""A view of rank 0 has one element, which has no index."""

from mdview import MDView


def value(scalar: MDView[float, tuple[()]]) -> float:
    return scalar[0]  # error: rank 0 takes ()


print(value(MDView([1.0], ())))
