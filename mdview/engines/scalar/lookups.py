"""Code that looks offsets up: an access adds entries of tables, and the tables bound the index.

List indexing refuses what is out of range and counts negative indices from the end, so the code has no test of its own
for either; where the rule does not admit negative indices, that is its only test. See `mdview.engines.axis_tables` for
which mappings have tables.
"""

from __future__ import annotations

from mdview.engines.axis_tables import digit_tables, offset_tables, position_tables, table_bounds
from mdview.engines.scalar.offset_code import AnyMapping, OffsetCode, text_lines


def tables_code(mapping: AnyMapping, *, moved: bool) -> OffsetCode | None:
    """Code that adds one entry per dimension; None where there are no tables."""
    found = offset_tables(mapping)
    if found is None:
        return None
    tables, start = found
    rank, shifted = len(tables), moved
    if start and not moved:  # one addition for each index now spares one for each access
        tables, start = ([start + offset for offset in tables[0]], *tables[1:]), 0
    lines = text_lines([], f"{terms('i', 0, rank)}{f' + self._p{rank}' * shifted}", range(rank + shifted))
    natural = start + table_bounds(tables)[0] >= 0
    return OffsetCode(("tables", rank, shifted, natural), tables, lines, start, shifted, bounded=True, natural=natural)


def digits_code(mapping: AnyMapping, *, moved: bool) -> OffsetCode | None:
    """Code of a reshape: the sum of one entry per dimension is a number, each of whose digits is looked up.

    None where the mapping is no reshape, or there are no tables.
    """
    composition, rank = mapping.layout.composition(mapping.extents), mapping.rank
    radix = composition.transform.radix
    # Without a digit nothing would be looked up by the sum, and a slice pass for an index.
    positions = position_tables(mapping.extents, radix) if radix is not None and radix.shape else None
    found = None if positions is None else digit_tables(composition)
    if radix is None or positions is None or found is None:
        return None
    tables, start = found
    count, shifted, first = len(tables), moved or start != 0, radix.first
    begins = moved or first != 0  # parts differ in the number at which they begin, which may happen to be 0
    values = (*positions, *tables, *radix.shape[1:], first)
    statements = digit_statements(rank, count, rank + count, len(values) - 1 if begins else None)
    result = f"{terms('d', rank, count)}{f' + self._p{len(values)}' * shifted}"
    lines = text_lines(statements, result, range(len(values) + shifted))
    natural = start + table_bounds(tables)[0] >= 0
    key = ("digits", rank, count, begins, shifted, natural)
    return OffsetCode(key, values, lines, start, shifted, bounded=True, natural=natural)


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
