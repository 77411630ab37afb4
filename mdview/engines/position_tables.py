"""Tables of positions: lists, ranges and memoryviews of a dimension's offsets, which refuse an index out of range.

A table is a list, a range, a memoryview of ints, or `Scaled`. All of them count negative indices from the end.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias, final

from mdview.engines.offset_tables import AxisOffsets

SHORT: Final = 4096
"""Tables up to this length are copied to a list, whose entries take 20 ns less than those of a memoryview.

Element access makes no longer tables of a whole layout: its arithmetic takes 0.3 µs, the tables up to 30 ms.
"""

Table: TypeAlias = Any
"""Entries by index. Any: the kinds of tables have no common type."""


@final
class Scaled:
    """A long table that is not a range or a memoryview: a start plus a multiple of an entry of another table."""

    __slots__ = ("factor", "start", "table")

    def __init__(self, table: Table, factor: int, start: int) -> None:
        """Keep the parts."""
        self.table: Table = table
        self.factor: int = factor
        self.start: int = start

    def __getitem__(self, index: Any) -> Any:
        """Return an entry; Any: a key of a user."""
        return self.start + self.factor * self.table[index]


def table_of(axis: AxisOffsets, count: int) -> Table:
    """Return the offsets of an axis: a list, or a table without a copy if the list would be long.

    >>> table_of(3, 4)
    [0, 3, 6, 9]
    """
    if isinstance(axis, int):
        if axis:
            return range(0, axis * count, axis) if count > SHORT else [*range(0, axis * count, axis)]
        return Scaled(range(count), 0, 0) if count > SHORT else [0] * count
    if count <= SHORT or isinstance(axis.base.offsets, list):
        return axis.offsets
    return memoryview(axis.base.offsets)[axis.slice]


def started(tables: list[Table], start: int) -> list[Table]:
    """Return the tables with ``start`` added to the entries of one of them, preferably a list or a range."""
    if start:
        k = next((k for k, table in enumerate(tables) if type(table) in {list, range}), 0)
        table = tables[k]
        if type(table) is list:
            tables[k] = [start + entry for entry in table]
        elif type(table) is range:
            tables[k] = range(table.start + start, table.stop + start, table.step)
        else:
            tables[k] = Scaled(table, 1, start)
    return tables
