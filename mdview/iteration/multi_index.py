"""A multi-index is a place in a walk of several operands in step: one index space, an offset for each operand.

Dense operands are broadcast to each other. A mapping without strides is walked by the positions of its indices in C
order, which its layout turns into offsets; inner loops then have one index. Where an operand is binned (see
`mdview.iteration.bins`), the walk goes from cell to cell and within a cell through all that it holds; dense operands
stay where they are meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, repeat
from math import prod
from typing import ClassVar, cast, final

from mdview.base.arguments import refuse
from mdview.base.integers import as_integer
from mdview.base.strided_sets import chained_ranges
from mdview.base.texts import shown, told
from mdview.errors import IndexOutOfRangeError, RankError
from mdview.index.no_copy_reshape import unravel
from mdview.index.orders import digits
from mdview.iteration.bins import Bins
from mdview.iteration.operands import (
    AnyMapping,
    Operand,
    cell_dimensions,
    check_sizes,
    checked,
    common_extents,
    dense_dimensions,
    first_place,
    held_ranges,
    repeated_offsets,
    repeated_strides,
    without_strides,
)
from mdview.iteration.view_index import flat_index, offsets_from
from mdview.layouts.arithmetic import offset_of
from mdview.mappings.mapping import Mapping


@final
class MultiIndex:
    """A place in the walk of several operands in step, last index fastest.

    Iterating yields a tuple of offsets, one for each operand, from here to the end; `chunks` yields inner loops.
    Neither moves the place. Two places of one walk are equal if they are at the same index.

    Parameters
    ----------
    operands
        Mappings, and `Bins`, in any order; the output first, if there is one. Extents are broadcast as NumPy does.

    Raises
    ------
    BroadcastError
        The extents do not go together.
    BinsError
        Binned operands hold different numbers of elements in some cell; the message names the first one.
    HaloError
        A mapping has padding, which has no offsets.

    Attributes
    ----------
    extents
        Extents of the merged dimensions, slowest first; within a cell those of what it holds.

    >>> row, column = Mapping((3,)), Mapping((2, 1))
    >>> list(MultiIndex(row, column))
    [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
    >>> list(MultiIndex(Bins(Mapping((5,)), [(3, 5), (1, 2)]), Mapping((2,))))
    [(3, 0), (4, 0), (1, 1)]
    >>> from mdview import LayoutTiled
    >>> list(MultiIndex(Mapping((2, 4), LayoutTiled(2, 2)), Mapping((2, 1))))
    [(0, 0), (1, 0), (4, 0), (5, 0), (2, 1), (3, 1), (6, 1), (7, 1)]
    """

    __slots__ = (
        "_bases",
        "_by_position",
        "_cell",
        "_coordinates",
        "_counts",
        "_dims",
        "_outer",
        "extents",
        "is_binned",
        "operands",
    )

    # A place moves, so it has no hash.
    __hash__: ClassVar[None]  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleMethodOverride]

    operands: tuple[Operand, ...]
    extents: tuple[int, ...]
    _coordinates: list[int]
    is_binned: bool

    def __init__(self, *operands: Operand) -> None:
        """Stand at the first index."""
        if not operands:
            raise RankError("a multi-index has at least one operand")
        self.operands = tuple([operand if isinstance(operand, Bins) else checked(operand) for operand in operands])
        self._outer = common_extents([operand.extents for operand in self.operands])
        binned = [operand for operand in self.operands if isinstance(operand, Bins)]
        self.is_binned = bool(binned)
        self._by_position = () if binned else without_strides(self.operands)
        if binned:
            self._dims = cell_dimensions(self.operands, binned)
        else:
            self._dims = dense_dimensions(self.operands, self._outer, one_by_one=bool(self._by_position))
        self._counts, self._bases = self._lay_out(binned)
        self._enter(0)

    def _lay_out(self, binned: Sequence[Bins]) -> tuple[list[int], list[list[int]]]:
        """For each cell its count; for each operand the offset of the first element that it has in each cell."""
        if not binned:
            return [1], [[first_place(operand)] for operand in self.operands if isinstance(operand, Mapping)]
        held = {id(operand): held_ranges(operand, self._outer) for operand in binned}
        counts = [end - begin for begin, end in held[id(binned[0])]]
        for other in binned[1:]:
            check_sizes(counts, [end - begin for begin, end in held[id(other)]], self._outer)
        bases: list[list[int]] = []
        for operand in self.operands:
            if isinstance(operand, Bins):
                origin, step = operand.buffer.origin, operand.stride
                bases.append([origin + begin * step for begin, _ in held[id(operand)]])
            else:
                bases.append(list(repeated_offsets(operand, self._outer)))
        return counts, bases

    # Where this place is.

    @property
    def strides(self) -> tuple[tuple[int, ...], ...]:
        """For each operand its strides in the merged dimensions; those of positions where it has none itself."""
        return self._dims.strides

    @property
    def coordinates(self) -> tuple[int, ...]:
        """Index in the merged dimensions, within a cell."""
        return tuple(self._coordinates)

    @property
    def data_index(self) -> tuple[int, ...]:
        """The offset of each operand here, in elements.

        Raises
        ------
        IndexOutOfRangeError
            This is the end, where no operand has an element.
        """
        if self.at_end:
            raise IndexOutOfRangeError("the end of a walk has no offsets; ask at_end first")
        starts = [bases[self._cell] for bases in self._bases]
        places = [b + flat_index(s, self._coordinates) for b, s in zip(starts, self.strides, strict=True)]
        if not self._by_position:
            return tuple(places)
        return tuple([next(self._followed(k, iter((place,)))) for k, place in enumerate(places)])

    def _followed(self, k: int, places: Iterator[int]) -> Iterator[int]:
        """Offsets of operand ``k`` at places of the walk, which are those of a strided operand."""
        if k not in self._by_position:
            return places
        operand = cast("AnyMapping", self.operands[k])
        return (offset_of(operand.layout, operand.extents, unravel(place, operand.extents)) for place in places)

    @property
    def at_end(self) -> bool:
        """Whether the whole walk lies before this place; at once where there is nothing to walk."""
        return self._cell == len(self._counts)

    @property
    def cell(self) -> int:
        """Number of the cell that this place is in; 0 where all operands are dense."""
        return self._cell

    @property
    def size(self) -> int:
        """Count the indices of the whole walk."""
        return sum(self.sizes)

    @property
    def sizes(self) -> list[int]:
        """How many indices of the walk each cell has."""
        each = prod(self._dims.extents)
        return [count * each for count in self._counts]

    @property
    def starts(self) -> list[int]:
        """How many indices of the walk lie before each cell."""
        return [0, *accumulate(self.sizes)][:-1]

    def bases(self, k: int) -> list[int]:
        """Return the offset of the first element that operand ``k`` has in each cell, or would have in an empty one."""
        k = self._operand(k)
        return [cast("AnyMapping", self.operands[k]).origin] if k in self._by_position else list(self._bases[k])

    def _operand(self, k: int) -> int:
        """Return the number of an operand, checked."""
        number, count = as_integer(k, "the number of an operand"), len(self.operands)
        if not 0 <= number < count:
            raise IndexOutOfRangeError(f"operand {shown(number)} is out of range: there are {shown(count)}")
        return number

    @property
    def has_stride_zero(self) -> bool:
        """Whether the first operand, the output, repeats elements along a dimension: do not write in parallel then."""
        inner = self._dims.with_count(max(self._counts, default=0))
        dims = list(zip(inner, self.strides[0], strict=True))
        if self.is_binned:
            first = self.operands[0]
            cells = first.cells if isinstance(first, Bins) else first
            own = cells.found_strides() or (1,) * cells.rank
            dims += zip(self._outer, repeated_strides(own, cells.extents, self._outer), strict=True)
        return any(e > 1 and s == 0 for e, s in dims)

    # Moving it.

    def increment(self) -> None:
        """Go to the next index, or from the last one to the end.

        Raises
        ------
        IndexOutOfRangeError
            This is the end.
        """
        self.increment_by(1)

    def increment_by(self, count: int) -> None:
        """Go on by ``count`` within the innermost dimension; its end is the start of what comes next.

        Raises
        ------
        IndexOutOfRangeError
            ``count`` is negative or more than `inner_distance_to_end`.
        """
        count, left = as_integer(count, "a number of steps"), self.inner_distance_to_end
        if not 0 <= count <= left:
            raise IndexOutOfRangeError(
                f"{shown(count)} steps do not lie within the innermost dimension, of which {left} are left"
            )
        coordinates, extents = self._coordinates, self.extents
        d = len(extents) - 1
        coordinates[d] += count
        while count and coordinates[d] == extents[d]:
            coordinates[d] = 0
            if d == 0:
                self._enter(self._cell + 1)
                return
            d -= 1
            coordinates[d] += 1

    def set_index(self, k: int) -> None:
        """Go to index ``k`` of the walk, or, with bins, to the first element at or after the start of cell ``k``.

        Raises
        ------
        IndexOutOfRangeError
            ``k`` is neither an index (cell) nor their number, which is the end.
        """
        k = as_integer(k, "an index")
        most, what = (len(self._counts), "cell") if self.is_binned else (self.size, "index")
        if not 0 <= k <= most:
            raise IndexOutOfRangeError(f"{what} {shown(k)} is out of range: there are {most}; {most} itself is the end")
        self._enter(k if self.is_binned else k == most)
        if not self.is_binned and not self.at_end:
            self._coordinates = list(digits(k, self.extents))

    def _enter(self, cell: int) -> None:
        """Go to the first element at or after the start of a cell; empty cells have none."""
        while cell < len(self._counts) and 0 in self._dims.with_count(self._counts[cell]):
            cell += 1
        self._cell = int(cell)
        at_end = self._cell == len(self._counts)
        self.extents = self._dims.with_count(int(not self.is_binned) if at_end else self._counts[cell])
        self._coordinates = [0] * len(self.extents)

    # Inner loops.

    @property
    def inner_strides(self) -> tuple[int, ...]:
        """The stride of each operand in the innermost dimension: what one step of an inner loop adds."""
        return tuple([strides[-1] for strides in self.strides])

    @property
    def inner_distance_to_end(self) -> int:
        """Count the steps to the end of the innermost dimension: how long the inner loop from here is."""
        return 0 if self.at_end else self.extents[-1] - self._coordinates[-1]

    def inner_distance_to(self, other: MultiIndex) -> int:
        """Count the steps to ``other`` along the innermost dimension.

        Raises
        ------
        IndexOutOfRangeError
            It differs in another dimension, too.
        """
        if not self.in_same_chunk(other):
            raise IndexOutOfRangeError(f"{told(other)} is not in the inner loop of {told(self)}")
        return other._coordinates[-1] - self._coordinates[-1]

    def in_same_chunk(self, other: MultiIndex, inner: int = 1) -> bool:
        """Whether another place of this walk differs in the ``inner`` fastest dimensions at most."""
        if not isinstance(other, MultiIndex):
            refuse("another place", "a MultiIndex", other)
        same = max(len(self._coordinates) - as_integer(inner, "a number of dimensions"), 0)
        return self._cell == other._cell and self._coordinates[:same] == other._coordinates[:same]

    def chunks(self) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield the inner loops from here to the end: the offset of each operand at its start, and how long it is.

        Each step within one adds `inner_strides`.

        >>> walk = MultiIndex(Mapping((2, 3)), Mapping((3,)))
        >>> walk.inner_strides, list(walk.chunks())
        ((1, 1), [((0, 0), 3), ((3, 0), 3)])
        """
        place = self.__copy__()
        if not place.at_end and place._coordinates[-1]:
            yield place.data_index, place.inner_distance_to_end
            place.increment_by(place.inner_distance_to_end)
        start = place._coordinates[:-1]
        for cell in range(place._cell, len(self._counts)):
            extents = self._dims.with_count(self._counts[cell])
            if 0 not in extents:
                first = start if cell == place._cell else [0] * len(start)
                rows = [
                    self._followed(k, offsets_from(first, extents[:-1], strides[:-1], self._bases[k][cell]))
                    for k, strides in enumerate(self.strides)
                ]
                for offsets in zip(*rows, strict=True):
                    yield offsets, extents[-1]

    # All that is left.

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """Offsets of the operands from here to the end, one tuple for each index."""
        return zip(*map(self.offsets, range(len(self.operands))), strict=True)

    def offsets(self, k: int) -> Iterator[int]:
        """Offsets of operand ``k`` from here to the end."""
        k = self._operand(k)
        if self.at_end:
            return iter(())
        bases, strides, following = self._bases[k], self.strides[k], self._cell + 1
        here = offsets_from(self._coordinates, self.extents, strides, bases[self._cell])
        there = self._cells(bases[following:], self._counts[following:], strides)
        return self._followed(k, chain(here, there))

    def _cells(self, bases: list[int], counts: list[int], strides: tuple[int, ...]) -> Iterator[int]:
        """Offsets of one operand in cells with these starts and counts."""
        each, step = self._dims.extents[-1], strides[-1]
        if len(strides) > 1:
            return chain.from_iterable(map(chained_ranges, map(self._dims.with_count, counts), repeat(strides), bases))
        lengths = [count * each for count in counts]
        if step == 0:
            return chain.from_iterable(map(repeat, bases, lengths))
        stops = [base + length * step for base, length in zip(bases, lengths, strict=True)]
        return chain.from_iterable(map(range, bases, stops, repeat(step)))

    def __copy__(self) -> MultiIndex:
        """Return another place of the same walk, at the same index."""
        other = object.__new__(MultiIndex)
        for name in self.__slots__:
            setattr(other, name, getattr(self, name))
        other._coordinates = list(self._coordinates)
        return other

    def __eq__(self, other: object) -> bool:
        """Compare cells and coordinates, whatever the operands."""
        return isinstance(other, MultiIndex) and (self._cell, self._coordinates) == (other._cell, other._coordinates)

    def __repr__(self) -> str:
        """Operands and place."""
        place = "the end" if self.at_end else f"cell {self._cell}, {shown(tuple(self._coordinates))}"
        return f"MultiIndex({', '.join(map(repr, self.operands))}) at {place}"
