"""The extremes of a layout: its lowest and its highest offset over a box of indices, without a look at each of them."""

from __future__ import annotations

from mdview.expressions.extremes import Bound, Box, extremes, searched
from mdview.expressions.ranges import Range
from mdview.expressions.tracing import Arithmetic, trace
from mdview.index.transforms import IndexTransform, Radix
from mdview.layouts.answers import offset_of


def traced_extremes(layout: Arithmetic, extents: tuple[int, ...], box: Box) -> Range | None:
    """Lowest and highest offset over a box that is not empty, from the arithmetic; None where that does not tell."""
    root = trace(layout, extents).root
    return None if root is None else extremes(root, box)


def composed_extremes(base: Arithmetic, extents: tuple[int, ...], transform: IndexTransform, box: Box) -> Range | None:
    """Lowest and highest offset that a monotone base has at the transformed indices of a box that is not empty.

    The offsets of a monotone layout lie between those of the lowest and of the highest indices, so nothing need be
    traced.
    """
    bound = composed_bound(base, extents, transform)
    moves = {(source, step > 0) for step, source in zip(transform.stride, transform.source, strict=True) if step}
    if transform.radix is None and len(moves) == len({source for source, _ in moves}):
        return bound(box)  # no index moves one base index up and another down, so some corner has them all
    return searched(bound, box, range(len(box)), 8 * (1 + len(extents)))


def composed_bound(base: Arithmetic, extents: tuple[int, ...], transform: IndexTransform) -> Bound:
    """Return the function that bounds these offsets."""

    def bound(part: Box) -> Range:
        corners = list(zip(*transformed(transform, part), strict=True)) or [(), ()]
        low, high = [offset_of(base, extents, corner) for corner in corners]
        return low, high

    return bound


def transformed(transform: IndexTransform, box: Box) -> list[Range]:
    """Between which numbers each base index stays over a box; exactly, if the box holds one index."""
    ranges = list(box) if transform.radix is None else _digits(transform.radix, box)
    found: list[Range] = []
    for first, step, source in zip(transform.offset, transform.stride, transform.source, strict=True):
        low, high = (0, 0) if source is None else ranges[source]
        ends = first + step * low, first + step * high
        found.append((min(ends), max(ends)))
    return found


def _digits(radix: Radix, box: Box) -> list[Range]:
    """Between which numbers each digit of the number stays that a mixed-radix step makes of the indices of a box."""
    ends = [(w * low, w * high) for w, (low, high) in zip(radix.weights, box, strict=False)]
    low = radix.first + sum([min(pair) for pair in ends])
    high = radix.first + sum([max(pair) for pair in ends])
    found: list[Range] = []
    for n in radix.shape[:0:-1]:
        (low, first), (high, last) = divmod(low, n), divmod(high, n)
        found.append((first, last) if low == high else (0, n - 1))
    return [*([(low, high)] if radix.shape else []), *found[::-1]]
