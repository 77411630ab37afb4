"""A shard is a file of chunks with an index, which says for each chunk where it begins and how many bytes it has."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

from mdview.errors import CopyNeededError, ZarrError
from mdview.index.extents import size_of
from mdview.interop.zarr.crc32c import crc32c
from mdview.interop.zarr.metadata import Form, ShardIndex
from mdview.interop.zarr.tile_tables import LayoutTable, LayoutTileTable
from mdview.layouts.base import Layout, indices
from mdview.layouts.morton import LayoutMorton
from mdview.layouts.narrowest import narrowest_layout
from mdview.layouts.right import LayoutRight
from mdview.layouts.stride import LayoutStride
from mdview.layouts.strided import StridedLayout
from mdview.layouts.tiled import LayoutTiled

MISSING: Final = (1 << 64) - 1
"""Where a chunk begins that is not stored: all its elements are the fill value."""
CRC_BYTES: Final = 4
ENTRY: Final = 16
"""Bytes of the index for each chunk."""


def index_bytes(places: Sequence[tuple[int, int]], index: ShardIndex) -> bytes:
    """Return the index of chunks that begin at some byte and have some length, in C order of their grid."""
    numbers = [number for place in places for number in place]
    data = struct.pack(f"{index.order}{len(numbers)}Q", *numbers)
    return data + struct.pack("<I", crc32c(data)) if index.has_crc else data


def index_size(chunks: int, index: ShardIndex) -> int:
    """Count the bytes of an index."""
    return ENTRY * chunks + CRC_BYTES * index.has_crc


def places_in(data: memoryview, form: Form, index: ShardIndex) -> list[int]:
    """Return at which byte of a shard each chunk begins that holds elements, in C order.

    Raises
    ------
    ZarrError
        The shard is cut, its index is damaged, or leads out of it.
    CopyNeededError
        A chunk is missing, or has other bytes than its elements.
    """
    whole = tuple([s // c for s, c in zip(form.shard, form.chunk, strict=True)])
    size = index_size(size_of(whole), index)
    if data.nbytes < size:
        message = f"a shard of {data.nbytes} bytes is cut: its index alone has {size}"
        raise ZarrError(message)
    raw = bytes(data[:size] if index.at_start else data[data.nbytes - size :])
    numbers = raw[: ENTRY * size_of(whole)]
    if index.has_crc and struct.pack("<I", crc32c(numbers)) != raw[-CRC_BYTES:]:
        raise ZarrError("the checksum of the index of a shard is wrong: it is damaged, or cut")
    entries = struct.unpack(f"{index.order}{2 * size_of(whole)}Q", numbers)
    grid = tuple([-(-e // c) for e, c in zip(form.extents, form.chunk, strict=True)])
    found, length = [], size_of(form.chunk) * form.itemsize
    for place in indices(grid):
        number = LayoutRight().offset(whole, place)
        begin, own = entries[2 * number : 2 * number + 2]
        if begin == own == MISSING:
            raise CopyNeededError(f"chunk {place} is not stored, its elements are the fill value")
        if own != length:
            raise CopyNeededError(f"chunk {place} has {own} bytes instead of {length}")
        if begin + own > data.nbytes:
            message = (
                f"the index of a shard of {data.nbytes} bytes has chunk {place} in the bytes {begin} to {begin + own}"
            )
            raise ZarrError(message)
        found.append(begin)
    return found


def layout_of_chunks(form: Form, places: Sequence[int]) -> tuple[Layout, int]:
    """Return the layout of chunks that begin at some bytes, and the first of these bytes.

    Raises
    ------
    CopyNeededError
        Chunks overlap, or are no whole number of chunks apart.
    """
    grid = tuple([-(-e // c) for e, c in zip(form.extents, form.chunk, strict=True)])
    inner, _ = narrowest_layout(form.chunk, form.strides)
    low, length = min(places), size_of(form.chunk) * form.itemsize
    numbers = [(place - low) // length for place in places]
    if any((place - low) % length for place in places) or len(set(numbers)) != len(numbers):
        raise CopyNeededError("its chunks overlap, or have other bytes between them")
    order = _strided_order(grid, numbers)
    if order is not None:
        return (inner if form.chunk == form.extents else LayoutTiled(*form.chunk, outer=order, inner=inner)), low
    morton = LayoutMorton(compact=True, fastest="first")  # zarr's own order, where all bits are there
    if all(morton.offset(grid, place) == number for place, number in zip(indices(grid), numbers, strict=True)):
        return LayoutTileTable(form.chunk, morton, inner), low
    return LayoutTileTable(form.chunk, LayoutTable(numbers), inner), low


def _strided_order(grid: tuple[int, ...], numbers: Sequence[int]) -> StridedLayout | None:
    """Return the strided layout that has these offsets over a grid, None if there is none."""
    right = LayoutRight().strides(grid)
    steps = tuple([numbers[s] if n > 1 else 1 for n, s in zip(grid, right, strict=True)])
    if numbers[0] or not all(s > 0 for s in steps):
        return None
    linear = zip(indices(grid), numbers, strict=True)
    if any(sum([i * s for i, s in zip(place, steps, strict=True)]) != number for place, number in linear):
        return None
    layout, _ = narrowest_layout(grid, steps)
    return layout if layout.is_monotone() else LayoutStride(steps)
