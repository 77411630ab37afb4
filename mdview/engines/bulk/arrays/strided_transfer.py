"""Strided transfers: copies of blocks by the loops that the cost model chose, in one thread or several."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from math import prod
from operator import mul
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mdview.engines.bulk.arrays.cost_model import CACHE, LINE, BlockLoops, Move, buffer_steps
from mdview.engines.bulk.arrays.item_arrays import WORDS
from mdview.engines.bulk.arrays.strided_blocks import aligned_boxes
from mdview.engines.bulk.progress import nothing

Array = NDArray[Any]  # Any: items of any format, the same on both sides
Task: TypeAlias = Callable[[], int]
"""A copy of a part, which returns the number of its elements."""

STEP: Final = 1 << 25
"""The number of elements copied between two reports of progress."""
PARTS_OF_A_THREAD: Final = 4
"""The number of parts of a copy for each thread, so that the other threads take over from a delayed one."""


def transfer(
    moves: Sequence[Move], target: Array, source: Array, done: Callable[[int], None], threads: int = 1
) -> None:
    """Copy blocks from a row of items to another one, without shared memory."""
    threads = threads if threads == 1 else threads_for(threads, target.nbytes)
    if threads == 1 and done is nothing:
        for move in moves:
            _copy(_over(source, move, 1), _over(target, move, 0), move.nest)
        return
    total = sum([prod(move.shape) * move.size for move in moves]) // target.itemsize
    limit = STEP if threads == 1 else max(1, total // (PARTS_OF_A_THREAD * threads))
    in_threads((task for move in moves for task in _tasks(move, target, source, limit)), done, threads)


def threads_for(threads: int, nbytes: int) -> int:
    """Return the number of threads that pay: each has some boxes, and a processor."""
    return threads if threads == 1 else max(1, min(threads, os.cpu_count() or 1, nbytes // (LINE * CACHE)))


def in_threads(tasks: Iterable[Task], done: Callable[[int], None], threads: int) -> None:
    """Carry out tasks, one after the other or several at a time."""
    if threads == 1:
        for task in tasks:
            done(task())
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - for several threads only

    with ThreadPoolExecutor(threads) as pool:
        for count in pool.map(lambda task: task(), tasks):
            done(count)


def _tasks(move: Move, target: Array, source: Array, limit: int) -> Iterator[Task]:
    """Cut a copy into tasks, each of whole boxes and of about ``limit`` elements."""
    into, out, nest = _over(target, move, 0), _over(source, move, 1), move.nest
    factor = move.size // target.itemsize
    unit = nest.counts if nest.counts != move.shape else (1,) * into.ndim
    grid = tuple([-(-n // count) for n, count in zip(move.shape, unit, strict=True)])

    def carried_out(key: Any) -> int:  # Any: an index of an array
        part = into[key]
        _copy(out[key], part, nest)
        return int(part.size) * factor

    for box in aligned_boxes(grid, max(1, limit // (prod(unit) * factor))):
        each = zip(box.first, box.counts, unit, strict=True)
        yield partial(carried_out, (..., *[slice(first * n, (first + many) * n) for first, many, n in each]))


def _over(row: Array, move: Move, k: int) -> Array:
    """Array of a side over its items; NumPy checks that it stays within these."""
    kind = row.dtype if move.size == row.itemsize else WORDS.get(move.size) or f"V{move.size}"
    return np.ndarray(move.shape, kind, row, move.starts[k], move.steps[k])


def _copy(source: Array, target: Array, nest: BlockLoops) -> None:
    """Copy arrays of one shape box by box."""
    counts = nest.counts
    if counts == target.shape:
        if nest.looped:
            _copy_box(source, target, nest)
        else:
            np.copyto(target, source)
        return
    buffer = _buffer(source, counts) if nest.is_staged else None
    for first in product(*[range(0, n, count) for n, count in zip(target.shape, counts, strict=True)]):
        key = tuple([slice(begin, begin + count) for begin, count in zip(first, counts, strict=True)])
        if buffer is None:
            _copy_box(source[key], target[key], nest)
            continue
        columns = source[key]
        panel = buffer[tuple(map(slice, columns.shape))]
        np.copyto(panel, columns)
        np.copyto(target[key], panel)


def _copy_box(source: Array, target: Array, nest: BlockLoops) -> None:
    """Copy a box, with the loops over its last ``looped`` axes in Python."""
    if not nest.looped:
        np.copyto(target, source)
        return
    for index in product(*map(range, target.shape[target.ndim - nest.looped :])):
        key: Any = (..., *index)
        np.copyto(target[key], source[key])


def _buffer(source: Array, counts: tuple[int, ...]) -> Array:
    """Allocate memory for a box in the order of a source."""
    steps = buffer_steps(counts, source.strides, source.itemsize)
    held = np.empty(max(map(mul, counts, steps)), "u1")
    return np.ndarray(counts, source.dtype, held, 0, steps)
