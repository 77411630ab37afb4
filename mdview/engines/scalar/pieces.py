"""Pieces cut the code of a whole into that of its parts: by parts of its tables, or by other numbers.

Parts of one kind differ in numbers alone, so the class of their views is found once. The mapping of a part is derived
when it is asked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias, cast, final

from mdview.accessors.base import IndexRule
from mdview.base.caches import remember
from mdview.engines.scalar.access import Access
from mdview.engines.scalar.offset_code import AnyMapping, OffsetCode
from mdview.engines.scalar.slice_cache import FindPart, FindView, part_finders
from mdview.engines.scalar.specialised import Make, SpecialisedClass
from mdview.index.transforms import IndexTransform
from mdview.layouts.composed import LayoutComposed
from mdview.mappings.mapping import Mapping

Row: TypeAlias = tuple[int, int | None, int]
"""The first index of a dimension, how many there are, and their step; None and 0 for an index, which drops it."""

Maker: TypeAlias = Callable[..., OffsetCode | None]
ClassFor: TypeAlias = Callable[..., SpecialisedClass | None]
PlanFor: TypeAlias = Callable[[Access, AnyMapping, int], Any]
"""What finds the plan of a mapping. Any: an access plan, which is made of pieces itself."""
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
