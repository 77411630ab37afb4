"""Pairs of boxes that overlap are found by halving: boxes on either side of a plane do not meet across it.

A plane is put where it cuts few boxes, and each half is halved again. What no plane divides well is compared two by
two.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Final, TypeAlias

from mdview.interop.writers.progressions import Interval

Box: TypeAlias = tuple[Interval, ...]
"""For each dimension the first and the last number."""

Group: TypeAlias = Sequence[int]
"""Numbers of boxes."""

FEW: Final = 12
"""How many boxes are compared two by two at once."""

MOST_LEFT: Final = 0.875
"""Which share of the boxes a half has at most."""

MOST_IN_BOTH: Final = 0.4
"""Which share of the boxes a plane cuts at most, so that they are in both halves; the work stays below all pairs."""


def overlapping(
    boxes: Sequence[Box], owners: Sequence[int], split: Callable[[Group], list[Group]]
) -> Iterator[tuple[int, int]]:
    """Yield the numbers of any two boxes of different owners that overlap, some of them more than once.

    ``split`` tells of many boxes that no plane divides which groups of them are known not to meet.
    """
    waiting: list[Group] = [range(len(boxes))]
    while waiting:
        group = waiting.pop()
        first = owners[group[0]] if group else None
        if all(owners[k] == first for k in group):
            continue
        parts = [group] if len(group) <= FEW else _halves(boxes, group) or split(group)
        if len(parts) > 1:
            waiting += parts
            continue
        for i, j in combinations(group, 2):
            if owners[i] != owners[j] and _meet(boxes[i], boxes[j]):
                yield min(i, j), max(i, j)


def _meet(one: Box, other: Box) -> bool:
    return all(a <= y and b <= z for (a, z), (b, y) in zip(one, other, strict=True))


def _halves(boxes: Sequence[Box], group: Group) -> list[Group]:
    """Divide a group by the plane that leaves the fewest boxes in the larger half; nothing where that are too many."""
    n = len(group)
    best, place = MOST_LEFT * n, None
    for r in range(len(boxes[group[0]])):
        lows = sorted([boxes[k][r][0] for k in group])
        highs = sorted([boxes[k][r][1] for k in group])
        for at in _planes(lows, highs):
            below, above = bisect_left(lows, at), n - bisect_left(highs, at)
            if max(below, above) < best and below + above <= n * (1 + MOST_IN_BOTH):
                best, place = max(below, above), (r, at)
    if place is None:
        return []
    r, at = place
    return [[k for k in group if boxes[k][r][0] < at], [k for k in group if boxes[k][r][1] >= at]]


def _planes(lows: Sequence[int], highs: Sequence[int]) -> set[int]:
    """Where to try: at the beginning of some box and behind the end of another, in the middle and around it."""
    n = len(lows)
    return {at for k in (n // 4, n // 2, 3 * n // 4) for at in (lows[k], highs[k] + 1)}
