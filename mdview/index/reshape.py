"""Reshape: the strides of a new shape without a copy, the extent -1, and digits of a mixed radix.

A no-copy reshape reads the same elements in the same order with other extents. From the fastest dimension on, each new
dimension takes its part of a *run* of old dimensions. In a run, the stride of each dimension is the stride of the next
dimension times its extent. A run ends where the product of its old extents equals the product of new extents, so it
takes no more old dimensions than the new ones need. This is NumPy's rule, and it is complete: if neighbours in a run
break the rule, the distance of consecutive elements changes within a new dimension, which then has no stride.

Any other reshape splits the number of an index, a weighted sum, into the digits of a mixed radix, see `Radix`. Numbers
are ints, symbols of a traced layout, or LLVM values in a kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, final

from mdview.base import as_text, image_bounds, value
from mdview.errors import IndexOutOfRangeError, ShapeError
from mdview.index.extents import digits, is_empty, right_strides, shape_text, size_of

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
    """Return ``shape`` with an entry of -1 replaced by the extent that makes the sizes equal.

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


def _is_zero(number: Any) -> bool:  # Any: an int, a symbol or an LLVM value
    return isinstance(number, int) and number == 0


def _at(first: Any, weights: Sequence[Any], index: Sequence[Any]) -> Any:  # Any: ints, symbols or LLVM values
    for i, w in zip(index, weights, strict=False):  # dimensions beyond the weights have weight 0
        if not _is_zero(w):
            first = first + i * w
    return first


@final
@value
class Sum:
    """A linear function of an index: ``first`` plus each index times its weight.

    ``Any`` stands for ints, symbols or LLVM values.
    """

    first: Any
    weights: tuple[Any, ...]

    def at(self, index: Sequence[Any]) -> Any:
        """Return the sum at an index."""
        return _at(self.first, self.weights, index)

    def after(self, sums: Sequence[Sum], rank: int) -> Sum:
        """Return the composition of this sum with ``sums``, which return its index for an index of length ``rank``."""
        first, weights = self.first, [0] * rank
        for w, inner in zip(self.weights, sums, strict=False):
            if not _is_zero(w):
                first = first + w * inner.first
                weights = [a if _is_zero(b) else a + w * b for a, b in zip(weights, inner.weights, strict=True)]
        return Sum(first, tuple(weights))

    def range(self, extents: Sequence[int]) -> tuple[int, int]:
        """Return the lowest and the highest sum of an index within ``extents``, which must not be empty."""
        low, high = image_bounds(extents, self.weights) or (0, 0)
        return self.first + low, self.first + high


@final
@value
class Radix:
    """The map from an index to the mixed-radix digits over ``shape`` of ``first + sum(weights * index)``, its *number*.

    The last digit is the lowest. Dimensions of the index beyond ``weights`` have weight 0.
    """

    first: int
    weights: tuple[int, ...]
    shape: tuple[int, ...]

    def all_weights(self, rank: int) -> tuple[int, ...]:
        """Return a weight for each of ``rank`` dimensions; it is 0 for dimensions beyond ``weights``."""
        return (*self.weights, *((0,) * (rank - len(self.weights))))

    def range(self, extents: Sequence[int]) -> tuple[int, int]:
        """Return the lowest and the highest number of the indices within ``extents``, which must not be empty."""
        return Sum(self.first, self.all_weights(len(extents))).range(extents)

    def number(self, index: Sequence[int]) -> int:
        """Return the number of ``index``: the weighted sum."""
        number: int = _at(self.first, self.weights, index)
        return number

    def digits(self, index: Sequence[int]) -> tuple[int, ...]:
        """Return the digits of the number of ``index``."""
        return self.digits_of(self.number(index))

    def digits_of(self, number: int) -> tuple[int, ...]:
        """Return the digits of a number over ``shape``."""
        return digits(number, self.shape)

    def linear_digits(self, extents: Sequence[int]) -> list[Sum] | None:
        """Return each digit as a linear function of the index within ``extents``; None if a digit carries."""
        start = self.digits_of(self.first)
        steps = [[0] * len(extents) for _ in start]
        low, high = list(start), list(start)
        for k, (e, w) in enumerate(zip(extents, self.weights, strict=False)):  # further dimensions have weight 0
            if e == 1 or w == 0:
                continue
            # The digits at the next index give the weights if no digit carries. If one does, the check below fails.
            following = self.digits_of(self.first + w)
            for r, before in enumerate(start):
                added = steps[r][k] = following[r] - before
                ends = high if added > 0 else low
                ends[r] += added * (e - 1)
                if r and not 0 <= ends[r] < self.shape[r]:
                    return None
        return [Sum(first, tuple(row)) for first, row in zip(start, steps, strict=True)]

    def ranges(self, extents: Sequence[int]) -> list[tuple[int, int]]:
        """Return the lowest and highest value of each digit within ``extents``; looser bounds if a digit carries."""
        linear = self.linear_digits(extents)
        if linear is not None:
            return [digit.range(extents) for digit in linear]
        ends = list(zip(*map(self.digits_of, self.range(extents)), strict=True))
        same = next(r for r, (a, b) in enumerate(ends) if a != b)
        return [*ends[: same + 1], *[(0, n - 1) for n in self.shape[same + 1 :]]]
