"""No-copy reshapes, against plain enumeration and against NumPy."""

from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview.errors import IndexOutOfRangeError, ShapeError
from mdview.index.reshape import infer_shape, no_copy_strides, strides_or_obstacle, unravel


def factorisations(size, longest=3):
    """Shapes of ``size`` elements, also with extents of 1."""
    divisors = [d for d in range(1, size + 1) if size % d == 0]
    return [shape for rank in range(longest + 1) for shape in product(divisors, repeat=rank) if prod(shape) == size]


def offsets(extents, strides):
    return [sum(i * s for i, s in zip(index, strides, strict=True)) for index in product(*map(range, extents))]


def searched_strides(found, shape):
    """The only strides that can give the offsets ``found`` in this shape, or None: by trying."""
    weights = [prod(shape[r + 1 :]) for r in range(len(shape))]
    strides = [found[w] - found[0] if n > 1 else 0 for w, n in zip(weights, shape, strict=True)]
    return strides if [found[0] + offset for offset in offsets(shape, strides)] == found else None


@pytest.mark.parametrize("size", [1, 2, 4, 6, 8, pytest.param(12, marks=pytest.mark.deep)])
def test_strides_are_found_if_and_only_if_there_are_some(size):
    shapes = [shape for shape in factorisations(size) if shape.count(1) < 2]
    for extents in [shape for shape in shapes if size < 12 or 1 not in shape]:
        numbers = (-2, -1, 0, 1, 2, 3, 4, 6) if len(extents) < 3 else (0, 1, 2, 6)
        for strides in product(numbers, repeat=len(extents)):
            for shape in shapes:
                wanted = searched_strides(offsets(extents, strides), shape)
                found, obstacle = strides_or_obstacle(extents, strides, shape)
                assert (obstacle is None) == (wanted is not None)
                if wanted is not None:
                    assert offsets(shape, found) == offsets(shape, wanted)


@pytest.mark.parametrize(
    ("extents", "strides", "shape", "expected"),
    [
        ((2, 3, 4), (12, 4, 1), (1, 6, 1, 4, 1), (24, 4, 4, 1, 1)),  # dense ones stay exactly dense
        ((2, 1, 3), (3, 77, 1), (6,), (1,)),
        ((1,), (5,), (), ()),
        ((), (), (1, 1), (1, 1)),
        ((4, 3), (0, 1), (2, 2, 3), (0, 0, 1)),  # what is broadcast splits, and does not merge
        ((4, 3), (0, 1), (12,), None),
        ((4, 3), (0, 0), (12,), (0,)),
        ((0, 4), (7, 9), (2, 0, 3), (0, 3, 1)),
    ],
)
def test_strides_of_a_reshape(extents, strides, shape, expected):
    assert no_copy_strides(extents, strides, shape) == expected


def test_the_obstacle_is_the_outer_one_of_two_dimensions_that_do_not_run_together():
    assert strides_or_obstacle((2, 3, 4), (12, 8, 2), (24,)) == ((), (0, 12, 24))


@given(st.lists(st.integers(1, 5), max_size=4))
def test_unravel_counts_indices_in_c_order(extents):
    assert [unravel(k, extents) for k in range(prod(extents))] == list(product(*map(range, extents)))


def test_one_extent_is_inferred():
    for size, shape, expected in ((12, (3, -1, 2), (3, 2, 2)), (0, (-1, 2), (0, 2)), (12, (3, 4), (3, 4))):
        assert infer_shape((size,), shape) == expected


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: no_copy_strides((2, 3), (3, 1), (5,)), ShapeError, r"\(2, 3\) has 6 .*\(5,\) has 5"),
        (lambda: infer_shape((3, 4), (-1, -1)), ShapeError, "-1"),
        (lambda: infer_shape((3, 4), (5, -1)), ShapeError, "12"),
        (lambda: infer_shape((3, 4), (0, -1)), ShapeError, "0"),
        (lambda: infer_shape((3, 4), (-2, 6)), ShapeError, "-2 of dimension 0"),
        (lambda: infer_shape((3, 4), (5,)), ShapeError, r"\(3, 4\) has 12"),
        (lambda: unravel(6, (2, 3)), IndexOutOfRangeError, "6"),
        (lambda: unravel(-1, (2, 3)), IndexOutOfRangeError, "-1"),
        (lambda: unravel(1, ()), IndexOutOfRangeError, "1"),
        (lambda: unravel(1, (0, 3)), IndexOutOfRangeError, "1"),
    ],
)
def test_sizes_and_positions_that_do_not_fit_are_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
