"""Dense strides in C order (last index fastest) and Fortran order, equality, and digits of a 1-D index (unraveling)."""

from __future__ import annotations

from collections.abc import Sequence


def right_strides(extents: Sequence[int], innermost: int = 1) -> tuple[int, ...]:
    """Return the strides of C order (last index fastest): each stride is the next stride times the next extent."""
    strides = [innermost] * len(extents)
    for r in range(len(extents) - 2, -1, -1):
        strides[r] = strides[r + 1] * extents[r + 1]
    return tuple(strides)


def digits(number: int, extents: Sequence[int]) -> tuple[int, ...]:
    """Return the digits of ``number`` in the mixed radix of ``extents``, slowest first; a digit of extent 0 is 0.

    The first digit is the remaining quotient, without a bound. ``number`` may be of any type with ``%`` and ``//``.

    >>> digits(17, (2, 5, 4)), digits(6, (2, 3)), digits(1, (0, 0))
    ((0, 4, 1), (2, 0), (1, 0))
    """
    lower: list[int] = []
    for e in extents[:0:-1]:
        lower.append(number % e if e else 0)
        number = number // e if e else number
    return (*([number] if extents else []), *lower[::-1])


def left_strides(extents: Sequence[int], innermost: int = 1) -> tuple[int, ...]:
    """Return the strides of Fortran order (first index fastest), each the previous stride times the previous extent."""
    return right_strides(extents[::-1], innermost)[::-1]


def weights_of(extents: Sequence[int], order: str) -> tuple[int, ...]:
    """Return the weight of each index in the 1-D index: strides of Fortran order for "F", of C order for "C"."""
    return left_strides(extents) if order == "F" else right_strides(extents)


def agree(extents: Sequence[int], strides: Sequence[int], own: Sequence[int]) -> bool:
    """Tell whether two tuples of strides are equal in all dimensions of an extent other than 1."""
    if strides == own:
        return True
    for e, s, t in zip(extents, strides, own, strict=True):  # noqa: SIM110 - a generator takes longer
        if s != t and e != 1:
            return False
    return True
