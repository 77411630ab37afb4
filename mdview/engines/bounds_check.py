"""Bounds checks of positions; a position is the origin of a view plus an offset of its mapping.

Offsets come from the text of a layout, which may be anybody's, so each is proven to lie in the items or tested before
anything is read or written there. What is left to the items themselves is a position behind the last one, which they
refuse; a negative one they would count from the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import NoReturn

from mdview.base import as_text
from mdview.errors import IndexOutOfRangeError


def refuse_position(low: int, high: int, length: int) -> NoReturn:
    """Refuse positions that are not all in ``length`` items: those of a layout whose span or strides are wrong.

    Raises
    ------
    IndexOutOfRangeError
        Always.
    """
    raise IndexOutOfRangeError(
        f"the layout has positions from {as_text(low)} to {as_text(high)}, the data has {length} elements; the layout "
        f"contradicts itself, mdview certify shows where"
    )


def check(low: int, high: int, length: int) -> None:
    """Refuse positions from ``low`` to ``high`` that are not all in ``length`` items; see `refuse_position`."""
    if low < 0 or high >= length:
        refuse_position(low, high, length)


def checked_positions(positions: Iterable[int], length: int) -> Iterator[int]:
    """Iterate over positions; refuse the first that is not in ``length`` items."""
    for position in positions:
        if not 0 <= position < length:
            refuse_position(position, position, length)
        yield position


def located(position: int, items: Sized) -> int:
    """Return a position that lies in the items; see `refuse_position`."""
    check(position, position, len(items))
    return position


def natural(position: int) -> int:
    """Return a position that does not count from the end.

    Raises
    ------
    IndexError
        It is negative or no plain int; who catches that looks closer.
    """
    if type(position) is int and position >= 0:
        return position
    raise IndexError
