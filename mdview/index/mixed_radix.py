"""Mixed-radix arithmetic: weighted sums of indices, and the split of a number into digits, as in a reshape.

Numbers are ints, symbols of a traced layout, or LLVM values in a kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from mdview.base import image_bounds, value
from mdview.index.dense_strides import digits


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
    """A linear function of an index: ``first`` plus each index times its weight. Any: ints, symbols or LLVM values."""

    first: Any
    weights: tuple[Any, ...]

    def at(self, index: Sequence[Any]) -> Any:
        """Return the sum at an index."""
        return _at(self.first, self.weights, index)

    def after(self, sums: Sequence[Sum], rank: int) -> Sum:
        """Return the composition of this sum with ``sums``, which map an index of ``rank`` dimensions to its index."""
        first, weights = self.first, [0] * rank
        for w, inner in zip(self.weights, sums, strict=False):
            if not _is_zero(w):
                first = first + w * inner.first
                weights = [a if _is_zero(b) else a + w * b for a, b in zip(weights, inner.weights, strict=True)]
        return Sum(first, tuple(weights))

    def range(self, extents: Sequence[int]) -> tuple[int, int]:
        """Return the lowest and highest sum over the indices within ``extents``, which are not empty."""
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
        """Return the lowest and highest number over the indices within ``extents``, which are not empty."""
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
        """Return each digit as a linear function of the index within ``extents``; None if a digit carries there."""
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
