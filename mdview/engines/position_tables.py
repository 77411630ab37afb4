"""Tables of the offsets along one dimension, which also check the index.

A table is a list, a range, a memoryview of ints, or `Scaled`. It raises IndexError for an index out of range, and
counts a negative index from the end.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias, final

from mdview.engines.offset_tables import AxisOffsets

SHORT: Final = 4096
"""The most entries of a table that is copied to a list: access to an entry is 20 ns faster than in a memoryview.

For longer dimensions, element access uses the arithmetic of a layout (0.3 µs) instead of tables (up to 30 ms to make).
"""

Table: TypeAlias = Any
"""Entries by index. Any: the classes of tables have no common type."""


@final
class Scaled:
    """A table with entries ``start + factor * table[index]``, for long tables that are not ranges or memoryviews."""

    __slots__ = ("factor", "start", "table")

    def __init__(self, table: Table, factor: int, start: int) -> None:
        """Hold the parts."""
        self.table: Table = table
        self.factor: int = factor
        self.start: int = start

    def __getitem__(self, index: Any) -> Any:
        """Return an entry. Any: a key of a user."""
        return self.start + self.factor * self.table[index]


def table_of(axis: AxisOffsets, count: int) -> Table:
    """Return the offsets of an axis as a list, or as a table without a copy if the list would be long.

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
    """Add ``start`` to the entries of one table, preferably a list or a range; return the tables."""
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
