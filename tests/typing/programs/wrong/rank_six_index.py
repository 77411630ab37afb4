"""Six indices into a view of rank 5."""

from mdview import Dims5, MDView


def corner(batch: MDView[float, Dims5]) -> float:
    return batch[0, 0, 0, 0, 0, 0]  # error: rank 5 takes five


print(corner(MDView([0.0], (1, 1, 1, 1, 1))))
