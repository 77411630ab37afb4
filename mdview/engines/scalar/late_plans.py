"""A late plan is the plan of a part whose mapping nobody has asked for yet.

Where a window of a layout without strides lies may decide its layout, and to find that out takes longer than everything
else about the window. Its elements are reached without: by parts of the tables of the whole, or by the code of the
whole with other numbers. So a view of a late plan is made from numbers alone, and finds its mapping when it is asked
for it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final, cast, final

from mdview.base.caches import SharedCache
from mdview.engines.scalar.access import Access
from mdview.engines.scalar.offset_code import AnyMapping
from mdview.engines.scalar.pieces import Derivation, How, Kind, Moved, Pieces, Row
from mdview.engines.scalar.slice_cache import FindPart, FindView, Read, selections
from mdview.engines.scalar.specialised import Make
from mdview.mappings.rearranging import flip, insert
from mdview.mappings.slicing import select


class Source(ABC):
    """A plan that late plans of parts are derived from.

    Attributes
    ----------
    pieces, rows
        What parts are cut from, and where in it this plan lies; None and nothing where parts are derived at once.
    derived
        How the mapping is derived; None where parts are derived at once.
    parts
        Parts seen before, by their shape (see `mdview.engines.scalar.slice_cache`): the plan of each, and where it
        begins.
    """

    __slots__ = ("derived", "parts", "pieces", "rows", "start", "values")

    derived: Derivation | None

    pieces: Pieces | None
    start: int
    values: Any  # a tuple, or for some code a function that makes it when an element is asked for
    rows: Sequence[Row]
    parts: SharedCache[tuple[object, ...], tuple[Any, int]]

    @property
    @abstractmethod
    def rank(self) -> int:
        """Count the dimensions."""

    def tables(self) -> Sequence[list[int]] | None:
        """Tables of a plan of parts by tables: entries add up, with the start, to where an element lies; else None."""
        return None if self.pieces is None or not self.pieces.are_tables() else self.values

    @abstractmethod
    def found(self) -> Moved:
        """Mapping, and where its offset 0 lies, counted from the origin of the whole; derived once, if need be."""

    @abstractmethod
    def turned(self, axes: Sequence[int]) -> LatePlan | None:
        """Return the late plan with the indices along some dimensions turned; None where its mapping is known."""

    def selected(self, read: Read, added: tuple[int, ...], span: int) -> Moved | None:
        """Derive the mapping of a part with new axes, perhaps of one element, and where it begins.

        None for nothing, and where a layout says of the part what does not lie within the ``span`` of the whole.
        """
        slices = selections(read)
        if slices is None:
            return None
        mapping, first = self.found()
        mapping, start = select(mapping, slices)
        moved = 0
        if added:
            mapping, moved = insert(mapping, added)
        low, high = mapping.reach() or (0, -1)
        start += first + moved
        return (mapping, start) if start + low >= 0 and start + high < span else None

    def late_part(self, read: Read) -> LatePlan | None:
        """Return the late plan of a part; None for nothing, an element, and where there is no code for it."""
        rows: list[Row] = []
        is_element, entries = True, iter(read)
        for row in self.rows:
            first, count, step = row
            if count is None:
                rows.append(row)
                continue
            a, span, s = next(entries)
            if span is None or s is None:
                rows.append((first + step * a, None, 0))
                continue
            is_element = False
            if s:
                count = span if s == 1 else len(range(0, span, s))
                if count <= 0:
                    return None
                rows.append((first + step * a, count, step * s))
            else:
                rows.append(row)
        return None if is_element else self._late(rows, (_selected, read))

    def _late(self, rows: Sequence[Row], how: How) -> LatePlan | None:
        pieces = self.pieces
        part = None if pieces is None else pieces.part(rows)
        if pieces is None or part is None:
            return None
        return LatePlan(pieces, rows, Derivation(self.derived, how), part)


@final
class LatePlan(Source):
    """How to make the views of a part whose mapping nobody has asked for; see `access_plans.AccessPlan` for the names.

    Attributes
    ----------
    kind
        What it has in common with others.
    """

    __slots__ = ("_extents", "kind", "make")

    row: Final = None
    strides: Final = None
    """None are known."""

    def __init__(
        self, pieces: Pieces, rows: Sequence[Row], derived: Derivation, part: tuple[Kind, tuple[Any, ...], int]
    ) -> None:
        """Keep the parts."""
        self.pieces: Pieces | None = pieces
        self.rows: Sequence[Row] = rows
        self.parts: SharedCache[tuple[object, ...], tuple[Any, int]] = _NO_PARTS
        self.derived: Derivation | None = derived
        self._extents: tuple[int, ...] | None = None
        self.kind: Kind = part[0]
        self.values: Any = part[1]
        self.start: int = part[2]
        self.make: Make = self.kind.make

    @property
    def access(self) -> Access:
        """The access."""
        return self.kind.access

    @property
    def rank(self) -> int:
        """Count the dimensions."""
        return self.kind.rank

    @property
    def find_by_key(self) -> FindPart:
        """The function that finds a part by a tuple in brackets."""
        return self.kind.find_by_key

    @property
    def find_by_slices(self) -> FindPart:
        """The function that finds a part by the slices of `subview`."""
        return self.kind.find_by_slices

    @property
    def find_view(self) -> FindView:
        """The function that finds a part by brackets written out."""
        return self.kind.find_view

    @property
    def extents(self) -> tuple[int, ...]:
        """How many values each index may take."""
        known = self._extents
        if known is None:
            known = self._extents = tuple([count for _, count, _ in self.rows if count is not None])
        return known

    def new_part(self, shape: tuple[object, ...], read: Read, shift: int) -> tuple[Any, int] | None:
        """Make and remember the plan of a part, which begins at 0. Any: a `LatePlan`."""
        part = self.late_part(read)
        return None if part is None else self._remember(shape, (part, shift))

    def new_view(self, shape: tuple[Any, ...], read: Read, _shift: int) -> tuple[Source, int] | None:
        """Find and remember the plan of a part with the new axes that ``shape`` ends with. Any: see `Read`."""
        pieces = cast("Pieces", self.pieces)
        found = self.selected(read, shape[-1], pieces.mapping.required_span_size)
        if found is None:
            return None
        mapping, start = found
        return self._remember(shape, (pieces.plan_for(self.access, mapping, 1), start))

    def _remember(self, shape: tuple[object, ...], found: tuple[Source, int]) -> tuple[Any, int]:
        if self.parts is _NO_PARTS:
            self.parts = SharedCache()
        return self.parts.remember(shape, found)

    def turned(self, axes: Sequence[int]) -> LatePlan | None:
        """Return the late plan of the same part with the indices along some dimensions turned."""
        rows: list[Row] = []
        axis = 0
        for row in self.rows:
            first, count, step = row
            if count is None:
                rows.append(row)
                continue
            rows.append((first + step * (count - 1), count, -step) if axis in axes else row)
            axis += 1
        return self._late(rows, (_flipped, axes))

    def new_row(self, _index: int) -> None:
        """Return None: rows are parts like others."""

    def found(self) -> Moved:
        """Derive the mapping, once."""
        return cast("Derivation", self.derived).found()


_NO_PARTS: Final[SharedCache[tuple[object, ...], tuple[LatePlan, int]]] = SharedCache()
"""What a plan has for parts that has not been asked for any."""


def _flipped(mapping: AnyMapping, axes: Sequence[int]) -> Moved:
    return flip(mapping, tuple(axes))


def _selected(mapping: AnyMapping, read: Read) -> Moved:
    return select(mapping, selections(read) or ())
