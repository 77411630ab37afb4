"""Elements move from one open file to another: by blocks that the two layouts have in common, else by boxes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from mdview.engines.bulk.arrays.strided_blocks import common_blocks
from mdview.engines.bulk.boxes import Box, boxes, short_boxes, whole
from mdview.index.orders import right_strides
from mdview.interop.files.block_copies import BlockCopy, type_of
from mdview.interop.files.box_copies import copy_box
from mdview.interop.files.places import Place
from mdview.layouts.stride_relaxed import LayoutStrideRelaxed
from mdview.mappings.mapping import Mapping

LONGEST: Final = 1 << 18
"""How many indices along one dimension are looked at together, so that tables of their offsets take little memory."""


def move(source: Place, target: Place, memory: int, done: Callable[[int], None]) -> None:
    """Copy every element of a file into another one, with buffers of at most ``memory`` bytes.

    The two mappings have equal extents. ``done`` is told the number of elements that have been copied.
    """
    its, mine = source.mapping, target.mapping
    if 0 in its.extents or not source.size:  # texts may be empty, too
        return
    blocks = BlockCopy(source, target, memory)
    for box in short_boxes(whole(its.extents), LONGEST):
        found = common_blocks(((mine, 0), (its, 0)), box)
        if found is None:
            if not _by_way_of_rows(source, target, box, memory, done):
                copy_box(source, target, box, memory, done)
            continue
        for block in found:
            blocks.copy(block, done)


def _by_way_of_rows(source: Place, target: Place, box: Box, memory: int, done: Callable[[int], None]) -> bool:
    """Copy a box through rows in memory, where each side has blocks in common with them: tiles of several sizes."""
    blocks, row = BlockCopy(source, target, memory // 2), None
    for part in boxes(box, max(1, memory // 2 // source.size)):
        steps = LayoutStrideRelaxed(right_strides(part.counts))
        rows = Mapping(source.mapping.extents, steps)
        before = sum([f * s for f, s in zip(part.first, steps.strides(part.counts), strict=True)])
        read = common_blocks(((rows, -before), (source.mapping, 0)), part)
        written = common_blocks(((target.mapping, 0), (rows, -before)), part)
        if read is None or written is None:
            if row is None:
                return False
            copy_box(source, target, part, memory, done)
            continue
        row = np.empty(part.size, type_of(source)) if row is None or len(row) < part.size else row
        for block in read:
            blocks.read(block, row)
        for block in written:
            blocks.write(block, row)
        done(part.size)
    return True
