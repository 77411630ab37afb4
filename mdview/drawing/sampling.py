"""Sampling chooses which indices of each dimension a picture shows: all of them if they are few, else both ends."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final, TypeAlias

Axis: TypeAlias = tuple[int | None, ...]
"""The entries of one dimension that are shown, in order; None stands for those left out."""

WHOLE: Final = 32
"""Up to how many entries each of the last two dimensions is shown whole."""
ENDS: Final = 12
"""How many of its entries are shown otherwise."""
PANELS: Final = 6
"""How many entries of each other dimension are shown at most."""


def axes(extents: Sequence[int], most: int, widest: int = WHOLE) -> list[Axis]:
    """Choose the entries of each dimension, at most ``most`` indices in all and ``widest`` in the last dimension.

    >>> axes((2, 100), most=10)
    [(0, 1), (0, 1, 2, 3, None, 99)]
    """
    limits = [min(e, PANELS) for e in extents[:-2]]
    limits += [
        e if e <= most_of else min(ENDS, most_of)
        for e, most_of in zip(extents[-2:], (WHOLE, widest)[-len(extents) :], strict=False)
    ]
    while prod(limits) > most:
        longest = max(range(len(limits)), key=lambda r: (min(limits[r], 3), r < len(limits) - 2, limits[r]))
        limits[longest] -= 1
    return [shown(extent, limit) for extent, limit in zip(extents, limits, strict=True)]


def shown(extent: int, limit: int) -> Axis:
    """Return the entries of one dimension, of which ``limit`` are shown.

    >>> shown(10, 4)
    (0, 1, 2, None, 9)
    """
    if extent <= limit:
        return tuple(range(extent))
    tail = limit // 4 + (limit > 1) * (limit < 4)  # noqa: PLR2004 - a quarter, and one where there are two
    return (*range(limit - tail), None, *range(extent - tail, extent))
