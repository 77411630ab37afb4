"""An access plan says how to make the views of one mapping with one access: their class, and the numbers that it reads.

It also remembers the plans of the parts of a view, so that a row or a window is found without deriving its mapping
again. Specialised classes and plans are kept in bounded caches.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from typing import Any, Final, TypeAlias, final

from mdview.accessors.base import IndexRule
from mdview.base.caches import SharedCache, remember
from mdview.base.integers import Dim
from mdview.engines import positions
from mdview.engines.scalar.access import Access
from mdview.engines.scalar.grids import has_grid
from mdview.engines.scalar.late_plans import LatePlan, Source
from mdview.engines.scalar.lookups import digits_code, tables_code
from mdview.engines.scalar.offset_code import AnyMapping, OffsetCode, calling_code, strided_code, traced_code
from mdview.engines.scalar.padded import padded_codes
from mdview.engines.scalar.pieces import Derivation, Maker, Moved, NumberPieces, Pieces, TablePieces
from mdview.engines.scalar.slice_cache import FindPart, FindView, Read, no_part, part_finders, selections
from mdview.engines.scalar.specialised import Make, SpecialisedClass, compiled_class, general_class, grid_class
from mdview.index.extents import MAX_SIZE
from mdview.index.slices import ALL, Selection
from mdview.layouts.base import Layout
from mdview.mappings.mapping import Mapping
from mdview.mappings.representatives import bound, representative
from mdview.mappings.slicing import select

MOST_COMPILED: Final = 64
"""The highest rank whose element access is compiled."""

CACHE_SIZE: Final = 1024
"""How many specialised classes are kept compiled; the oldest one goes first (its views keep it)."""

Row: TypeAlias = "tuple[AccessPlan, int, int, int]"
"""A row's plan, where row 0 begins, how far rows are apart, and how many there are."""

_classes: dict[Hashable, SpecialisedClass] = {}


