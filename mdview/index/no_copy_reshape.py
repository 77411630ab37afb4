"""Reshape without a copy: strides of the new shape, or the dimension that prevents them; the extent -1.

A no-copy reshape reads the same elements in the same order with other extents. From the fastest dimension on, each new
dimension takes its part of a *run* of old dimensions. In a run, the stride of each dimension is the stride of the next
dimension times its extent. A run ends where the product of its old extents equals the product of new extents, so it
takes no more old dimensions than the new ones need. This is NumPy's rule, and it is complete: if neighbours in a run
break the rule, the distance of consecutive elements changes within a new dimension, which then has no stride.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from mdview.base import as_text
from mdview.errors import IndexOutOfRangeError, ShapeError
from mdview.index.dense_strides import digits, right_strides
from mdview.index.extents import is_empty, shape_text, size_of

Obstacle: TypeAlias = tuple[int, int, int]
"""A dimension that prevents a reshape without a copy, its stride, and the stride that it would need."""


def no_copy_strides(extents: Sequence[int], strides: Sequence[int], shape: Sequence[int]) -> tuple[int, ...] | None:
    """Return the strides over ``shape`` that give the same offsets in C order; None if no strides do.

    Strides of old dimensions of extent 1 are ignored. A new dimension of extent 1 gets the stride that continues its
    run, so dense strides stay dense. For an empty index space the result is the dense strides.

    Raises
    ------
    ShapeError
        The sizes differ.

    Examples
    --------
    >>> no_copy_strides((3, 4), (8, 2), (2, 6))
    (12, 2)
    >>> no_copy_strides((3, 4), (8, 1), (2, 6)) is None
    True
    """
    steps, obstacle = strides_or_obstacle(extents, strides, shape)
    return steps if obstacle is None else None


def strides_or_obstacle(
    extents: Sequence[int], strides: Sequence[int], shape: Sequence[int]
) -> tuple[tuple[int, ...], Obstacle | None]:
    """Return the strides of `no_copy_strides` and None, or an empty tuple and the dimension that prevents strides.

    >>> strides_or_obstacle((3, 4), (8, 1), (12,))
    ((), (0, 8, 4))

    Raises
    ------
    ShapeError
        The sizes differ.
    """
    check_sizes(extents, shape)
    if is_empty(extents):
        return right_strides(shape), None
    old = [r for r, e in enumerate(extents) if e != 1]
    steps: list[int] = []
    left, step = 1, 1  # of the current run: elements left, and stride of the next new dimension
    for n in reversed(shape):
        while left % n:
            r = old.pop()
            if left == 1:
                step = strides[r]
            elif strides[r] != left * step:
                return (), (r, strides[r], left * step)
            left *= extents[r]
        steps.append(step)
        left, step = left // n, step * n
    return tuple(reversed(steps)), None


def infer_shape(extents: Sequence[int], shape: Sequence[int]) -> tuple[int, ...]:
    """Return ``shape`` with an entry of -1 replaced by the extent for which the size is that of ``extents``.

    >>> infer_shape((3, 4), (2, -1))
    (2, 6)

    Raises
    ------
    ShapeError
        More than one entry is -1, an entry is another negative number, or no extent fits.
    """
    unknown = [r for r, e in enumerate(shape) if e == -1]
    if len(unknown) > 1:
        raise ShapeError(
            f"only one extent can be inferred: -1 in dimensions {tuple(unknown)} of {as_text(tuple(shape))}"
        )
    for r, e in enumerate(shape):
        if e < -1:
            raise ShapeError(
                f"extents are at least 0, or -1 for one to be inferred: extent {as_text(e)} of dimension {r}"
            )
    if not unknown:
        check_sizes(extents, shape)
        return tuple(shape)
    size, r = size_of(extents), unknown[0]
    rest = size_of([e for e in shape if e != -1])
    if rest == 0 or size % rest:
        why = "a product of 0 leaves it open" if rest == 0 else f"{size} is no multiple of {as_text(rest)}"
        raise ShapeError(
            f"the extent of dimension {r} of {as_text(tuple(shape))} cannot be inferred for {size} elements: {why}"
        )
    return (*shape[:r], size // rest, *shape[r + 1 :])


def unravel(position: int, extents: Sequence[int]) -> tuple[int, ...]:
    """Return the index at ``position`` in C order within ``extents``: its mixed-radix digits.

    Position 0 of an empty index space is (0, ..., 0).

    >>> unravel(12, (2, 3, 4))
    (1, 0, 0)

    Raises
    ------
    IndexOutOfRangeError
        ``position`` is negative, or not below the number of indices.
    """
    size = size_of(extents)
    if not 0 <= position < max(size, 1):
        raise IndexOutOfRangeError(
            f"position {as_text(position)} is out of range for {size} elements of extents {shape_text(extents)}"
        )
    return digits(position, extents)


def check_sizes(extents: Sequence[int], shape: Sequence[int]) -> None:
    """Check that extents and a shape have the same number of elements; raise `ShapeError` if not."""
    if size_of(extents) != size_of(shape):
        raise ShapeError(
            f"a shape is reshaped into one of equal size: {shape_text(extents)} has {size_of(extents)} elements, "
            f"{shape_text(shape)} has {as_text(size_of(shape))}"
        )
