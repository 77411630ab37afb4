"""The transform of a view in a kernel: all links of a composed layout as one map from an index to an index of the base.

Each entry of the base index is a weighted sum of indices (for windows, the index ``i`` of the window plus the index
``k`` within the window), or a weighted sum of the digits of one sum of indices. An index of a padded view is in the
padding if its base index is outside the extents of the base.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias, final

from mdview.base import brief, replace, value
from mdview.errors import KernelError
from mdview.expressions.expression_tree import Param
from mdview.expressions.range_analysis import Range
from mdview.expressions.tracing import Symbol
from mdview.index.extents import shape_text, size_of
from mdview.index.index_map import IndexMap
from mdview.index.padding import domain, is_nowhere, whole
from mdview.index.reshape import Radix, Sum
from mdview.layouts.layout import Composition, Layout
from mdview.mappings.mapping import AnyMapping

Known: TypeAlias = tuple[int | None, ...]
"""Numbers that are constants of the code, and None in place of each run-time number."""


@final
@value
class Transform:
    """A map from an index to an index of a base.

    Without a ``shape``, the values of ``sums`` are the base index. With a ``shape``, ``sums`` has one sum, whose digits
    in this mixed radix are the index for the sums of ``tail``; the values of ``tail`` are the base index. In the type
    of a view some numbers are *open* (None): they are run-time numbers of the view.
    """

    rank: int
    sums: tuple[Sum, ...]
    shape: tuple[int, ...] | None = None
    tail: tuple[Sum, ...] = ()

    @classmethod
    def identity(cls, rank: int) -> Transform:
        """Return the identity on indices of rank ``rank``."""
        return cls(rank, tuple(IndexMap.taking(range(rank)).sums(rank)))

    @property
    def last(self) -> tuple[Sum, ...]:
        """The sums whose values are the base index."""
        return self.sums if self.shape is None else self.tail

    def then(self, inner: IndexMap) -> Transform | None:
        """Return this transform followed by an index map; None if the result needs a second split into digits."""
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
        """Return ``outer``, an affine map from an index of rank ``rank``, followed by this transform."""
        rows = outer.sums(rank)
        return replace(self, rank=rank, sums=tuple([row.after(rows, rank) for row in self.sums]))

    def without_carries(self, extents: Sequence[int]) -> Transform:
        """Return this transform, without its split into digits if no digit carries within ``extents``."""
        if self.shape is None or 0 in (*extents, *self.shape):
            return self
        digits = Radix(self.sums[0].first, self.sums[0].weights, self.shape).linear_digits(extents)
        ranges = [digit.range(extents) for digit in digits or ()]
        if digits is None or any(low < 0 or high >= n for (low, high), n in zip(ranges, self.shape, strict=True)):
            return self
        return Transform(self.rank, tuple([row.after(digits, self.rank) for row in self.tail]))

    def box(self, extents: Sequence[int]) -> tuple[Range, ...]:
        """Return the range of the base index along each dimension, for indices within non-empty ``extents``.

        Raises
        ------
        KernelError
            The sum that is split into digits is outside its shape.
        """
        ranges = [row.range(extents) for row in self.sums]
        if self.shape is None:
            return tuple(ranges)
        low, high = ranges[0]
        if low < 0 or high >= size_of(self.shape):
            raise KernelError(
                f"{brief(self)} over extents {shape_text(extents)} has no digits: it leads from {low} to {high}"
            )
        return tuple([row.range(self.shape) for row in self.tail])

    def pattern(self) -> Transform:
        """Return the transform with all numbers open except the weights 0 and 1, which are constants of the code."""
        sums, tail = [tuple([Sum(None, fixed(row.weights)) for row in rows]) for rows in (self.sums, self.tail)]
        return replace(self, sums=sums, tail=tail)

    @property
    def numbers(self) -> tuple[Any, ...]:
        """All numbers, sum by sum. ``Any`` stands for an int, None, or a `Number`."""
        return tuple([number for row in (*self.sums, *self.tail) for number in (row.first, *row.weights)])

    @property
    def open_numbers(self) -> tuple[Any, ...]:
        """The numbers that are open in the `pattern`. For ``Any`` see `numbers`."""
        return unknown_numbers(self.pattern().numbers, self.numbers)

    def filled(self, numbers: Iterable[Any]) -> Transform:
        """Return the transform with its open numbers replaced by ``numbers``, in order."""
        rest = iter(numbers)

        def row(pattern: Sum) -> Sum:
            (first,) = completed((pattern.first,), rest)
            return Sum(first, completed(pattern.weights, rest))

        return replace(self, sums=tuple(map(row, self.sums)), tail=tuple(map(row, self.tail)))

    def index_of(self, d: int) -> int | None:
        """Return the dimension on whose index dimension ``d`` of the base depends; None if several or none exist."""
        moving = [] if self.shape is not None else [r for r, w in enumerate(self.sums[d].weights) if w != 0]
        return moving[0] if len(moving) == 1 else None


def unknown_number() -> Any:
    """Return a stand-in for a run-time number in the types of views. ``Any`` stands for an int or a symbol."""
    return Symbol(Param(0))


def fixed(numbers: Sequence[Any]) -> Known:
    """Return numbers with None in place of all numbers except the ints 0 and 1."""
    return tuple([n if isinstance(n, int) and n in {0, 1} else None for n in numbers])


def unknown_numbers(pattern: Known, numbers: Sequence[Any]) -> tuple[Any, ...]:
    """Return the numbers at the positions where a pattern has None."""
    return tuple([n for n, k in zip(numbers, pattern, strict=True) if k is None])


def completed(pattern: Known, numbers: Iterable[Any]) -> tuple[Any, ...]:
    """Return a pattern with each None replaced by the next number."""
    rest = iter(numbers)
    return tuple([next(rest) if k is None else k for k in pattern])


@final
@value
class Unrolled:
    """A base, which is ``layout`` over ``extents``, and the transform from an index to an index of the base.

    ``is_padded`` tells whether an index may be in the padding.
    """

    layout: Layout
    extents: tuple[int, ...]
    transform: Transform
    is_padded: bool


def unrolled(mapping: AnyMapping) -> Unrolled:
    """Return the base and the transform of a mapping, with all links of a composed layout merged.

    Raises
    ------
    KernelError
        There is padding around padding, or the box of a padded link is not the set of indices that the transform maps
        into the base.
    """
    layout, extents, is_padded = mapping.layout, mapping.extents, False
    transform = Transform.identity(mapping.rank)
    while not is_padded:
        link = layout.composition(extents)
        further = None if link.base is layout else transform.then(link.transform)
        if further is None:
            break
        if link.box is not None and not _is_natural(link, extents):
            raise KernelError(
                f"the box of {brief(layout)} is not where its transform leads to its base; make padding with pad"
            )
        transform, is_padded = further.without_carries(mapping.extents), link.box is not None
        layout, extents = link.base, link.extents
    if not layout.is_total():
        raise KernelError(
            f"a kernel has one padding at most: {brief(mapping)} has some in {brief(layout)}; copy it, or slice "
            "it inside"
        )
    return Unrolled(layout, extents, transform, is_padded)


def _is_natural(link: Composition, extents: Sequence[int]) -> bool:
    """Tell whether the box of a link contains exactly the indices within ``extents`` whose base index is valid."""
    if link.box is None or not link.transform.is_affine:
        return False
    natural = domain(link.transform, whole(link.extents), whole(extents))
    if len(link.box) > len(extents) or is_nowhere(link.box):
        return natural is not None and is_nowhere(natural)
    return natural == link.box
