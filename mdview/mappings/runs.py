"""Runs of consecutive offsets: where a mapping lets one access take several elements."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat, tee
from operator import mul

from mdview.base import strided_sets
from mdview.base.strided_sets import AffineImage
from mdview.index.orders import right_strides
from mdview.layouts.arithmetic import linear_parts
from mdview.layouts.enumeration import elements, indices_within, offsets_at
from mdview.mappings.facts import AnyMapping, declared_image


def contiguous_runs(mapping: AnyMapping) -> Iterator[tuple[int, int]]:
    """Yield position and length of each longest run of consecutive offsets, indices in C order: wide access fits there.

    >>> from mdview import LayoutStrideRelaxed, Mapping
    >>> list(contiguous_runs(Mapping((3, 4), LayoutStrideRelaxed((8, 1), 9))))
    [(9, 4), (17, 4), (25, 4)]
    """
    return joined(_parts(mapping))


def joined(parts: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Make one run of parts that continue each other; those of length 0 are gaps."""
    start = end = 0
    for position, length in parts:
        if position != end:
            if end > start:
                yield start, end - start
            start = end = position
        end += length
    if end > start:
        yield start, end - start


def _parts(mapping: AnyMapping) -> Iterator[tuple[int, int]]:
    """Positions and lengths of consecutive offsets in C order; neighbouring ones may continue each other."""
    image = declared_image(mapping)
    if image is None:
        return _single(mapping)
    return parts_of_image(image)


def parts_of_image(image: AffineImage) -> Iterator[tuple[int, int]]:
    """Positions and lengths of consecutive offsets of an image in C order."""
    image, length = strided_sets.merged(image, "C"), 1
    if image.strides[-1:] == (1,):
        length = image.extents[-1]
        image = AffineImage(image.extents[:-1], image.strides[:-1], image.origin)
    return ((start, length) for start in strided_sets.strided_offsets(image.extents, image.strides, image.origin))


def _single(mapping: AnyMapping) -> Iterator[tuple[int, int]]:
    """Positions of single elements; where padding lies between two of them there is a gap."""
    extents, layout = mapping.extents, mapping.layout
    if layout.is_total():
        for part, form in linear_parts(layout, extents):
            box = tuple([(low, high + 1) for low, high in part])
            if form is None:
                yield from zip(offsets_at(layout, extents, indices_within(box)), repeat(1))
            else:
                yield from parts_of_image(AffineImage(tuple([high - low for low, high in box]), form[1], form[0]))
        return
    weights, following = right_strides(extents), 0
    here, there = tee(elements(layout, extents))
    for index, offset in zip(here, offsets_at(layout, extents, there), strict=True):
        number = sum(map(mul, index, weights))
        if number != following:
            yield -1, 0
        yield offset, 1
        following = number + 1
