"""Strided blocks are copied from file to file, a part at a time, through a buffer for each side.

The parts have long runs in both files, so that the system is called seldom; between the buffers NumPy copies. Where a
run of the target has elements of other blocks between its own, they are read first and written back.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from mdview.engines.bulk.arrays.cache_order import copy_array
from mdview.engines.bulk.arrays.items import strided
from mdview.engines.bulk.arrays.strided_blocks import Block
from mdview.errors import WritingError
from mdview.interop.files.block_runs import Runs, part_shape, runs_of
from mdview.interop.files.places import Place

LONG: Final = 1 << 18
"""Bytes of a run for which a call of the system costs nothing."""
LETTERS: Final = {1: "u1", 2: "u2", 4: "u4", 8: "u8"}
"""Types of items by their size."""

Array = NDArray[Any]  # Any: items of some size
Done = Callable[[int], None]


def type_of(place: Place) -> np.dtype[Any]:
    """Return a type of the size of the elements; their bytes are copied, whatever they mean."""
    return np.dtype(LETTERS.get(place.size, f"V{place.size}"))


@final
class BlockCopy:
    """Copies of strided blocks from one file to another, with buffers of at most ``memory`` bytes together."""

    def __init__(self, source: Place, target: Place, memory: int) -> None:
        self._source, self._target = source, target
        self.dtype: np.dtype[Any] = type_of(source)
        self._most = max(memory // 2, source.size)
        self._buffers = [np.empty(0, self.dtype), np.empty(0, self.dtype)]

    def copy(self, block: Block, done: Done) -> None:
        """Copy a block whose first strides are those of the target, whose second ones those of the source."""
        sides = [(strides, self._target.size) for strides in block.strides]
        shape = part_shape(block.shape, sides, long=LONG, most=self._most)
        for part in parts(block, shape):
            self._copy_part(part)
            done(part.size)

    def read(self, block: Block, row: Array) -> None:
        """Copy a block of the source, whose second strides are those of the file, into a row in memory."""
        sides = [(strides, self._source.size) for strides in block.strides]
        for part in parts(block, part_shape(block.shape, sides, long=LONG, most=self._most)):
            self._read_part(part, part.of(0, row))

    def write(self, block: Block, row: Array) -> None:
        """Copy a row in memory to a block of the target, whose first strides are those of the file."""
        sides = [(strides, self._target.size) for strides in block.strides]
        for part in parts(block, part_shape(block.shape, sides, long=LONG, most=self._most)):
            runs, buffer, array = self._opened(part)
            copy_array(part.of(1, row), array)
            _write(self._target, part.starts[0], runs, buffer)

    def _copy_part(self, part: Block) -> None:
        runs, buffer, array = self._opened(part)
        self._read_part(part, array)
        _write(self._target, part.starts[0], runs, buffer)

    def _opened(self, part: Block) -> tuple[Runs, Array, Array]:
        """Return the runs of a part in the target, a buffer for them, and the part in it."""
        runs = runs_of(part.shape, part.strides[0], self._target.size)
        buffer = self._buffer(0, runs)
        if not runs.is_dense:
            _read(self._target, part.starts[0], runs, buffer)
        return runs, buffer, strided(buffer, part.shape, runs.first, runs.strides)

    def _read_part(self, part: Block, array: Array) -> None:
        runs = runs_of(part.shape, part.strides[1], self._source.size)
        buffer = self._buffer(1, runs)
        _read(self._source, part.starts[1], runs, buffer)
        copy_array(strided(buffer, part.shape, runs.first, runs.strides), array)

    def _buffer(self, k: int, runs: Runs) -> Array:
        """Return the buffer of a side, with room for these runs."""
        if len(self._buffers[k]) < runs.size:
            self._buffers[k] = np.empty(0, self.dtype)  # the old one goes before the new one comes
            self._buffers[k] = np.empty(runs.size, self.dtype)
        return self._buffers[k]


def parts(block: Block, shape: Sequence[int]) -> Iterator[Block]:
    """Cut a block into parts of at most this shape, in an order in which the target grows.

    >>> [part.starts for part in parts(Block((2, 5), (0, 0), ((5, 1), (1, 2))), (2, 3))]
    [(0, 0), (3, 6)]
    """
    counts = [-(-n // m) for n, m in zip(block.shape, shape, strict=True)]
    for index in np.ndindex(*counts):
        first = [i * m for i, m in zip(index, shape, strict=True)]
        starts = [
            start + sum([i * step for i, step in zip(first, steps, strict=True)])
            for start, steps in zip(block.starts, block.strides, strict=True)
        ]
        cut = [min(m, n - i) for m, n, i in zip(shape, block.shape, first, strict=True)]
        yield Block(tuple(cut), tuple(starts), block.strides)


def _read(place: Place, start: int, runs: Runs, buffer: Array) -> None:
    """Read runs into a buffer."""
    memory = buffer.view("u1").data
    length = runs.length * place.size
    for k, begin in enumerate(runs.begins()):
        at, position = k * runs.pitch * place.size, place.begin + (start + begin) * place.size
        rest = memory[at : at + length]
        while rest:
            count = os.preadv(place.descriptor, [rest], position)
            if not count:
                message = "a file is shorter than it was; another process has changed it, so nothing is replaced"
                raise WritingError(message)
            rest, position = rest[count:], position + count


def _write(place: Place, start: int, runs: Runs, buffer: Array) -> None:
    """Write runs from a buffer."""
    memory = buffer.view("u1").data
    length = runs.length * place.size
    for k, begin in enumerate(runs.begins()):
        at, position = k * runs.pitch * place.size, place.begin + (start + begin) * place.size
        rest = memory[at : at + length]
        while rest:
            count = os.pwrite(place.descriptor, rest, position)
            rest, position = rest[count:], position + count
