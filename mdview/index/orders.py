"""Orders of an index space: the strides of C order, last index fastest, and of Fortran order, first index fastest."""

from __future__ import annotations

from collections.abc import Sequence


def right_strides(extents: Sequence[int], innermost: int = 1) -> tuple[int, ...]:
    """Strides of C order, last index fastest: each is the next one times the next extent."""
    strides = [innermost] * len(extents)
    for r in range(len(extents) - 2, -1, -1):
        strides[r] = strides[r + 1] * extents[r + 1]
    return tuple(strides)


def left_strides(extents: Sequence[int], innermost: int = 1) -> tuple[int, ...]:
    """Strides of Fortran order, first index fastest: each is the one before times the extent before."""
    return right_strides(extents[::-1], innermost)[::-1]
