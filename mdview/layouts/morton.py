"""Layout Morton: the bits of all indices interleaved, which keeps neighbours of every dimension close (Z order).

Level by level, from the lowest bit up, each dimension gives one bit of its index to the offset. *Plain*: every
dimension does so at every level, up to the bits of the longest one; short dimensions leave holes. *Compact*: a
dimension stops where its extent needs no more bits; there are no holes if all extents are powers of two.

Bits of one index that stay neighbours in the offset are one *run*, moved in one step. So the offset is a sum with one
term per run, ``(i >> low & mask) << place``: each dimension adds its own part, whatever the others are.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias, final

from mdview.base.frozen_values import value
from mdview.base.message_texts import brief
from mdview.errors import LayoutError
from mdview.index.extents import is_empty
from mdview.layouts.layout import Layout, check_span

Fastest: TypeAlias = Literal["first", "last"]
BitRun: TypeAlias = tuple[int, int, int]
"""Bits ``low .. low + width - 1`` of an index, which become bits ``place ..`` of the offset."""


@final
@value
class LayoutMorton(Layout):
    """Z order over any rank and any extents; ``fastest`` names the dimension whose bit is the lowest of each level.

    Where extents differ a plain one has holes, a ``compact`` one only where they are no powers of two. The offset asks
    how many bits each extent has, so extents must be numbers, not symbols.

    >>> layout = LayoutMorton()
    >>> [[layout.offset((4, 4), (i, j)) for j in range(4)] for i in range(4)]
    [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]
    """

    short_name = "morton"
    compact: bool
    fastest: Fastest

    def __init__(self, *, compact: bool = False, fastest: Fastest = "last") -> None:
        """Choose between plain and compact, and whether the first or the last dimension has the lowest bit.

        Raises
        ------
        LayoutError
            ``fastest`` is neither ``"first"`` nor ``"last"``.
        """
        if fastest not in ("first", "last"):
            raise LayoutError(f"the fastest dimension of LayoutMorton is 'first' or 'last', got {brief(fastest)}")
        object.__setattr__(self, "compact", bool(compact))
        object.__setattr__(self, "fastest", fastest)

    def static_parameters(self) -> Hashable:
        """Tell of nothing: parameters are plain ints and names."""
        return None

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Sum over the dimensions of the bits of their indices, each in its place."""
        place = 0
        for i, runs in zip(index, self._runs(extents), strict=True):
            place = place + _scatter(i, runs)
        return place

    def required_span_size(self, extents: Sequence[int]) -> int:
        """One more than the offset of the last index: offsets grow with each index."""
        return 0 if is_empty(extents) else 1 + self.offset(extents, [e - 1 for e in extents])

    def check(self, extents: Sequence[int]) -> None:
        """Refuse offsets that no pointer difference could hold: plain Morton spreads unequal extents far."""
        check_span(self, extents, LayoutError, "" if self.compact else "; use LayoutMorton(compact=True)")

    def is_always_unique(self, static: Sequence[int | None]) -> bool:
        """Tell that no two indices share an offset: always."""
        return True

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell whether static extents alone say that there is no hole; at rank 1 there never is."""
        known = [e for e in static if e is not None]
        return len(static) <= 1 or (len(known) == len(static) and self.is_exhaustive(known))

    def is_always_strided(self, static: Sequence[int | None]) -> bool:
        """Tell whether static extents alone say that there are strides; at rank 1 there always are."""
        known = [e for e in static if e is not None]
        return len(static) <= 1 or (len(known) == len(static) and self.strides(known) is not None)

    def is_monotone(self) -> bool:
        """Tell that offsets grow when one index does: always."""
        return True

    def knows_strides(self) -> bool:
        """Tell that strides are found wherever they exist: always."""
        return True

    def _runs(self, extents: Sequence[int]) -> tuple[tuple[BitRun, ...], ...]:
        bits = [(e - 1).bit_length() if e > 1 else 0 for e in extents]
        return _runs_of(tuple(bits), self.compact, self.fastest)


@lru_cache(maxsize=256)
def _runs_of(bits: tuple[int, ...], compact: bool, fastest: Fastest) -> tuple[tuple[BitRun, ...], ...]:  # noqa: FBT001
    """Runs of each dimension, whose index has that many bits."""
    runs: list[list[BitRun]] = [[] for _ in bits]
    order = range(len(bits)) if fastest == "first" else range(len(bits) - 1, -1, -1)
    place = 0
    for level in range(max(bits, default=0)):
        for r in order:
            if level < bits[r]:
                _append(runs[r], level, place)
                place += 1
            elif not compact:
                place += 1
    return tuple(map(tuple, runs))


def _append(runs: list[BitRun], bit: int, place: int) -> None:
    """Add one bit to the last run if it stays its neighbour in the offset, else to a run of its own."""
    if runs:
        low, width, start = runs[-1]
        if start + width == place:
            runs[-1] = low, width + 1, start
            return
    runs.append((bit, 1, place))


def _scatter(i: int, runs: Sequence[BitRun]) -> int:
    """Move each run of bits of ``i`` to its place."""
    place = 0
    for low, width, start in runs:
        place = place + ((i >> low & ((1 << width) - 1)) << start)
    return place
