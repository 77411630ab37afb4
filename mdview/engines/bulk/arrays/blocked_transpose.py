"""Blocked copies: strided blocks in an order that suits the caches.

NumPy copies in the order of the target. That is right but in two cases. Short runs that both sides have in common are
copied as items of the run's size, one instruction stream for each instead of one loop. A transposition reads with a
large stride, and where that is a power of two all of it meets in a few cache sets; so a panel of source rows goes into
a small buffer whose rows are a few items longer, and the panel's columns are written from there. Several threads take
parts of a large copy in turn.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mdview.engines.bulk.arrays.strided_blocks import StridedBlock, split_block

PANEL_ROWS: Final = 128
PANEL_LENGTH: Final = 8192
PANEL_PADDING: Final = 8
"""Shape of the buffer of a transposition: 8 MB of 64-bit numbers at most."""
LONGEST_RUN: Final = 4096
"""Bytes of a common run up to which it is copied as one item; a loop over a longer one costs nothing."""
TRANSPOSED_FROM: Final = 1 << 15
"""Elements from which a plane is transposed by panels; smaller ones stay in the caches."""
WIDEST_ITEM: Final = 32
"""Bytes of an item up to which panels pay; wider ones are runs that caches like as they are."""
STEP: Final = 1 << 25
"""How many elements are copied between two reports of progress."""
THREADED_FROM: Final = 1 << 25
"""Bytes from which it pays to start threads; that takes as long as copying some millions."""
PARTS_OF_A_THREAD: Final = 4
"""How many parts each thread has of a copy, so that one that is held up leaves some to the others."""

Array = NDArray[Any]  # Any: of whatever format the items are; both sides have the same


def copy_blocks(
    source: Array, target: Array, blocks: list[StridedBlock], done: Callable[[int], None], threads: int = 1
) -> None:
    """Copy blocks from row ``source``, the second array of each, to row ``target``, the first; no memory is shared."""
    size, count = target.itemsize, sum([block.size for block in blocks])
    # More threads than processors, or than parts that pay, only wait for each other.
    if threads > 1:
        threads = min(threads, os.cpu_count() or 1, 1 + 4 * count * size // THREADED_FROM)
    threads = threads if count * size >= THREADED_FROM else 1

    def copied(part: StridedBlock) -> int:
        copy_array(part.of(1, source), part.of(0, target))
        return part.size

    limit = STEP if threads == 1 else max(1, min(STEP, count // (PARTS_OF_A_THREAD * threads)))
    work = chain.from_iterable([split_block(block, limit) for block in blocks])
    if threads == 1:
        for each in map(copied, work):
            done(each)
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - for several threads only

    with ThreadPoolExecutor(threads) as pool:
        for each in pool.map(copied, work):
            done(each)


def copy_array(source: Array, target: Array) -> None:
    """Copy between arrays of one shape and type; the target's strides are positive and fall from left to right."""
    source, target = _joined(source, target)
    fast = _fastest(source)
    last = target.ndim - 1
    if fast == last or target.itemsize > WIDEST_ITEM or target.shape[last] * target.shape[fast] < TRANSPOSED_FROM:
        np.copyto(target, source)
        return
    # The two fast dimensions come last, the target's own at the very end.
    planes, into = np.moveaxis(source, fast, -2), np.moveaxis(target, fast, -2)
    buffer = np.empty((PANEL_ROWS, min(into.shape[-2], PANEL_LENGTH) + PANEL_PADDING), target.dtype)
    for index in np.ndindex(*into.shape[:-2]):
        _transpose(planes[index], into[index], buffer)


def _transpose(source: Array, target: Array, buffer: Array) -> None:
    """Copy a plane whose rows are near in the target and whose columns are near in the source."""
    length, rows = target.shape
    for start in range(0, length, PANEL_LENGTH):
        for row in range(0, rows, PANEL_ROWS):
            part = np.s_[start : start + PANEL_LENGTH, row : row + PANEL_ROWS]
            columns = source[part]
            panel = buffer[: columns.shape[1], : columns.shape[0]]
            np.copyto(panel, columns.T)
            np.copyto(target[part], panel.T)


def _joined(source: Array, target: Array) -> tuple[Array, Array]:
    """Return the same arrays with a common run of items along the last dimension read as one item."""
    size = target.itemsize
    if target.ndim < 2 or target.strides[-1] != size or source.strides[-1] != size:  # noqa: PLR2004 - a run of many
        return source, target
    run = target.shape[-1] * size
    if run > LONGEST_RUN:
        return source, target
    return source.view(f"V{run}")[..., 0], target.view(f"V{run}")[..., 0]


def _fastest(array: Array) -> int:
    """Dimension of the smallest step; -1 for a single element."""
    return int(np.argmin(np.abs(array.strides))) if array.ndim else -1
