"""Boxes of indices are copied between files whatever the two layouts are: through maps of the files, a box at a time.

A box is small enough that what it touches of either file fits in memory; behind it the system takes the pages back.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from mdview.accessors.default import DefaultAccessor
from mdview.accessors.readonly import ReadOnlyAccessor
from mdview.base.strided_sets import image_bounds
from mdview.engines.bulk.boxes import Box
from mdview.interop.asview import asview
from mdview.interop.files.block_copies import Array, type_of
from mdview.interop.files.places import Place
from mdview.layouts.answers import offset_of
from mdview.layouts.extremes import traced_extremes
from mdview.mappings.facts import AnyMapping
from mdview.operations.algorithms import copy
from mdview.views.base import parts_of
from mdview.views.view import MDView

TOUCHED: Final = 1 << 16
"""Bytes that the system brings in for one element, as it reads around it."""


def copy_box(source: Place, target: Place, box: Box, memory: int, done: Callable[[int], None]) -> None:
    """Copy a box of elements; of each file at most half of ``memory`` is touched at a time."""
    with _mapped(source) as (seen, read), _mapped(target) as (stored, written):
        for part in _small_boxes(box, (source, target), memory // 2):
            copy(seen[part.slices], stored[part.slices])
            done(part.size)
            for each in (read, written):
                each.madvise(mmap.MADV_DONTNEED)


def read_box(source: Place, box: Box, array: Array, memory: int) -> None:
    """Read a box of elements into an array of its shape, as `copy_box` does."""
    target = asview(array)
    with _mapped(source) as (seen, read):
        for part in _small_boxes(box, (source,), memory // 2):
            copy(seen[part.slices], target[part.seen_from(box.first).slices])
            read.madvise(mmap.MADV_DONTNEED)


@contextmanager
def _mapped(place: Place) -> Iterator[tuple[Any, mmap.mmap]]:  # Any: a view of any items
    """Give a view of a file, and the map below it."""
    span = place.mapping.required_span_size
    access = mmap.ACCESS_WRITE if place.writes else mmap.ACCESS_READ
    mapped = mmap.mmap(place.descriptor, place.begin + span * place.size, access=access)
    accessor = DefaultAccessor[Any]() if place.writes else ReadOnlyAccessor()
    row: Any = parts_of(asview(np.frombuffer(mapped, type_of(place), span, place.begin))).checked_storage()
    yield MDView.from_mapping(row, place.mapping, accessor), mapped


def _small_boxes(box: Box, sides: Sequence[Place], most: int) -> Iterator[Box]:
    """Cut a box until no side of a part touches more than ``most`` bytes, or it is a single element."""
    if box.size <= 1 or all(_touched(box, side) <= most for side in sides):
        yield box
        return
    cuts = [_halves(box, r) for r, count in enumerate(box.counts) if count > 1]
    best = min(cuts, key=lambda cut: sum([_touched(cut[0], side) for side in sides]))
    for half in best:
        yield from _small_boxes(half, sides, most)


def _halves(box: Box, r: int) -> tuple[Box, Box]:
    """Cut a box along a dimension, at a power of two: layouts by bits, and most tiles, have their borders there."""
    count = box.counts[r]
    low = 1 << ((count - 1).bit_length() - 1)
    first = (*box.first[:r], box.first[r] + low, *box.first[r + 1 :])
    return (
        Box(box.first, (*box.counts[:r], low, *box.counts[r + 1 :])),
        Box(first, (*box.counts[:r], count - low, *box.counts[r + 1 :])),
    )


def _touched(box: Box, place: Place) -> int:
    """Return how many bytes of a file a box touches at most."""
    low, high = _offsets(box, place.mapping)
    return min((high - low) * place.size + TOUCHED, box.size * TOUCHED)


def _offsets(box: Box, mapping: AnyMapping) -> tuple[int, int]:
    """Return bounds of the offsets in a box."""
    strides, last = mapping.found_strides(), tuple([f + n - 1 for f, n in zip(box.first, box.counts, strict=True)])
    if strides is not None:
        return image_bounds(box.counts, strides) or (0, 0)
    layout, extents = mapping.layout, tuple(map(int, mapping.extents))
    if layout.is_monotone():
        return offset_of(layout, extents, box.first), offset_of(layout, extents, last)
    return traced_extremes(layout, extents, box.spans) or (0, mapping.required_span_size)
