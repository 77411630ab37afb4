"""Cursors into one or more views: a position in iteration order that steps, jumps, compares and dereferences.

`ViewIndex` walks over one strided mapping. `MultiIndex` walks over several operands in step: dense ones are broadcast
to each other and need strides. If an operand is binned (see `mdview.iteration.bins`), the walk goes from cell to cell
and over all elements within a cell; dense operands, of any layout, have one offset for the whole cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import cast, final

from mdview.base import answer_calls, as_integer, as_text, brief, refuse
from mdview.errors import HaloError, IndexOutOfRangeError, RankError
from mdview.index.dense_strides import digits
from mdview.iteration.bins import Bins, LoopOperand, over_cells, over_mappings
from mdview.iteration.coalesced_loops import Cursor, common_extents, deltas, merged_loops, repeated_strides
from mdview.mappings.mapping import AnyMapped, AnyMapping, mapping_of


@final
class ViewIndex(Cursor):
    """A place in the walk over a strided mapping, last index fastest, from the first offset to one past all.

    Two places are equal if their view indices are. Iterating yields the offsets from here to the end and does not move
    the place; ``place[k]`` is the offset at view index ``k``, ``len(place)`` how many there are.

    Parameters
    ----------
    mapping
        Any mapping that has strides: of any sign, zero, or over no index at all.

    Raises
    ------
    NotStridedError
        The mapping has no strides.

    Attributes
    ----------
    extents, strides
        Those of the merged dimensions, slowest first; a walk of rank 0 has one of extent 1.
    delta
        What a step adds to the offset where a dimension moves and all faster ones go back to their begin.

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
        """Stand at the first index."""
        mapping = mapping_of(mapping)
        strided = _strided(mapping)
        self._mapping = mapping
        walk = merged_loops(mapping.extents, [strided.found_strides() or ()], keeps_repeats=True)
        self._walk = walk.over((1,), ((strided.origin,),))
        self.extents, (self.strides,) = walk.extents, walk.strides
        self.delta = deltas(self.extents, self.strides)
        self._place, self._row = 0, (0, 0, [])

    @property
    def view_index(self) -> int:
        """How many indices lie before this place."""
        return self._place

    @property
    def memory_index(self) -> int:
        """The offset at this position, in elements; at the end it is no offset of the mapping."""
        (base,) = self._walk.bases[0]
        return base + sum([i * s for i, s in zip(self.coordinates, self.strides, strict=True)])

    @property
    def coordinates(self) -> tuple[int, ...]:
        """Index in the merged dimensions; at the end of a walk the first one is its extent."""
        return digits(self._place, self.extents)

    @property
    def index(self) -> tuple[int, ...]:
        """Index in the mapping's own extents; at the end one past the last in the first dimension, then zeros."""
        return digits(self._place, self._mapping.extents)

    def decrement(self) -> None:
        """Go to the index before.

        Raises
        ------
        IndexOutOfRangeError
            This is the first index.
        """
        self._go(self._place - 1)

    def advance(self, count: int) -> None:
        """Go ``count`` indices on, or back where it is negative.

        Raises
        ------
        IndexOutOfRangeError
            There are not that many.
        """
        self._go(self._place + as_integer(count, "a number of steps"))

    def set_index(self, k: int) -> None:
        """Go to view index ``k``; the number of indices is the end.

        Raises
        ------
        IndexOutOfRangeError
            ``k`` is not in [0, number of indices].
        """
        self._go(as_integer(k, "a view index"))

    def distance_to(self, other: ViewIndex) -> int:
        """Count the steps from here to ``other``, negative where that lies before."""
        if not isinstance(other, ViewIndex):
            refuse("another place", "a ViewIndex", other)
        return other._place - self._place

    def __len__(self) -> int:
        """Count the indices of the whole walk."""
        return self._walk.starts[-1]

    def __getitem__(self, k: int) -> int:
        """Offset at view index ``k``; a negative one counts from the end."""
        k = as_integer(k, "a view index")
        position = k + len(self) if k < 0 else k
        if not 0 <= position < len(self):
            raise IndexOutOfRangeError(f"view index {as_text(k)} is out of range for {len(self)} indices")
        return self._offsets(position)[0]

    def __iter__(self) -> Iterator[int]:
        """Offsets from here to the end."""
        return self._walk.offsets(0, self._place)

    def __repr__(self) -> str:
        """``ViewIndex(Mapping(...)) at 4 of 6``."""
        return f"ViewIndex({self._mapping!r}) at {self._place} of {len(self)}"


