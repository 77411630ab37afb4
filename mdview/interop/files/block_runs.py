"""The runs of a file that hold a strided block: where they are, and where its elements lie once the runs are in memory.

A run goes from one element to another and may have elements of others between its own: reading over a small gap costs
less than another call of the system. In a buffer runs lie one behind the other, a few bytes apart, so that elements at
the same place of each do not meet in a few sets of a cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Final, final

from mdview.base.values import value

GAP: Final = 4096
"""How many bytes between two elements are read rather than skipped: what a call of the system costs."""
APART: Final = 64
"""Bytes between runs in the buffer, those of a cache line."""
LONG: Final = 512
"""Bytes from which a run has others apart from it; shorter ones would grow much by it."""


@final
@value
class Runs:
    """The runs of one strided block; all counts are of elements.

    Attributes
    ----------
    low
        The lowest offset, counted from the block's first element: less than 0 where strides are negative.
    length
        How long each run is.
    is_dense
        Whether every element of a run is one of the block.
    outer
        How many runs there are along each dimension that has runs of its own, and how far apart they begin.
    pitch
        How far apart runs begin in the buffer.
    first
        Where the block's first element lies in the buffer.
    strides
        Strides of the block in the buffer.
    """

    low: int
    length: int
    is_dense: bool
    outer: tuple[tuple[int, int], ...]
    pitch: int
    first: int
    strides: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many elements the buffer has."""
        return prod([count for count, _ in self.outer]) * self.pitch

    def begins(self) -> Iterator[int]:
        """Where each run begins in the file, counted from the block's first element."""
        steps = [step for _, step in self.outer]
        for index in product(*[range(count) for count, _ in self.outer]):
            yield self.low + sum([i * step for i, step in zip(index, steps, strict=True)])


def runs_of(shape: Sequence[int], strides: Sequence[int], size: int) -> Runs:
    """Return the runs of a block of this shape whose elements have ``size`` bytes.

    >>> runs = runs_of((2, 3, 4), (10_000, 4, 1), 8)
    >>> runs.length, runs.is_dense, list(runs.begins()), runs.strides
    (12, True, [0, 10000], (12, 4, 1))
    """
    length, inside, steps = 1, 1, [abs(step) for step in strides]
    order = sorted(range(len(shape)), key=steps.__getitem__)
    joined = 0
    for r in order:
        if (steps[r] - length) * size > GAP:
            break
        length += (shape[r] - 1) * steps[r]
        inside *= shape[r] if steps[r] else 1
        joined += 1
    near, far = order[:joined], order[: joined - 1 : -1] if joined else order[::-1]
    pitch = length + (-(-APART // size) if far and length * size >= LONG else 0)
    apart, placed = pitch, {r: steps[r] for r in near}
    for r in reversed(far):
        placed[r] = apart
        apart *= shape[r]
    turned = [r for r, step in enumerate(strides) if step < 0]
    return Runs(
        low=sum([(shape[r] - 1) * strides[r] for r in turned]),
        length=length,
        is_dense=inside == length,
        outer=tuple([(shape[r], steps[r]) for r in far]),
        pitch=pitch,
        first=sum([(shape[r] - 1) * placed[r] for r in turned]),
        strides=tuple([-placed[r] if r in turned else placed[r] for r in range(len(shape))]),
    )


def run_length(shape: Sequence[int], strides: Sequence[int]) -> int:
    """Return how many elements lie one behind the other.

    >>> run_length((2, 3, 4), (10_000, 4, 1)), run_length((2, 3, 4), (10_000, 5, 1))
    (12, 4)
    """
    length = 1
    for step, count in sorted(zip(map(abs, strides), shape, strict=True)):
        if step > length:
            break
        length = max(length, step * count)
    return length


def part_shape(
    shape: Sequence[int], sides: Sequence[tuple[Sequence[int], int]], *, long: int, most: int
) -> tuple[int, ...]:
    """Return the shape of parts in which a block is copied, so that both sides have long runs and small buffers.

    A part grows along the dimension that makes the shorter run longer, until runs have ``long`` bytes, or the buffer of
    a side has ``most``. ``sides`` have strides and bytes of an element.

    >>> sides = [((1000, 1), 8), ((1, 1000), 8)]
    >>> part_shape((1000, 1000), sides, long=1 << 30, most=1 << 20)
    (256, 256)
    """
    part = [1] * len(shape)
    while True:
        grown = _grown(part, shape, sides, long, most)
        if grown is None:
            return tuple(part)
        part = grown


def _grown(
    part: list[int], shape: Sequence[int], sides: Sequence[tuple[Sequence[int], int]], long: int, most: int
) -> list[int] | None:
    """Return a part twice as long along one dimension, None where it is large enough or may not grow."""
    by_run = sorted(sides, key=lambda side: run_length(part, side[0]) * side[1])
    for strides, size in by_run:
        if run_length(part, strides) * size >= long:
            continue
        for r in sorted(range(len(part)), key=lambda r: abs(strides[r])):
            if part[r] == shape[r]:
                continue
            larger = [*part[:r], min(2 * part[r], shape[r]), *part[r + 1 :]]
            if all(runs_of(larger, steps, item).size * item <= most for steps, item in sides):
                return larger
            break
    return None
