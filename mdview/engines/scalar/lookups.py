"""Code that looks offsets up: an access adds entries of tables, and the tables bound the index.

List indexing refuses what is out of range and counts negative indices from the end, so the code has no test of its own
for either; where the rule does not admit negative indices, that is its only test. The tables are those of a plan.

Those of a padded view are the tables of the base, continued over the padding, each dimension by the rule of the fill,
so that the padding costs nothing more than the inside. Where there are none the offset is computed at each access. An
index in the padding leads to the element that stands in for it, or to a mark: a number below `OUTSIDE`, which stands
for no element, as nowhere in a fill by a constant, and for no store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from mdview.engines import padding
from mdview.engines.bases import Axis, Base, Part
from mdview.engines.plan import AnyMapping, Plan, plan_of
from mdview.engines.scalar.offset_code import OUTSIDE, Lines, OffsetCode, dynamic_extents, text_lines
from mdview.expressions.python_source import compiled, function
from mdview.index.boundary import LED, inside_index
from mdview.index.transforms import Radix
from mdview.layouts.arithmetic import offset_of

TABLE_LIMIT: Final = 4096
"""How many entries the tables of one view may have in all; beyond that arithmetic is used instead."""

MARK: Final = 2 * OUTSIDE
"""Far enough below that no sum with offsets and an origin reaches `OUTSIDE`."""

Tables: TypeAlias = tuple[list[int], ...]
"""One list per dimension, never changed. The entries for one index, one of each list, add up to its offset."""


def _steps(extent: int, stride: int) -> list[int]:
    """Offsets along one dimension."""
    return [i * stride for i in range(extent)]


def tables_of(plan: Plan) -> Tables:
    """Return the tables of a plan with axes, to which its start is added."""
    each = zip(plan.extents, plan.axes or (), strict=True)
    return tuple([_steps(n, axis) if isinstance(axis, int) else axis.offsets for n, axis in each])


def from_zero(tables: Tables, start: int) -> Tables:
    """Return tables that add up to the offset itself: one addition for each index now spares one for each access."""
    return ([start + offset for offset in tables[0]], *tables[1:]) if start else tables


def tables_code(plan: Plan, *, moved: bool, natural: bool | None = None) -> OffsetCode | None:
    """Code that adds one entry per dimension; None where there are no tables, or they would be too long.

    Whether it is ``natural`` is found out unless it is told.
    """
    if not plan.extents or plan.axes is None or sum(plan.extents) > TABLE_LIMIT:
        return None
    tables, start, rank, shifted = tables_of(plan), plan.start, len(plan.extents), moved
    if not moved:
        tables, start = from_zero(tables, start), 0
    lines = text_lines([], f"{terms('i', 0, rank)}{f' + self._p{rank}' * shifted}", range(rank + shifted))
    natural = (plan.ends or (0, -1))[0] >= 0 if natural is None else natural
    return OffsetCode(("tables", rank, shifted, natural), tables, lines, start, shifted, bounded=True, natural=natural)


def digits_of(plan: Plan) -> Plan | None:
    """Return the plan of the digits that a reshape reads an index as; None where that is none, or has no tables."""
    radix = None if plan.transform is None or plan.domain is not None else plan.transform.radix
    base = plan.base
    # Without a digit nothing would be looked up by the sum, and a slice pass for an index.
    if radix is None or not radix.shape or base is None or base.axes is None or plan.transform is None:
        return None
    if not plan.extents or max(sum(radix.shape), sum(plan.extents)) > TABLE_LIMIT:
        return None
    transform = plan.transform
    rows = zip(transform.offset, transform.stride, transform.source, strict=True)
    return base.taken([*rows], radix.shape)


def digits_code(plan: Plan, *, moved: bool) -> OffsetCode | None:
    """Code of a reshape: the sum of one entry per dimension is a number, each of whose digits is looked up."""
    digits, radix = digits_of(plan), None if plan.transform is None else plan.transform.radix
    if radix is None or digits is None:
        return None
    rank, count, start = len(plan.extents), len(radix.shape), digits.start
    shifted, begins = moved or start != 0, moved or radix.first != 0  # parts differ in the number at which they begin
    values = (*number_tables(plan.extents, radix), *tables_of(digits), *radix.shape[1:], radix.first)
    statements = digit_statements(rank, count, rank + count, len(values) - 1 if begins else None)
    result = f"{terms('d', rank, count)}{f' + self._p{len(values)}' * shifted}"
    lines = text_lines(statements, result, range(len(values) + shifted))
    natural = (digits.ends or (0, -1))[0] >= 0
    key = ("digits", rank, count, begins, shifted, natural)
    return OffsetCode(key, values, lines, start, shifted, bounded=True, natural=natural)


def number_tables(extents: Sequence[int], radix: Radix) -> Tables:
    """Tables whose entries add up to the number, but for its start, that a reshape reads an index as."""
    return tuple([_steps(n, weight) for n, weight in zip(extents, radix.all_weights(len(extents)), strict=True)])


def digit_statements(rank: int, count: int, places: int, first: int | None) -> list[str]:
    """Statements that read an index as ``count`` digits, whose places and first number are the parameters from here on.

    The first parameters are the tables that add up to the number.
    """
    statements = [f"d0 = {terms('i', 0, rank)}{'' if first is None else f' + self._p{first}'}"]
    for digit in range(count - 1, 0, -1):
        place = f"self._p{places + digit - 1}"
        statements += [f"d{digit} = d0 % {place}", f"d0 //= {place}"]
    return statements


def terms(name: str, first: int, count: int) -> str:
    """Sum of one entry per dimension, or digit; the tables are the parameters from ``first`` on."""
    return " + ".join([f"self._p{first + r}[{name}{r}]" for r in range(count)])


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
