"""The extremes of an expression over a box of indices: the lowest and the highest number that it is there, exactly.

A box is cut in two where the bits of an index begin to differ, again and again. Ranges tell how high the numbers in a
part of it may be at most, and the part that promises most is cut next; the first one that holds one number holds the
highest. What an index adds grows along tiles, bits and rows, so few parts are ever looked at: some for each bit of an
extent. Where ranges tell too little, the search ends after `MOST_LOOKS`, and nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import count
from typing import Final, TypeAlias, TypeVar

from mdview.expressions.nodes import Node, Op, each_part
from mdview.expressions.operators import NEGATIVE
from mdview.expressions.ranges import Range, RangeError, expression_range, within
from mdview.expressions.simplification import separated, simplified

V = TypeVar("V")

Box: TypeAlias = tuple[Range, ...]
"""Lowest and highest index of each dimension."""

MOST_LOOKS: Final = 300_000
"""How many operators a search computes the ranges of before it gives up: some tenths of a second."""


def extremes(root: Node, box: Box) -> Range | None:
    """Lowest and highest number that ``root`` is for indices within ``box``; None where the search gives up.

    >>> from mdview.expressions.nodes import Index
    >>> i, j = Index(0), Index(1)
    >>> extremes(i // 7 * 100 + (i % 7) * 9 - (j ^ j // 2), ((3, 1 << 40), (0, 5)))
    (20, 15707308968218)
    """
    low = high = 0
    try:
        for part in separated(simplified(root, within(box))):
            low -= _highest(Op(NEGATIVE, part), box)
            high += _highest(part, box)
    except RangeError:
        return None
    return low, high


def _highest(root: Node, box: Box) -> int:
    """Highest number of an expression; RangeError where some part of it may be no number, or the search gives up."""
    cost = len(each_part(root))
    looks = count(cost, cost)

    def bound(part: Box) -> Range:
        if next(looks) > MOST_LOOKS:
            raise RangeError(f"the highest number is not found in {MOST_LOOKS} steps")
        return expression_range(root, within(part), None)

    steps = {r: _step(bound, box, r) for r in sorted(root.dimensions) if box[r][0] < box[r][1]}
    ties = count(0, -1)  # of parts that promise the same, the one made last goes first: it is smaller
    low, high = bound(box)
    waiting = [(-high, next(ties), low, box)]
    while True:
        promise, _, low, part = heappop(waiting)
        if low == -promise:
            return low
        for (low, high), half in _cut(bound, part, steps, -promise):
            heappush(waiting, (-high, next(ties), low, half))


def _step(bound: Callable[[Box], Range], box: Box, r: int) -> float:
    """Tell how far one step along dimension ``r`` moves the number, where the other indices stay at their first."""
    first = tuple([(low, low) for low, _ in box])
    least, most = bound((*first[:r], box[r], *first[r + 1 :]))
    return max(most - least, 1) / (box[r][1] - box[r][0])


def _cut(bound: Callable[[Box], Range], box: Box, steps: dict[int, float], highest: int) -> list[tuple[Range, Box]]:
    """Cut a box of several indices in two, each half with its range, along a dimension where this tells something.

    One of the halves then promises less than ``highest``. Of such dimensions the one goes first along which the number
    moves farthest; where there is none, any will do: a later cut tells more.
    """
    reach = {r: (box[r][1] - box[r][0]) * step for r, step in steps.items() if box[r][0] < box[r][1]}
    made: list[tuple[Range, Box]] = []
    for r in sorted(reach, key=lambda r: -reach[r]):
        tried = [(bound(half), half) for half in halves(box, r)]
        made = made or tried
        if any(high != highest for (_, high), _ in tried):
            return tried
    return made


def halves(box: Box, r: int) -> Iterator[Box]:
    """Cut a box along dimension ``r`` where the highest bit changes in which its indices differ; none is negative."""
    low, high = box[r]
    top = (low ^ high).bit_length() - 1
    middle = high >> top << top
    yield (*box[:r], (low, middle - 1), *box[r + 1 :])
    yield (*box[:r], (middle, high), *box[r + 1 :])


def split(box: Box, answer: Callable[[Box], V | None]) -> Iterator[tuple[Box, V]]:
    """Cut a box in two, again and again, into parts with an answer, in index order; single indices have one."""
    waiting = [box]
    while waiting:
        part = waiting.pop()
        found = answer(part)
        if found is not None:
            yield part, found
        else:
            waiting += reversed(list(halves(part, next(r for r, (low, high) in enumerate(part) if low < high))))
