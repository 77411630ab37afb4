"""Access plans: the compiled class of the views of one mapping and the numbers it reads, and a cache of parts.

It also remembers the plans of the parts of a view, by which a row or a window is found again. Where a window
of a layout without strides lies may decide its layout, and to find that out takes longer than everything else about the
window. Its elements are reached without: its plan is a slice of that of the whole, and its code that of the whole with
other tables, or other numbers. So the mapping of such a part is derived on request.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import Any, Final, TypeAlias, cast, final

from mdview.accessors.accessor import IndexRule
from mdview.base import Dim
from mdview.base.caches import SharedCache, remember
from mdview.engines.mapping_plan import AnyMapping, Plan, plan_of
from mdview.engines.scalar.access_signature import AccessSignature, has_grid
from mdview.engines.scalar.offset_codegen import (
    TABLE_LIMIT,
    baked_extents,
    calling_code,
    composed_values,
    constant_terms,
    digits_code,
    padded_call,
    padded_code,
    strided_code,
    tables_code,
    traced_code,
)
from mdview.engines.scalar.slice_key_codegen import FindPart, SliceNumbers, no_part, part_finders, rows_of, selections
from mdview.engines.scalar.view_class_codegen import Make, OffsetCode, class_for, general_make, grid_make
from mdview.index.extents import MAX_SIZE
from mdview.index.index_map import IndexMap
from mdview.index.slices import ALL, Selection
from mdview.layouts.composed import LayoutComposed
from mdview.layouts.layout import Layout
from mdview.mappings.interning import bound, representative
from mdview.mappings.mapping import Mapping
from mdview.mappings.mapping_manipulation import expand_dims
from mdview.mappings.slicing import select

MOST_COMPILED: Final = 64
"""The highest rank whose element access is compiled."""

Moved: TypeAlias = tuple[AnyMapping, int]
Code: TypeAlias = tuple[Make, Any, int]
"""The function that makes views, the numbers that they read or a function of them, and the start. Any: of any code."""
PlanRow: TypeAlias = "tuple[AccessPlan, int, int, int]"
"""A row's plan, where row 0 begins, how far rows are apart, and how many there are."""
KnownParts: TypeAlias = "SharedCache[tuple[object, ...], tuple[AccessPlan, int]]"


@final
class Derivation:
    """A mapping that is derived once, when it is asked for, and where its offset 0 lies in the whole.

    It holds no plan, since plans hold those of their parts.

    Attributes
    ----------
    known
        Both, once they have been derived.
    """

    __slots__ = ("_derive", "known")

    def __init__(self, derive: Callable[[], Moved] | None, found: Moved | None = None) -> None:
        """Keep what is found, or what finds it."""
        self._derive = derive
        self.known: Moved | None = found

    def found(self) -> Moved:
        """Return the mapping, and the position of its offset 0 counted from the origin of the whole."""
        if self.known is None and self._derive is not None:
            self.known = self._derive()
        return cast("Moved", self.known)


@final
class TracedParts:
    """The code of parts by the arithmetic of a base; classes are found by what it differs in."""

    __slots__ = ("_access", "_concrete", "_makes")

    def __init__(self, access: AccessSignature, *, concrete: bool) -> None:
        """Keep what classes are made by."""
        self._access, self._concrete = access, concrete
        self._makes: dict[Hashable, Make] = {}

    def code(self, plan: Plan) -> Code | None:
        """Return what makes the views of a part, the numbers that they read, and its start; None where none does."""
        base, transform, extents = plan.base and plan.base.mapping, plan.transform, plan.extents
        if base is None or not isinstance(transform, IndexMap):
            return None
        key = len(extents), *constant_terms(transform)
        make = self._makes.get(key)
        if make is None:
            layout = LayoutComposed(base.layout, base.extents, transform)
            code = traced_code(Mapping.trusted(extents, layout), moved=True, concrete=self._concrete)
            make = None if code is None else class_for(code, self._access, extents)
            if make is None:
                return None
            remember(self._makes, key, make)
        baked = baked_extents(base.extents, concrete=self._concrete)
        return make, composed_values(extents, base.extents, transform, baked), 0