@final
class MultiIndex(Cursor):
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
    NotStridedError
        A mapping has no strides, and none of the operands has bins.
    HaloError
        A mapping beside bins has padding, which has no offsets.

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
        """Stand at the first index."""
        if not operands:
            raise RankError("a multi-index has at least one operand")
        self.operands = tuple([operand if isinstance(operand, Bins) else _dense(operand) for operand in operands])
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
        """Extents of the merged dimensions, slowest first; within a cell those of what it holds."""
        return self._walk.extents_of(self.cell if self.is_binned else 0)

    @property
    def strides(self) -> tuple[tuple[int, ...], ...]:
        """For each operand its strides in the merged dimensions."""
        return self._walk.strides

    @property
    def coordinates(self) -> tuple[int, ...]:
        """Index in the merged dimensions, within a cell."""
        return self._walk.locate(self._place)[1]

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
        return tuple(self._offsets(self._place))

    @property
    def cell(self) -> int:
        """Number of the cell that this place is in; 0 where all operands are dense."""
        return self._walk.locate(self._place)[0]

    @property
    def size(self) -> int:
        """Count the indices of the whole walk."""
        return self._walk.starts[-1]

    @property
    def starts(self) -> list[int]:
        """How many indices of the walk lie before each cell."""
        return [*self._walk.starts[:-1]]

    @property
    def has_stride_zero(self) -> bool:
        """Whether the first operand, the output, repeats elements along a dimension: do not write in parallel then."""
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
        """Advance by ``count`` elements within the innermost dimension; its end is the start of the next row.

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
        """Go to index ``k`` of the walk, or, with bins, to the first element at or after the start of cell ``k``.

        Raises
        ------
        IndexOutOfRangeError
            ``k`` is neither an index (cell) nor their number, which is the end.
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
        """The stride of each operand in the innermost dimension: what one step of an inner loop adds."""
        return tuple([strides[-1] for strides in self.strides])

    @property
    def inner_distance_to_end(self) -> int:
        """Count the steps to the end of the innermost dimension: how long the inner loop from here is."""
        return 0 if self.at_end else self.extents[-1] - self.coordinates[-1]

    def inner_distance_to(self, other: MultiIndex) -> int:
        """Count the steps to ``other`` along the innermost dimension.

        Raises
        ------
        IndexOutOfRangeError
            It differs in another dimension, too.
        """
        if not self.in_same_chunk(other):
            raise IndexOutOfRangeError(f"{brief(other)} is not in the inner loop of {brief(self)}")
        return other._place - self._place

    def in_same_chunk(self, other: MultiIndex, inner: int = 1) -> bool:
        """Whether another place of this walk differs in the ``inner`` fastest dimensions at most."""
        if not isinstance(other, MultiIndex):
            refuse("another place", "a MultiIndex", other)
        (mine, here), (its, there) = self._walk.locate(self._place), other._walk.locate(other._place)
        same = max(len(here) - as_integer(inner, "a number of dimensions"), 0)
        return mine == its and here[:same] == there[:same]

    def chunks(self) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield the inner loops from here to the end: the offset of each operand at its start, and how long it is.

        Each step within one adds `inner_strides`.

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
        """Offsets of the operands from here to the end, one tuple for each index."""
        return zip(*[self.offsets(k) for k in range(len(self.operands))], strict=True)

    def offsets(self, k: int) -> Iterator[int]:
        """Offsets of operand ``k`` from here to the end."""
        number, count = as_integer(k, "the number of an operand"), len(self.operands)
        if not 0 <= number < count:
            raise IndexOutOfRangeError(f"operand {as_text(number)} is out of range: there are {as_text(count)}")
        return self._walk.offsets(number, self._place)

    def __repr__(self) -> str:
        """Operands and place."""
        position = "the end" if self.at_end else f"cell {self.cell}, {as_text(self.coordinates)}"
        return f"MultiIndex({', '.join(map(repr, self.operands))}) at {position}"


def _dense(mapping: AnyMapped) -> AnyMapping:
    """Return a dense operand; refuse padding."""
    mapping = mapping_of(mapping, "an operand that is no Bins")
    if mapping.found_strides() is None and not mapping.layout.is_total():
        raise HaloError(f"{brief(mapping)} has padding, which has no offsets to walk over; slice it to its valid_box")
    return mapping


def _strided(mapping: AnyMapping) -> AnyMapping:
    """Return a mapping with a strided layout; refuse one whose offsets have no strides."""
    return mapping if mapping.found_strides() is not None else mapping.as_strided()
