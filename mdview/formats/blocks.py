"""Functions for the tables of formats: counts of blocks, numbers of choices, strides in C order, texts of arguments."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mdview.errors import ExtentsError, LayoutError


def blocks(extent: int, block: int, what: str) -> int:
    """Return the number of blocks in an extent; ``what`` names the extent in the error.

    Raises
    ------
    ExtentsError
        The extent is no multiple of ``block``.
    """
    if extent % block:
        raise ExtentsError(
            f"{what} come in blocks of {block}, got {extent}; the next multiple is {up(extent, block) * block}"
        )
    return extent // block


def up(extent: int, block: int) -> int:
    """Return the number of blocks in an extent; a partial last block counts."""
    return -(-extent // block)


def place(value: object, choices: Sequence[object], what: str) -> int:
    """Return the position of a value in a list of choices; ``what`` names the value in the error.

    Raises
    ------
    LayoutError
        The value is not in the list.
    """
    if value not in choices:
        raise LayoutError(f"{what} is one of {', '.join(map(repr, choices))}, got {value!r}")
    return choices.index(value)


def steps(extents: Sequence[int], step: int = 1) -> tuple[int, ...]:
    """Return the strides of an array in C order whose elements are ``step`` items apart.

    >>> steps((2, 3, 4), 5)
    (60, 20, 5)
    """
    return tuple([step * prod(extents[r + 1 :]) for r in range(len(extents))])


def listed(numbers: Sequence[int]) -> str:
    """Return numbers as the text of arguments: ``2, 3``."""
    return ", ".join(map(str, numbers))


def cut(extents: Sequence[int]) -> str:
    """Return the text of slices that keep the first ``extent`` indices of each dimension.

    >>> cut((5, 7))
    ':5, :7'
    """
    return ", ".join([f":{extent}" for extent in extents])
