"""Runs of consecutive offsets: where a mapping lets one access take several elements."""

from __future__ import annotations

from collections.abc import Iterator

from mdview.base import strided_sets
from mdview.base.strided_sets import AffineImage
from mdview.layouts.answers import offset_of
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
        extents, layout = mapping.extents, mapping.layout
        return (
            (offset_of(layout, extents, index), 1) if layout.has_element(extents, index) else (-1, 0)
            for index in strided_sets.each_index(extents)
        )
    image, length = strided_sets.merged(image, "C"), 1
    if image.strides[-1:] == (1,):
        length = image.extents[-1]
        image = AffineImage(image.extents[:-1], image.strides[:-1], image.origin)
    return ((start, length) for start in strided_sets.each_offset(image))
