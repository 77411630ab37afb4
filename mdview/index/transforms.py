"""An index transform says which base index a new index stands for.

Per base dimension ``d`` the base index is ``offset[d] + stride[d] * index[source[d]]``, or the constant ``offset[d]``
where ``source[d]`` is None. Slicing, permuting, flipping, broadcasting, diagonals and windows are all of this form, and
composing two of them is one of them again, so a chain of any length stays one step.

Reshaping is not of this form in general. It takes one *mixed-radix* step in front, see `Radix`: the new index is read
as one number, and the digits of that number are the index that the rest applies to.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from typing import Final, TypeAlias, final

from mdview.base.integers import as_integer
from mdview.base.strided_sets import image_bounds, image_is_interval
from mdview.base.values import value
from mdview.index.extents import size_of
from mdview.index.no_copy_reshape import no_copy_strides
from mdview.index.orders import right_strides
from mdview.index.slices import All, Selection

_INT: Final = frozenset({int})

Row: TypeAlias = tuple[int, int, int | None]
"""Offset, stride and source of one base dimension."""


@final
@value
class Radix:
    """Digits of ``first + sum(weights * index)``: its mixed-radix digits over ``shape``, the last one lowest."""

    first: int
    weights: tuple[int, ...]
    shape: tuple[int, ...]

    def all_weights(self, rank: int) -> tuple[int, ...]:
        """Return a weight for each of ``rank`` dimensions: those that are left out have none."""
        return (*self.weights, *((0,) * (rank - len(self.weights))))

    def number(self, index: Sequence[int]) -> int:
        """Return the number that ``index`` stands for."""
        number = self.first
        for i, w in zip(index, self.weights, strict=False):  # dimensions without a weight repeat the others
            number = number + i * w
        return number

    def digits(self, index: Sequence[int]) -> tuple[int, ...]:
        """Digits of the number that ``index`` stands for."""
        return self.digits_of(self.number(index))

    def digits_of(self, number: int) -> tuple[int, ...]:
        """Digits of a number."""
        digits: list[int] = []
        for n in self.shape[:0:-1]:
            digits.append(number % n)
            number = number // n
        return (*([number] if self.shape else []), *digits[::-1])

    def linear_digits(self, extents: Sequence[int]) -> list[tuple[int, list[int]]] | None:
        """Return each digit at index 0 and what each index adds to it; None where some digit carries in ``extents``."""
        start = self.digits_of(self.first)
        steps = [[0] * len(extents) for _ in start]
        low, high = list(start), list(start)
        for k, (e, w) in enumerate(zip(extents, self.weights, strict=False)):  # those left out add nothing
            if e == 1 or w == 0:
                continue
            # Where nothing carries, the next index tells what each one adds; where something does, a digit overflows.
            following = self.digits_of(self.first + w)
            for r, before in enumerate(start):
                added = steps[r][k] = following[r] - before
                ends = high if added > 0 else low
                ends[r] += added * (e - 1)
                if r and not 0 <= ends[r] < self.shape[r]:
                    return None
        return list(zip(start, steps, strict=True))

    def ranges(self, extents: Sequence[int]) -> list[tuple[int, int]]:
        """Lowest and highest value of each digit over indices within ``extents``; wider ones where digits carry."""
        linear = self.linear_digits(extents)
        if linear is not None:
            bounds = [(first, image_bounds(extents, steps) or (0, 0)) for first, steps in linear]
            return [(first + low, first + high) for first, (low, high) in bounds]
        low, high = image_bounds(extents, self.all_weights(len(extents))) or (0, 0)
        ends = list(zip(self.digits_of(self.first + low), self.digits_of(self.first + high), strict=True))
        same = next(r for r, (a, b) in enumerate(ends) if a != b)
        return [*ends[: same + 1], *[(0, n - 1) for n in self.shape[same + 1 :]]]

    def fused(self, strides: Sequence[int]) -> tuple[Radix, tuple[int, ...]]:
        """Take neighbouring digits with nested ``strides`` for one, and leave out those that are always 0."""
        shape: list[int] = []
        kept: list[int] = []
        for n, stride in zip(self.shape, strides, strict=True):
            if n != 1 and kept and kept[-1] == stride * n:
                shape[-1], kept[-1] = shape[-1] * n, stride
            elif n != 1:
                shape.append(n)
                kept.append(stride)
        return Radix(self.first, self.weights, tuple(shape)), tuple(kept)


@final
@value
class IndexTransform:
    """Affine map from an index to a base index, one base dimension at a time, perhaps after a mixed-radix step.

    ``offset``, ``stride`` and ``source`` have one entry per base dimension.
    """

    offset: tuple[int, ...]
    stride: tuple[int, ...]
    source: tuple[int | None, ...]
    radix: Radix | None = None

    @classmethod
    def from_slices(cls, slices: Sequence[Selection]) -> IndexTransform:
        """Make the transform of canonical ``slices``."""
        offset: list[int] = []
        stride: list[int] = []
        source: list[int | None] = []
        kept = 0
        for spec in slices:
            if isinstance(spec, int):
                first, step, place = int(spec), 0, None
            else:
                first, step = (0, 1) if isinstance(spec, All) else (int(spec.offset), int(spec.stride))
                place, kept = kept, kept + 1
            offset.append(first)
            stride.append(step)
            source.append(place)
        return cls(tuple(offset), tuple(stride), tuple(source))

    @classmethod
    def taking(cls, source: Sequence[int | None]) -> IndexTransform:
        """Make the transform whose base index ``d`` is index ``source[d]``, or 0 where that is None."""
        return cls((0,) * len(source), tuple([0 if s is None else 1 for s in source]), tuple(source))

    @classmethod
    def of_reshape(cls, extents: Sequence[int], shape: Sequence[int]) -> IndexTransform:
        """Make the transform that reads an index within ``shape`` at its position in C order within ``extents``."""
        rank = len(extents)
        radix = Radix(0, right_strides(shape), tuple(map(int, extents)))
        return cls((0,) * rank, (1,) * rank, tuple(range(rank)), radix)

    def of_ints(self) -> IndexTransform:
        """Return this transform with plain ints for whatever stands for them.

        Raises
        ------
        ExtentsTypeError
            Some number is no integer.
        """
        radix = self.radix
        known = () if radix is None else (radix.first, *radix.weights, *radix.shape)
        if _INT.issuperset(map(type, (*self.offset, *self.stride, *known))):
            return self
        digits = None if radix is None else Radix(_ints([radix.first])[0], _ints(radix.weights), _ints(radix.shape))
        return IndexTransform(_ints(self.offset), _ints(self.stride), self.source, digits)

    @property
    def is_affine(self) -> bool:
        """Whether there is no mixed-radix step."""
        return self.radix is None

    def straightened(self, extents: Sequence[int]) -> IndexTransform | None:
        """Return the affine transform that is the same one within ``extents``, where the mixed-radix step allows it.

        No digit carries there, and those of which something depends follow one index each.
        """
        digits = None if self.radix is None else self.radix.linear_digits(extents)
        if digits is None:
            return self if self.radix is None else None
        rows: list[Row] = []
        for first, step, source in zip(self.offset, self.stride, self.source, strict=True):
            start, steps = (0, ()) if source is None else digits[source]
            moving = [r for r, s in enumerate(steps) if s and step]
            if len(moving) > 1:
                return None
            at = first + step * start
            rows.append((at, step * steps[moving[0]], moving[0]) if moving else (at, 0, None))
        return _of_rows(rows)

    def along(self, strides: Sequence[int], rank: int) -> tuple[int, list[int]]:
        """Where index 0 lies in a base with ``strides``, and what each of ``rank`` indices adds.

        After a mixed-radix step these are its digits.
        """
        start, steps = 0, [0] * rank
        for stride, first, step, source in zip(strides, self.offset, self.stride, self.source, strict=True):
            start += stride * first
            if source is not None:
                steps[source] += stride * step
        return start, steps

    def folded(self, strides: Sequence[int], extents: Sequence[int]) -> tuple[int, Sequence[int]] | None:
        """Return where index 0 lies in a base with ``strides``, from its origin, and the strides within ``extents``.

        None where a mixed-radix step leaves none.
        """
        if self.radix is None:
            return self.along(strides, len(extents))
        start, steps = self.along(strides, len(self.radix.shape))
        radix, nested = self.radix.fused(steps)
        digits = radix.linear_digits(extents)
        if digits is None:
            return None
        start += sum([stride * first for stride, (first, _) in zip(nested, digits, strict=True)])
        columns = zip(*[column for _, column in digits], strict=True) if digits else [()] * len(extents)
        return start, [sum(map(mul, nested, column)) for column in columns]

    def is_identity(self) -> bool:
        """Tell whether every index stands for itself."""
        return self == IndexTransform.taking(range(len(self.offset)))

    def is_onto(self, extents: Sequence[int], base_extents: Sequence[int]) -> bool:
        """Tell whether each index within ``base_extents`` is reached from within ``extents``, which are not empty."""
        lengths: Sequence[int] = extents
        if self.radix is not None:
            lengths, weights = self.radix.shape, self.radix.all_weights(len(extents))
            low, high = image_bounds(extents, weights) or (0, -1)
            if (self.radix.first + low, high - low + 1) != (0, size_of(lengths)):
                return False
            if not image_is_interval(extents, weights):
                return False
        sources = [source for source in self.source if source is not None and lengths[source] > 1]
        rows = zip(self.offset, self.stride, self.source, base_extents, strict=True)
        return len(set(sources)) == len(sources) and all(
            e == 1 or (source is not None and (step, first, lengths[source]) in {(1, 0, e), (-1, e - 1, e)})
            for first, step, source, e in rows
        )

    def apply(self, index: Sequence[int]) -> tuple[int, ...]:
        """Base index of ``index``."""
        if self.radix is not None:
            index = self.radix.digits(index)
        return self.apply_affine(index)

    def apply_affine(self, index: Sequence[int]) -> tuple[int, ...]:
        """Base index of ``index``, or of digits, without the mixed-radix step."""
        return tuple(
            [
                first if source is None else first + step * index[source]
                for first, step, source in zip(self.offset, self.stride, self.source, strict=True)
            ]
        )

    def after(self, outer: IndexTransform) -> IndexTransform:
        """Return the transform that applies ``outer``, an affine one, first and this one to its result."""
        if self.radix is not None:
            return IndexTransform(self.offset, self.stride, self.source, _moved(self.radix, outer))
        return _of_rows(
            [
                (first, 0, None)
                if r is None
                else (first + step * outer.offset[r], step * outer.stride[r], outer.source[r])
                for first, step, r in zip(self.offset, self.stride, self.source, strict=True)
            ]
        )

    def ranges(self, extents: Sequence[int]) -> list[tuple[int, int]]:
        """Lowest and highest index of each base dimension, over indices within ``extents``, which are not empty."""
        known = [(0, e - 1) for e in extents] if self.radix is None else self.radix.ranges(extents)
        ends = [(0, 0) if source is None else known[source] for source in self.source]
        rows = [(o + s * low, o + s * high) for o, s, (low, high) in zip(self.offset, self.stride, ends, strict=True)]
        return [(min(row), max(row)) for row in rows]

    def reshaped(self, extents: Sequence[int], shape: Sequence[int]) -> IndexTransform | None:
        """Return the transform of a reshape of ``extents`` to ``shape``, or None where it takes a second radix step."""
        if self.radix is None:
            return _then(IndexTransform.of_reshape(extents, shape), self)
        weights = self.radix.all_weights(len(extents))
        strides = no_copy_strides(extents, weights, shape)
        if strides is None:
            return None
        if self.radix.first == 0 and self.radix.shape == tuple(shape) and strides == right_strides(shape):
            return IndexTransform(self.offset, self.stride, self.source)  # the digits are the index itself
        radix = Radix(self.radix.first, strides, self.radix.shape)
        return IndexTransform(self.offset, self.stride, self.source, radix)

    def widened(self, axes: Sequence[int], extents: Sequence[int]) -> IndexTransform:
        """Return the transform that adds to the indices along ``axes``, within ``extents``, one more index for each.

        As long as the sums stay within the extents, adding indices is adding what they count in the number of a
        mixed-radix step.
        """
        if self.radix is None:
            plain = IndexTransform.of_reshape(extents, extents)
            return _then(plain, self).widened(axes, extents)
        weights = self.radix.all_weights(len(extents))
        radix = Radix(self.radix.first, (*weights, *[weights[axis] for axis in axes]), self.radix.shape)
        return IndexTransform(self.offset, self.stride, self.source, radix)


def _of_rows(rows: Sequence[Row]) -> IndexTransform:
    """Return the affine transform with these rows, one for each base dimension."""
    offset, stride, source = zip(*rows, strict=True) if rows else ((), (), ())
    return IndexTransform(offset, stride, source)


def _then(digits: IndexTransform, affine: IndexTransform) -> IndexTransform:
    """Return ``affine`` applied to the digits that ``digits``, a mixed-radix step and nothing else, gives."""
    return IndexTransform(affine.offset, affine.stride, affine.source, digits.radix)


def _moved(radix: Radix, affine: IndexTransform) -> Radix:
    """Return the same number, read from the index that ``affine`` is applied to first."""
    rank = 1 + max([s for s in affine.source if s is not None], default=-1)
    first, weights = radix.first, [0] * rank
    # Dimensions without a weight do not count.
    rows = zip(radix.weights, affine.offset, affine.stride, affine.source, strict=False)
    for w, offset, stride, source in rows:
        first += w * offset
        if source is not None:
            weights[source] += w * stride
    return Radix(first, tuple(weights), radix.shape)


def _ints(numbers: Sequence[int]) -> tuple[int, ...]:
    return tuple([int(as_integer(n, "a number of a transform")) for n in numbers])
