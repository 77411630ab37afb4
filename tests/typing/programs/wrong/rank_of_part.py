"""A part of rank 4 where one of rank 3 is wanted."""

from mdview import Accessor, Dims3, Dims5, Layout, MDView


def volume(cube: MDView[float, Dims3, Layout, Accessor[float, float]]) -> int:
    return cube.size


def volumes(batch: MDView[float, Dims5]) -> list[int]:
    return [volume(batch[k]) for k in range(len(batch))]  # error: one index of five leaves rank 4


print(volumes(MDView([0.0], (1, 1, 1, 1, 1))))
