"""Index maps: affine maps from new indices to base indices, their composition, and one mixed-radix step.

Per base dimension ``d`` the base index is ``offset[d] + stride[d] * index[source[d]]``, or the constant ``offset[d]``
where ``source[d]`` is None. Slicing, permuting, flipping, broadcasting, diagonals and windows are of this form. The
composition of two such maps is of this form again, so a chain of any length stays one step.

A reshape is not of this form in general. It takes one *mixed-radix* step in front, see `Radix`: the new index becomes
one number, and the affine map applies to the digits of that number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import Final, TypeAlias, final

from mdview.base import as_entries, as_integer, value
from mdview.base.strided_sets import fewest_dimensions, image_is_interval, merged_dimensions
from mdview.index.dense_strides import right_strides
from mdview.index.extents import size_of
from mdview.index.mixed_radix import Radix, Sum
from mdview.index.no_copy_reshape import no_copy_strides
from mdview.index.slices import All, Selection

__all__ = ["IndexMap", "Radix", "of_rows", "of_sums", "rows_between"]

_INT: Final = frozenset({int})

Row: TypeAlias = tuple[int, int, int | None]
"""Offset, stride and source of one base dimension."""


@final
@value
class IndexMap:
    """Affine map from an index to a base index, one base dimension at a time, perhaps after a mixed-radix step.

    ``offset``, ``stride`` and ``source`` have one entry per base dimension.
    """

    offset: tuple[int, ...]
    stride: tuple[int, ...]
    source: tuple[int | None, ...]
    radix: Radix | None = None

    @classmethod
    def from_slices(cls, slices: Sequence[Selection]) -> IndexMap:
        """Make the transform of canonical ``slices``."""
        rows: list[Row] = []
        kept = count()
        for spec in slices:
            if isinstance(spec, int):
                rows.append((int(spec), 0, None))
            else:
                first, step = (0, 1) if isinstance(spec, All) else (int(spec.offset), int(spec.stride))
                rows.append((first, step, next(kept)))
        return of_rows(rows)

    @classmethod
    def taking(cls, source: Sequence[int | None]) -> IndexMap:
        """Make the transform whose base index ``d`` is index ``source[d]``, or 0 where that is None."""
        return cls((0,) * len(source), tuple([0 if s is None else 1 for s in source]), tuple(source))

    @classmethod
    def shifted(cls, first: Sequence[int]) -> IndexMap:
        """Make the transform that adds ``first`` to an index."""
        return cls(tuple(first), (1,) * len(first), tuple(range(len(first))))

    @classmethod
    def of_reshape(cls, extents: Sequence[int], shape: Sequence[int]) -> IndexMap:
        """Make the transform that reads an index within ``shape`` at its position in C order within ``extents``."""
        return cls.of_digits(Radix(0, right_strides(shape), tuple(map(int, extents))))

    @classmethod
    def of_digits(cls, radix: Radix) -> IndexMap:
        """Make the transform whose base index are the digits of a mixed-radix step."""
        rank = len(radix.shape)
        return cls((0,) * rank, (1,) * rank, tuple(range(rank)), radix)

    def of_ints(self) -> IndexMap:
        """Return this transform with each integer-like number as a plain int.

        Raises
        ------
        ExtentsTypeError
            Some number is no integer.
        """
        radix = self.radix
        source = as_entries(self.source, "the source of a transform")
        numbers = [as_entries(self.offset, "the offset of a transform"), as_entries(self.stride, "its stride")]
        numbers += [] if radix is None else [(radix.first,), radix.weights, radix.shape]
        are_tuples = numbers[0] is self.offset and numbers[1] is self.stride and source is self.source
        if are_tuples and _INT.issuperset(map(type, chain(*numbers))):
            return self
        offset, stride, *step = [
            tuple([int(as_integer(n, "a number of a transform")) for n in numbers_of_part])
            for numbers_of_part in numbers
        ]
        return IndexMap(offset, stride, source, Radix(step[0][0], *step[1:]) if step else None)

    @property
    def is_affine(self) -> bool:
        """Whether there is no mixed-radix step."""
        return self.radix is None

    def straightened(self, extents: Sequence[int]) -> IndexMap | None:
        """Return an equal affine transform within ``extents``, or None.

        There is one if no digit carries within ``extents`` and each row depends on one index at most.
        """
        digits = None if self.radix is None else self.radix.linear_digits(extents)
        if digits is None:
            return self if self.radix is None else None
        return of_sums([row.after(digits, len(extents)) for row in self.sums(len(digits))])

    def along(self, strides: Sequence[int], rank: int) -> tuple[int, list[int]]:
        """Return the offset of index 0 in a base with ``strides``, and the stride of each of ``rank`` indices.

        After a mixed-radix step the indices are its digits.
        """
        start, steps = 0, [0] * rank
        for stride, first, step, source in zip(strides, self.offset, self.stride, self.source, strict=True):
            start += stride * first
            if source is not None:
                steps[source] += stride * step
        return start, steps

    def folded(self, strides: Sequence[int], extents: Sequence[int]) -> tuple[int, Sequence[int]] | None:
        """Return the offset of index 0 in a base with ``strides``, from its origin, and the strides within ``extents``.

        None if there are no strides after the mixed-radix step.
        """
        if self.radix is None:
            return self.along(strides, len(extents))
        start, steps = self.along(strides, len(self.radix.shape))
        shape, nested = merged_dimensions(self.radix.shape, steps, "C")  # carries between merged digits are linear
        digits = Radix(self.radix.first, self.radix.weights, shape).linear_digits(extents)
        if digits is None:
            return None
        total = Sum(start, nested).after(digits, len(extents))
        return total.first, list(total.weights)

    def sums(self, rank: int) -> list[Sum]:
        """Return the rows as sums over an index of that rank, or over the digits of a mixed-radix step."""
        rows = zip(self.offset, self.stride, self.source, strict=True)
        return [Sum(first, tuple([step if q == r else 0 for q in range(rank)])) for first, step, r in rows]

    def is_identity(self) -> bool:
        """Tell whether the transform is the identity."""
        return self == IndexMap.taking(range(len(self.offset)))

    def is_onto(self, extents: Sequence[int], base_extents: Sequence[int]) -> bool:
        """Tell whether each index within ``base_extents`` is reached from within ``extents``, which are not empty."""
        lengths: Sequence[int] = extents
        if self.radix is not None:
            lengths, weights = self.radix.shape, self.radix.all_weights(len(extents))
            if self.radix.range(extents) != (0, size_of(lengths) - 1) or not image_is_interval(extents, weights):
                return False
        sources = [source for source in self.source if source is not None and lengths[source] > 1]
        rows = zip(self.offset, self.stride, self.source, base_extents, strict=True)
        return len(set(sources)) == len(sources) and all(
            e == 1 or (source is not None and (step, first, lengths[source]) in {(1, 0, e), (-1, e - 1, e)})
            for first, step, source, e in rows
        )

    def fewest(self, extents: Sequence[int]) -> tuple[IndexMap, tuple[int, ...]]:
        """Return a transform, and its extents, with the same set of base indices and perhaps fewer indices.

        ``extents`` are not empty.
        """
        if self.radix is None:
            moved = {source for step, source in zip(self.stride, self.source, strict=True) if step}
            return self, tuple([e if r in moved else 1 for r, e in enumerate(extents)])
        shape, steps = fewest_dimensions(extents, self.radix.all_weights(len(extents)))
        return self.of_number(Radix(self.radix.range(extents)[0], steps, self.radix.shape)), shape

    def apply(self, index: Sequence[int]) -> tuple[int, ...]:
        """Return the base index of ``index``."""
        if self.radix is not None:
            index = self.radix.digits(index)
        return tuple(
            [
                first if source is None else first + step * index[source]
                for first, step, source in zip(self.offset, self.stride, self.source, strict=True)
            ]
        )

    def after(self, outer: IndexMap) -> IndexMap:
        """Return the transform that applies the affine transform ``outer`` first, then this one."""
        if self.radix is not None:
            rank = 1 + max([s for s in outer.source if s is not None], default=-1)
            start, weights = outer.along(self.radix.all_weights(len(outer.offset)), rank)
            return self.of_number(Radix(self.radix.first + start, tuple(weights), self.radix.shape))
        return of_rows(self.rows_after(zip(outer.offset, outer.stride, outer.source, strict=True)))

    def rows_after(self, outer: Iterable[Row]) -> list[Row]:
        """Return the rows of this affine transform after an affine transform with the rows ``outer``."""
        return rows_between([*zip(self.offset, self.stride, self.source, strict=True)], [*outer])

    def ranges(self, extents: Sequence[int]) -> list[tuple[int, int]]:
        """Return the lowest and highest index of each base dimension, over non-empty ``extents``."""
        bounds = [(0, e - 1) for e in extents] if self.radix is None else self.radix.ranges(extents)
        ends = [(0, 0) if source is None else bounds[source] for source in self.source]
        rows = [(o + s * low, o + s * high) for o, s, (low, high) in zip(self.offset, self.stride, ends, strict=True)]
        return [(min(row), max(row)) for row in rows]

    def reshaped(self, extents: Sequence[int], shape: Sequence[int]) -> IndexMap | None:
        """Return the transform of a reshape of ``extents`` to ``shape``, or None where it takes a second radix step."""
        if self.radix is None:
            return self.of_number(IndexMap.of_reshape(extents, shape).radix)
        weights = self.radix.all_weights(len(extents))
        strides = no_copy_strides(extents, weights, shape)
        if strides is None:
            return None
        if self.radix.first == 0 and self.radix.shape == tuple(shape) and strides == right_strides(shape):
            return self.of_number(None)  # the digits are the index itself
        return self.of_number(Radix(self.radix.first, strides, self.radix.shape))

    def widened(self, axes: Sequence[int], extents: Sequence[int]) -> IndexMap:
        """Return the transform with one more index for each of ``axes``, which is added to the index along that axis.

        While the sums stay within the extents, each new index has the weight of its axis in the number of the
        mixed-radix step.
        """
        radix = self.radix or Radix(0, right_strides(extents), tuple(map(int, extents)))
        weights = radix.all_weights(len(extents))
        return self.of_number(Radix(radix.first, (*weights, *[weights[axis] for axis in axes]), radix.shape))

    def of_number(self, radix: Radix | None) -> IndexMap:
        """Return the transform with its mixed-radix step replaced."""
        return IndexMap(self.offset, self.stride, self.source, radix)


def rows_between(inner: Sequence[Row], outer: Sequence[Row]) -> list[Row]:
    """Return the rows of the affine transform with rows ``inner`` after the one with rows ``outer``."""
    return [
        (first, 0, None) if r is None else (first + step * outer[r][0], step * outer[r][1], outer[r][2])
        for first, step, r in inner
    ]


def of_rows(rows: Sequence[Row]) -> IndexMap:
    """Return the affine transform with these rows, one for each base dimension."""
    offset, stride, source = zip(*rows, strict=True) if rows else ((), (), ())
    return IndexMap(offset, stride, source)


def of_sums(sums: Sequence[Sum]) -> IndexMap | None:
    """Return the affine transform whose rows are ``sums``; None if a sum depends on several indices."""
    moving = [[r for r, w in enumerate(row.weights) if w] for row in sums]
    if any(len(moves) > 1 for moves in moving):
        return None
    rows = zip(sums, moving, strict=True)
    return of_rows(
        [(row.first, row.weights[moves[0]], moves[0]) if moves else (row.first, 0, None) for row, moves in rows]
    )
