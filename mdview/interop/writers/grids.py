"""A grid cuts the indices of one dimension into units, numbered from 0; their sizes repeat from the first one on.

Tiles and chunks of one size are a row of one size. Tiles within tiles are a row that ends where the outer tile does,
and units of sizes of their own are a row as long as the dimension. The units of a store are the products of those of
its dimensions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import final


@final
class Grid:
    """The units along one dimension; the last one may be cut.

    Attributes
    ----------
    extent
        How many indices there are.
    narrowest, widest
        The least and the largest size.
    period
        After how many indices the sizes repeat.

    >>> tiles, inner = Grid(10, (4,)), Grid(12, (4, 2))
    >>> tiles.unit_of(9), tiles.span(2), inner.unit_of(11), inner.span(2)
    (2, (8, 10), 3, (6, 10))
    """

    __slots__ = ("_starts", "extent", "narrowest", "period", "widest")

    def __init__(self, extent: int, sizes: Sequence[int]) -> None:
        """Take the sizes, none of which is negative, as checked by `mdview.interop.writers.stores`."""
        self.extent: int = extent
        self.narrowest: int = min([n for n in sizes if n], default=1)
        self.widest: int = max([*sizes, 1])
        *starts, period = accumulate(sizes, initial=0)
        self._starts = starts if period else [0]
        self.period: int = period or 1

    def unit_of(self, index: int) -> int:
        """Return the number of the unit that has an index."""
        turn, rest = divmod(index, self.period)
        return turn * len(self._starts) + bisect_right(self._starts, rest) - 1

    def span(self, unit: int) -> tuple[int, int]:
        """Return the first index of a unit, and one past its last."""
        return self._start(unit), min(self._start(unit + 1), self.extent)

    def _start(self, unit: int) -> int:
        turn, place = divmod(unit, len(self._starts))
        return turn * self.period + self._starts[place]
