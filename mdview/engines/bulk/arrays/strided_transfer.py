"""Strided transfers: copies of blocks by the loops that the cost model has chosen, in one or several threads."""

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

from mdview.engines.bulk.arrays.cost_model import Move, Pass
from mdview.engines.bulk.arrays.item_arrays import WORDS
from mdview.engines.bulk.arrays.loop_costs import CACHE, LINE
from mdview.engines.bulk.arrays.plan_positions import MOST_LOOKED_UP
from mdview.engines.bulk.arrays.strided_blocks import IndexBox, aligned_counts, boxes
from mdview.engines.bulk.progress import nothing

Array = NDArray[Any]  # Any: items of any format, the same on both sides
Task: TypeAlias = Callable[[], int]
"""A function that copies a part of the elements, and returns the number of elements in the part."""

STEP: Final = 32 * MOST_LOOKED_UP
"""The largest number of elements between two reports of progress."""


def transfer(
    moves: Sequence[Move], target: Array, source: Array, done: Callable[[int], None], threads: int = 1
) -> None:
    """Copy blocks from one array of rank 1 to another one; the arrays do not share memory."""
    threads = threads if threads == 1 else threads_for(threads, target.nbytes)
    if threads == 1 and done is nothing:
        for move in moves:
            _copy(move, target, source)
        return
    total = sum([_size_of(move) for move in moves]) // target.itemsize
    limit = STEP if threads == 1 else -(-total // threads)
    in_threads((task for move in moves for task in _tasks(move, target, source, limit)), done, threads)


def threads_for(threads: int, nbytes: int) -> int:
    """Return the number of threads: at most ``threads``, one per processor, and one per ``LINE * CACHE`` bytes."""
    return threads if threads == 1 else max(1, min(threads, os.cpu_count() or 1, nbytes // (LINE * CACHE)))


def in_threads(tasks: Iterable[Task], done: Callable[[int], None], threads: int) -> None:
    """Run tasks, one after the other or in several threads; report the elements of each to ``done``."""
    if threads == 1:
        for task in tasks:
            done(task())
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - for several threads only

    with ThreadPoolExecutor(threads) as pool:
        for count in pool.map(lambda task: task(), tasks):
            done(count)


def _size_of(move: Move) -> int:
    """Return the number of bytes that a copy of a block moves."""
    passed = move.nest.passes[-1]
    return prod([move.nest.shape[r] for r in passed.order]) * passed.size


def _tasks(move: Move, target: Array, source: Array, limit: int) -> Iterator[Task]:
    """Cut the copy of a block into tasks of whole boxes, with about ``limit`` elements each."""
    nest, whole = move.nest, prod(move.nest.shape)
    factor = _size_of(move) // max(1, whole) / target.itemsize
    kept = set.intersection(*[set(passed.order) for passed in nest.passes])
    unit = [n if r not in kept or nest.counts != nest.shape else 1 for r, n in enumerate(nest.counts)]
    grid = tuple([-(-n // count) for n, count in zip(nest.shape, unit, strict=True)])
    counts = aligned_counts(grid, max(1, int(limit / (prod(unit) * factor))))

    def carried_out(box: IndexBox) -> int:
        starts = [start + sum(map(mul, box.first, own)) for start, own in zip(move.starts, nest.steps, strict=True)]
        part = Move(tuple(starts), nest.of(box))
        _copy(part, target, source)
        return _size_of(part) // target.itemsize

    for box in boxes(nest.shape, tuple(map(mul, counts, unit))):
        yield partial(carried_out, box)


def _copy(move: Move, target: Array, source: Array) -> None:
    """Copy a block box by box, directly or through a buffer."""
    nest, (at, start) = move.nest, move.starts
    shape, steps, counts, buffer, passes, _ = nest
    sides: list[tuple[Array, int, tuple[int, ...], tuple[int, ...]]] = [
        (source, start, steps[1], shape),
        (target, at, steps[0], shape),
    ]
    if buffer is not None:
        held = sum([(n - 1) * step for n, step in zip(counts, buffer, strict=True)]) + passes[-1].size
        sides.insert(1, (np.empty(held, "u1"), 0, buffer, counts))
    kinds = [source.dtype if it.size == source.itemsize else WORDS.get(it.size) or f"V{it.size}" for it in passes]
    pairs = [
        (_over(out, passed, kind), _over(into, passed, kind), passed.looped)
        for out, into, passed, kind in zip(sides, sides[1:], passes, kinds, strict=False)
    ]
    if counts == shape:
        for out, into, looped in pairs:
            _copy_box(out, into, looped)
        return
    for first in product(*map(range, (0,) * len(shape), shape, counts)):
        box = [slice(begin, min(begin + n, end)) for begin, n, end in zip(first, counts, shape, strict=True)]
        panel = box if buffer is None else [slice(0, along.stop - along.start) for along in box]
        keys = box, panel, box
        for k, (out, into, looped) in enumerate(pairs):
            order = passes[k].order
            of, to = keys[k], keys[k + 1]
            _copy_box(out[tuple([of[r] for r in order])], into[tuple([to[r] for r in order])], looped)


def _over(side: tuple[Array, int, tuple[int, ...], tuple[int, ...]], passed: Pass, kind: Any) -> Array:
    """Return an array over the items of one operand, with axes in the order of a pass; NumPy checks its bounds."""
    row, start, steps, shape = side
    return np.ndarray([shape[r] for r in passed.order], kind, row, start, [steps[r] for r in passed.order])


def _copy_box(source: Array, target: Array, looped: int) -> None:
    """Copy a box; Python loops over its last ``looped`` axes."""
    if not looped:
        np.copyto(target, source)
        return
    for index in product(*map(range, target.shape[target.ndim - looped :])):
        key: Any = (..., *index)
        np.copyto(target[key], source[key])
