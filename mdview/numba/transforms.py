"""Transforms in a kernel: which base index an index stands for, where the numbers of that are values of the view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any, TypeAlias, final

from mdview.base.values import value
from mdview.errors import KernelError
from mdview.expressions.ranges import Range
from mdview.index.extents import shape_text
from mdview.index.transforms import IndexTransform, Radix

Known: TypeAlias = tuple[int | None, ...]
"""Numbers that belong to the code; None for each one that is a value."""


@final
@value
class OpenTransform:
    """What is known of an index transform without its numbers, see `mdview.index.transforms`.

    Strides and weights of 0 and 1 are known; all others are *open*, and so is every offset.

    Attributes
    ----------
    source
        Per base dimension the index that moves it.
    strides
        Those of the transform.
    weights
        Those of the mixed-radix step, None where there is none.
    shape
        Shape of the digits.
    """

    source: tuple[int | None, ...]
    strides: Known
    weights: Known | None
    shape: tuple[int, ...]

    @classmethod
    def of(cls, transform: IndexTransform) -> OpenTransform:
        """Leave the numbers of a transform open, all but zeros and ones."""
        radix = transform.radix
        weights, shape = (None, ()) if radix is None else (known(radix.weights), radix.shape)
        return cls(transform.source, known(transform.stride), weights, shape)

    @property
    def count(self) -> int:
        """Count the open numbers."""
        count = len(self.strides) + self.strides.count(None)
        return count if self.weights is None else count + 1 + self.weights.count(None)

    def numbers(self, transform: IndexTransform) -> list[Any]:
        """Return the numbers of a transform that are open here. Any: ints, or what stands for them in a kernel."""
        found = [*transform.offset, *opened(self.strides, transform.stride)]
        if self.weights is not None and transform.radix is not None:
            found += [transform.radix.first, *opened(self.weights, transform.radix.weights)]
        return found

    def filled(self, numbers: Iterable[Any]) -> IndexTransform:
        """Return the transform with these numbers, in the order of `numbers`."""
        rest = iter(numbers)
        offset = tuple([next(rest) for _ in self.strides])
        strides = _completed(self.strides, rest)
        radix = None if self.weights is None else Radix(next(rest), _completed(self.weights, rest), self.shape)
        return IndexTransform(offset, strides, self.source, radix)


def base_box(transform: IndexTransform, extents: Sequence[int]) -> tuple[Range, ...]:
    """Lowest and highest base index of each base dimension, for indices within ``extents``; none is empty.

    Raises
    ------
    KernelError
        The number of a mixed-radix step is no number of a grid of that shape.
    """
    ranges = [(0, int(e) - 1) for e in extents]
    radix = transform.radix
    if radix is not None:
        low, high = _affine_range(radix.first, [*zip(radix.weights, ranges, strict=False)])
        if low < 0 or high >= prod(radix.shape):
            message = f"{transform!r} over extents {shape_text(extents)} has no digits: it leads from {low} to {high}"
            raise KernelError(message)
        ranges = [(0, int(n) - 1) for n in radix.shape]
    rows = zip(transform.offset, transform.stride, transform.source, strict=True)
    return tuple([_affine_range(first, [] if r is None else [(step, ranges[r])]) for first, step, r in rows])


def _affine_range(first: int, terms: Sequence[tuple[int, Range]]) -> Range:
    """Lowest and highest sum of a number and of factors times numbers that begin at 0."""
    ends = [factor * high for factor, (_, high) in terms]
    return first + sum([e for e in ends if e < 0]), first + sum([e for e in ends if e > 0])


def known(numbers: Sequence[Any]) -> Known:
    """Return which numbers are 0 or 1; None for all others, and for what is no number yet."""
    return tuple([n if isinstance(n, int) and n in {0, 1} else None for n in numbers])


def opened(pattern: Known, numbers: Sequence[Any]) -> list[Any]:
    """Return the numbers that are not known."""
    return [n for n, k in zip(numbers, pattern, strict=True) if k is None]


def _completed(pattern: Known, rest: Iterator[Any]) -> tuple[Any, ...]:
    """Return the known numbers, and the next of ``rest`` for each other."""
    return tuple([next(rest) if k is None else k for k in pattern])
