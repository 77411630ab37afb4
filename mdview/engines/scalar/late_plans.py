"""A late plan is the plan of a part whose mapping nobody has asked for yet.

Where a window of a layout without strides lies may decide its layout, and to find that out takes longer than everything
else about the window. Its elements are reached without: by parts of the tables of the whole, or by the code of the
whole with other numbers. So a view of a late plan is made from numbers alone, and finds its mapping when it is asked
for it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, TypeAlias, cast, final

from mdview.accessors.base import IndexRule
from mdview.base.caches import SharedCache, remember
from mdview.engines.scalar.access import Access
from mdview.engines.scalar.offset_code import AnyMapping, OffsetCode
from mdview.engines.scalar.slice_cache import FindPart, FindView, Read, part_finders, selections
from mdview.engines.scalar.specialised import Make, SpecialisedClass
from mdview.index.transforms import IndexTransform
from mdview.layouts.composed import LayoutComposed
from mdview.mappings.mapping import Mapping
from mdview.mappings.rearranging import flip, insert
from mdview.mappings.slicing import select

Row: TypeAlias = tuple[int, int | None, int]
"""The first index of a dimension, how many there are, and their step; None and 0 for an index, which drops it."""

Maker: TypeAlias = Callable[..., OffsetCode | None]
ClassFor: TypeAlias = Callable[..., SpecialisedClass | None]
PlanFor: TypeAlias = "Callable[[Access, AnyMapping, int], Source]"
Moved: TypeAlias = tuple[AnyMapping, int]
Moves: TypeAlias = tuple[tuple[Any, ...], list[list[tuple[int, int]]]]
How: TypeAlias = tuple[Callable[[AnyMapping, Any], Moved], Any]
"""What derives a mapping from another one, and its argument. Any: slices, or axes."""


@final
class Derivation:
    """How a mapping is derived from another one, which is done once, when it is asked for.

    It holds no plan, since plans hold those of their parts.
    """

    __slots__ = ("_found", "how", "source")

    def __init__(self, source: Derivation | None, how: How | None, found: Moved | None = None) -> None:
        """Keep where to begin and what to do, or what is found."""
        self.source: Derivation | None = source
        self.how: How | None = how
        self._found: Moved | None = found

    def found(self) -> Moved:
        """Mapping, and where its offset 0 lies, counted from the origin of the whole."""
        known = self._found
        if known is None and self.source is not None and self.how is not None:
            mapping, first = self.source.found()
            derive, argument = self.how
            part, start = derive(mapping, argument)
            known = self._found = part, first + start
        return cast("Moved", known)


@final
class Kind:
    """What parts of one kind have in common: all but numbers.

    Attributes
    ----------
    make
        The function that makes a view.
    access
        The access.
    find_by_key, find_by_slices, find_view
        The functions that find parts of the part.
    values, moves
        Numbers of the code of a part that begins at index 0, and by how much each grows with where the part begins:
        for each dimension of the whole, places among the numbers and steps.
    """

    __slots__ = ("access", "find_by_key", "find_by_slices", "find_view", "make", "moves", "rank", "values")

    def __init__(self, access: Access, rank: int, make: Make, moves: Moves) -> None:
        """Keep the parts."""
        self.access: Access = access
        self.rank: int = rank
        self.make: Make = make
        self.values: tuple[Any, ...] = moves[0]
        self.moves: list[list[tuple[int, int]]] = moves[1]
        finders = part_finders(rank, is_strided=False, wraps=access.rule is IndexRule.WRAP, late=True)
        self.find_by_key: FindPart = finders[0]
        self.find_by_slices: FindPart = finders[1]
        self.find_view: FindView = finders[2]


class Pieces(ABC):
    """How the code of a whole becomes that of its parts.

    Attributes
    ----------
    rows
        The rows of the whole.
    whole
        Its mapping, to derive those of parts from.
    """

    __slots__ = ("access", "class_for", "code", "kinds", "maker", "mapping", "plan_for", "rows", "whole")

    def __init__(
        self,
        access: Access,
        mapping: AnyMapping,
        code: OffsetCode,
        maker: Maker,
        class_for: ClassFor,
        plan_for: PlanFor,
    ) -> None:
        """Keep what codes, classes and plans of parts are made by."""
        self.access: Access = access
        self.mapping: AnyMapping = mapping
        self.code: OffsetCode = code
        self.maker: Maker = maker
        self.class_for: ClassFor = class_for
        self.plan_for: PlanFor = plan_for
        self.rows: list[Row] = [(0, e, 1) for e in mapping.extents]
        self.whole: Derivation = Derivation(None, None, (mapping, 0))
        self.kinds: dict[Hashable, Kind] = {}

    @abstractmethod
    def part(self, rows: Sequence[Row]) -> tuple[Kind, tuple[Any, ...], int] | None:
        """Kind, numbers and start of a part; None where there is no class for it. Any: as `OffsetCode` has it."""

    def are_tables(self) -> bool:
        """Tell whether tables are all that the code reads."""
        return self.code.bounded and len(self.code.known) == len(self.rows)

    def _code(self, rows: Sequence[Row]) -> tuple[OffsetCode | None, AnyMapping]:
        """Code of a part as it is made from a mapping, and such a mapping."""
        found = self.mapping.layout.composition(self.mapping.extents)
        kept = [r for r, (_, count, _) in enumerate(rows) if count is not None]
        source = [kept.index(r) if r in kept else None for r in range(len(rows))]
        outer = IndexTransform(tuple([a for a, _, _ in rows]), tuple([s for _, _, s in rows]), tuple(source))
        layout = LayoutComposed(found.base, found.extents, found.transform.after(outer))
        mapping = Mapping.trusted(tuple([n for _, n, _ in rows if n is not None]), layout)
        return self.maker(mapping, moved=True), mapping

    def _new_kind(self, key: Hashable, rows: Sequence[Row]) -> Kind | None:
        """Make and remember the kind of a part."""
        code, mapping = self._code(rows)
        known = None if code is None else self.class_for(code, self.access, mapping, late=True)
        if known is None:
            return None
        return remember(self.kinds, key, Kind(self.access, mapping.rank, known[1], self._moves(rows)))

    def _moves(self, rows: Sequence[Row]) -> Moves:
        """Numbers of the part that begins at index 0, and how they move, where that is all that parts differ in."""
        return (), []


@final
class TablePieces(Pieces):
    """Of code that looks up: the tables of a part are parts of the tables."""

    def part(self, rows: Sequence[Row]) -> tuple[Kind, tuple[Any, ...], int] | None:
        """Cut the tables; entries of indices are added to the start, or to the number that a reshape begins at."""
        values, start, dropped = self.code.known, self.code.start, 0
        tables: list[Any] = []
        for table, (a, n, s) in zip(values, rows):  # noqa: B905 - other numbers may follow
            if n is None:
                dropped += table[a]
            elif n == len(table) and s == 1:
                tables.append(table)
            else:
                stop = a + n * s
                tables.append(table[a : stop if stop >= 0 else None : s])
        if len(values) > len(rows):
            tables += (*values[len(rows) : -1], values[-1] + dropped)
        else:
            start += dropped
        kind = self.kinds.get(len(tables)) or self._new_kind(len(tables), rows)
        return None if kind is None else (kind, tuple(tables), start)


@final
class NumberPieces(Pieces):
    """Of code that computes: the numbers of a part grow evenly with where it begins."""

    def part(self, rows: Sequence[Row]) -> tuple[Kind, tuple[Any, ...], int] | None:
        """Move the numbers of the part that begins at index 0."""
        key = tuple([row[1:] for row in rows])
        kind = self.kinds.get(key) or self._new_kind(key, rows)
        if kind is None:
            return None
        values = list(kind.values)
        for (a, _, _), moves in zip(rows, kind.moves, strict=True):
            for place, step in moves:
                values[place] += a * step
        return kind, tuple(values), self.code.start

    def _moves(self, rows: Sequence[Row]) -> Moves:
        zero: list[Row] = [(0, n, s) for _, n, s in rows]
        first = self._values(zero)
        moves: list[list[tuple[int, int]]] = []
        for r, (_, n, s) in enumerate(zero):
            moved = zip(first, self._values([*zero[:r], (1, n, s), *zero[r + 1 :]]), strict=True)
            moves.append([(place, new - old) for place, (old, new) in enumerate(moved) if new != old])
        return first, moves

    def _values(self, rows: Sequence[Row]) -> tuple[Any, ...]:
        code, _ = self._code(rows)
        return () if code is None else code.known


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