@final
class AccessPlan(Source):
    """How to make the views of one mapping with one access.

    Attributes
    ----------
    access
        The access.
    extents, strides
        Those of the mapping; no strides where it has none, or none that are known.
    view_class, make
        The class, and the function that makes a view of it.
    mapping
        The mapping, held for as long as its identity is a key.
    reach
        Its lowest and highest offset by its strides; without any, what each origin within the data fits, and without
        an index, what every origin fits.
    parts
        As in `Source`; where a part of a strided mapping begins is counted from the sum of first index times stride.
    row
        The row seen before, where rows are alike.
    start, values
        What ``make`` reads: what the view's origin is added to, and the numbers of the offset, or a function that gives
        them when an element is asked for.
    find_by_key, find_by_slices, find_view
        The functions of `mdview.engines.scalar.slice_cache` that find a part.
    """

    __slots__ = (
        *(
            "access",
            "extents",
            "find_by_key",
            "find_by_slices",
            "find_view",
            "make",
            "mapping",
            "reach",
            "row",
            "strides",
        ),
        "view_class",
    )

    def __init__(
        self,
        mapping: AnyMapping,
        view_class: SpecialisedClass,
        access: Access,
        code: OffsetCode | None = None,
        *,
        pieces: Pieces | None = None,
        finds_parts: bool = True,
    ) -> None:
        """Keep the parts."""
        self.access = access
        self.extents: tuple[int, ...] = mapping.extents
        self.strides: tuple[int, ...] | None = mapping.found_strides()
        self.view_class: type = view_class[0]
        self.make: Make = view_class[1]
        self.mapping = mapping
        self.reach: tuple[int, int] = mapping.reach() or ((0, -1) if mapping.size else (MAX_SIZE, -MAX_SIZE))
        self.parts: SharedCache[tuple[object, ...], tuple[Any, int]] = SharedCache()
        self.pieces: Pieces | None = pieces
        self.rows: Sequence[tuple[int, int | None, int]] = () if pieces is None else pieces.rows
        self.derived: Derivation | None = None if pieces is None else pieces.whole
        self.row: Row | None = None
        self.start: int = 0 if code is None else code.start
        self.values: Any = () if code is None else code.values
        self.find_by_key: FindPart = no_part
        self.find_by_slices: FindPart = no_part
        self.find_view: FindView = no_part
        if finds_parts and access.keeps:
            is_strided, wraps = self.strides is not None, access.rule is IndexRule.WRAP
            finders = part_finders(len(self.extents), is_strided=is_strided, wraps=wraps)
            if self.extents:
                self.find_by_key, self.find_by_slices, _ = finders
            self.find_view = finders[2]

    def new_part(self, shape: tuple[object, ...], read: Read, shift: int) -> tuple[AccessPlan | LatePlan, int] | None:
        """Find and remember a part, which begins ``shift`` before where it is; None for nothing, or an element.

        Where nothing begins does not follow from where other parts do.
        """
        late = self.late_part(read)
        if late is not None:
            return self.parts.remember(shape, (late, shift))
        slices = selections(read)
        if slices is None or all(isinstance(s, int) for s in slices) or 0 in self.extents:
            return None
        part, start = self._part(slices)
        return self.parts.remember(shape, (part, start - shift))

    def new_view(self, shape: tuple[Any, ...], read: Read, shift: int) -> tuple[Source, int] | None:
        """Find and remember a part as `new_part` does, perhaps of one element; ``shape`` ends with its new axes.

        Any: see `Read`.
        """
        found = None if 0 in self.extents else self.selected(read, shape[-1], self.mapping.required_span_size)
        if found is None:
            return None
        mapping, start = found
        return self.parts.remember(shape, (plan(self.access, mapping, 1), start - shift))

    def new_row(self, index: int) -> Row | None:
        """Derive and remember the part at one index of dimension 0, where all of them are alike."""
        extent, strides = self.extents[0] if len(self.extents) > 1 else 0, self.strides
        place = index + extent if index < 0 and self.access.rule is IndexRule.WRAP else index
        if strides is None or not 0 <= place < extent or 0 in self.extents or self.find_by_key is no_part:
            return None
        part, start = self._part((place, *[ALL] * (len(self.extents) - 1)))
        self.row = part, start - place * strides[0], strides[0], extent
        return self.row

    @property
    def rank(self) -> int:
        """Count the dimensions."""
        return len(self.extents)

    def found(self) -> Moved:
        """Return the mapping, where it is."""
        return self.mapping, 0

    def turned(self, axes: Sequence[int]) -> None:
        """Return None."""

    def _part(self, slices: Sequence[Selection]) -> tuple[AccessPlan, int]:
        """Derive a part, and where it begins: not before the data, whatever a layout says of its slices."""
        mapping, start = select(self.mapping, slices)
        part = new_plan(self.access, mapping, moved=True)
        lowest = start + part.reach[0]
        if lowest < 0:
            positions.refuse(lowest, lowest, self.mapping.required_span_size)
        return part, start


plans: dict[tuple[int, Access, bool], AccessPlan] = {}
"""Plans by the identity of the mapping, the access, and whether the origin is 0."""


def plan(access: Access, mapping: AnyMapping, origin: int) -> AccessPlan:
    """Find or make the plan for views of ``mapping``; what serves one origin but 0 serves all."""
    found = representative(mapping)
    if found is None:
        return new_plan(access, mapping, moved=origin != 0)
    key = (id(found), access, not origin)
    return plans.get(key) or remember(plans, key, new_plan(access, found, moved=origin != 0))


_INTEGERS: Final[frozenset[type]] = frozenset({int, Dim})
_NO_INTEGERS: Final[frozenset[type]] = frozenset({object})

_bound: dict[tuple[object, ...], AccessPlan] = {}
"""Plans by access, identity of the layout, which the plan holds, and extents, all of them dynamic."""


