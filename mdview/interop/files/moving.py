"""Elements move from one open file to another: by blocks that the two layouts have in common, else by boxes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mdview.engines.bulk.arrays.strided_blocks import common_blocks
from mdview.engines.bulk.boxes import short_boxes, whole
from mdview.interop.files.block_copies import BlockCopy
from mdview.interop.files.box_copies import copy_box
from mdview.interop.files.places import Place

LONGEST: Final = 1 << 18
"""How many indices along one dimension are looked at together, so that tables of their offsets take little memory."""


def move(source: Place, target: Place, memory: int, done: Callable[[int], None]) -> None:
    """Copy every element of a file into another one, with buffers of at most ``memory`` bytes.

    The two mappings have equal extents. ``done`` is told the number of elements that have been copied.
    """
    its, mine = source.mapping, target.mapping
    if 0 in its.extents:
        return
    blocks = BlockCopy(source, target, memory)
    for box in short_boxes(whole(its.extents), LONGEST):
        found = common_blocks(((mine, 0), (its, 0)), box)
        if found is None:
            copy_box(source, target, box, memory, done)
            continue
        for block in found:
            blocks.copy(block, done)
