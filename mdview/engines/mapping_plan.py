"""The plan of a mapping: its offsets in the form that engines use, a stride or a table for each dimension.

If the offset is a sum of terms that each depend on one index, a plan has one *axis* for each dimension: a stride, or a
*part* of a *base*, which is the table of offsets along one dimension of the whole layout. Bases are made once for a
layout over extents. A part has a first index, a step and a count. So the plan of a row, a window, a permutation or a
flip is derived from the plan of the whole by a few operations for each dimension. The plan of any other mapping is an
index map to a base plan, or the layout's arithmetic.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final, TypeAlias, cast, final

from mdview.base.caches import SharedCache, cached_property, is_small, remember, type_key
from mdview.engines.offset_tables import (
    LONGEST,
    AxisOffsets,
    Led,
    TablePart,
    VectorOffset,
    axis_offset,
    led_axis,
    led_indices,
    part_of_axis,
    summed,
    tables,
    vector_offset,
)
from mdview.engines.plan_facts import PlanFacts
from mdview.index.extents import right_strides
from mdview.index.index_map import IndexMap, Row, of_rows, rows_between
from mdview.index.padding import LED, domain, whole
from mdview.layouts.explicit_strides import RIGHT
from mdview.layouts.layout import Box as Domain
from mdview.layouts.layout import Layout
from mdview.mappings.mapping import AnyMapping, Mapping

Inside: TypeAlias = "tuple[tuple[slice, ...], Plan]"
MOST_DIMENSIONS: Final = 64
"""The highest rank of a mapping whose plan is cached for equal mappings."""

_LATE: Final = frozenset({"axes", "base", "domain", "is_total", "sliced", "start", "strides", "transform", "vector"})
"""The attributes that a plan computes on first use, so that an unused part takes no time."""


@final
class Plan(PlanFacts):
    """The plan of a mapping, with the attributes of `PlanFacts`; some attributes are computed on first use."""

    # Pyright infers the type of an attribute again if a derived class assigns it without a declaration.
    start: int
    axes: tuple[AxisOffsets, ...] | None
    strides: tuple[int, ...] | None
    base: Plan | None
    sliced: tuple[Plan, Sequence[Row]] | None
    is_total: bool
    _led: tuple[tuple[str | None, ...], Plan | None] | None = None
    _late: Any = None  # for a part: the plan of the whole, the rows to it, and whether the rows are those of a key

    def __init__(  # noqa: PLR0913 - one argument for each attribute
        self,
        extents: tuple[int, ...],
        start: int = 0,
        axes: tuple[AxisOffsets, ...] | None = None,
        *,
        base: Plan | None = None,
        transform: IndexMap | Led | None = None,
        domain: Domain | None = None,
        vector: VectorOffset | None = None,
        mapping: AnyMapping | None = None,
        distinct: bool | None = None,
        is_late: bool = False,
    ) -> None:
        """Keep the attributes; if ``is_late``, terms and arithmetic are computed on first use."""
        self.extents = extents
        if not is_late:
            self._sum(start, axes)
            self.vector = vector
        self.base = base
        self.transform = transform
        self.domain = domain
        self.sliced = None
        self.mapping = mapping
        self.is_total = domain is None and (base is None or base.is_total)
        if base is None and axes is None and mapping is not None:
            self.is_total = mapping.layout.is_total()
        if distinct is not None:
            self.is_distinct = distinct

    @classmethod
    def of(cls, mapping: AnyMapping) -> Plan:
        """Return the plan of a mapping; strides are computed at once, all other attributes on first use."""
        extents = tuple(map(int, mapping.extents))
        if 0 in extents:
            return cls(extents, 0, (0,) * len(extents), mapping=mapping)
        strides = mapping.found_strides()
        if strides is not None:
            return cls(extents, mapping.origin, strides, mapping=mapping)
        self = object.__new__(cls)
        self.extents, self.mapping = extents, mapping
        return self

    def _sum(self, start: int, axes: tuple[AxisOffsets, ...] | None) -> None:
        """Set the start and the axes, which are the terms of the offset, and the strides."""
        self.start, self.axes = start, axes
        is_strided = axes is not None and TablePart not in map(type, axes)
        self.strides = cast("tuple[int, ...]", axes) if is_strided else None

    def __getattr__(self, name: str) -> Any:  # Any: an attribute of any type
        """Compute an attribute on first use, together with the attributes that the same computation yields.

        Two threads may both compute the attribute, with the same result.
        """
        if name not in _LATE:
            raise AttributeError(name)
        known = vars(self)
        if self._late is not None:
            if name == "sliced":
                return self._reach_root()
            self._take(*self._late)
        elif "base" not in known:
            attributes = vars(_found(cast("AnyMapping", self.mapping), self.extents))
            # in one update: another thread that saw only some attributes would recurse without end for the missing ones
            known.update({key: value for key, value in attributes.items() if key not in known})
        elif name == "vector":
            mapping = cast("AnyMapping", self.mapping)
            self.vector = vector_offset(mapping.layout, mapping.extents)
        elif "strides" not in known:
            mapping = cast("AnyMapping", self.mapping)
            self._sum(*tables(mapping.layout, mapping.extents, lambda: self.vector))
        return known[name] if name in known else getattr(self, name)

    @property
    def known_strides(self) -> tuple[int, ...] | None:
        """The strides; None if they are not computed yet, or do not exist."""
        return vars(self).get("strides")

    @property
    def known_axes(self) -> tuple[AxisOffsets, ...] | None:
        """The axes; None if they are not computed yet, or do not exist."""
        return None if self._late is not None and "axes" not in vars(self) else self.axes

    @cached_property
    def parts(self) -> SharedCache[object, Any]:
        """The cached parts, see `mdview.engines.plan_parts`."""
        return SharedCache()

    @cached_property
    def ranges(self) -> dict[Hashable, Any]:
        """The cached ranges of the dimensions, see `mdview.engines.plan_parts`."""
        return {}

    @cached_property
    def ordered(self) -> Plan | None:
        """The plan of the same extents in C order without gaps; None if this plan is equal to it."""
        steps = right_strides(self.extents)
        return None if self.strides == steps and not self.start else Plan(self.extents, 0, steps, distinct=True)

    def taken(self, rows: Sequence[Row], extents: tuple[int, ...], *, is_key: bool = False) -> Plan:
        """Return the plan of a part whose index reaches index ``offset + stride * index[source]`` along each dimension.

        A row consists of offset, stride and source for one dimension of this plan; if the source is None, the index
        along the dimension is ``offset``. The reached indices must be within the extents. If ``is_key``, the rows come
        from a key in brackets, and a stride of 0 in a row means 1. Unless this plan has strides, the terms of the part
        are computed on first use.

        >>> from mdview import LayoutTiled, Mapping
        >>> tiled = plan_of(Mapping((8, 8), LayoutTiled(4, 4)))
        >>> row = tiled.taken([(5, 0, None), (0, 1, 0)], (8,))
        >>> [*row.offsets()]
        [36, 37, 38, 39, 52, 53, 54, 55]
        """
        if 0 in extents:
            return Plan(extents, 0, (0,) * len(extents))
        strides = self.known_strides
        if strides is not None:
            start, steps = self.start, [0] * len(extents)
            for stride, (first, step, source) in zip(strides, rows):  # noqa: B905 - of one length
                start += stride * first
                if source is not None:
                    steps[source] += stride * (step or is_key)
            return _of_strides(extents, start, tuple(steps))
        made = object.__new__(Plan)
        made.extents, made._late = extents, (self, rows, is_key)
        if self._late is not None and self._late[0]._late is not None:  # noqa: SLF001 - of this class
            self._reach_root()  # so that no chain of parts grows
        return made

    def _terms(
        self, rows: Sequence[Row], extents: tuple[int, ...], *, is_key: bool
    ) -> tuple[int, tuple[AxisOffsets, ...]]:
        """Return the start and the axes of a part; this plan has axes."""
        start = self.start
        found: list[AxisOffsets] = [0] * len(extents)
        for axis, (first, step, source) in zip(self.axes or (), rows, strict=True):
            if source is None:
                start += axis_offset(axis, first)
                continue
            moved, shift = part_of_axis(axis, first, step or int(is_key), extents[source])
            start += shift
            if found[source] == 0:
                found[source] = moved
            elif step or is_key:
                shift, found[source] = summed(found[source], moved, extents[source])
                start += shift
        return start, tuple(found)

    def _take(self, whole: Plan, rows: Sequence[Row], is_key: bool) -> None:  # noqa: FBT001 - as kept in a part
        """Set the terms of this part from the plan of the whole."""
        if whole.sliced is not None:
            self._take(*self._reach_root(), is_key=False)
        elif whole.axes is None:
            found = whole._through(self._reach_root()[1], self.extents)
            self._sum(found.start, found.axes)
            self.base, self.transform, self.domain = found.base, found.transform, found.domain
            self.vector, self.is_total = found.vector, found.is_total
        else:
            self._sum(*whole._terms(rows, self.extents, is_key=is_key))
            self.base = self.transform = self.domain = self.vector = None
            self.is_total = True

    def _reach_root(self) -> tuple[Plan, Sequence[Row]]:
        """Return the root, which is a plan that is not a part itself, and the rows that map this part to the root."""
        whole, rows, is_key = self._late
        if is_key:
            rows = [(first, step or 1, source) for first, step, source in rows]
        root, before = whole.sliced or (whole, None)
        self.sliced = found = root, rows if before is None else rows_between(before, rows)
        self._late = root, found[1], False
        return found

    def _through(self, rows: Sequence[Row], extents: tuple[int, ...]) -> Plan:
        """Return the plan of a part by rows; this plan has no axes.

        If the part has no padding, the result is a part of the base.
        """
        base, transform, box = self.base, self.transform, self.domain
        is_inside = box is not None and _lie_in(box, rows, extents)
        if is_inside and base is not None and isinstance(transform, IndexMap) and transform.is_affine:
            return base.taken(transform.rows_after(rows), extents)
        outer = of_rows(rows)
        if base is None or transform is None:
            return Plan(extents, base=self, transform=outer)
        inside = None if box is None or is_inside else domain(outer, box, whole(extents))
        return Plan(extents, base=base, transform=transform.after(outer), domain=inside)

    def cut(self, first: Sequence[int], counts: tuple[int, ...]) -> Plan:
        """Return the plan of a box of indices."""
        if counts == self.extents:
            return self
        return self.taken([(f, 1, r) for r, f in enumerate(first)], counts)

    def without_ones(self) -> Plan:
        """Return the plan without the dimensions of extent 1; the order of the elements does not change."""
        kept = [r for r, n in enumerate(self.extents) if n != 1]
        rows = [(0, 1, kept.index(r)) if n != 1 else (0, 0, None) for r, n in enumerate(self.extents)]
        return self.taken(rows, tuple([self.extents[r] for r in kept]))

    @cached_property
    def inside(self) -> Inside | None:
        """The box of the indices with an element, and the plan of the box.

        The value is None if the indices with an element are not a box, or the plan of the box is not total.
        """
        base, ends, rank = self.base, self.domain, len(self.extents)
        if self.is_total:
            return _slices((0,) * rank, self.extents), self
        if ends is None or len(ends) > rank or base is None or not base.is_total:
            return None
        box = [(max(low, 0), min(high, n)) for (low, high), n in zip(ends, self.extents, strict=True)]
        first, counts = [low for low, _ in box], tuple([max(0, high - low) for low, high in box])
        return _slices(first, counts), Plan(counts, 0, (0,) * rank) if 0 in counts else self.cut(first, counts)

    def led(self, *modes: str | None) -> Plan | None:
        """Return the plan with the indices of padding mapped to elements by boundary modes.

        There is a mode for each of the nested paddings, from the innermost outwards; the last mode is used for all
        further paddings. Padding with the mode ``"constant"`` or None stays padding. The result is None if the padding
        is not known, or there is no element to repeat.

        >>> from mdview import LayoutRight, Mapping, pad
        >>> [*plan_of(pad(Mapping((3,), LayoutRight()), 2)).led("reflect").offsets()]
        [2, 1, 0, 1, 2, 1, 0]
        """
        if self.is_total:
            return self
        if self._led is None or self._led[0] != modes:
            self._led = modes, self._found_led(modes)
        return self._led[1]

    def _found_led(self, modes: tuple[str | None, ...]) -> Plan | None:
        if self.sliced is not None:
            whole_led = self.sliced[0].led(*modes)
            return whole_led and whole_led.taken(self.sliced[1], self.extents)
        base, transform, mode = self.base and self.base.led(*modes), self.transform, self.mode_of(modes)
        if base is None or not isinstance(transform, IndexMap):
            return None
        if self.domain is None or mode not in LED:
            same = base is self.base
            return self if same else Plan(self.extents, base=base, transform=transform, domain=self.domain)
        if 0 in base.extents:
            return None
        if base.axes is None or not transform.is_affine or max(self.extents, default=0) > LONGEST:
            return Plan(self.extents, base=base, transform=Led(mode, transform, base.extents), mapping=self.mapping)
        start, axes = base.start, [cast("AxisOffsets", 0)] * len(self.extents)
        rows = zip(base.axes, base.extents, transform.offset, transform.stride, transform.source, strict=True)
        for axis, extent, first, step, source in rows:
            count = 1 if source is None else self.extents[source]
            begin, table = led_axis(axis, led_indices(mode, extent, first, step, count))
            start += begin
            if source is not None and count:
                shift, axes[source] = summed(axes[source], table, count)
                start += shift
        return Plan(self.extents, start, tuple(axes), mapping=self.mapping, distinct=False)


def _of_strides(extents: tuple[int, ...], start: int, strides: tuple[int, ...]) -> Plan:
    """Return the plan of a part with strides, in a third of the time of a call of the class."""
    made = object.__new__(Plan)
    made.extents, made.start, made.is_total = extents, start, True
    made.axes = made.strides = strides
    made.base = made.transform = made.domain = made.vector = made.sliced = None
    return made


def _lie_in(box: Domain, rows: Sequence[Row], extents: tuple[int, ...]) -> bool:
    """Tell whether the rows of a part map all indices into a box, in a tenth of the time of `domain`."""
    if len(box) != len(rows):
        return False
    for (low, high), (first, step, source) in zip(box, rows, strict=True):
        last = first if source is None else first + step * (extents[source] - 1)
        if not (low <= first < high and low <= last < high):
            return False
    return True


def _slices(first: Sequence[int], counts: Sequence[int]) -> tuple[slice, ...]:
    return tuple([slice(low, low + n) for low, n in zip(first, counts, strict=True)])


_plans: dict[Hashable, Plan] = {}
"""Plans by mapping; if all extents are dynamic, also by the identity of the layout and the extents."""

_INT: Final[frozenset[type]] = frozenset({int})


def plan_of(mapping: AnyMapping) -> Plan:
    """Return the plan of a mapping; equal mappings share a plan, and a mapping keeps its plan."""
    known: Plan | None = mapping._plan  # noqa: SLF001 - a slot of mappings that this function fills
    if known is not None:
        return known
    layout, extents = mapping.layout, mapping.extents
    try:
        key = type_key(layout), layout, extents, tuple([type(e) for e in extents])
        known = _plans.get(key)
    except TypeError:  # a layout without a hash
        return Plan.of(mapping)
    if known is None:
        known = Plan.of(mapping)
        if len(extents) > MOST_DIMENSIONS or not is_small(layout):
            return known
        known = remember(_plans, key, known)
    object.__setattr__(mapping, "_plan", known)
    return known


def bound_plan(extents: tuple[int, ...], layout: Layout) -> Plan:
    """Return the plan of a layout over extents; a mapping without a plan is made and checked first.

    Raises
    ------
    ExtentsError, ExtentsTypeError, LayoutTypeError, LayoutError, RankError
        See `Mapping`.
    """
    key = id(layout), extents  # the plan keeps the layout alive
    is_plain = type(extents) is tuple and _INT.issuperset(map(type, extents))  # 4.0 == dim(4) == 4, and they differ
    known = _plans.get(key) if is_plain else None
    if known is None:
        mapping = Mapping(extents, layout)
        known = plan_of(mapping)
        is_kept = mapping._plan is not None  # noqa: SLF001 - see `plan_of`
        lives = layout is RIGHT or cast("AnyMapping", known.mapping).layout is layout
        if is_kept and is_plain and lives:
            remember(_plans, key, known)
    return known


def _found(mapping: AnyMapping, extents: tuple[int, ...]) -> Plan:
    """Return the plan of a nonempty mapping that is not strided."""
    layout = mapping.layout
    found = layout.composition(mapping.extents)
    if found.base is layout:
        return Plan(extents, mapping=mapping, is_late=True)
    base, transform = plan_of(Mapping.trusted(found.extents, found.base)), found.transform
    if found.box is not None:
        return Plan(extents, base=base, transform=transform, domain=found.box)
    return reached(base, transform, extents)


def reached(base: Plan, transform: IndexMap, extents: tuple[int, ...]) -> Plan:
    """Return the plan with offsets ``base(transform(index))``."""
    if transform.is_affine:
        return base.taken([*zip(transform.offset, transform.stride, transform.source, strict=True)], extents)
    return Plan(extents, base=base, transform=transform)
