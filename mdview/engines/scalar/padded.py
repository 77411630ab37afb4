"""Code of padded views: an index in the padding leads to the element that stands in for it, or to a mark.

Where offsets are looked up, the tables of the base are continued over the padding, each dimension by the rule of the
fill, so that the padding costs nothing more than the inside. Otherwise the offset is computed at each access. A mark
is a number below `OUTSIDE`: its index stands for no element, as nowhere in a fill by a constant, and for no store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from mdview.engines import padding
from mdview.engines.bases import Axis, Base, Part
from mdview.engines.plan import AnyMapping, Plan, plan_of
from mdview.engines.scalar.lookups import TABLE_LIMIT, from_zero, tables_of, terms
from mdview.engines.scalar.offset_code import OUTSIDE, Lines, OffsetCode, dynamic_extents, text_lines
from mdview.expressions.python_source import compiled, function
from mdview.index.boundary import LED, inside_index
from mdview.layouts.arithmetic import offset_of

MARK: Final = 2 * OUTSIDE
"""Far enough below that no sum with offsets and an origin reaches `OUTSIDE`."""


def padded_codes(mapping: AnyMapping, mode: str | None) -> Iterator[OffsetCode]:
    """How offsets of a padded mapping may be computed, the best way first; ``mode`` is that of its fill, if any."""
    plan = plan_of(mapping)
    code = _looked_up(plan, mode)
    if code is not None:
        yield code
    yield _called(mapping, plan, mode)


def _looked_up(plan: Plan, mode: str | None) -> OffsetCode | None:
    if not _has_tables(plan):
        return None
    rank, again = len(plan.extents), mode in LED

    def values() -> tuple[Any, ...]:
        loads, stores = _filled(plan, mode)
        return (*_tables(loads), *(_tables(stores) if again else ()))

    def lines(first: int) -> Lines:
        return text_lines([], f"{terms('i', first, rank)} + self._place", range(first, first + rank))

    key = "padded tables", rank, mode
    return OffsetCode(key, values, lines(0), shifted=False, bounded=True, stores=lines(rank if again else 0))


def _tables(plan: Plan) -> Sequence[list[int]]:
    return from_zero(tables_of(plan), plan.start)


def _called(mapping: AnyMapping, plan: Plan, mode: str | None) -> OffsetCode:
    """Code for what no tables tell: a call at each access, of the layout unless its arithmetic is known."""
    layout, extents, dynamic = mapping.layout, mapping.extents, dynamic_extents(mapping.extents)

    def store(*index: int) -> int:
        return offset_of(layout, extents, index) if layout.has_element(extents, index) else MARK

    def load(*index: int) -> int:
        if layout.has_element(extents, index):
            return offset_of(layout, extents, index)
        return padding.stand_in(str(mode), layout, extents, index)

    def values() -> tuple[Any, ...]:
        loads, stores = _computed(plan, mode) or (load, store)
        return (*dynamic, loads if mode in LED else stores, stores)

    names, count = ", ".join([f"i{r}" for r in range(mapping.rank)]), len(dynamic)
    loads, stores = (text_lines([], f"self._p{k}({names}) + self._place", [k]) for k in (count, count + 1))
    key = "padded, called", mapping.static_extents, mode
    return OffsetCode(key, values, loads, shifted=False, stores=stores)


def _computed(plan: Plan, mode: str | None) -> tuple[Callable[..., int], Callable[..., int]] | None:
    """Return functions of an index for loads and stores: the arithmetic of the base, of indices that are led inside."""
    base, transform, domain = plan.base, plan.transform, plan.domain or ()
    if base is None or base.vector is None or transform is None or len(domain) != len(plan.extents) or not domain:
        return None
    if not transform.is_affine or 0 in (*plan.extents, *base.extents) or sum(plan.extents) > TABLE_LIMIT:
        return None
    names: dict[str, Any] = {"offset_of": function(base.vector.root, base.vector.rank), "MARK": MARK}
    each = zip(base.extents, transform.offset, transform.stride, transform.source, strict=True)
    led: list[str] = []
    for d, (extent, first, step, source) in enumerate(each):
        count = 1 if source is None else plan.extents[source]
        places = [first + step * k for k in range(count)]
        names[f"t{d}"] = _inside(mode, extent, places)
        led.append(f"t{d}[{0 if count == 1 else f'i{source}'}]")
    found = f"offset_of({', '.join(led)})"
    tests = " and ".join([f"{low} <= i{r} < {high}" for r, (low, high) in enumerate(domain)])
    rank = len(plan.extents)
    return (
        compiled([f"return {found}"], rank, {**names}),
        compiled([f"return {found} if {tests} else MARK"], rank, names),
    )


def _has_tables(plan: Plan) -> bool:
    """Tell whether all padding is outside of a box, and the element is an affine step from there, by tables."""
    base, transform = plan.base, plan.transform
    if plan.domain is None or base is None or base.axes is None or transform is None or not transform.is_affine:
        return False
    return bool(plan.extents) and 0 not in (*plan.extents, *base.extents) and sum(plan.extents) <= TABLE_LIMIT


def _filled(plan: Plan, mode: str | None) -> tuple[Plan, Plan]:
    """Return the plans of the positions that loads and stores of a padded plan lead to, marks among them."""
    base, transform, domain = plan.base, plan.transform, plan.domain or ()
    if base is None or transform is None:
        return plan, plan
    tables, start = [[0] * n for n in plan.extents], base.start
    each = zip(base.axes or (), base.extents, transform.offset, transform.stride, transform.source, strict=True)
    for axis, extent, first, step, source in each:
        count = 1 if source is None else plan.extents[source]
        along = _continued(mode, axis, extent, [first + step * k for k in range(count)])
        if source is None:
            start += along[0]
        else:
            tables[source] = [a + b for a, b in zip(tables[source], along, strict=True)]
    loads = _of_tables(plan, tables, start)
    ends = [(max(0, min(a, n)), max(0, min(b, n))) for (a, b), n in zip(domain, plan.extents, strict=False)]
    ends = ends if len(domain) == len(plan.extents) else [(0, 0)] * len(plan.extents)
    marked = [[*[MARK] * a, *t[a:b], *[MARK] * (len(t) - max(a, b))] for t, (a, b) in zip(tables, ends, strict=True)]
    stores = _of_tables(plan, marked, start)
    return (loads if mode in LED else stores), stores


def _of_tables(plan: Plan, tables: Sequence[list[int]], start: int) -> Plan:
    return Plan(plan.extents, start, tuple([Part(Base(table), 0, 1, len(table)) for table in tables]))


def _inside(mode: str | None, extent: int, places: Sequence[int]) -> list[int]:
    """Return the indices that places lead to, which may lie outside; of a mark any will do."""
    rule = str(mode) if mode in LED else "edge"
    return [i if 0 <= i < extent else inside_index(rule, (i,), ((0, extent),))[0] for i in places]


def _continued(mode: str | None, axis: Axis, extent: int, places: Sequence[int]) -> list[int]:
    """Return the offsets of a dimension of the base at indices that may lead out of it."""
    inside = _inside(mode, extent, places)
    if isinstance(axis, int):
        return [axis * i for i in inside]
    return [axis.base.offsets[axis.first + axis.step * i] for i in inside]
