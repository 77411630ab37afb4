"""Dense strides in C order (last index fastest) and Fortran order, and the digits of a 1-D index (unraveling)."""

from __future__ import annotations

from collections.abc import Sequence


def right_strides(extents: Sequence[int], innermost: int = 1) -> tuple[int, ...]:
    """Strides of C order, last index fastest: each is the next one times the next extent."""
    strides = [innermost] * len(extents)
    for r in range(len(extents) - 2, -1, -1):
        strides[r] = strides[r + 1] * extents[r + 1]
    return tuple(strides)


def digits(number: int, extents: Sequence[int]) -> tuple[int, ...]:
    """Digits of ``number`` in the mixed radix of ``extents``, slowest first; that of an extent of 0 is 0.

    The first digit takes what the others leave. It may be any kind of number that has ``%`` and ``//``.

    >>> digits(17, (2, 5, 4)), digits(6, (2, 3)), digits(1, (0, 0))
    ((0, 4, 1), (2, 0), (1, 0))
    """
    found: list[int] = []
    for e in extents[:0:-1]:
        found.append(number % e if e else 0)
        number = number // e if e else number
    return (*([number] if extents else []), *found[::-1])


def left_strides(extents: Sequence[int], innermost: int = 1) -> tuple[int, ...]:
    """Strides of Fortran order, first index fastest: each is the one before times the extent before."""
    return right_strides(extents[::-1], innermost)[::-1]


def weights_of(extents: Sequence[int], order: str) -> tuple[int, ...]:
    """Return what each index counts in the 1-D index: strides of Fortran order for "F", of C order for "C"."""
    return left_strides(extents) if order == "F" else right_strides(extents)
