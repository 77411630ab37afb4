"""Looking at the elements of a mapping one after the other, within a budget, where nothing else answers a question."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, tee
from operator import mul
from typing import TypeAlias

from mdview.base.strided_sets import AffineImage, Index
from mdview.base.texts import told
from mdview.errors import UndecidedError
from mdview.expressions.extremes import Box as Ranges
from mdview.expressions.linear import LinearForm
from mdview.index.extents import is_empty, shape_text
from mdview.layouts.answers import offset_of
from mdview.layouts.base import Layout
from mdview.layouts.enumeration import elements, indices_within, offsets_at
from mdview.mappings.mapping import Mapping

AnyMapping: TypeAlias = Mapping[tuple[int, ...], Layout]


def places(mapping: AnyMapping, what: str, budget: int) -> Iterator[tuple[Index, int]]:
    """Each element's index and offset, last index fastest; whoever still needs one after the budget is told so."""
    extents, layout = mapping.extents, mapping.layout
    every = elements(layout, extents)
    here, there = tee(islice(every, budget))
    yield from zip(here, offsets_at(layout, extents, there), strict=True)
    if next(every, None) is not None:
        raise undecided(mapping, what, budget)


def undecided(mapping: AnyMapping, what: str, budget: int) -> UndecidedError:
    """Return the error that says what exceeds a budget, and what to do."""
    return UndecidedError(
        f"whether {told(mapping.layout)} over extents {shape_text(mapping.extents)} is {what} takes a look at "
        f"{mapping.size} indices, more than {budget}; define strides or the trait in the layout"
    )


def line_of(mapping: AnyMapping) -> AffineImage:
    """Return the image that a mapping has if the steps from index (0, ..., 0) to its neighbours are its strides."""
    extents, origin = tuple(map(int, mapping.extents)), mapping.origin
    steps = [0] * len(extents)
    for r, e in enumerate(extents):
        if e > 1 and not is_empty(extents):
            steps[r] = offset_of(mapping.layout, extents, [int(k == r) for k in range(len(extents))]) - origin
    return AffineImage(extents, tuple(steps), origin)


def off_line(
    mapping: AnyMapping, line: AffineImage, part: Ranges, form: LinearForm | None, most: int
) -> tuple[Index, int, int] | None:
    """Return the first index of a part that does not lie on a line, where it would lie, and where it does, or None.

    ``form`` tells where the indices of the part lie if that is linear; else at most ``most`` of them are looked at.
    """
    if form is not None:  # the first index leaves the line, or a neighbour of it, or none
        turns = [r for r, (low, high) in enumerate(part) if low < high and form[1][r] != line.strides[r]]
        part = tuple([(low, low + (r in turns[-1:])) for r, (low, _) in enumerate(part)])
    inside = islice(indices_within(tuple([(low, high + 1) for low, high in part])), max(most, 2))
    here, there = tee(inside)
    for index, offset in zip(here, offsets_at(mapping.layout, mapping.extents, there), strict=True):
        expected = line.origin + sum(map(mul, index, line.strides))
        if offset != expected:
            return index, expected, offset
    return None
