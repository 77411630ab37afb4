"""Access plans: the compiled class of the views of one mapping and the numbers it reads, and a cache of parts.

It also remembers the plans of the parts of a view, by which a row or a window is found again. Where a window
of a layout without strides lies may decide its layout, and to find that out takes longer than everything else about the
window. Its elements are reached without: its plan is a slice of that of the whole, and its code that of the whole with
other tables, or other numbers. So the mapping of such a part is derived on request, by `resolved`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, cast, final

from mdview.accessors.accessor import IndexRule
from mdview.base import Dim
from mdview.base.caches import SharedCache, remember
from mdview.engines.mapping_plan import AnyMapping, Plan, plan_of
from mdview.engines.scalar.access_signature import AccessSignature
from mdview.engines.scalar.offset_codegen import offset_codes
from mdview.engines.scalar.slice_key_codegen import (
    Finders,
    FindPart,
    PartKind,
    ReadKey,
    first_by_key,
    first_by_slices,
    no_part,
    part_finders,
    rows_of,
    selections,
)
from mdview.engines.scalar.view_class_codegen import Become, Make, class_for
from mdview.index.extents import MAX_SIZE
from mdview.index.slices import Selection
from mdview.layouts.layout import Layout
from mdview.mappings.interning import bound, representative
from mdview.mappings.mapping import Mapping
from mdview.mappings.mapping_manipulation import expand_dims
from mdview.mappings.slicing import select

MOST_COMPILED: Final = 64
"""The highest rank whose element access is compiled."""

Moved: TypeAlias = tuple[AnyMapping, int]
"""A mapping, and the position of its offset 0 counted from the place of its view."""
Derived: TypeAlias = "Moved | tuple[AccessPlan | None, Derived, int, ReadKey]"
"""The mapping of a view, or how a part has it: the plan of the whole if that keeps mappings of parts, the mapping of
the whole, how far from the place of that its own is, and what the key has said."""
PlanRow: TypeAlias = "tuple[AccessPlan, int, Any, int]"
"""The plan of all rows, where they begin, the stride or what gives the offset of a row, and how many there are."""
KnownParts: TypeAlias = "SharedCache[tuple[object, ...], tuple[Any, int]]"
"""Plans of parts and where they begin, by shape; and derived mappings, by what a key has said. Any: either."""


_new: Final[Callable[[type], Any]] = object.__new__


def general_make(plan: AccessPlan, storage: Any, accessor: Any, origin: int, derived: Any) -> Any:  # Any: see `Make`
    """Make a view whose access is the general one, until an element is asked for."""
    self = _new(plan.access.base)
    self._plan = plan
    self._derived = derived
    self._storage = storage
    self._items = storage.items
    self._accessor = accessor
    self._place = origin
    return self


@final
class AccessPlan:
    """The code and the numbers of views of one mapping with one access.

    Attributes
    ----------
    access, extents
        The access, and the extents of the mapping.
    mapping
        The mapping, held for as long as its identity is a key; None where it is derived for each view.
    derived
        The mapping and 0, what views keep of it.
    moved
        Whether the origin of a view may be another one than 0; None where elements are found by general code.
    make
        The function that makes a view: of the class that is compiled for the mapping, once an element was asked for.
    become
        Gives a view that class; None before, and where there is none.
    values
        The numbers of the offset, which the class reads.
    slices_plan
        Whether parts are slices of the plan of the mapping, and theirs is derived when it is asked for.
    known_numbers
        The plan of the mapping, once it has been asked for, see `numbers`.
    reach
        The lowest and highest offset by strides; without any, what each origin within the data fits, and without an
        index, what every origin fits.
    axes
        The strides, or what gives the offset of an index of each dimension, once a part has been asked for.
    parts
        Parts seen before, by their shape (see `mdview.engines.scalar.slice_key_codegen`): the plan of each, and where
        it begins, but for what the finders add.
    row
        What all rows have in common, where they are alike.
    find_by_key, find_by_slices
        The functions of `mdview.engines.scalar.slice_key_codegen` that find a part.
    """

    __slots__ = (
        *("access", "axes", "become", "derived", "extents", "find_by_key", "find_by_slices", "known_numbers", "make"),
        *("mapping", "moved", "parts", "reach", "row", "slices_plan", "values"),
    )

    _nothing: Final[KnownParts] = SharedCache()
    """Parts of a plan that has not been asked for any."""

    def __init__(
        self,
        access: AccessSignature,
        extents: tuple[int, ...],
        mapping: AnyMapping | None,
        numbers: Plan | None = None,
        *,
        moved: bool | None = True,
    ) -> None:
        """Keep what is known of the mapping of a view, or of a part that is a slice of a plan."""
        self.access: AccessSignature = access
        self.extents: tuple[int, ...] = extents
        self.mapping: AnyMapping | None = mapping
        self.derived: Moved | None = None if mapping is None else (mapping, 0)
        self.moved: bool | None = moved
        self.make: Make = general_make
        self.become: Become | None = None
        self.values: tuple[Any, ...] = ()
        self.slices_plan: bool = mapping is None
        self.known_numbers: Plan | None = numbers
        self.reach: tuple[int, int] = (0, -1)
        self.axes: tuple[Any, ...] | None = None
        self.parts: KnownParts = self._nothing
        self.row: PlanRow | None = None
        finds = access.keeps and moved is not None
        self.find_by_key: FindPart = first_by_key if finds else no_part
        self.find_by_slices: FindPart = first_by_slices if finds else no_part

    @property
    def rank(self) -> int:
        """Count the dimensions."""
        return len(self.extents)

    def compiled(self) -> Become | None:
        """Compile the class of the views, unless that is done; return what gives a view that class."""
        if self.become is not None or self.moved is None:
            return self.become
        for code in offset_codes(self.access, self.extents, self.numbers, self.mapping, moved=self.moved):
            found = None if code is None else class_for(code, self.access, self.extents)
            if code is not None and found is not None:
                self.values = code.values
                if not code.is_grid:
                    self.make = found[0]
                self.become = found[1]
                return self.become
        self.moved = None
        return None

    def numbers(self) -> Plan:
        """Return the plan of the mapping, which is not derived for that."""
        if self.known_numbers is None:
            self.known_numbers = plan_of(cast("AnyMapping", self.mapping))
        return self.known_numbers

    def finders(self) -> Finders:
        """Return the functions that find parts, once it is known by what these differ."""
        strides = None if self.mapping is None else self.mapping.found_strides()
        kind: PartKind = "numbers"
        if strides is not None:
            kind, self.axes = "strides", strides
        elif self.mapping is None or self._follows_plan(self.mapping):
            self.slices_plan, axes = True, self.numbers().axes
            if axes is not None:
                kind, self.axes = "tables", tuple([a.__mul__ if isinstance(a, int) else a.lookup for a in axes])
        found = part_finders(len(self.extents), kind, wraps=self.access.rule is IndexRule.WRAP)
        self.find_by_key, self.find_by_slices = found
        return found

    def _follows_plan(self, mapping: AnyMapping) -> bool:
        """Tell whether parts are slices of the plan: what a layout says of its slices need not be what its offsets say.

        Of a part no position is tested that lies in front of the data, so the whole has none.
        """
        if 0 in self.extents or not mapping.layout.slices_follow_offset():
            return False
        return (self.numbers().ends or (0, -1))[0] >= 0

    def new_part(self, shape: tuple[object, ...], read: ReadKey, shift: int) -> tuple[AccessPlan, int] | None:
        """Find and remember a part, which begins ``shift`` before where it is; None for nothing.

        It is an element only where a view is asked for, as who tells of new axes does. Where nothing begins
        does not follow from where other parts do.
        """
        found = self._part(read)
        return None if found is None else self.remember(shape, (found[0], found[1] - shift))

    def remember(self, key: tuple[object, ...], known: tuple[Any, int]) -> tuple[Any, int]:
        """Keep what a key of `parts` stands for."""
        if self.parts is self._nothing:
            self.parts = SharedCache()
        return self.parts.remember(key, known)

    def new_row(self, index: int) -> PlanRow | None:
        """Derive and remember the part at one index of dimension 0, where all of them are alike."""
        if len(self.extents) <= 1 or 0 in self.extents:
            return None
        if self.find_by_key is first_by_key:
            self.finders()
        extent = self.extents[0]
        place = index + extent if index < 0 and self.access.rule is IndexRule.WRAP else index
        if self.axes is None or not 0 <= place < extent:
            return None
        step, read = self.axes[0], (place, None, None, None)
        shift = place * step if isinstance(step, int) else step(place)
        found = self._part(read)
        if found is not None:
            self.row = found[0], found[1] - shift, step, extent
        return self.row

    def _part(self, read: ReadKey) -> tuple[AccessPlan, int] | None:
        """Make or derive the plan of a part, and where it begins; None for nothing.

        None as well where a layout says of its slices that they leave the data.
        """
        whole = self.mapping
        if whole is None or self.slices_plan:
            rows, extents = rows_of(read, self.extents)
            if min(extents, default=1) <= 0:
                return None
            return AccessPlan(self.access, extents, None, self.numbers().taken(rows, extents)), 0
        slices = None if 0 in self.extents else selections(read, self.extents)
        if slices is None:
            return None
        mapping, start = _selected(whole, slices, read[-1] or ())
        low, high = mapping.reach() or (0, -1)
        if start + low < 0 or start + high >= whole.required_span_size:
            return None
        return plan(self.access, mapping, 1), start


def _selected(mapping: AnyMapping, slices: Sequence[Selection], added: tuple[int, ...]) -> Moved:
    part, start = select(mapping, slices)
    if not added:
        return part, start
    part, moved = expand_dims(part, added)
    return part, start + moved


def resolved(derived: Derived) -> Moved:
    """Return the mapping of a view, and the position of its offset 0 counted from the place of the view."""
    if len(derived) == 2:  # noqa: PLR2004 - it is known
        return derived
    plan, whole, shift, read = derived
    known = None if plan is None else plan.parts.get((read,))
    if known is None:
        mapping, first = resolved(whole)
        part, start = _selected(mapping, selections(read, mapping.extents) or (), read[-1] or ())
        known = part, first + start
        if plan is not None:
            plan.remember((read,), known)
    return known[0], known[1] - shift


plans: dict[tuple[object, ...], AccessPlan] = {}
"""Plans by the identity of the mapping, the access, and whether the origin is 0.

