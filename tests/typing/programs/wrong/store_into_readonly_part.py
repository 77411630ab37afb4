"""A row of a view for reading is one for reading."""

from mdview import Dims2, LayoutRight, MDView, ReadOnlyAccessor


def normalise(table: MDView[float, Dims2, LayoutRight, ReadOnlyAccessor[float]]) -> None:
    for row in table:
        row[0] = row[0] / sum(row)  # error: rows are read-only as well


print(normalise)
