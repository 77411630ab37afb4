"""The checksum of a file's elements in index order: the same for all layouts, whatever lies between the elements."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

import numpy as np

from mdview.engines.bulk.arrays.strided_blocks import common_blocks
from mdview.engines.bulk.boxes import Box, boxes, short_boxes, whole
from mdview.interop.files.block_copies import Array, BlockCopy
from mdview.interop.files.box_copies import read_box
from mdview.interop.files.moving import LONGEST
from mdview.interop.files.places import Place
from mdview.mappings.mapping import Mapping


def checksum(place: Place, memory: int, done: Callable[[int], None]) -> str:
    """Return the checksum of all elements, which takes about ``memory`` bytes meanwhile."""
    digest, mapping = sha256(usedforsecurity=False), place.mapping
    if 0 in mapping.extents or not place.size:
        return digest.hexdigest()
    blocks = BlockCopy(place, place, memory // 2)
    row = np.empty(min(mapping.size, max(1, memory // 2 // place.size)), blocks.dtype)
    for box in boxes(whole(mapping.extents), len(row)):
        _read(blocks, place, box, row, memory)
        digest.update(row[: box.size].view("u1").data)
        done(box.size)
    return digest.hexdigest()


def _read(blocks: BlockCopy, place: Place, box: Box, row: Array, memory: int) -> None:
    """Read a box, which is a run of indices in index order, into a row."""
    rows = Mapping(place.mapping.extents)
    before = rows(*box.first)
    for part in short_boxes(box, LONGEST):
        found = common_blocks(((rows, -before), (place.mapping, 0)), part)
        if found is None:
            array = row[: box.size].reshape(box.counts)[part.seen_from(box.first).slices]
            read_box(place, part, array, memory)
            continue
        for block in found:
            blocks.read(block, row)
