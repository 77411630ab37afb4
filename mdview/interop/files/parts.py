"""Views of mapped files are copied part by part, so that few pages of a file are in memory at a time.

An index space is halved until a part touches few enough bytes of each file. Behind a part the system takes the pages
back, which are in the file and are written when the system likes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias

from mdview.index.extents import size_of
from mdview.layouts.arithmetic import offset_of, traced_extremes
from mdview.mappings.facts import AnyMapping
from mdview.operations.algorithms import copy
from mdview.views.base import operand_of
from mdview.views.derive import part_at
from mdview.views.export import import_numpy
from mdview.views.view import MDView

AnyView: TypeAlias = MDView[Any, tuple[int, ...], Any, Any]
"""Any: elements of any type, and layouts and accessors that only a file tells."""
Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""For each dimension the first index and one past the last."""

PAGE: Final = 1 << 15
"""Bytes that come into memory around a run of elements, as the system maps pages around those that are read."""


def copy_parts(
    source: AnyView,
    target: AnyView,
    parts: Iterable[Ranges],
    regions: Sequence[memoryview],
    done: Callable[[int], None],
    copied: Callable[[Any, Any], object] | None = None,
) -> None:
    """Copy the elements of a view to another one part by part, and give back the pages of these mapped regions."""
    for ranges in parts:
        (copied or copy_items)(part_at(source, source.mapping, ranges), part_at(target, target.mapping, ranges))
        for region in regions:
            give_back(region)
        done(size_of([z - a for a, z in ranges]))


def copy_items(source: AnyView, target: AnyView) -> None:
    """Copy elements into a new file, by NumPy: compiled kernels save less time than the disk takes, and take memory."""
    import_numpy()
    from mdview.engines.bulk.arrays.blocks import common_blocks  # noqa: PLC0415 - loads NumPy
    from mdview.engines.bulk.arrays.cache_order import copy_array  # noqa: PLC0415
    from mdview.engines.bulk.arrays.items import row_of  # noqa: PLC0415

    both = operand_of(target), operand_of(source)
    into, out = [row_of(operand.items) if operand.is_plain else None for operand in both]
    blocks = None
    if into is not None and out is not None and into.dtype == out.dtype and both[0].plan.is_distinct:
        blocks = common_blocks([(operand.plan, operand.origin) for operand in both])
    if blocks is None or into is None or out is None:
        copy(source, target)
        return
    for block in blocks:
        copy_array(block.of(1, out), block.of(0, into))


def give_back(region: memoryview) -> None:
    """Let the system take the memory of pages that are in a file."""
    import mmap  # noqa: PLC0415 - it has been loaded

    if hasattr(mmap, "MADV_DONTNEED"):
        with suppress(OSError, ValueError):
            region.obj.madvise(mmap.MADV_DONTNEED)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue] - of a map


def parts_of_space(mappings: Sequence[AnyMapping], size: int, most: int) -> Iterator[Ranges]:
    """Cut the index space of mappings into boxes that touch at most ``most`` bytes under each, or one element.

    Elements have ``size`` bytes. The parts of C order are runs of indices in index order.

    >>> from mdview.mappings.mapping import Mapping
    >>> list(parts_of_space([Mapping((4, 3))], 10_000, 100_000))
    [((0, 2), (0, 3)), ((2, 4), (0, 3))]
    """
    extents = tuple(map(int, mappings[0].extents))
    tilings = [mapping.layout.tiling() for mapping in mappings]
    units = next((tiling.sizes for tiling in tilings if tiling is not None), (1,) * len(extents))

    def touched(box: Ranges) -> list[int]:
        return [_touched(box, mapping, size) for mapping in mappings]

    waiting: list[Ranges] = [tuple([(0, e) for e in extents])] if size_of(extents) else []
    while waiting:
        box = waiting.pop()
        cuts = [_halves(box, r, units[r]) for r, (a, z) in enumerate(box) if z - a > 1]
        if cuts and max(touched(box)) > most:
            sums = [sum(touched(lower)) for _, lower in cuts]
            waiting += cuts[sums.index(min(sums))]
        else:
            yield box


def _halves(box: Ranges, r: int, unit: int) -> tuple[Ranges, Ranges]:
    """Cut a box along a dimension, the upper half first: at a power of two, or between tiles where it has some."""
    a, z = box[r]
    low = 1 << ((z - a - 1).bit_length() - 1)
    low -= (a + low) % unit if low > unit else 0
    return (*box[:r], (a + low, z), *box[r + 1 :]), (*box[:r], (a, a + low), *box[r + 1 :])


def _touched(box: Ranges, mapping: AnyMapping, size: int) -> int:
    """Return how many bytes of a file a box touches at most: runs of elements with what is read around each."""
    counts = [z - a for a, z in box]
    strides = mapping.found_strides()
    length, runs = 1, 1
    if strides is None:
        low, high = _bounds(box, mapping)
        length += high - low
    else:
        for step, count in sorted(zip(map(abs, strides), counts, strict=True)):
            if (step - length) * size > PAGE:
                runs *= count
            else:
                length += (count - 1) * step
    return min(runs * (length * size + PAGE), size_of(counts) * (size + PAGE))


def _bounds(box: Ranges, mapping: AnyMapping) -> tuple[int, int]:
    """Return bounds of the offsets in a box of a mapping without strides."""
    layout, extents = mapping.layout, tuple(map(int, mapping.extents))
    spans = tuple([(a, z - 1) for a, z in box])
    if layout.is_monotone():
        low, high = [offset_of(layout, extents, corner) for corner in zip(*spans, strict=True)]
        return low, high
    return traced_extremes(layout, extents, spans) or (0, mapping.required_span_size)
