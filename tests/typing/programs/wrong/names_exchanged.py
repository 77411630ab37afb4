"""Rows are not columns, also where both are integers."""

from typing import NewType

from mdview import Dim, Extents, MDView, dim

Rows = NewType("Rows", int)
Columns = NewType("Columns", int)


def table(rows: Rows, columns: Columns) -> MDView[float, Extents[Dim[Rows], Dim[Columns]]]:
    data = [0.0] * (rows * columns)
    return MDView(data, (dim(columns), dim(rows)))  # error: columns are not rows


print(table(Rows(1), Columns(2)))
