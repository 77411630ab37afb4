"""Iterating over a view: rows of a matrix, elements of a row, and functions that take any iterable."""

from array import array
from itertools import pairwise

from mdview import Accessor, Dims1, Dims2, Layout, MDView


def mean(row: MDView[float, Dims1, Layout, Accessor[float, float]]) -> float:
    return sum(row) / len(row)


def differences(row: MDView[float, Dims1]) -> list[float]:
    return [after - before for before, after in pairwise(row)]


def column_maxima(table: MDView[float, Dims2]) -> list[float]:
    return [max(table[:, j]) for j in range(table.extent(1))]


def main() -> None:
    table = MDView(array("d", [1, 2, 4, 8, 16, 32]), (2, 3))
    assert [mean(row) for row in table] == [7.0 / 3, 56.0 / 3]
    assert differences(table[1]) == [8.0, 16.0]
    assert column_maxima(table) == [8.0, 16.0, 32.0]
    for i, row in enumerate(table):
        for j, element in enumerate(row):
            assert element == table[i, j]
    first, second = table
    assert sorted(first, reverse=True) == [4.0, 2.0, 1.0]
    assert list(zip(first, second, strict=True)) == [(1.0, 8.0), (2.0, 16.0), (4.0, 32.0)]
    cube = MDView(list(range(24)), (2, 3, 4))
    assert [plane[0, 0] for plane in cube] == [0, 12]
    assert [row[3] for plane in cube for row in plane] == [3, 7, 11, 15, 19, 23]


main()
