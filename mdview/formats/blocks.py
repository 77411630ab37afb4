"""Helpers of formats: number of blocks of an extent, one of several choices, steps in C order, numbers as text."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mdview.errors import ExtentsError, LayoutError


def blocks(extent: int, block: int, what: str) -> int:
    """Return how many whole blocks there are of ``extent`` things, which ``what`` names.

    Raises
    ------
    ExtentsError
        The last block is cut.
    """
    if extent % block:
        raise ExtentsError(
            f"{what} come in blocks of {block}, got {extent}; the next multiple is {up(extent, block) * block}"
        )
    return extent // block


def up(extent: int, block: int) -> int:
    """Return how many blocks an extent has, the last one perhaps cut."""
    return -(-extent // block)


def place(value: object, choices: Sequence[object], what: str) -> int:
    """Return the place of a value among those that it may be, which ``what`` names.

    Raises
    ------
    LayoutError
        It is none of them.
    """
    if value not in choices:
        raise LayoutError(f"{what} is one of {', '.join(map(repr, choices))}, got {value!r}")
    return choices.index(value)


def steps(extents: Sequence[int], step: int = 1) -> tuple[int, ...]:
    """Return the strides in C order of items that are ``step`` apart.

    >>> steps((2, 3, 4), 5)
    (60, 20, 5)
    """
    return tuple([step * prod(extents[r + 1 :]) for r in range(len(extents))])


def listed(numbers: Sequence[int]) -> str:
    """Return numbers as arguments."""
    return ", ".join(map(str, numbers))


def cut(extents: Sequence[int]) -> str:
    """Return slices that keep the first indices of each dimension, so many as an extent says.

    >>> cut((5, 7))
    ':5, :7'
    """
    return ", ".join([f":{extent}" for extent in extents])