def bound_plan(access: Access, extents: tuple[int, ...], layout: Layout) -> AccessPlan:
    """Plan for views of origin 0 of ``layout`` over ``extents``; equal ones have one plan.

    Raises
    ------
    ExtentsError, ExtentsTypeError, LayoutTypeError, LayoutError, RankError
        As `Mapping` does.
    """
    types = {*map(type, extents)} if type(extents) is tuple else _NO_INTEGERS
    if types <= _INTEGERS:  # 4.0 equals 4, and is no extent
        known = None if Dim in types else _bound.get((access, id(layout), extents))  # dim(3) == 3, and they differ
        return known or _equal_plan(access, extents, layout)
    return plan(access, Mapping(extents, layout), 0)


def _equal_plan(access: Access, extents: tuple[int, ...], layout: Layout) -> AccessPlan:
    """Find or make the plan for a layout by value; the very layout that it is made for is then found by identity."""
    mapping = bound(extents, layout)
    known = plan(access, mapping, 0)
    if mapping.layout is layout and representative(mapping) is mapping and Dim not in map(type, extents):
        remember(_bound, (access, id(layout), extents), known)
    return known


def new_plan(access: Access, mapping: AnyMapping, *, moved: bool) -> AccessPlan:
    """Make the plan for views of ``mapping`` of any origin, if ``moved``, or of origin 0."""
    # The general access takes any number of dimensions; a compiler has its limits.
    if mapping.rank <= MOST_COMPILED:
        if has_grid(access, mapping):
            key = ("grid", access, len(mapping.extents))
            known = _classes.get(key) or remember(_classes, key, grid_class(*key[1:]), CACHE_SIZE)
            return AccessPlan(mapping, known, access)
        for make, code in _codes(access, mapping, moved=moved):
            view_class = _class_for(code, access, mapping)
            if view_class is not None:
                pieces = _pieces(access, mapping, code, make)
                return AccessPlan(mapping, view_class, access, code, pieces=pieces)
    return general_plan(access, mapping)


def general_plan(access: Access, mapping: AnyMapping) -> AccessPlan:
    """Make the plan for views whose elements and parts are all found by general code."""
    base = access.base
    view_class = _classes.get(base) or remember(_classes, base, general_class(base), CACHE_SIZE)
    return AccessPlan(mapping, view_class, access, finds_parts=False)


def _codes(access: Access, mapping: AnyMapping, *, moved: bool) -> Iterator[tuple[Maker, OffsetCode]]:
    """How offsets may be computed, the best way first; the last way serves every mapping."""
    if not mapping.layout.is_total():
        yield from ((calling_code, code) for code in padded_codes(mapping, access.mode))
        return
    # The tables' code takes an IndexError for its own, and an accessor may raise one.
    for make in [*_LOOKUPS * access.is_plain, strided_code, *_TRACED, calling_code]:
        code = make(mapping, moved=moved)
        if code is not None:
            yield make, code


_LOOKUPS: Final[list[Maker]] = [tables_code, digits_code]
_TRACED: Final[list[Maker]] = [partial(traced_code, concrete=False), partial(traced_code, concrete=True)]


def _pieces(access: Access, mapping: AnyMapping, code: OffsetCode, make: Maker) -> Pieces | None:
    """Return what late plans of parts are cut from; None where parts are derived at once.

    What the layout may say of its slices is not known to be what its offsets say, nor parts of tables to be natural if
    the whole is not.
    """
    if make in {strided_code, calling_code} or mapping.found_strides() is not None or 0 in mapping.extents:
        return None
    if not (access.keeps and mapping.layout.slices_follow_offset()) or (code.bounded and not code.natural):
        return None
    return (TablePieces if code.bounded else NumberPieces)(access, mapping, code, make, _class_for, plan)


def _class_for(code: OffsetCode, access: Access, mapping: AnyMapping, *, late: bool = False) -> SpecialisedClass | None:
    """Find or compile the class for offset code; None where the code is too much for the compiler."""
    key = (code.key, access, late)
    known = _classes.get(key)
    if known is not None:
        return known
    try:
        return remember(_classes, key, compiled_class(access, code, mapping, late=late), CACHE_SIZE)
    except (MemoryError, RecursionError, SyntaxError):
        return None
