"""A no-copy reshape reads the same elements, in the same order, under another shape.

Two shapes of equal size fall apart into the smallest *groups* of neighbouring dimensions with equal products. A group
is reshaped without a copy exactly if its old dimensions are one run: each stride is the next one times the next extent.
This is NumPy's rule, and it is complete: where two neighbours of a group do not run together, the distance of
consecutive elements changes at a place where the new dimensions have no boundary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from mdview.base import as_text
from mdview.errors import IndexOutOfRangeError, ShapeError
from mdview.index.dense_strides import digits, right_strides
from mdview.index.extents import is_empty, shape_text, size_of

Obstacle: TypeAlias = tuple[int, int, int]
"""A dimension that blocks a reshape without a copy, its stride, and the stride that it would need."""


def no_copy_strides(extents: Sequence[int], strides: Sequence[int], shape: Sequence[int]) -> tuple[int, ...] | None:
    """Strides over ``shape`` that reach the same offsets in the same C order, or None where no strides do.

    Strides of old dimensions of extent 1 do not count. Those of new ones continue the run that they stand in, so that
    dense strides stay exactly the dense ones. Over an empty index space any strides are right; they are the dense ones.

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
    check_sizes(extents, shape)
    if is_empty(extents):
        return right_strides(shape, 1)
    if no_copy_obstacle(extents, strides, shape) is not None:
        return None
    found: list[int] = []
    for old, new in reversed(list(groups(extents, shape))):
        stride = strides[old[-1]] if old else 1  # only the group at the end has no old dimensions
        found.extend(reversed(right_strides(shape[new.start : new.stop], stride)))
    return tuple(reversed(found))


def no_copy_obstacle(extents: Sequence[int], strides: Sequence[int], shape: Sequence[int]) -> Obstacle | None:
    """First dimension whose stride keeps ``shape`` from being strided, or None where nothing does.

    >>> no_copy_obstacle((3, 4), (8, 1), (12,))
    (0, 8, 4)

    Raises
    ------
    ShapeError
        The sizes differ.
    """
    check_sizes(extents, shape)
    if is_empty(extents):
        return None
    for old, _ in groups(extents, shape):
        for outer, inner in pairwise(old):
            needed = extents[inner] * strides[inner]
            if strides[outer] != needed:
                return outer, strides[outer], needed
    return None


def groups(extents: Sequence[int], shape: Sequence[int]) -> Iterator[tuple[tuple[int, ...], range]]:
    """Smallest groups of old and new dimensions with equal products, slowest first; no extent is 0.

    Old dimensions of extent 1 belong to no group. New ones belong to the group that they precede; those at the end
    are a group of their own without old dimensions.

    >>> list(groups((2, 1, 3, 4), (1, 6, 2, 2, 1)))
    [((0, 2), range(0, 2)), ((3,), range(2, 4)), ((), range(4, 5))]
    """
    kept = [r for r, e in enumerate(extents) if e != 1]
    o = n = 0
    while o < len(kept):
        first_old, first_new = o, n
        old_size = new_size = 1
        while old_size != new_size or old_size == 1:
            if old_size <= new_size and o < len(kept):
                old_size, o = old_size * extents[kept[o]], o + 1
            else:
                new_size, n = new_size * shape[n], n + 1
        yield tuple(kept[first_old:o]), range(first_new, n)
    if n < len(shape):
        yield (), range(n, len(shape))


def infer_shape(extents: Sequence[int], shape: Sequence[int]) -> tuple[int, ...]:
    """Return ``shape`` with its one -1, if any, replaced by what makes its product that of ``extents``.

    >>> infer_shape((3, 4), (2, -1))
    (2, 6)

    Raises
    ------
    ShapeError
        More than one -1, another negative extent, or no extent that fits.
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
    known = size_of([e for e in shape if e != -1])
    if known == 0 or size % known:
        why = "a product of 0 leaves it open" if known == 0 else f"{size} is no multiple of {as_text(known)}"
        raise ShapeError(
            f"the extent of dimension {r} of {as_text(tuple(shape))} cannot be inferred for {size} elements: {why}"
        )
    return (*shape[:r], size // known, *shape[r + 1 :])


def unravel(position: int, extents: Sequence[int]) -> tuple[int, ...]:
    """Index whose row-major position within ``extents`` is ``position``: its mixed-radix digits.

    Position 0 of an empty index space is (0, ..., 0).

    >>> unravel(12, (2, 3, 4))
    (1, 0, 0)

    Raises
    ------
    IndexOutOfRangeError
        There is no such position.
    """
    size = size_of(extents)
    if not 0 <= position < max(size, 1):
        raise IndexOutOfRangeError(
            f"position {as_text(position)} is out of range for {size} elements of extents {shape_text(extents)}"
        )
    return digits(position, extents)


def check_sizes(extents: Sequence[int], shape: Sequence[int]) -> None:
    """Raise `ShapeError` where two shapes have not the same number of elements."""
    if size_of(extents) != size_of(shape):
        raise ShapeError(
            f"a shape is reshaped into one of equal size: {shape_text(extents)} has {size_of(extents)} elements, "
            f"{shape_text(shape)} has {as_text(size_of(shape))}"
        )
