"""An irregularity is the first index that does not lie where the steps next to index (0, ..., 0) would put it.

A layout over extents is strided exactly where there is none, whether or not its arithmetic shows that.
"""

from __future__ import annotations

from itertools import islice, tee
from math import prod
from operator import mul
from typing import final

from mdview.base.strided_sets import AffineImage, Index
from mdview.base.values import value
from mdview.expressions.extremes import Box as Ranges
from mdview.expressions.simplification import LinearForm
from mdview.index.extents import is_empty
from mdview.index.orders import right_strides
from mdview.layouts.arithmetic import SHORT, linear_parts, offset_of
from mdview.layouts.base import Layout, Strides
from mdview.layouts.enumeration import ENUMERATION_BUDGET, first_missing, indices_within, offsets_at, undecided


@final
@value
class Irregularity:
    """The first strides put ``index`` at ``expected``, it lies at ``offset``; None and None if it is in the padding."""

    index: Index
    strides: Strides
    expected: int | None = None
    offset: int | None = None

    def step(self) -> tuple[int, Index, int]:
        """Return a dimension, the index before this one along it, and how far apart the two are.

        Every index before this one lies on the line.
        """
        r = max([r for r, i in enumerate(self.index) if i])
        before = (*self.index[:r], self.index[r] - 1, *self.index[r + 1 :])
        return r, before, (self.offset or 0) - (self.expected or 0) + self.strides[r]


def first_steps(layout: Layout, extents: tuple[int, ...]) -> AffineImage:
    """Return the image that a layout has over extents if the steps from index (0, ..., 0) are its strides."""
    if is_empty(extents):
        return AffineImage(extents, right_strides(extents), 0)
    zero = (0,) * len(extents)
    origin = offset_of(layout, extents, zero)
    steps = [
        offset_of(layout, extents, (*zero[:r], 1, *zero[r + 1 :])) - origin if e > 1 else 0
        for r, e in enumerate(extents)
    ]
    return AffineImage(extents, tuple(steps), origin)


def irregularity(layout: Layout, extents: tuple[int, ...]) -> Irregularity | None:
    """First index, last one fastest, that does not lie where the first steps would put it, or None.

    Raises
    ------
    UndecidedError
        There is none among `ENUMERATION_BUDGET` indices, and the arithmetic does not tell of the others.
    """
    if is_empty(extents):
        return None
    missing = first_missing(layout, extents)
    if missing is not None:
        return Irregularity(missing, ())
    line, left = first_steps(layout, extents), ENUMERATION_BUDGET
    for part, form in linear_parts(layout, extents):
        found = _off_line(layout, line, part, form, max(left, 0))
        if found is not None:
            index, expected, offset = found
            return Irregularity(index, line.strides, expected, offset)
        left -= prod([high - low + 1 for low, high in part]) if form is None else SHORT
        if left < 0:
            raise undecided(layout, extents, "strided", "strides")
    return None


def _off_line(
    layout: Layout, line: AffineImage, part: Ranges, form: LinearForm | None, most: int
) -> tuple[Index, int, int] | None:
    """Return the first index of a part that does not lie on a line, where it would lie, and where it does, or None.

    ``form`` tells where the indices of the part lie if that is linear; else at most ``most`` of them are looked at.
    """
    if form is not None:  # the first index leaves the line, or a neighbour of it, or none
        turns = [r for r, (low, high) in enumerate(part) if low < high and form[1][r] != line.strides[r]]
        part = tuple([(low, low + (r in turns[-1:])) for r, (low, _) in enumerate(part)])
    inside = islice(indices_within(tuple([(low, high + 1) for low, high in part])), max(most, 2))
    here, there = tee(inside)
    for index, offset in zip(here, offsets_at(layout, line.extents, there), strict=True):
        expected = line.origin + sum(map(mul, index, line.strides))
        if offset != expected:
            return index, expected, offset
    return None
