"""Plans that look offsets up: an access adds entries of tables, and the tables bound the index.

List indexing refuses what is out of range and counts negative indices from the end, so the code has no test of its own
for either. Where the rule does not admit negative indices a table is continued by as many entries beyond all data: they
are what a negative index finds. See `mdview.engines.tables` for which mappings have tables.
"""

from __future__ import annotations

from typing import Final

from mdview.engines.plans import AnyMapping, Plan
from mdview.engines.tables import Tables, digit_tables, offset_tables, position_tables
from mdview.engines.trace import OffsetSource
from mdview.layouts.composed import LayoutComposed

BEYOND: Final = 1 << 200
"""An offset that no sequence has, nor what remains of it after a division by a size: indexing by it is an error."""


def tables_plan(mapping: AnyMapping, *, moved: bool, wraps: bool) -> Plan | None:
    """Plan that adds one entry per dimension; None where there are no tables."""
    found = offset_tables(mapping)
    if found is None:
        return None
    tables, start = found
    rank, shifted = len(tables), moved or start != 0
    source = OffsetSource((), frozenset(range(rank + shifted)), (), f"{_sum(rank)}{f' + self._p{rank}' * shifted}")
    return Plan(("tables", rank, shifted), _bounding(tables, wraps=wraps), source, start, shifted, bounded=True)


def digits_plan(mapping: AnyMapping, *, moved: bool, wraps: bool) -> Plan | None:
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
    values = (*_bounding(positions, wraps=wraps), *tables, *radix.shape[1:], first)
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


def _bounding(tables: Tables, *, wraps: bool) -> Tables:
    """Tables whose own bounds are those of an index."""
    return tables if wraps else tuple([[*table, *[BEYOND] * len(table)] for table in tables])
