"""Index maps: affine maps from indices to base indices, with an optional mixed-radix stage, and their composition.

In base dimension ``d`` the base index is ``offset[d] + stride[d] * index[source[d]]``, or the constant ``offset[d]`` if
``source[d]`` is None. Slicing, permuting, flipping, broadcasting, diagonals and windows have this form. The composition
of two such maps has this form again, so a chain of any length is a single map.

A reshape does not have this form in general. It needs a *mixed-radix stage* before the affine map, see `Radix`: the
index becomes a number, and the affine map applies to the digits of the number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import Final, TypeAlias, final

from mdview.base import as_entries, as_integer, value
from mdview.base.strided_sets import fewest_dimensions, image_is_interval, merged_dimensions
from mdview.index.extents import right_strides, size_of
from mdview.index.reshape import Radix, Sum, no_copy_strides
from mdview.index.slices import All, Selection

__all__ = ["IndexMap", "Radix", "of_rows", "of_sums", "rows_between"]

_INT: Final = frozenset({int})

Row: TypeAlias = tuple[int, int, int | None]
"""The offset, stride and source of one base dimension."""


@final
@value
class IndexMap:
    """An affine map from an index to a base index, after the mixed-radix stage ``radix`` unless that is None.

    ``offset``, ``stride`` and ``source`` have one entry for each base dimension.
    """

    offset: tuple[int, ...]
    stride: tuple[int, ...]
    source: tuple[int | None, ...]
    radix: Radix | None = None

    @classmethod
    def from_slices(cls, slices: Sequence[Selection]) -> IndexMap:
        """Return the map of canonical ``slices``."""
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
        """Return the map whose base index ``d`` is index ``source[d]``, or 0 if ``source[d]`` is None."""
        return cls((0,) * len(source), tuple([0 if s is None else 1 for s in source]), tuple(source))

    @classmethod
    def shifted(cls, first: Sequence[int]) -> IndexMap:
        """Return the map that adds ``first`` to an index."""
        return cls(tuple(first), (1,) * len(first), tuple(range(len(first))))

    @classmethod
    def of_reshape(cls, extents: Sequence[int], shape: Sequence[int]) -> IndexMap:
        """Return the map from an index within ``shape`` to the index of equal C-order position in ``extents``."""
        return cls.of_digits(Radix(0, right_strides(shape), tuple(map(int, extents))))

    @classmethod
    def of_digits(cls, radix: Radix) -> IndexMap:
        """Return the map whose base index has the digits of a mixed-radix stage."""
        rank = len(radix.shape)
        return cls((0,) * rank, (1,) * rank, tuple(range(rank)), radix)

    def of_ints(self) -> IndexMap:
        """Return the same map with each integer-like number as a plain int.

        Raises
        ------
        ExtentsTypeError
            A number of the map is not an integer.
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
        """Whether the map has no mixed-radix stage."""
        return self.radix is None

    def straightened(self, extents: Sequence[int]) -> IndexMap | None:
        """Return an affine map that is equal within ``extents``.

        The result is None if a digit carries within ``extents``, or if a base index depends on several indices.
        """
        digits = None if self.radix is None else self.radix.linear_digits(extents)
        if digits is None:
            return self if self.radix is None else None
        return of_sums([row.after(digits, len(extents)) for row in self.sums(len(digits))])

    def along(self, strides: Sequence[int], rank: int) -> tuple[int, list[int]]:
        """Return the offset of index 0 in a base with ``strides``, and the stride of each of ``rank`` indices.

        If the map has a mixed-radix stage, the indices are its digits.
        """
        start, steps = 0, [0] * rank
        for stride, first, step, source in zip(strides, self.offset, self.stride, self.source, strict=True):
            start += stride * first
            if source is not None:
                steps[source] += stride * step
        return start, steps

    def folded(self, strides: Sequence[int], extents: Sequence[int]) -> tuple[int, Sequence[int]] | None:
        """Return the map over a base with ``strides`` as an offset and strides, for indices within ``extents``.

        The offset is the offset of index 0 minus the origin of the base. The result is None if the composition with
        the mixed-radix stage has no strides.
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
        """Return each affine row as a sum over ``rank`` numbers: the index, or the digits of the mixed-radix stage."""
        rows = zip(self.offset, self.stride, self.source, strict=True)
        return [Sum(first, tuple([step if q == r else 0 for q in range(rank)])) for first, step, r in rows]

    def is_identity(self) -> bool:
        """Tell whether the map is the identity."""
        return self == IndexMap.taking(range(len(self.offset)))

    def is_onto(self, extents: Sequence[int], base_extents: Sequence[int]) -> bool:
        """Tell whether the map sends the indices within ``extents``, which must not be empty, onto ``base_extents``."""
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
        """Return a map and its extents with the same set of base indices and as few repetitions as possible.

        ``extents`` must not be empty.
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
        """Return the map that applies the affine map ``outer`` first, then this map."""
        if self.radix is not None:
            rank = 1 + max([s for s in outer.source if s is not None], default=-1)
            start, weights = outer.along(self.radix.all_weights(len(outer.offset)), rank)
            return self.of_number(Radix(self.radix.first + start, tuple(weights), self.radix.shape))
        return of_rows(self.rows_after(zip(outer.offset, outer.stride, outer.source, strict=True)))

    def rows_after(self, outer: Iterable[Row]) -> list[Row]:
        """Return the rows of the map that applies the affine rows ``outer`` first, then this affine map."""
        return rows_between([*zip(self.offset, self.stride, self.source, strict=True)], [*outer])

    def ranges(self, extents: Sequence[int]) -> list[tuple[int, int]]:
        """Return the lowest and highest index of each base dimension, over ``extents``, which must not be empty.

        The bounds may be wider if a digit of the mixed-radix stage carries.
        """
        bounds = [(0, e - 1) for e in extents] if self.radix is None else self.radix.ranges(extents)
        ends = [(0, 0) if source is None else bounds[source] for source in self.source]
        rows = [(o + s * low, o + s * high) for o, s, (low, high) in zip(self.offset, self.stride, ends, strict=True)]
        return [(min(row), max(row)) for row in rows]

    def reshaped(self, extents: Sequence[int], shape: Sequence[int]) -> IndexMap | None:
        """Return the map after a reshape of ``extents`` to ``shape``; None if this needs a second mixed-radix stage."""
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
        """Return the map with a further index for each of ``axes``, which is added to the index along that axis.

        The sums must stay within the extents: then a further index has the weight of its axis in the number of the
        mixed-radix stage.
        """
        radix = self.radix or Radix(0, right_strides(extents), tuple(map(int, extents)))
        weights = radix.all_weights(len(extents))
        return self.of_number(Radix(radix.first, (*weights, *[weights[axis] for axis in axes]), radix.shape))

    def of_number(self, radix: Radix | None) -> IndexMap:
        """Return the map with its mixed-radix stage replaced by ``radix``."""
        return IndexMap(self.offset, self.stride, self.source, radix)


def rows_between(inner: Sequence[Row], outer: Sequence[Row]) -> list[Row]:
    """Return the rows of the affine map that applies the rows ``outer`` first, then the rows ``inner``."""
    return [
        (first, 0, None) if r is None else (first + step * outer[r][0], step * outer[r][1], outer[r][2])
        for first, step, r in inner
    ]


def of_rows(rows: Sequence[Row]) -> IndexMap:
    """Return the affine map with one row for each base dimension."""
    offset, stride, source = zip(*rows, strict=True) if rows else ((), (), ())
    return IndexMap(offset, stride, source)


def of_sums(sums: Sequence[Sum]) -> IndexMap | None:
    """Return the affine map whose rows are ``sums``; None if a sum depends on several indices."""
    moving = [[r for r, w in enumerate(row.weights) if w] for row in sums]
    if any(len(moves) > 1 for moves in moving):
        return None
    rows = zip(sums, moving, strict=True)
    return of_rows(
        [(row.first, row.weights[moves[0]], moves[0]) if moves else (row.first, 0, None) for row, moves in rows]
    )
