"""Transforms in a kernel: which base index an index stands for, where the numbers of that are values of the view.

Each entry of the base index is a *sum*, a number and a multiple of each index. So a kernel needs no mixed-radix step
where no digit ever carries: a window at ``i`` and a place ``k`` in it add up to ``i + k``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any, TypeAlias, final

from mdview.base.texts import told
from mdview.base.values import value
from mdview.errors import KernelError
from mdview.expressions.ranges import Range
from mdview.index.extents import shape_text
from mdview.index.orders import right_strides
from mdview.index.transforms import IndexTransform, Radix

Known: TypeAlias = tuple[int | None, ...]
"""Numbers that belong to the code; None for each one that is a value."""


@final
@value
class Sum:
    """``first`` plus each index times its weight. Any: ints, or numbers of a kernel."""

    first: Any
    weights: tuple[Any, ...]

    def at(self, index: Sequence[Any]) -> Any:
        """Return the sum at an index."""
        found = self.first
        for i, w in zip(index, self.weights, strict=True):
            if not _is_zero(w):
                found = found + i * w
        return found

    def after(self, sums: Sequence[Sum], rank: int) -> Sum:
        """Return the sum at an index that ``sums`` give of another one, which has that rank."""
        first, weights = self.first, [0] * rank
        for w, inner in zip(self.weights, sums, strict=True):
            if not _is_zero(w):
                first = first + w * inner.first
                weights = [a if _is_zero(b) else a + w * b for a, b in zip(weights, inner.weights, strict=True)]
        return Sum(first, tuple(weights))

    def range(self, ranges: Sequence[Range]) -> Range:
        """Lowest and highest sum at indices within ``ranges``, none of which is empty."""
        rows = [(w * low, w * high) for w, (low, high) in zip(self.weights, ranges, strict=True)]
        return self.first + sum(map(min, rows)), self.first + sum(map(max, rows))


Sums: TypeAlias = tuple[Sum, ...]


def _is_zero(number: Any) -> bool:  # Any: an int, or a number that is not known yet
    return isinstance(number, int) and number == 0


def same(rank: int) -> Sums:
    """Sums that are the indices themselves."""
    return tuple([Sum(0, tuple([int(q == r) for q in range(rank)])) for r in range(rank)])


def _affine(transform: IndexTransform, rank: int) -> Sums:
    """Sums that an index transform, but for its mixed-radix step, makes of an index of that rank."""
    rows = zip(transform.offset, transform.stride, transform.source, strict=True)
    return tuple([Sum(first, tuple([step if q == r else 0 for q in range(rank)])) for first, step, r in rows])


@final
@value
class Transform:
    """From an index to one of a base: by ``sums``, or by one sum whose digits over ``shape`` go into ``tail``."""

    rank: int
    sums: Sums
    shape: tuple[int, ...] | None = None
    tail: Sums = ()

    @classmethod
    def identity(cls, rank: int) -> Transform:
        """Make the transform by which each index stands for itself."""
        return cls(rank, same(rank))

    def then(self, inner: IndexTransform) -> Transform | None:
        """Return this transform followed by another one; None where that takes a second mixed-radix step."""
        if inner.radix is None and self.shape is None:
            rows = _affine(inner, len(self.sums))
            return Transform(self.rank, tuple([row.after(self.sums, self.rank) for row in rows]))
        if inner.radix is None and self.shape is not None:
            rows, digits = _affine(inner, len(self.tail)), len(self.shape)
            return Transform(self.rank, self.sums, self.shape, tuple([row.after(self.tail, digits) for row in rows]))
        if inner.radix is None or self.shape is not None:
            return None
        number = Sum(inner.radix.first, inner.radix.all_weights(len(self.sums)))
        tail = _affine(inner, len(inner.radix.shape))
        return Transform(self.rank, (number.after(self.sums, self.rank),), inner.radix.shape, tail)

    def after(self, outer: Sums, rank: int) -> Transform:
        """Return the transform of the indices of a part, which has that rank, that ``outer`` makes indices of these."""
        return Transform(rank, tuple([row.after(outer, rank) for row in self.sums]), self.shape, self.tail)

    def without_carries(self, extents: Sequence[int]) -> Transform:
        """Return the transform without its mixed-radix step, if no digit carries within ``extents``, else itself."""
        if self.shape is None or 0 in (*extents, *self.shape):
            return self
        (number,), shape, rank = self.sums, self.shape, self.rank
        digits = Radix(number.first, number.weights, shape).linear_digits(extents)
        if digits is None:
            return self
        rows = [Sum(first, tuple(column)) for first, column in digits]
        box = [(0, int(e) - 1) for e in extents]
        if any(low < 0 or high >= n for (low, high), n in zip([row.range(box) for row in rows], shape, strict=True)):
            return self
        return Transform(rank, tuple([row.after(rows, rank) for row in self.tail]))

    def as_index_transform(self, base: Sequence[int]) -> IndexTransform:
        """Return the transform as one to an index within the extents ``base``, which it does not leave."""
        sums, shape, rows = self.sums, self.shape, self.tail
        if shape is None:
            moving = [[r for r, w in enumerate(row.weights) if w] for row in sums]
            if all(len(found) <= 1 for found in moving):
                source = tuple([found[0] if found else None for found in moving])
                stride = tuple([sum(row.weights) for row in sums])
                return IndexTransform(tuple([row.first for row in sums]), stride, source)
            number = Sum(0, right_strides(base)).after(sums, self.rank)
            sums, shape, rows = (number,), tuple(base), same(len(base))
        moving = [[r for r, w in enumerate(row.weights) if w] for row in rows]
        source = tuple([found[0] if found else None for found in moving])
        stride, first = tuple([sum(row.weights) for row in rows]), tuple([row.first for row in rows])
        return IndexTransform(first, stride, source, Radix(sums[0].first, sums[0].weights, shape))

    def box(self, extents: Sequence[int]) -> tuple[Range, ...]:
        """Lowest and highest base index of each base dimension, for indices within ``extents``; none is empty.

        Raises
        ------
        KernelError
            The number of a mixed-radix step is no number of a grid of that shape.
        """
        ranges = [(0, int(e) - 1) for e in extents]
        found = [row.range(ranges) for row in self.sums]
        if self.shape is None:
            return tuple(found)
        low, high = found[0]
        if low < 0 or high >= prod(self.shape):
            message = f"{told(self)} over extents {shape_text(extents)} has no digits: it leads from {low} to {high}"
            raise KernelError(message)
        digits = [(0, int(n) - 1) for n in self.shape]
        return tuple([row.range(digits) for row in self.tail])


@final
@value
class OpenTransform:
    """What is known of a transform without its numbers: weights of 0 and 1; others are *open*, and so is each first.

    Attributes
    ----------
    weights
        Those of the sums.
    shape
        Shape of the digits; None where there are none.
    tail
        Weights of the sums of the digits.
    """

    rank: int
    weights: tuple[Known, ...]
    shape: tuple[int, ...] | None
    tail: tuple[Known, ...]

    @classmethod
    def of(cls, transform: Transform) -> OpenTransform:
        """Leave the numbers of a transform open, all but zeros and ones."""
        weights, tail = [tuple([known(row.weights) for row in rows]) for rows in (transform.sums, transform.tail)]
        return cls(transform.rank, weights, transform.shape, tail)

    @property
    def count(self) -> int:
        """Count the open numbers."""
        return sum([1 + row.count(None) for row in (*self.weights, *self.tail)])

    def numbers(self, transform: Transform) -> list[Any]:
        """Return the numbers of a transform that are open here. Any: ints, or what stands for them in a kernel."""
        rows = zip((*self.weights, *self.tail), (*transform.sums, *transform.tail), strict=True)
        return [number for pattern, row in rows for number in (row.first, *opened(pattern, row.weights))]

    def filled(self, numbers: Iterable[Any]) -> Transform:
        """Return the transform with these numbers, in the order of `numbers`."""
        rest = iter(numbers)
        sums, tail = [
            tuple([Sum(next(rest), _completed(row, rest)) for row in rows]) for rows in (self.weights, self.tail)
        ]
        return Transform(self.rank, sums, self.shape, tail)

    def index_of(self, d: int) -> int | None:
        """Return the one index that moves base dimension ``d``, None where several do, or none."""
        moving = [] if self.shape is not None else [r for r, w in enumerate(self.weights[d]) if w != 0]
        return moving[0] if len(moving) == 1 else None


def known(numbers: Sequence[Any]) -> Known:
    """Return which numbers are 0 or 1; None for all others, and for what is no number yet."""
    return tuple([n if isinstance(n, int) and n in {0, 1} else None for n in numbers])


def opened(pattern: Known, numbers: Sequence[Any]) -> list[Any]:
    """Return the numbers that are not known."""
    return [n for n, k in zip(numbers, pattern, strict=True) if k is None]


def _completed(pattern: Known, rest: Iterator[Any]) -> tuple[Any, ...]:
    """Return the known numbers, and the next of ``rest`` for each other."""
    return tuple([next(rest) if k is None else k for k in pattern])
