"""Merging: neighbouring dimensions that are one longer dimension to every operand become that dimension.

The walk stays the same and its inner loops get longer. A dimension merges into the faster one if in each operand its
stride is the length of the faster one times the stride there; this holds for dimensions in which an operand repeats.
Dimensions of extent 1 go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from mdview.base.values import value


@final
@value
class InStep:
    """Dimensions that several operands walk in step, slowest first: extents, and for each operand its strides.

    The extent at ``axis`` is to be multiplied by a count, which may differ from one walk to the next.
    """

    extents: tuple[int, ...]
    strides: tuple[tuple[int, ...], ...]
    axis: int

    def with_count(self, count: int) -> tuple[int, ...]:
        """Extents of the walk with that count."""
        before, after = self.extents[: self.axis], self.extents[self.axis + 1 :]
        return (*before, self.extents[self.axis] * count, *after)


def merged_in_step(extents: Sequence[int], strides: Sequence[Sequence[int]], axis: int | None = None) -> InStep:
    """Merge what all operands merge; nothing slower merges into ``axis``, whose length is not known and counts as 1.

    Without an axis all lengths are known, and a count of 1 makes the whole walk.

    >>> merged_in_step((2, 3, 4), [(12, 4, 1), (0, 0, 0)])
    InStep(extents=(24,), strides=((1,), (0,)), axis=0)
    >>> merged_in_step((2, 1, 4), [(40, 4, 1)], axis=1)
    InStep(extents=(2, 4), strides=((40, 1),), axis=1)
    """
    if 0 in extents:
        return InStep((0,), tuple([(0,) for _ in strides]), 0)
    kept: list[tuple[int, tuple[int, ...]]] = []
    place = None
    for r, extent in enumerate(extents):
        steps = tuple([int(operand[r]) for operand in strides])
        if r == axis:
            place = len(kept)
            kept.append((1, steps))
        elif kept and kept[-1][1] == tuple([extent * s for s in steps]):
            kept[-1] = (kept[-1][0] * extent, steps)
        elif extent != 1:
            kept.append((int(extent), steps))
    kept = kept or [(1, (0,) * len(strides))]
    columns = tuple([tuple([steps[k] for _, steps in kept]) for k in range(len(strides))])
    return InStep(tuple([e for e, _ in kept]), columns, len(kept) - 1 if place is None else place)
