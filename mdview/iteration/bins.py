"""Bins: cells that each hold a range ``(begin, end)`` of a buffer along one axis.

A table has the ranges, in any order; it may have gaps, repeated ranges and empty ranges. The mapping of the cells maps
a cell to its entry in the table, so cells can have any extents and be sliced, transposed or broadcast. If the buffer
has further dimensions, a cell holds all their indices.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from operator import le
from typing import Any, Generic, TypeAlias, cast, final

from typing_extensions import TypeIs, TypeVar

from mdview.accessors.accessor import Accessor, T
from mdview.accessors.policies import DefaultAccessor
from mdview.base import answer_calls, as_entries, as_integer, as_text, brief, is_index
from mdview.engines import bounds_check
from mdview.errors import AxisError, BinsError, IndexTypeError
from mdview.index.extents import digits, shape_text
from mdview.index.slices import ALL, ExtentSlice, Selection
from mdview.iteration.coalesced_loops import LoopNest, merged_loops, repeated_strides
from mdview.layouts.layout import Layout
from mdview.layouts.offset_analysis import first_missing
from mdview.mappings import mapping_manipulation
from mdview.mappings.mapping import AnyMapped, AnyMapping, Mapping, mapping_of
from mdview.views.derived_views import selected
from mdview.views.view import MDView
from mdview.views.view_base import check_view

A = TypeVar("A", bound=Accessor[object, object], default=DefaultAccessor[T])
BinRange: TypeAlias = tuple[int, int]


@final
class Bins:
    """Cells that hold ranges of a buffer along one axis.

    Parameters
    ----------
    buffer
        The mapping of the elements; it must have strides.
    ranges
        The table: half-open ranges ``(begin, end)`` of indices along ``axis``.
    axis
        The dimension of the buffer that is cut into ranges; a negative axis counts from the end.
    cells
        The mapping from a cell to its entry in the table; by default one dimension over the whole table.

    Raises
    ------
    BinsError
        A range does not lie in the buffer, or the table is too short for the cells.
    AxisError
        The buffer has no dimension ``axis``.
    NotStridedError
        The buffer has no strides.
    HaloError
        A cell is padding and has no entry in the table.

    >>> bins = Bins(Mapping((7,)), [(4, 7), (2, 2), (0, 2)])
    >>> list(bins.offsets()), bins.sizes()
    ([4, 5, 6, 0, 1], [3, 0, 2])
    """

    __slots__ = ("axis", "buffer", "cells", "ranges")

    buffer: AnyMapping
    ranges: list[BinRange]
    axis: int
    cells: AnyMapping

    @answer_calls
    def __init__(
        self, buffer: AnyMapped, ranges: Iterable[Iterable[int]], *, axis: int = 0, cells: AnyMapped | None = None
    ) -> None:
        """Check the table against the buffer and the cells."""
        buffer = mapping_of(buffer, "the buffer of bins")
        axis = as_integer(axis, "the axis of bins")
        if not -buffer.rank <= axis < buffer.rank:
            raise AxisError(
                f"axis {as_text(axis)} is out of range for a buffer of rank {buffer.rank}; bins cut one of its "
                "dimensions"
            )
        self.axis = axis % buffer.rank
        self.buffer = buffer if buffer.found_strides() is not None else buffer.as_strided()
        self.ranges = _checked_table(ranges, buffer.extents[self.axis])
        self.cells = Mapping((len(self.ranges),)) if cells is None else mapping_of(cells, "cells")
        outside = first_missing(self.cells.layout, self.cells.extents)
        if outside is not None:
            bounds_check.refuse_halo_store(
                self.cells, outside, "a cell with a range; slice the cells to their valid_box first"
            )
        if self.cells.required_span_size > len(self.ranges):
            needed, there = self.cells.required_span_size, len(self.ranges)
            raise BinsError(f"cells of {brief(self.cells)} take {as_text(needed)} ranges, the table has {there}")

    @property
    def extents(self) -> tuple[int, ...]:
        """The extents of the cells."""
        return self.cells.extents

    @property
    def stride(self) -> int:
        """The stride of the buffer along the axis that is cut."""
        return cast("tuple[int, ...]", self.buffer.found_strides())[self.axis]

    def sizes(self) -> list[int]:
        """Return the number of elements in each cell; the cells are in C order."""
        each = self.buffer.size // self.buffer.extents[self.axis] if self.buffer.size else 0
        return [(end - begin) * each for begin, end in _held(self, self.extents)]

    def offsets(self) -> Iterator[int]:
        """Return an iterator over the offsets of all elements, cell by cell, and within a cell in C order."""
        return over_cells([self], self.extents).offsets(0, 0)

    def __repr__(self) -> str:
        """Return the buffer, the number of ranges, the axis and the cells as text."""
        return f"Bins({self.buffer!r}, {len(self.ranges)} ranges, axis={as_text(self.axis)}, cells={self.cells!r})"


@final
class Binned(Generic[T, A]):
    """A view of events together with `Bins` over it: ``binned[i, j]`` is the part of the view that cell (i, j) holds.

    Parameters
    ----------
    events
        The view of all events; its dimension ``axis``, by default the first, is cut into ranges.
    ranges, axis, cells
        The arguments of `Bins`. ``itertools.pairwise(boundaries)`` makes ranges from boundaries.

    Raises
    ------
    BinsError, AxisError, NotStridedError, HaloError
        For the reasons of `Bins`.

    >>> binned = Binned(MDView([10, 11, 12, 13], (4,)), [(0, 1), (1, 1), (1, 4)])
    >>> [binned[cell].tolist() for cell in range(3)]
    [[10], [], [11, 12, 13]]
    """

    __slots__ = ("bins", "events")

    events: MDView[T, tuple[int, ...], Layout, A]
    bins: Bins

    @answer_calls
    def __init__(
        self,
        events: MDView[T, tuple[int, ...], Layout, A],
        ranges: Iterable[Iterable[int]],
        *,
        axis: int = 0,
        cells: AnyMapped | None = None,
    ) -> None:
        """Check the table against the events."""
        check_view(events, "what has events")
        self.events = events
        self.bins = Bins(events.mapping, ranges, axis=axis, cells=cells)

    @property
    def extents(self) -> tuple[int, ...]:
        """The extents of the cells."""
        return self.bins.extents

    def __getitem__(self, cell: int | tuple[int, ...]) -> MDView[T, tuple[int, ...], Layout, A]:
        """Return the view of the events in a cell; negative indices are out of range."""
        begin, end = self.bins.ranges[self.bins.cells(*(cell if isinstance(cell, tuple) else (cell,)))]
        slices: list[Selection] = [ALL] * self.events.rank
        slices[self.bins.axis] = ExtentSlice(begin, end - begin)
        return selected(self.events, slices)

    def __repr__(self) -> str:
        """Return the number of events and the bins as text."""
        return f"Binned({self.events.size} events, {self.bins!r})"


# Any: offsets do not depend on the type of elements.
AnyBinned: TypeAlias = Binned[Any, Any]
LoopOperand: TypeAlias = AnyMapping | Bins
"""An operand of a loop: a mapping or bins."""


def packed_ranges(sizes: Iterable[int]) -> list[BinRange]:
    """Return consecutive ranges of the given sizes without gaps, from 0 on.

    >>> packed_ranges([3, 4, 0])
    [(0, 3), (3, 7), (7, 7)]
    """
    return [*pairwise(accumulate(sizes, initial=0))]


def _checked_table(ranges: Iterable[Iterable[int]], extent: int) -> list[BinRange]:
    """Return the ranges of cells as pairs of ints; check them one by one only if the fast check of all fails."""
    entries = as_entries(ranges, "the table of ranges")
    if _are_ranges(entries, extent):
        return [*entries]
    return [_range(k, entry, extent) for k, entry in enumerate(entries)]


def _are_ranges(entries: Sequence[object], extent: int) -> TypeIs[Sequence[BinRange]]:
    """Tell whether each entry is a tuple of two Python ints that is a range within ``extent``."""
    if {*map(type, entries)} - {tuple} or {*map(len, cast("Sequence[BinRange]", entries))} - {2}:
        return False
    bounds = [*chain.from_iterable(cast("Sequence[BinRange]", entries))]
    begins, ends = bounds[::2], bounds[1::2]
    return (
        not {*map(type, bounds)} - {int}
        and all(map(le, begins, ends))
        and (not bounds or (min(begins) >= 0 and max(ends) <= extent))
    )


def _range(k: int, entry: object, extent: int) -> BinRange:
    """Return entry ``k`` as a range; refuse an entry that is not a range within the buffer."""
    bounds = as_entries(entry, f"entry {k} of the ranges")
    if not all(map(is_index, bounds)):
        raise IndexTypeError(f"entry {k} of the ranges has integers, got {brief(bounds)}")
    pair = tuple([int(as_integer(bound, "a bound")) for bound in bounds])
    if not _are_ranges([pair], extent):
        raise BinsError(
            f"entry {k} of the ranges is (begin, end) with 0 <= begin <= end <= {extent}, got {brief(pair)}"
        )
    return cast("BinRange", pair)


def over_mappings(mappings: Sequence[AnyMapping], extents: Sequence[int]) -> LoopNest:
    """Return the loops over strided mappings that are broadcast to ``extents``."""
    spread = [repeated_strides(m.found_strides() or (), m.extents, extents) for m in mappings]
    return merged_loops(extents, spread).over((1,), [[m.origin] for m in mappings])


def over_cells(operands: Sequence[LoopOperand], extents: tuple[int, ...]) -> LoopNest:
    """Return the loops over the cells of operands, at least one of which is bins.

    A mapping has one offset for each cell, which all elements of the cell share.
    """
    held = [_held(o, extents) if isinstance(o, Bins) else [] for o in operands]
    (first, ranges), *others = [(o, its) for o, its in zip(operands, held, strict=True) if isinstance(o, Bins)]
    counts = [end - begin for begin, end in ranges]
    for other, its in others:
        mine, theirs = ([*b.buffer.extents[: b.axis], None, *b.buffer.extents[b.axis + 1 :]] for b in (first, other))
        if mine != theirs:
            raise BinsError(
                f"binned operands hold elements of the same extents: {first.buffer.extents} cut along dimension "
                f"{first.axis} and {other.buffer.extents} cut along dimension {other.axis} differ"
            )
        for k, (count, (begin, end)) in enumerate(zip(counts, its, strict=True)):
            if count != end - begin:
                raise BinsError(
                    f"binned operands have equal sizes cell by cell: cell {digits(k, extents)} of "
                    f"{shape_text(extents)} has {count} and {end - begin} elements"
                )
    rest = [1 if r == first.axis else e for r, e in enumerate(first.buffer.extents)]
    still = (0,) * len(rest)
    strides = [o.buffer.found_strides() or still if isinstance(o, Bins) else still for o in operands]
    bases = [
        _bases(o, its) if isinstance(o, Bins) else [*_spread(o, extents)] for o, its in zip(operands, held, strict=True)
    ]
    return merged_loops(rest, strides, first.axis).over(counts, bases)


def _spread(mapping: AnyMapping, extents: tuple[int, ...]) -> Iterator[int]:
    """Return an iterator over the offsets of a mapping that is broadcast to ``extents``."""
    seen, shift = mapping_manipulation.broadcast_to(mapping, extents)
    return map(shift.__add__, seen.offsets())


def _held(bins: Bins, extents: tuple[int, ...]) -> list[BinRange]:
    """Return the range of each cell of bins that are broadcast to ``extents``."""
    return list(map(bins.ranges.__getitem__, _spread(bins.cells, extents)))


def _bases(bins: Bins, held: Iterable[BinRange]) -> list[int]:
    """Return the offset at which the range of each cell begins, also for an empty range."""
    origin, stride = bins.buffer.origin, bins.stride
    return [origin + begin * stride for begin, _ in held]
