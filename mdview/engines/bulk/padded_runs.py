"""Positions of a padded operand in index order, see `mdview.engines.padded_boxes`: what is filled has none.

They are found for some thousands of indices at a time: those of each piece at once, and then put in their place.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, product
from operator import mul
from typing import Final

from mdview.engines.bulk.boxes import Box, boxes, whole
from mdview.engines.bulk.operand import AnyMapping
from mdview.engines.bulk.runs import positions
from mdview.engines.padded_boxes import Piece, pieces, staged
from mdview.engines.padding import FILLED, place
from mdview.index.orders import right_strides
from mdview.index.slices import ExtentSlice
from mdview.layouts.base import indices
from mdview.mappings.slicing import select

AT_ONCE: Final = 1 << 15
"""For how many indices positions are found together."""


def padded_positions(mapping: AnyMapping, mode: str | None, origin: int, length: int) -> Iterator[int]:
    """Positions in ``length`` items of what indices read as, where ``mode`` fills the padding; `FILLED` for none.

    >>> from mdview import Mapping, pad
    >>> list(padded_positions(pad(Mapping((2,)), (1, 2)), "edge", 5, 9))
    [5, 5, 6, 6, 6]
    """
    if mapping.layout.is_total():
        return positions(mapping, origin, length)
    found = pieces(mapping, mode)
    if found is not None:
        every = boxes(whole(mapping.extents), AT_ONCE)
        return chain.from_iterable(_of_box(box, found, mode, origin, length) for box in every)
    both = staged(mapping, mode)
    if both is None:
        return (place(mapping, mode, origin, range(length), index) for index in indices(mapping.extents))
    (part, first), (over, second) = both
    known = [
        *padded_positions(part, mode, origin + first, length),
        FILLED,
    ]  # where there is none, the last one is taken
    return map(known.__getitem__, padded_positions(over, mode, second, len(known) - 1))


def _of_box(box: Box, found: tuple[Piece, ...], mode: str | None, origin: int, length: int) -> list[int]:
    every, weights = [FILLED] * box.size, right_strides(box.counts)
    for piece in found:
        part = Box(piece.first, piece.count).within(box)
        if part is None or piece.mapping is None:
            continue
        here = part.seen_from(piece.first)
        slices = [ExtentSlice(f, n) for f, n in zip(here.first, here.counts, strict=True)]
        mapping, shift = select(piece.mapping, slices)
        places = list(padded_positions(mapping, mode, origin + piece.shift + shift, length))
        ranges = [range(f, f + n) for f, n in zip(part.seen_from(box.first).first, part.counts, strict=True)]
        row = ranges.pop() if ranges else range(1)
        for k, index in enumerate(product(*ranges)):
            start = row.start + sum(map(mul, index, weights))
            every[start : start + len(row)] = places[k * len(row) : (k + 1) * len(row)]
    return every
