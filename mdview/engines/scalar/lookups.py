"""Code that looks offsets up: an access adds entries of tables, and the tables bound the index.

List indexing refuses what is out of range and counts negative indices from the end, so the code has no test of its own
for either; where the rule does not admit negative indices, that is its only test. The tables are those of a plan.

Those of a padded view are the tables of the base, continued over the padding, each dimension by the rule of the fill,
so that the padding costs nothing more than the inside. Where there are none the offset is computed at each access. An
index in the padding leads to the element that stands in for it, or to a mark: a number below `OUTSIDE`, which stands
for no element, as nowhere in a fill by a constant, and for no store.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from mdview.engines import padding
from mdview.engines.plan import AnyMapping, Plan, plan_of
from mdview.engines.scalar.offset_code import OUTSIDE, Lines, OffsetCode, dynamic_extents, text_lines
from mdview.index.boundary import LED
from mdview.index.transforms import IndexMap, Radix
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
    way, base = plan.transform, plan.base
    if not isinstance(way, IndexMap) or plan.domain is not None or base is None or base.axes is None:
        return None
    # Without a digit nothing would be looked up by the sum, and a slice pass for an index.
    if way.radix is None or not way.radix.shape or not plan.extents:
        return None
    if max(sum(way.radix.shape), sum(plan.extents)) > TABLE_LIMIT:
        return None
    return base.taken([*zip(way.offset, way.stride, way.source, strict=True)], way.radix.shape)


def digits_code(plan: Plan, *, moved: bool) -> OffsetCode | None:
    """Code of a reshape: the sum of one entry per dimension is a number, each of whose digits is looked up."""
    digits, radix = digits_of(plan), plan.transform.radix if isinstance(plan.transform, IndexMap) else None
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
    plan, again = plan_of(mapping), mode in LED
    rank, domain = len(plan.extents), plan.domain
    # Of a constant any mode will do: its marks cover what is led.
    led = plan.led(str(mode) if again else "edge") if domain and sum(plan.extents) <= TABLE_LIMIT else None
    if led is not None and led.axes is not None and domain and rank:

        def values() -> tuple[Any, ...]:
            loads = from_zero(tables_of(led), led.start)
            stores = [_marked(table, ends) for table, ends in zip(loads, domain, strict=False)]
            if len(domain) > rank:
                stores = [_marked(table, (0, 0)) for table in loads]
            return (*loads, *stores) if again else tuple(stores)

        def lines(first: int) -> Lines:
            return text_lines([], f"{terms('i', first, rank)} + self._place", range(first, first + rank))

        key = "padded tables", rank, mode
        yield OffsetCode(key, values, lines(0), shifted=False, bounded=True, stores=lines(rank if again else 0))
    yield _called(mapping, mode)


def _marked(table: list[int], ends: tuple[int, int]) -> list[int]:
    """Return a table with marks for what lies outside a range."""
    low, high = (max(0, min(end, len(table))) for end in ends)
    return [*[MARK] * low, *table[low:high], *[MARK] * (len(table) - max(low, high))]


def _called(mapping: AnyMapping, mode: str | None) -> OffsetCode:
    """Code for what no tables tell: a call at each access."""
    layout, extents, dynamic = mapping.layout, mapping.extents, dynamic_extents(mapping.extents)

    def store(*index: int) -> int:
        return offset_of(layout, extents, index) if layout.has_element(extents, index) else MARK

    def load(*index: int) -> int:
        return padding.offset(mapping, mode, index)

    names, count = ", ".join([f"i{r}" for r in range(mapping.rank)]), len(dynamic)
    loads, stores = (text_lines([], f"self._p{k}({names}) + self._place", [k]) for k in (count, count + 1))
    key, calls = ("padded, called", mapping.static_extents, mode), (load if mode in LED else store, store)
    return OffsetCode(key, (*dynamic, *calls), loads, shifted=False, stores=stores)
