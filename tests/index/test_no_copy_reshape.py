"""No-copy reshapes, against plain enumeration and against NumPy."""

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

from mdview.errors import IndexOutOfRangeError, ShapeError
from mdview.index.no_copy_reshape import groups, infer_shape, no_copy_obstacle, no_copy_strides, unravel


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


@pytest.mark.parametrize("size", [1, 2, 4, 6, 8, 12])
def test_strides_are_found_if_and_only_if_there_are_some(size):
    shapes = [shape for shape in factorisations(size) if shape.count(1) < 2]
    for extents in [shape for shape in shapes if size < 12 or 1 not in shape]:
        steps = (-2, -1, 0, 1, 2, 3, 4, 6) if len(extents) < 3 else (0, 1, 2, 6)
        for strides in product(steps, repeat=len(extents)):
            for shape in shapes:
                wanted = searched_strides(offsets(extents, strides), shape)
                found = no_copy_strides(extents, strides, shape)
                assert (found is None) == (wanted is None), (extents, strides, shape)
                assert (found is None) == (no_copy_obstacle(extents, strides, shape) is not None)
                if found is not None and wanted is not None:
                    assert offsets(shape, found) == offsets(shape, wanted)


@st.composite
def reshapes(draw):
    size = draw(st.sampled_from([0, 1, 6, 12, 16, 24, 36]))
    shapes = st.sampled_from([(0,), (3, 0), (0, 1), (2, 0, 3)] if size == 0 else factorisations(size))
    extents, shape = draw(shapes), draw(shapes)
    steps = st.sampled_from([-1, 0, 1, 2, 3, 4, 6, 8, 12, 24])
    runs = [prod(extents[r + 1 :]) for r in range(len(extents))]
    strides = [draw(st.one_of(st.just(2 * run), steps)) for run in runs]
    return extents, tuple(strides), shape


@given(reshapes())
def test_agrees_with_numpy(drawn):
    extents, strides, shape = drawn
    reach = sum(abs(s) * n for n, s in zip(extents, strides, strict=True))
    buffer = np.arange(2 * reach + 1)
    array = as_strided(buffer[reach:], extents, [buffer.itemsize * s for s in strides], writeable=False)
    reshaped = array.reshape(shape)
    found = no_copy_strides(extents, strides, shape)
    if array.size == 0:
        assert found is not None
    elif np.may_share_memory(reshaped, buffer):
        observable = [(n, s) for n, s in zip(shape, found, strict=True) if n > 1]
        assert observable == [(n, s // buffer.itemsize) for n, s in zip(shape, reshaped.strides, strict=True) if n > 1]
    else:
        assert found is None


def test_dense_strides_stay_exactly_dense():
    assert no_copy_strides((2, 3, 4), (12, 4, 1), (1, 6, 1, 4, 1)) == (24, 4, 4, 1, 1)


def test_strides_of_extent_one_do_not_count():
    assert no_copy_strides((2, 1, 3), (3, 77, 1), (6,)) == (1,)
    assert no_copy_strides((1,), (5,), ()) == ()
    assert no_copy_strides((), (), (1, 1)) == (1, 1)


def test_broadcast_dimensions_split_but_do_not_merge():
    assert no_copy_strides((4, 3), (0, 1), (2, 2, 3)) == (0, 0, 1)
    assert no_copy_strides((4, 3), (0, 1), (12,)) is None
    assert no_copy_strides((4, 3), (0, 0), (12,)) == (0,)


def test_empty_index_spaces_always_have_dense_strides():
    assert no_copy_strides((0, 4), (7, 9), (2, 0, 3)) == (0, 3, 1)
    assert no_copy_obstacle((0, 4), (7, 9), (2, 0, 3)) is None


def test_the_obstacle_is_the_outer_one_of_two_dimensions_that_do_not_run_together():
    assert no_copy_obstacle((2, 3, 4), (12, 8, 2), (24,)) == (0, 12, 24)
    assert no_copy_obstacle((2, 3), (3, 1), (6,)) is None


@pytest.mark.parametrize("function", [no_copy_strides, no_copy_obstacle])
def test_sizes_must_agree(function):
    with pytest.raises(ShapeError, match=r"\(2, 3\) has 6 elements, \(5,\) has 5"):
        function((2, 3), (3, 1), (5,))


def test_groups_are_the_smallest():
    assert list(groups((4, 3), (2, 2, 3))) == [((0,), range(2)), ((1,), range(2, 3))]
    assert list(groups((), ())) == []


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((-1, -1), "only one extent"),
        ((5, -1), "no multiple"),
        ((0, -1), "leaves it open"),
        ((-2, 6), "extent -2 of dimension 0"),
        ((5,), "12 elements"),
    ],
)
def test_extents_that_cannot_be_inferred(shape, words):
    with pytest.raises(ShapeError, match=words):
        infer_shape(12, shape)


def test_extents_are_inferred():
    assert infer_shape(12, (3, -1, 2)) == (3, 2, 2)
    assert infer_shape(0, (-1, 2)) == (0, 2)
    assert infer_shape(12, (3, 4)) == (3, 4)


@given(st.lists(st.integers(1, 5), max_size=4))
def test_unravel_counts_indices_in_c_order(extents):
    assert [unravel(k, extents) for k in range(prod(extents))] == list(product(*map(range, extents)))


@pytest.mark.parametrize(("position", "extents"), [(6, (2, 3)), (-1, (2, 3)), (1, ()), (1, (0, 3))])
def test_unravel_refuses_positions_outside(position, extents):
    with pytest.raises(IndexOutOfRangeError, match="out of range"):
        unravel(position, extents)
