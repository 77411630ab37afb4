"""The extremes of a function over a box of indices: the lowest and the highest number that it has there, exactly.

A box is cut in two where the bits of an index begin to differ, again and again. Bounds tell how high the numbers in a
part of it may be at most, and the part that promises most is cut next; the first one that holds one number holds the
highest. What an index adds grows along tiles, bits and rows, so few parts are ever looked at: some for each bit of an
extent. Where bounds tell too little, the search ends after `MOST_LOOKS`, and nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from itertools import count
from typing import Final, Literal, TypeAlias

from mdview.expressions.nodes import Node, each_part
from mdview.expressions.ranges import Range, RangeError, expression_range, within
from mdview.expressions.simplification import separated, simplified

Box: TypeAlias = tuple[Range, ...]
"""Lowest and highest index of each dimension."""

Bound: TypeAlias = Callable[[Box], Range]
"""Between which numbers a function stays in a box: exactly, if the box holds one index."""

End: TypeAlias = Literal[0, 1]
"""Which end of a range is looked for."""

LOWEST: Final = 0
HIGHEST: Final = 1

MOST_LOOKS: Final = 300_000
"""How many operators a search computes the bounds of before it gives up: some tenths of a second."""


class _GivenUpError(Exception):
    """A search has computed as many operators as it may."""


def extremes(root: Node, box: Box) -> Range | None:
    """Lowest and highest number that ``root`` is for indices within ``box``; None where the search gives up.

    >>> from mdview.expressions.nodes import Index
    >>> i, j = Index(0), Index(1)
    >>> extremes(i // 7 * 100 + (i % 7) * 9 - (j ^ j // 2), ((3, 1 << 40), (0, 5)))
    (20, 15707308968218)
    """
    total = 0, 0
    try:
        for part in separated(simplified(root, within(box))):
            found = searched(expression_bound(part), box, part.dimensions, len(each_part(part)))
            if found is None:
                return None
            total = total[0] + found[0], total[1] + found[1]
    except RangeError:
        return None
    return total


def expression_bound(root: Node) -> Bound:
    """Return the bounds of an expression; they raise `RangeError` where some part of it may be no number."""
    return lambda box: expression_range(root, within(box), None)


def searched(bound: Bound, box: Box, dimensions: Iterable[int], cost: int) -> Range | None:
    """Lowest and highest number of a function of the indices along ``dimensions``; None where the search gives up.

    ``cost`` tells how many operators one call of ``bound`` computes.
    """
    steps = influences(bound, box, dimensions)

    def negative(part: Box) -> Range:
        low, high = bound(part)
        return -high, -low

    highest = _highest(bound, box, steps, MOST_LOOKS // cost)
    lowest = None if highest is None else _highest(negative, box, steps, MOST_LOOKS // cost)
    return None if highest is None or lowest is None else (-lowest, highest)


def _highest(bound: Bound, box: Box, steps: dict[int, float], budget: int) -> int | None:
    calls = count(1)

    def counted(part: Box) -> Range:
        if next(calls) > budget:
            raise _GivenUpError
        return bound(part)

    ties = count(0, -1)  # of parts that promise the same, the one made last goes first: it is smaller
    low, high = bound(box)
    waiting = [(-high, 0, low, box)]
    try:
        while waiting:
            promise, _, low, part = heappop(waiting)
            if low == -promise:
                return low
            for (low, high), half in cut(counted, part, steps, HIGHEST):
                heappush(waiting, (-high, next(ties), low, half))
    except _GivenUpError:
        pass
    return None


def cut(bound: Bound, box: Box, steps: dict[int, float], end: End) -> list[tuple[Range, Box]]:
    """Cut a box of several indices in two, each half with its bounds, along a dimension where this tells something.

    One of the halves is then bounded more narrowly at the ``end`` that is looked for. Of such dimensions the one goes
    first along which the number moves farthest; where there is none, any will do: a later cut tells more.
    """
    before = bound(box)[end]
    made: list[tuple[Range, Box]] = []
    for r in widest_first(box, steps):
        tried = [(bound(half), half) for half in halves(box, r)]
        made = made or tried
        if any(found[end] != before for found, _ in tried):
            return tried
    return made


def influences(bound: Bound, box: Box, dimensions: Iterable[int]) -> dict[int, float]:
    """Return for each dimension of more than one index how far one step along it moves the number.

    That is how far all steps do where the other indices stay at their first, divided by their number.
    """
    first = tuple([(low, low) for low, _ in box])
    found: dict[int, float] = {}
    for r in sorted(dimensions):
        low, high = box[r]
        if low < high:
            least, most = bound((*first[:r], box[r], *first[r + 1 :]))
            found[r] = max(most - least, 1) / (high - low)
    return found


def widest_first(box: Box, steps: dict[int, float]) -> list[int]:
    """Dimensions of more than one index, those first along which the number moves farthest."""
    reach = {r: (box[r][1] - box[r][0]) * step for r, step in steps.items() if box[r][0] < box[r][1]}
    return sorted(reach, key=lambda r: -reach[r])


def halves(box: Box, r: int) -> Iterator[Box]:
    """Cut a box along dimension ``r`` where the highest bit changes in which its indices differ; none is negative."""
    low, high = box[r]
    top = (low ^ high).bit_length() - 1
    middle = high >> top << top
    yield (*box[:r], (low, middle - 1), *box[r + 1 :])
    yield (*box[:r], (middle, high), *box[r + 1 :])
