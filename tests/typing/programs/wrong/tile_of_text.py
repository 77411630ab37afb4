"""Sizes of tiles are integers."""

from mdview import LayoutTiled, MDView


def tiled(values: list[float]) -> int:
    return len(MDView(values, (4, 4), LayoutTiled("2x2")))  # error: sizes are numbers, one for each dimension


print(tiled([0.0] * 16))
