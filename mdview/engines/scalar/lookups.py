"""Plans that look offsets up: an access adds entries of tables, and the tables bound the index.

List indexing refuses what is out of range and counts negative indices from the end, so the code has no test of its own
for either; where the rule does not admit negative indices, that is its only test. See `mdview.engines.axis_tables` for
which mappings have tables.
"""

from __future__ import annotations

from mdview.engines.axis_tables import digit_tables, offset_tables, position_tables
from mdview.engines.scalar.offset_code import AnyMapping, Plan
from mdview.expressions.trace import OffsetSource
from mdview.layouts.composed import LayoutComposed


def tables_plan(mapping: AnyMapping, *, moved: bool) -> Plan | None:
    """Plan that adds one entry per dimension; None where there are no tables."""
    found = offset_tables(mapping)
    if found is None:
        return None
    tables, start = found
    rank, shifted = len(tables), moved
    if start and not moved:  # one addition for each index now spares one for each access
        tables, start = ([start + offset for offset in tables[0]], *tables[1:]), 0
    source = OffsetSource((), frozenset(range(rank + shifted)), (), f"{_sum(rank)}{f' + self._p{rank}' * shifted}")
    return Plan(("tables", rank, shifted), tables, source, start, shifted, bounded=True)


def digits_plan(mapping: AnyMapping, *, moved: bool) -> Plan | None:
    """Plan of a reshape: the sum of one entry per dimension is a number, each of whose digits is looked up."""
    layout, rank = mapping.layout, mapping.rank
    radix = layout.transform.radix if isinstance(layout, LayoutComposed) else None
    if radix is None or not isinstance(layout, LayoutComposed):
        return None
    positions, found = position_tables(mapping.extents, radix), digit_tables(layout)
    if positions is None or found is None:
        return None
    tables, start = found
    count, shifted, first = len(tables), moved or start != 0, radix.first
    values = (*positions, *tables, *radix.shape[1:], first)
    statements = [f"n = {_sum(rank)}{f' + self._p{len(values) - 1}' if first else ''}"]
    for digit in range(count - 1, 0, -1):
        place = f"self._p{rank + count + digit - 1}"
        statements += [f"d{digit} = n % {place}", f"n //= {place}"]
    terms = [f"self._p{rank + digit}[{f'd{digit}' if digit else 'n'}]" for digit in range(count)]
    terms += [f"self._p{len(values)}"] * shifted
    source = OffsetSource((), frozenset(range(len(values) + shifted)), tuple(statements), " + ".join(terms))
    key = ("digits", rank, count, first != 0, shifted)
    return Plan(key, values, source, start, shifted, bounded=True)


def _sum(rank: int) -> str:
    """Sum of one entry per dimension."""
    return " + ".join([f"self._p{r}[i{r}]" for r in range(rank)])