@final
class AccessPlan:
    """The code and the numbers of views of one mapping with one access.

    Attributes
    ----------
    access, extents
        The access, and the extents of the mapping.
    strides
        Those of the mapping; None where it has none, or none that are known.
    make
        The function that makes a view of the class that is compiled for the mapping.
    start, values
        What ``make`` reads: what the view's origin is added to, and the numbers of the offset, or a function that gives
        them when an element is asked for.
    derived
        The mapping, held for as long as its identity is a key.
    slices_plan
        Whether parts are slices of the plan of the mapping, and theirs is derived when it is asked for.
    traced
        The code of parts by arithmetic, where there is some.
    known_numbers
        The plan of the mapping, once it has been asked for, see `numbers`.
    reach
        The lowest and highest offset by strides; without any, what each origin within the data fits, and without an
        index, what every origin fits.
    parts
        Parts seen before, by their shape (see `mdview.engines.scalar.slice_key_codegen`): the plan of each, and where
        it begins; for a strided mapping that is counted from the sum of first index times stride.
    row
        The row seen before, where rows are alike.
    find_by_key, find_by_slices
        The functions of `mdview.engines.scalar.slice_key_codegen` that find a part.
    """

    __slots__ = (
        *("access", "derived", "extents", "find_by_key", "find_by_slices", "known_numbers", "make", "parts"),
        *("reach", "row", "slices_plan", "start", "strides", "traced", "values"),
    )

    _nothing: Final[KnownParts] = SharedCache()
    """Parts of a plan that has not been asked for any."""

    def __init__(
        self,
        access: AccessSignature,
        extents: tuple[int, ...],
        derived: Derivation,
        code: Code,
        *,
        strides: tuple[int, ...] | None = None,
        finds_parts: bool = True,
    ) -> None:
        """Keep the parts."""
        self.access: AccessSignature = access
        self.extents: tuple[int, ...] = extents
        self.strides: tuple[int, ...] | None = strides
        self.derived: Derivation = derived
        self.values: Any  # a tuple, or for some code a function that makes it when an element is asked for
        make, self.values, start = code
        self.make: Make = make
        self.start: int = start
        self.slices_plan: bool = False
        self.traced: TracedParts | None = None
        self.known_numbers: Plan | None = None
        self.reach: tuple[int, int] = (0, -1)
        self.parts: KnownParts = self._nothing
        self.row: PlanRow | None = None
        self.find_by_key: FindPart = no_part
        self.find_by_slices: FindPart = no_part
        if finds_parts and access.keeps:
            is_strided, wraps = strides is not None, access.rule is IndexRule.WRAP
            finders = part_finders(len(extents), is_strided=is_strided, wraps=wraps)
            self.find_by_key, self.find_by_slices = finders

    @property
    def rank(self) -> int:
        """Count the dimensions."""
        return len(self.extents)

    @property
    def mapping(self) -> AnyMapping:
        """The mapping, derived once."""
        return self.derived.found()[0]

    def numbers(self) -> Plan:
        """Return the plan of the mapping, which is not derived for that."""
        if self.known_numbers is None:
            self.known_numbers = plan_of(self.mapping)
        return self.known_numbers

    def new_part(
        self, shape: tuple[object, ...], read: SliceNumbers, shift: int, added: tuple[int, ...] | None
    ) -> tuple[AccessPlan, int] | None:
        """Find and remember a part, which begins ``shift`` before where it is; None for nothing.

        It is an element only where a view is asked for, as who tells of ``added`` new axes does. Where nothing begins
        does not follow from where other parts do.
        """
        found: tuple[AccessPlan, int] | None = None
        late = self._part(read, added or ())
        if late is not None:
            found = late, shift
        elif 0 not in self.extents:
            slices = selections(read)
            if slices is not None and (added is not None or not all(isinstance(s, int) for s in slices)):
                found = self._derived(slices, added or ())
        if found is None:
            return None
        if self.parts is self._nothing:
            self.parts = SharedCache()
        return self.parts.remember(shape, (found[0], found[1] - shift))

    def new_row(self, index: int) -> PlanRow | None:
        """Derive and remember the part at one index of dimension 0, where all of them are alike."""
        extent, strides = self.extents[0] if len(self.extents) > 1 else 0, self.strides
        place = index + extent if index < 0 and self.access.rule is IndexRule.WRAP else index
        if strides is None or not 0 <= place < extent or 0 in self.extents or self.find_by_key is no_part:
            return None
        found = self._derived((place, *[ALL] * (len(self.extents) - 1)), ())
        if found is not None:
            self.row = found[0], found[1] - place * strides[0], strides[0], extent
        return self.row

    def _derived(self, slices: Sequence[Selection], added: tuple[int, ...]) -> tuple[AccessPlan, int] | None:
        """Derive a part, and where it begins; None where a layout says of its slices that they leave the data."""
        whole, place = self.derived.found()
        mapping, start = _selected(whole, slices, added)
        low, high = mapping.reach() or (0, -1)
        if start + low < 0 or start + high >= whole.required_span_size:
            return None
        return plan(self.access, mapping, 1), place + start

    def _part(self, read: SliceNumbers, added: tuple[int, ...]) -> AccessPlan | None:
        """Return the plan of a part with new axes; None for nothing, an element, and where it is derived at once."""
        if not self.slices_plan:
            return None
        rows, extents = rows_of(read, self.extents, added)
        if not extents or min(extents) <= 0:
            return None
        numbers = self.numbers().taken(rows, extents)
        code = _code_of_part(self.access, numbers) or (self.traced and self.traced.code(numbers))
        if code is None:
            return None
        made = AccessPlan(self.access, extents, Derivation(partial(_derived_part, self.derived, read, added)), code)
        made.slices_plan, made.traced, made.known_numbers = True, self.traced, numbers
        return made


def _code_of_part(access: AccessSignature, plan: Plan) -> Code | None:
    """Return the code of a slice of a plan by tables; None where there are none."""
    if plan.is_total:
        code = tables_code(plan, moved=True, natural=True) or digits_code(plan, moved=True, natural=True)
    else:
        code = padded_code(plan, access.mode)
    make = None if code is None else class_for(code, access, plan.extents)
    return None if code is None or make is None else (make, code.values, code.start)


