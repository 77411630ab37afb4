"""Code for any rank: `at`, indices as tuples and lists, and rank 0."""

from array import array
from itertools import product
from typing import assert_type

from mdview import Accessor, Layout, MDView, subview


def dot(
    a: MDView[float, tuple[int, ...], Layout, Accessor[float, float]],
    b: MDView[float, tuple[int, ...], Layout, Accessor[float, float]],
) -> float:
    return sum(a.at(index) * b.at(index) for index in product(*map(range, a.shape)))


def main() -> None:
    vector = MDView(array("d", [1, 2, 3]), (3,))
    matrix = MDView(array("d", range(6)), (2, 3))
    assert dot(vector, vector) == 14.0
    assert dot(matrix, matrix) == 55.0
    assert matrix.at([1, 2]) == matrix.at((1, 2)) == 5.0
    assert vector.at((2, 0, 0)) == 3.0
    scalar = MDView([42], ())
    assert_type(scalar[()], int)
    scalar[()] += 1
    assert scalar.tolist() == 43
    assert subview(matrix, 1, 1)[()] == 4.0
    whole = matrix[()]
    assert whole[1, 2] == 5.0
    assert len(matrix) == matrix.extent(0) == matrix.shape[0] == 2


main()
