"""Index maps in a kernel: which base index an index stands for, where the numbers of that are values of the view.

Each entry of the base index is a sum of indices, or of the digits of one sum: as an `IndexMap` has it, but that a
sum may follow several indices. So a kernel needs no mixed-radix step where no digit ever carries: a window at ``i`` and
a place ``k`` in it add up to ``i + k``.

Links of a composition become one transform, however many there are. An index of a padded view lies in the padding where
its base index leaves the extents of the base, so the box of a padded layout needs no numbers of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias, final

from mdview.base import brief, replace, value
from mdview.errors import KernelError
from mdview.expressions.range_analysis import Range
from mdview.index.dense_strides import right_strides
from mdview.index.domains import domain, is_nowhere, whole
from mdview.index.extents import shape_text, size_of
from mdview.index.index_map import IndexMap, of_sums
from mdview.index.mixed_radix import Radix, Sum
from mdview.layouts.layout import Composition, Layout
from mdview.mappings.mapping import AnyMapping

Known: TypeAlias = tuple[int | None, ...]
"""Numbers that belong to the code; None for each one that is a value."""

Sums: TypeAlias = tuple[Sum, ...]


@final
@value
class Transform:
    """From an index to one of a base: by ``sums``, or by one sum whose digits over ``shape`` go into ``tail``.

    In the type of a view some numbers are *open*, None: they are values of the view.
    """

    rank: int
    sums: Sums
    shape: tuple[int, ...] | None = None
    tail: Sums = ()

    @classmethod
    def identity(cls, rank: int) -> Transform:
        """Make the transform by which each index stands for itself."""
        return cls(rank, tuple(IndexMap.taking(range(rank)).sums(rank)))

    @property
    def last(self) -> Sums:
        """The sums whose values are the base index."""
        return self.sums if self.shape is None else self.tail

    def then(self, inner: IndexMap) -> Transform | None:
        """Return this transform followed by another one; None where that takes a second mixed-radix step."""
        radix = inner.radix
        if radix is None:
            rank = self.rank if self.shape is None else len(self.shape)
            rows = tuple([row.after(self.last, rank) for row in inner.sums(len(self.last))])
            return replace(self, sums=rows) if self.shape is None else replace(self, tail=rows)
        if self.shape is not None:
            return None
        number = Sum(radix.first, radix.weights).after(self.sums, self.rank)
        return Transform(self.rank, (number,), radix.shape, tuple(inner.sums(len(radix.shape))))

    def after(self, outer: IndexMap, rank: int) -> Transform:
        """Return the transform of the indices of a part, which has that rank, that ``outer`` makes indices of these."""
        rows = outer.sums(rank)
        return replace(self, rank=rank, sums=tuple([row.after(rows, rank) for row in self.sums]))

    def without_carries(self, extents: Sequence[int]) -> Transform:
        """Return the transform without its mixed-radix step, if no digit carries within ``extents``, else itself."""
        if self.shape is None or 0 in (*extents, *self.shape):
            return self
        digits = Radix(self.sums[0].first, self.sums[0].weights, self.shape).linear_digits(extents)
        ranges = [digit.range(extents) for digit in digits or ()]
        if digits is None or any(low < 0 or high >= n for (low, high), n in zip(ranges, self.shape, strict=True)):
            return self
        return Transform(self.rank, tuple([row.after(digits, self.rank) for row in self.tail]))

    def as_index_transform(self, base: Sequence[int]) -> IndexMap:
        """Return the transform as one to an index within the extents ``base``, which it does not leave."""
        rows = of_sums(self.last)
        if rows is None:  # several indices add up: what they lead to are digits of its position
            number = Sum(0, right_strides(base)).after(self.sums, self.rank)
            return IndexMap.of_digits(Radix(number.first, number.weights, tuple(base)))
        if self.shape is None:
            return rows
        return replace(rows, radix=Radix(self.sums[0].first, self.sums[0].weights, self.shape))

    def box(self, extents: Sequence[int]) -> tuple[Range, ...]:
        """Lowest and highest base index of each base dimension, for indices within ``extents``; none is empty.

        Raises
        ------
        KernelError
            The number of a mixed-radix step is no number of a grid of that shape.
        """
        found = [row.range(extents) for row in self.sums]
        if self.shape is None:
            return tuple(found)
        low, high = found[0]
        if low < 0 or high >= size_of(self.shape):
            raise KernelError(
                f"{brief(self)} over extents {shape_text(extents)} has no digits: it leads from {low} to {high}"
            )
        return tuple([row.range(self.shape) for row in self.tail])

    def pattern(self) -> Transform:
        """Return the transform with all numbers open but weights of 0 and 1, which belong to the code."""
        sums, tail = [tuple([Sum(None, known(row.weights)) for row in rows]) for rows in (self.sums, self.tail)]
        return replace(self, sums=sums, tail=tail)

    @property
    def numbers(self) -> tuple[Any, ...]:
        """All numbers, row by row. Any: ints, None, or what stands for ints in a kernel."""
        return tuple([number for row in (*self.sums, *self.tail) for number in (row.first, *row.weights)])

    def filled(self, numbers: Iterable[Any]) -> Transform:
        """Return the transform with these numbers in the place of the open ones."""
        rest = iter(numbers)
        sums, tail = [
            tuple([Sum(next(rest), completed(row.weights, rest)) for row in rows]) for rows in (self.sums, self.tail)
        ]
        return replace(self, sums=sums, tail=tail)

    def index_of(self, d: int) -> int | None:
        """Return the one index that moves base dimension ``d``, None where several do, or none."""
        moving = [] if self.shape is not None else [r for r, w in enumerate(self.sums[d].weights) if w != 0]
        return moving[0] if len(moving) == 1 else None


def known(numbers: Sequence[Any]) -> Known:
    """Return which numbers are 0 or 1; None for all others, and for what is no number yet."""
    return tuple([n if isinstance(n, int) and n in {0, 1} else None for n in numbers])


def unknown_numbers(pattern: Known, numbers: Sequence[Any]) -> list[Any]:
    """Return the numbers that are not known."""
    return [n for n, k in zip(numbers, pattern, strict=True) if k is None]


def completed(pattern: Known, numbers: Iterable[Any]) -> tuple[Any, ...]:
    """Return the known numbers, and the next of ``numbers`` for each other."""
    rest = iter(numbers)
    return tuple([next(rest) if k is None else k for k in pattern])


@final
@value
class Unrolled:
    """``layout`` over ``extents`` is reached through ``transform``; ``is_padded`` where that may leave the extents."""

    layout: Layout
    extents: tuple[int, ...]
    transform: Transform
    is_padded: bool


def unrolled(mapping: AnyMapping) -> Unrolled:
    """Take a mapping apart.

    Raises
    ------
    KernelError
        There is padding inside of padding, or where no transform leads out of the base.
    """
    layout, extents, is_padded = mapping.layout, mapping.extents, False
    transform = Transform.identity(mapping.rank)
    while not is_padded:
        found = layout.composition(extents)
        further = None if found.base is layout else transform.then(found.transform)
        if further is None:
            break
        if found.box is not None and not _is_natural(found, extents):
            raise KernelError(
                f"the box of {brief(layout)} is not where its transform leads to its base; make padding with pad"
            )
        transform, is_padded = further.without_carries(mapping.extents), found.box is not None
        layout, extents = found.base, found.extents
    if not layout.is_total():
        raise KernelError(
            f"a kernel has one padding at most: {brief(mapping)} has some in {brief(layout)}; copy it, or slice "
            "it inside"
        )
    return Unrolled(layout, extents, transform, is_padded)


def _is_natural(found: Composition, extents: Sequence[int]) -> bool:
    """Tell whether the box holds the very indices within ``extents`` whose base index lies within the base."""
    if found.box is None or not found.transform.is_affine:
        return False
    natural = domain(found.transform, whole(found.extents), whole(extents))
    if len(found.box) > len(extents) or is_nowhere(found.box):
        return natural is not None and is_nowhere(natural)
    return natural == found.box