def _selected(mapping: AnyMapping, slices: Sequence[Selection], added: tuple[int, ...]) -> Moved:
    part, start = select(mapping, slices)
    if not added:
        return part, start
    part, moved = expand_dims(part, added)
    return part, start + moved


def _derived_part(source: Derivation, read: SliceNumbers, added: tuple[int, ...]) -> Moved:
    mapping, first = source.found()
    part, start = _selected(mapping, selections(read) or (), added)
    return part, first + start


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


_INTEGERS: Final[frozenset[type]] = frozenset({int, Dim})
_NO_INTEGERS: Final[frozenset[type]] = frozenset({object})


def bound_plan(access: AccessSignature, extents: tuple[int, ...], layout: Layout) -> AccessPlan:
    """Plan for views of origin 0 of ``layout`` over ``extents``; equal ones have one plan.

    Raises
    ------
    ExtentsError, ExtentsTypeError, LayoutTypeError, LayoutError, RankError
        As `Mapping` does.
    """
    types = {*map(type, extents)} if type(extents) is tuple else _NO_INTEGERS
    if types <= _INTEGERS:  # 4.0 equals 4, and is no extent
        known = None if Dim in types else plans.get((access, id(layout), extents))  # dim(3) == 3, and they differ
        return known or _equal_plan(access, extents, layout)
    return plan(access, Mapping(extents, layout), 0)


def _equal_plan(access: AccessSignature, extents: tuple[int, ...], layout: Layout) -> AccessPlan:
    """Find or make the plan for a layout by value; the very layout that it is made for is then found by identity."""
    mapping = bound(extents, layout)
    known = plan(access, mapping, 0)
    if mapping.layout is layout and representative(mapping) is mapping and Dim not in map(type, extents):
        remember(plans, (access, id(layout), extents), known)
    return known


def new_plan(access: AccessSignature, mapping: AnyMapping, *, moved: bool) -> AccessPlan:
    """Make the plan for views of ``mapping`` of any origin, if ``moved``, or of origin 0."""
    # The general access takes any number of dimensions; a compiler has its limits.
    if mapping.rank > MOST_COMPILED:
        return general_plan(access, mapping)
    if has_grid(access, mapping):
        return _known_plan(access, mapping, (grid_make(access, mapping.rank), (), 0))
    for code, slices_plan, concrete in _codes(access, mapping, moved=moved):
        make = None if code is None else class_for(code, access, mapping.extents)
        if code is not None and make is not None:
            made = _known_plan(access, mapping, (make, code.values, code.start))
            # Parts of tables are not known to be natural if the whole is not.
            made.slices_plan = slices_plan and (code.natural or not code.bounded) and _follows_plan(access, mapping)
            if made.slices_plan and concrete is not None:
                made.traced = TracedParts(access, concrete=concrete)
            return made
    return general_plan(access, mapping)


def general_plan(access: AccessSignature, mapping: AnyMapping) -> AccessPlan:
    """Make the plan for views whose elements and parts are all found by general code."""
    return _known_plan(access, mapping, (general_make(access.base), (), 0), finds_parts=False)


def _known_plan(
    access: AccessSignature, mapping: AnyMapping, code: tuple[Make, Any, int], *, finds_parts: bool = True
) -> AccessPlan:
    """Return the plan of a mapping that is known."""
    derived, strides = Derivation(None, (mapping, 0)), mapping.found_strides()
    made = AccessPlan(access, mapping.extents, derived, code, strides=strides, finds_parts=finds_parts)
    made.reach = mapping.reach() or ((0, -1) if mapping.size else (MAX_SIZE, -MAX_SIZE))
    return made


def _codes(
    access: AccessSignature, mapping: AnyMapping, *, moved: bool
) -> Iterator[tuple[OffsetCode | None, bool, bool | None]]:
    """How offsets may be computed, the best way first; the last way serves every mapping.

    With each way comes whether parts are slices of the plan, and ``concrete`` of the code of those that are traced.
    """
    if not mapping.layout.is_total():
        yield padded_code(plan_of(mapping), access.mode), True, None
        yield padded_call(mapping, access.mode), False, None
        return
    yield _looked_up_code(mapping, moved=moved), True, None
    yield strided_code(mapping, moved=moved), False, None
    for concrete in (False, True):
        yield traced_code(mapping, moved=moved, concrete=concrete), True, concrete
    yield calling_code(mapping, moved=moved), False, None


def _looked_up_code(mapping: AnyMapping, *, moved: bool) -> OffsetCode | None:
    if sum(mapping.extents) > TABLE_LIMIT or 0 in mapping.extents:
        return None
    found = plan_of(mapping)
    return tables_code(found, moved=moved) or digits_code(found, moved=moved)


def _follows_plan(access: AccessSignature, mapping: AnyMapping) -> bool:
    """Tell whether parts are slices of the plan: what a layout says of its slices need not be what its offsets say."""
    if mapping.found_strides() is not None or 0 in mapping.extents:
        return False
    return access.keeps and mapping.layout.slices_follow_offset()
