"""Code that looks offsets up: an access adds entries of tables, and the tables bound the index.

List indexing refuses what is out of range and counts negative indices from the end, so the code has no test of its own
for either; where the rule does not admit negative indices, that is its only test. See `mdview.engines.axis_tables` for
which mappings have tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mdview.engines.axis_tables import digit_tables, offset_tables, position_tables, table_bounds
from mdview.engines.scalar.offset_code import AnyMapping, Finish, OffsetCode
from mdview.expressions.python_source import Writer


def tables_code(mapping: AnyMapping, *, moved: bool) -> OffsetCode | None:
    """Code that adds one entry per dimension; None where there are no tables."""
    found = offset_tables(mapping)
    if found is None:
        return None
    tables, start = found
    rank, shifted = len(tables), moved
    if start and not moved:  # one addition for each index now spares one for each access
        tables, start = ([start + offset for offset in tables[0]], *tables[1:]), 0
    lines = _written([], f"{_sum(rank)}{f' + self._p{rank}' * shifted}", rank + shifted)
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
    values = (*positions, *tables, *radix.shape[1:], first)
    statements = [f"n = {_sum(rank)}{f' + self._p{len(values) - 1}' if first else ''}"]
    for digit in range(count - 1, 0, -1):
        place = f"self._p{rank + count + digit - 1}"
        statements += [f"d{digit} = n % {place}", f"n //= {place}"]
    terms = [f"self._p{rank + digit}[{f'd{digit}' if digit else 'n'}]" for digit in range(count)]
    terms += [f"self._p{len(values)}"] * shifted
    lines = _written(statements, " + ".join(terms), len(values) + shifted)
    natural = start + table_bounds(tables)[0] >= 0
    key = ("digits", rank, count, first != 0, shifted, natural)
    return OffsetCode(key, values, lines, start, shifted, bounded=True, natural=natural)


def _written(statements: Sequence[str], result: str, parameters: int) -> Callable[[Writer, Finish], list[str]]:
    """Return what writes these statements and the result, which read the first parameters."""

    def lines(writer: Writer, finish: Finish) -> list[str]:
        writer.parameters.update(range(parameters))
        return [*statements, finish(result)]

    return lines


def _sum(rank: int) -> str:
    """Sum of one entry per dimension."""
    return " + ".join([f"self._p{r}[i{r}]" for r in range(rank)])
