"""aligned: chunks of the same elements whose borders are those of units."""

import pytest

from mdview import errors
from mdview.interop.writers import aligned


def test_borders_of_chunks_move_to_the_nearest_of_units():
    assert aligned(((3, 4, 3), (5, 5)), ((10, 10), (4, 10))) == ((4, 4, 2), (10,))
    assert aligned(((6, 1, 3),), ((10,), (4,))) == ((4, 4, 2),)
    assert aligned(((3, 3, 4),), ((10,), (5,))) == ((5, 5),)
    assert aligned(((2, 0, 8), (0,)), ((10, 0), (1, 1))) == ((2, 8), (0,))


def test_borders_count_in_the_region():
    assert aligned(((2, 2, 2, 2),), ((10,), (4,)), region=(slice(1, 9),)) == ((3, 4, 1),)
    assert aligned(((2, 2, 2, 2),), ((10,), (4,)), region=(slice(8, 0, -1),)) == ((1, 4, 3),)


def test_other_parts_than_chunks_are_refused():
    with pytest.raises(errors.OperandError, match="chunks are sizes for each dimension"):
        aligned([slice(0, 5), slice(5, 10)], ((10,), (4,)))
