"""Cursors: movable positions in the C order of one mapping (`ViewIndex`) or of several operands (`MultiIndex`).

A cursor moves by one index or by many, compares with other cursors, and returns the offset of each operand at its
position. The operands of a `MultiIndex` are broadcast to common extents. Without bins (see `mdview.iteration.bins`)
they are mappings with strides. With bins the cursor runs over all elements of a cell, then of the next cell; an operand
without bins may then have any layout, and has one offset for a whole cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from operator import sub
from typing import ClassVar, cast, final

from mdview.base import answer_calls, as_integer, as_text, brief, refuse
from mdview.errors import HaloError, IndexOutOfRangeError, RankError
from mdview.index.extents import digits
from mdview.iteration.bins import Bins, LoopOperand, over_cells, over_mappings
from mdview.iteration.coalesced_loops import LoopNest, LoopRow, common_extents, merged_loops, repeated_strides
from mdview.mappings.mapping import AnyMapped, AnyMapping, mapping_of


class Cursor:
    """A position in nested loops; the abstract class of `ViewIndex` and `MultiIndex`."""

    __slots__ = ("_place", "_row", "_walk")

    # A cursor is mutable, so it has no hash.
    __hash__: ClassVar[None]  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleMethodOverride]

    _walk: LoopNest
    _place: int
    _row: LoopRow  # the row that `_offsets` used last

    @property
    def at_end(self) -> bool:
        """Whether the cursor is one past the last index; over an empty index space it begins there."""
        return self._place == self._walk.starts[-1]

    def increment(self) -> None:
        """Go to the next index, or from the last index to the end.

        Raises
        ------
        IndexOutOfRangeError
            The cursor is at the end.
        """
        self._go(self._place + 1)

    def _offsets(self, position: int) -> list[int]:
        """Return the offset of each operand at a position that is not the end."""
        start, stop, steps = self._row
        if not start <= position < stop:
            start, stop, steps = self._row = self._walk.row(position)
        n = position - start
        return [first + n * step for first, step in steps]

    def _go(self, position: int) -> None:
        """Go to a position; refuse a position that is neither an index nor the end."""
        size = self._walk.starts[-1]
        if not 0 <= position <= size:
            raise IndexOutOfRangeError(
                f"index {as_text(position)} is out of range: there are {size} in the walk; {size} itself is the end"
            )
        self._place = position

    def __eq__(self, other: object) -> bool:
        """Compare only the positions; the operands may differ."""
        return type(other) is type(self) and self._place == other._place


@final
class ViewIndex(Cursor):
    """A cursor over the indices of a strided mapping in C order, from the first index to one past the last.

    The *view index* is the number of indices before the position. Two cursors are equal if their view indices are
    equal. Iteration yields the offsets from the position to the end and does not move the cursor. ``cursor[k]`` is the
    offset at view index ``k``, and ``len(cursor)`` is the number of indices.

    Parameters
    ----------
    mapping
        A mapping with strides; these may be negative or 0, and the index space may be empty.

    Raises
    ------
    NotStridedError
        The mapping has no strides.

    Attributes
    ----------
    extents, strides
        The extents and the strides of the merged dimensions, slowest first; rank 0 has one dimension of extent 1.
    delta
        The stride of each merged dimension minus extent times stride of the next faster one. A carry from the end of
        the faster dimension changes the offset by this number.

    >>> from mdview import LayoutStrideRelaxed, Mapping
    >>> place = ViewIndex(Mapping((2, 3), LayoutStrideRelaxed((10, 2))))
    >>> place.delta, list(place)
    ((4, 2), [0, 2, 4, 10, 12, 14])
    >>> place.set_index(4)
    >>> place.memory_index, place.index
    (12, (1, 1))
    """

    __slots__ = ("_mapping", "delta", "extents", "strides")

    extents: tuple[int, ...]
    strides: tuple[int, ...]
    delta: tuple[int, ...]

    @answer_calls
    def __init__(self, mapping: AnyMapped) -> None:
        """Start at the first index."""
        mapping = mapping_of(mapping)
        strided = _strided(mapping)
        self._mapping = mapping
        walk = merged_loops(mapping.extents, [strided.found_strides() or ()], keeps_repeats=True)
        self._walk = walk.over((1,), ((strided.origin,),))
        self.extents, (self.strides,) = walk.extents, walk.strides
        back = [e * s for e, s in zip(self.extents[1:], self.strides[1:], strict=True)]
        self.delta = tuple(map(sub, self.strides, (*back, 0)))
        self._place, self._row = 0, (0, 0, [])

    @property
    def view_index(self) -> int:
        """The number of indices before the position."""
        return self._place

    @property
    def memory_index(self) -> int:
        """The offset at the position, in elements; at the end, a number that is not an offset of the mapping."""
        (base,) = self._walk.bases[0]
        return base + sum([i * s for i, s in zip(self.coordinates, self.strides, strict=True)])

    @property
    def coordinates(self) -> tuple[int, ...]:
        """The index in the merged dimensions; at the end, the first entry is the extent and all others are 0."""
        return digits(self._place, self.extents)

    @property
    def index(self) -> tuple[int, ...]:
        """The index in the extents of the mapping; at the end, the first entry is the extent and all others are 0."""
        return digits(self._place, self._mapping.extents)

    def decrement(self) -> None:
        """Go to the previous index.

        Raises
        ------
        IndexOutOfRangeError
            The cursor is at the first index.
        """
        self._go(self._place - 1)

    def advance(self, count: int) -> None:
        """Go ``count`` indices forward, or backward if ``count`` is negative.

        Raises
        ------
        IndexOutOfRangeError
            The new position lies before the first index or past the end.
        """
        self._go(self._place + as_integer(count, "a number of steps"))

    def set_index(self, k: int) -> None:
        """Go to view index ``k``; ``len(cursor)`` is the end.

        Raises
        ------
        IndexOutOfRangeError
            ``k`` is not in [0, len(cursor)].
        """
        self._go(as_integer(k, "a view index"))

    def distance_to(self, other: ViewIndex) -> int:
        """Return the number of indices from this cursor to ``other``; negative if ``other`` lies before this cursor."""
        if not isinstance(other, ViewIndex):
            refuse("another place", "a ViewIndex", other)
        return other._place - self._place

    def __len__(self) -> int:
        """Return the number of all indices of the mapping."""
        return self._walk.starts[-1]

    def __getitem__(self, k: int) -> int:
        """Return the offset at view index ``k``; a negative ``k`` counts from the end."""
        k = as_integer(k, "a view index")
        position = k + len(self) if k < 0 else k
        if not 0 <= position < len(self):
            raise IndexOutOfRangeError(f"view index {as_text(k)} is out of range for {len(self)} indices")
        return self._offsets(position)[0]

    def __iter__(self) -> Iterator[int]:
        """Return an iterator over the offsets from the position to the end."""
        return self._walk.offsets(0, self._place)

    def __repr__(self) -> str:
        """Return ``ViewIndex(Mapping(...)) at 4 of 6``."""
        return f"ViewIndex({self._mapping!r}) at {self._place} of {len(self)}"


@final
class MultiIndex(Cursor):
    """A cursor over the indices of several operands in C order.

    Iteration yields a tuple with the offset of each operand, from the position to the end; `chunks` yields inner loops.
    Neither moves the cursor. Two cursors are equal if they are at the same position.

    Parameters
    ----------
    operands
        Mappings and `Bins`, in any order; the output, if there is one, comes first. Extents are broadcast as in NumPy.

    Raises
    ------
    BroadcastError
        The extents of the operands cannot be broadcast.
    BinsError
        Two operands with bins hold different numbers of elements in a cell; the message has the first such cell.
    NotStridedError
        No operand has bins, and a mapping has no strides.
    HaloError
        An operand has bins, and a mapping has padding, which has no offsets.

    >>> from mdview import Mapping
    >>> row, column = Mapping((3,)), Mapping((2, 1))
    >>> list(MultiIndex(row, column))
    [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
    >>> list(MultiIndex(Bins(Mapping((5,)), [(3, 5), (1, 2)]), Mapping((2,))))
    [(3, 0), (4, 0), (1, 1)]
    """

    __slots__ = ("_outer", "is_binned", "operands")

    operands: tuple[LoopOperand, ...]
    is_binned: bool

    @answer_calls
    def __init__(self, *operands: AnyMapped | Bins) -> None:
        """Start at the first index."""
        if not operands:
            raise RankError("a multi-index has at least one operand")
        self.operands = tuple([operand if isinstance(operand, Bins) else _unbinned(operand) for operand in operands])
        self._outer = common_extents([operand.extents for operand in self.operands])
        self.is_binned = any(isinstance(operand, Bins) for operand in self.operands)
        if self.is_binned:
            self._walk = over_cells(self.operands, self._outer)
        else:
            mappings = cast("tuple[AnyMapping, ...]", self.operands)
            self._walk = over_mappings([_strided(m) for m in mappings], self._outer)
        self._place, self._row = 0, (0, 0, [])

    # The position.

    @property
    def extents(self) -> tuple[int, ...]:
        """The extents of the merged dimensions, slowest first; with bins, those of the present cell."""
        return self._walk.extents_of(self.cell if self.is_binned else 0)

    @property
    def strides(self) -> tuple[tuple[int, ...], ...]:
        """The strides of each operand in the merged dimensions."""
        return self._walk.strides

    @property
    def coordinates(self) -> tuple[int, ...]:
        """The index in the merged dimensions; with bins, the index within the present cell."""
        return self._walk.locate(self._place)[1]

    @property
    def data_index(self) -> tuple[int, ...]:
        """The offset of each operand at the position, in elements.

        Raises
        ------
        IndexOutOfRangeError
            The cursor is at the end, where no operand has an element.
        """
        if self.at_end:
            raise IndexOutOfRangeError("the end of a walk has no offsets; ask at_end first")
        return tuple(self._offsets(self._place))

    @property
    def cell(self) -> int:
        """The number of the present cell; 0 before the end if no operand has bins."""
        return self._walk.locate(self._place)[0]

    @property
    def size(self) -> int:
        """The number of all indices; with bins, over all cells."""
        return self._walk.starts[-1]

    @property
    def starts(self) -> list[int]:
        """The number of indices before each cell."""
        return [*self._walk.starts[:-1]]

    @property
    def has_stride_zero(self) -> bool:
        """Whether the first operand, the output, repeats elements along a dimension.

        Threads must not write to such an output in parallel.
        """
        counts, first = self._walk.counts, self.operands[0]
        longest = max(range(len(counts)), key=counts.__getitem__, default=0)
        dims = list(zip(self._walk.extents_of(longest), self.strides[0], strict=True))
        if self.is_binned:
            cells = first.cells if isinstance(first, Bins) else first
            steps = cells.found_strides() or (1,) * cells.rank
            dims += zip(self._outer, repeated_strides(steps, cells.extents, self._outer), strict=True)
        return any(e > 1 and s == 0 for e, s in dims)

    # Moves.

    def increment_by(self, count: int) -> None:
        """Go ``count`` indices forward within the innermost dimension; its end is the start of the next row.

        Raises
        ------
        IndexOutOfRangeError
            ``count`` is negative or more than `inner_distance_to_end`.
        """
        count, left = as_integer(count, "a number of steps"), self.inner_distance_to_end
        if not 0 <= count <= left:
            raise IndexOutOfRangeError(
                f"{as_text(count)} steps do not lie within the innermost dimension, of which {left} are left"
            )
        self._place += count

    def set_index(self, k: int) -> None:
        """Go to index ``k``; with bins, go to the first element of cell ``k`` or of the next cell that is not empty.

        Raises
        ------
        IndexOutOfRangeError
            ``k`` is negative, or exceeds the number of indices (with bins, of cells); that number itself is the end.
        """
        k, starts = as_integer(k, "an index"), self._walk.starts
        if self.is_binned:
            if not 0 <= k < len(starts):
                most = len(starts) - 1
                raise IndexOutOfRangeError(
                    f"cell {as_text(k)} is out of range: there are {most}; {most} itself is the end"
                )
            k = starts[k]
        self._go(k)

    # Inner loops.

    @property
    def inner_strides(self) -> tuple[int, ...]:
        """The stride of each operand in the innermost dimension."""
        return tuple([strides[-1] for strides in self.strides])

    @property
    def inner_distance_to_end(self) -> int:
        """The number of indices left in the innermost dimension, from the position on; 0 at the end."""
        return 0 if self.at_end else self.extents[-1] - self.coordinates[-1]

    def inner_distance_to(self, other: MultiIndex) -> int:
        """Return the number of indices from this cursor to ``other`` along the innermost dimension.

        Raises
        ------
        IndexOutOfRangeError
            ``other`` lies in another cell, or its index differs in another dimension.
        """
        if not self.in_same_chunk(other):
            raise IndexOutOfRangeError(f"{brief(other)} is not in the inner loop of {brief(self)}")
        return other._place - self._place

    def in_same_chunk(self, other: MultiIndex, inner: int = 1) -> bool:
        """Tell whether ``other`` is in the same cell and differs only in the ``inner`` fastest dimensions."""
        if not isinstance(other, MultiIndex):
            refuse("another place", "a MultiIndex", other)
        (mine, here), (its, there) = self._walk.locate(self._place), other._walk.locate(other._place)
        same = max(len(here) - as_integer(inner, "a number of dimensions"), 0)
        return mine == its and here[:same] == there[:same]

    def chunks(self) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield the inner loops from the position to the end: the first offset of each operand, and the length.

        Within an inner loop, each index adds `inner_strides` to the offsets.

        >>> from mdview import Mapping
        >>> walk = MultiIndex(Mapping((2, 3)), Mapping((3,)))
        >>> walk.inner_strides, list(walk.chunks())
        ((1, 1), [((0, 0), 3), ((3, 0), 3)])
        """
        cursor = copy(self)
        while not cursor.at_end:
            yield cursor.data_index, cursor.inner_distance_to_end
            cursor.increment_by(cursor.inner_distance_to_end)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """Return an iterator over the offsets of all operands from the position to the end, a tuple for each index."""
        return zip(*[self.offsets(k) for k in range(len(self.operands))], strict=True)

    def offsets(self, k: int) -> Iterator[int]:
        """Return an iterator over the offsets of operand ``k`` from the position to the end."""
        number, count = as_integer(k, "the number of an operand"), len(self.operands)
        if not 0 <= number < count:
            raise IndexOutOfRangeError(f"operand {as_text(number)} is out of range: there are {as_text(count)}")
        return self._walk.offsets(number, self._place)

    def __repr__(self) -> str:
        """Return the operands and the position as text."""
        position = "the end" if self.at_end else f"cell {self.cell}, {as_text(self.coordinates)}"
        return f"MultiIndex({', '.join(map(repr, self.operands))}) at {position}"


def _unbinned(mapping: AnyMapped) -> AnyMapping:
    """Return the mapping of an operand without bins; refuse a mapping that has padding and no strides."""
    mapping = mapping_of(mapping, "an operand that is no Bins")
    if mapping.found_strides() is None and not mapping.layout.is_total():
        raise HaloError(f"{brief(mapping)} has padding, which has no offsets to walk over; slice it to its valid_box")
    return mapping


def _strided(mapping: AnyMapping) -> AnyMapping:
    """Return the mapping if its strides are known, else `Mapping.as_strided`, which may raise `NotStridedError`."""
    return mapping if mapping.found_strides() is not None else mapping.as_strided()
