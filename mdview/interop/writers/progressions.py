"""An arithmetic progression is what a slice selects along one dimension: ``first``, ``first + step``, …, ``last``.

A grid cuts the indices of one dimension into units. Which units a progression meets is an interval where no step leads
across a whole unit, and else a set that is never listed: two such sets are searched together for a unit of both.
"""

from __future__ import annotations

from math import gcd, lcm
from typing import TypeAlias

from mdview.interop.writers.grids import Grid

Progression: TypeAlias = tuple[int, int, int]
"""The first and the last index, and the step between neighbours: at least 1, and ``last - first`` a multiple of it."""

Interval: TypeAlias = tuple[int, int]
"""The first and the last of some consecutive numbers."""


def progression(first: int, count: int, step: int) -> Progression:
    """Return the progression of ``count`` indices, at least one, from ``first`` on; a negative step goes backwards.

    >>> progression(8, 3, -2), progression(5, 1, 9)
    ((4, 8, 2), (5, 5, 1))
    """
    other = first + (count - 1) * step
    return (min(first, other), max(first, other), abs(step) if count > 1 else 1)


def within(own: Progression, low: int, high: int) -> Progression | None:
    """Return the part of a progression from ``low`` up to and with ``high``, or None where there is nothing.

    >>> within((1, 13, 4), 4, 12), within((1, 13, 4), 6, 8)
    ((5, 9, 4), None)
    """
    first, last, step = own
    first += max(0, -((first - low) // step)) * step
    last -= max(0, -((high - last) // step)) * step
    return None if first > last else (first, last, step if first < last else 1)


def mapped(own: Progression, offset: int, stride: int) -> Progression:
    """Return the progression of ``offset + stride * i`` for each ``i``; the stride is not 0."""
    ends = offset + stride * own[0], offset + stride * own[1]
    return min(ends), max(ends), own[2] * abs(stride) if own[0] < own[1] else 1


def unmapped(own: Progression, offset: int, stride: int) -> Progression | None:
    """Return the ``i`` for which ``offset + stride * i`` is in a progression of step 1, or None where there is none.

    >>> unmapped((4, 9, 1), 12, -3)
    (1, 2, 1)
    """
    low, high = own[0] - offset, own[1] - offset
    if stride < 0:
        low, high, stride = -high, -low, -stride
    first, last = -(-low // stride), high // stride
    return None if first > last else (first, last, 1)


def hull(grid: Grid, own: Progression) -> Interval:
    """Return the first and the last unit that a progression meets."""
    return grid.unit_of(own[0]), grid.unit_of(own[1])


def meets_all(grid: Grid, own: Progression) -> bool:
    """Tell for certain that a progression meets every unit of its hull."""
    return own[2] <= grid.narrowest


def common_unit(grid: Grid, first: Progression, second: Progression) -> int | None:
    """Return the lowest unit that both progressions meet, or None.

    >>> grid = Grid(64, (4,))
    >>> common_unit(grid, (0, 56, 8), (5, 61, 8)), common_unit(grid, (0, 40, 20), (10, 60, 10))
    (None, 5)
    """
    lows, highs = zip(hull(grid, first), hull(grid, second), strict=True)
    low, high = max(lows), min(highs)
    if low > high:
        return None
    if meets_all(grid, first) and meets_all(grid, second):
        return low
    return None if _never_near(grid, first, second) else _search(grid, first, second, low, high)


def _never_near(grid: Grid, first: Progression, second: Progression) -> bool:
    """Tell for certain that no two indices of both are as near to each other as those of one unit are."""
    if first[0] == first[1] or second[0] == second[1]:
        return False
    divisor = gcd(first[2], second[2])
    apart = (first[0] - second[0]) % divisor
    return min(apart, divisor - apart) >= grid.widest


def _search(grid: Grid, first: Progression, second: Progression, low: int, high: int) -> int | None:
    """Go from unit to unit, each time to the next one that the other progression meets.

    All repeats after a period, so that a search through one of them is a search through all.
    """
    start = max(first[0], second[0])
    high = min(high, grid.unit_of(start + lcm(first[2], second[2], grid.period)) + 1)
    sides, unit, agreed = (first, second), low, 0
    while unit <= high:
        found = _next(grid, sides[0], unit)
        if found is None:
            return None
        agreed = agreed + 1 if found == unit else 1
        if agreed == len(sides):
            return unit
        unit, sides = found, sides[::-1]
    return None


def _next(grid: Grid, own: Progression, unit: int) -> int | None:
    """Return the lowest unit from this one on that a progression meets, or None."""
    first, last, step = own
    index = first + max(0, -((first - grid.span(unit)[0]) // step)) * step
    return None if index > last else grid.unit_of(index)