For origin 0 also by access, identity of the layout, which the plan holds, and extents, all of them dynamic.
"""


def plan(access: AccessSignature, mapping: AnyMapping, origin: int) -> AccessPlan:
    """Find or make the plan for views of ``mapping``; what serves one origin but 0 serves all."""
    found = representative(mapping)
    if found is None:
        return new_plan(access, mapping, moved=origin != 0)
    key = (id(found), access, not origin)
    return plans.get(key) or remember(plans, key, new_plan(access, found, moved=origin != 0))


_INT: Final[frozenset[type]] = frozenset({int})
_INTEGERS: Final[frozenset[type]] = frozenset({int, Dim})


def bound_plan(access: AccessSignature, extents: tuple[int, ...], layout: Layout) -> AccessPlan:
    """Plan for views of origin 0 of ``layout`` over ``extents``; equal ones have one plan.

    Raises
    ------
    ExtentsError, ExtentsTypeError, LayoutTypeError, LayoutError, RankError
        As `Mapping` does.
    """
    types = {*map(type, extents)} if type(extents) is tuple else {object}
    key = access, id(layout), extents
    known = plans.get(key) if types <= _INT else None  # 4.0 equals 4, and is no extent; dim(3) == 3, and they differ
    if known is not None:
        return known
    mapping = bound(extents, layout) if types <= _INTEGERS else Mapping(extents, layout)
    found = plan(access, mapping, 0)
    if types <= _INT and mapping.layout is layout and representative(mapping) is mapping:
        remember(plans, key, found)
    return found


def new_plan(access: AccessSignature, mapping: AnyMapping, *, moved: bool | None) -> AccessPlan:
    """Make the plan for views of ``mapping`` of any origin, if ``moved``, or of origin 0; see `AccessPlan`."""
    # The general access takes any number of dimensions; a compiler has its limits.
    made = AccessPlan(access, mapping.extents, mapping, moved=moved if mapping.rank <= MOST_COMPILED else None)
    made.reach = mapping.reach() or ((0, -1) if mapping.size else (MAX_SIZE, -MAX_SIZE))
    return made


def general_plan(access: AccessSignature, mapping: AnyMapping) -> AccessPlan:
    """Make the plan for views whose elements and parts are all found by general code."""
    return new_plan(access, mapping, moved=None)
