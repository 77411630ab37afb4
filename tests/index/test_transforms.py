"""An index transform says which base index an index stands for; two of them compose into one."""

from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import all_indices

from mdview import ALL, ExtentSlice, IndexTransform
from mdview.index.transforms import Radix

SHAPES = {1: [(), (1,), (1, 1)], 6: [(6,), (2, 3), (3, 1, 2)], 24: [(24,), (4, 6), (2, 3, 4), (4, 1, 3, 2), (2, 12)]}
RESHAPES = [(old, new) for shapes in SHAPES.values() for old in shapes for new in shapes]


@st.composite
def transforms(draw, rank):
    """Transform from indices of some rank to indices of ``rank``; and the rank of the former."""
    inputs = draw(st.integers(0, 3))
    source = st.one_of(st.none(), st.sampled_from(range(inputs))) if inputs else st.none()
    rows = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(-3, 3), source), min_size=rank, max_size=rank))
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    return IndexTransform(*columns), inputs


@st.composite
def shapes_of_one_size(draw, count):
    """Shapes with the same number of elements, none of them empty."""
    size = draw(st.sampled_from([1, 4, 6, 12, 24, 30]))
    shapes = []
    for _ in range(count):
        rest, shape = size, []
        while rest > 1:
            factors = [n for n in range(1, rest + 1) if rest % n == 0 and (n > 1 or len(shape) < 3)]
            shape.append(draw(st.sampled_from(factors)))
            rest //= shape[-1]
        shapes.append(tuple(shape))
    return shapes


@given(st.data())
def test_after_is_one_transform_for_two_steps(data):
    inner, rank = data.draw(transforms(data.draw(st.integers(0, 3))))
    first, inputs = data.draw(transforms(rank))
    index = data.draw(st.tuples(*[st.integers(-5, 5)] * inputs))
    assert inner.after(first).apply(index) == inner.apply(first.apply(index))


def test_a_constant_has_one_form_so_that_equal_transforms_are_equal():
    rows = IndexTransform.from_slices((ALL, ExtentSlice(2, 3, 2)))
    assert rows.after(IndexTransform.from_slices((1, ALL))) == IndexTransform((1, 2), (0, 2), (None, 0))
    assert IndexTransform.from_slices((1, ALL)) == IndexTransform((1, 0), (0, 1), (None, 0))
    assert IndexTransform.from_slices((1, ALL)).after(IndexTransform.taking((0,))) == IndexTransform(
        (1, 0), (0, 1), (None, 0)
    )
    assert IndexTransform.taking((None, 0)) == IndexTransform((0, 0), (0, 1), (None, 0))


@given(st.data())
def test_after_a_mixed_radix_step_is_one_step_too(data):
    old, new = data.draw(shapes_of_one_size(2))
    reshaped = IndexTransform.of_reshape(old, new)
    first, inputs = data.draw(transforms(len(new)))
    index = data.draw(st.tuples(*[st.integers(-5, 5)] * inputs))
    composed = reshaped.after(first)
    position = np.dot(first.apply(index), reshaped.radix.weights) if new else 0
    assert composed.radix.shape == old
    assert composed.apply(index) == reshaped.radix.digits(first.apply(index))
    if 0 <= position < prod(old):
        assert composed.apply(index) == tuple(np.unravel_index(position, old))


@given(st.data())
def test_reshaping_again_is_one_step_or_none(data):
    shapes = data.draw(shapes_of_one_size(4))
    transform, extents = IndexTransform.taking(range(len(shapes[0]))), shapes[0]
    for shape in shapes[1:]:
        transform, extents = transform.reshaped(extents, shape), shape
        assert transform is not None
        numbers = [np.ravel_multi_index(transform.apply(i), shapes[0]) if shapes[0] else 0 for i in all_indices(shape)]
        assert numbers == list(range(prod(shape)))


@given(st.data())
def test_a_permuted_reshape_reshapes_again_exactly_where_its_number_stays_linear(data):
    old, new, last = data.draw(shapes_of_one_size(3))
    axes = data.draw(st.permutations(range(len(new))))
    places = np.arange(prod(old)).reshape(new).transpose(axes)
    transform = IndexTransform.of_reshape(old, new).after(
        IndexTransform.taking([axes.index(r) for r in range(len(new))])
    )
    again = transform.reshaped(places.shape, last)
    try:
        expected = np.reshape(places, last, copy=False)
    except ValueError:
        assert again is None
    else:
        assert again is not None
        found = [np.ravel_multi_index(again.apply(i), old) if old else 0 for i in all_indices(last)]
        assert found == expected.ravel().tolist()


@given(st.data())
def test_widened_adds_an_index_along_each_axis(data):
    extents = data.draw(st.lists(st.integers(1, 5), max_size=3).map(tuple))
    axes = data.draw(st.lists(st.sampled_from(range(len(extents))), unique=True)) if extents else []
    lengths = [data.draw(st.integers(1, extents[axis])) for axis in axes]
    rank = len(extents)
    affine = IndexTransform(
        tuple([e - 1 for e in extents]), (-1,) * rank, tuple(range(rank))
    )  # turned around, so that no step is trivial
    outer = [e - lengths[axes.index(r)] + 1 if r in axes else e for r, e in enumerate(extents)]
    twice = affine.widened(axes, extents)
    for index in all_indices((*outer, *lengths)):
        inside = list(index[:rank])
        for k, axis in enumerate(axes):
            inside[axis] += index[rank + k]
        assert twice.apply(index) == affine.apply(inside)


@given(st.data())
def test_windows_of_a_reshape_stay_one_step(data):
    old, new = data.draw(shapes_of_one_size(2))
    axes = range(len(new))
    lengths = [data.draw(st.integers(1, e)) for e in new]
    transform = IndexTransform.of_reshape(old, new).widened(axes, new)
    for index in all_indices((*[e - n + 1 for e, n in zip(new, lengths, strict=True)], *lengths)):
        inside = [a + b for a, b in zip(index[: len(new)], index[len(new) :], strict=True)]
        position = np.ravel_multi_index(inside, new) if new else 0
        assert transform.apply(index) == tuple(np.unravel_index(position, old) if old else ())


def test_slices_make_a_transform():
    transform = IndexTransform.from_slices([2, ALL, ExtentSlice(5, 3, -2)])
    assert transform == IndexTransform((2, 0, 5), (0, 1, -2), (None, 0, 1))
    assert transform.apply((7, 2)) == (2, 7, 1)


def test_a_transform_of_rank_0_stands_for_the_empty_index():
    assert IndexTransform((), (), ()).apply(()) == ()


def test_taking_puts_indices_where_they_are_named():
    transform = IndexTransform.taking((1, None, 0))
    assert transform == IndexTransform((0, 0, 0), (1, 0, 1), (1, None, 0))
    assert transform.apply((7, 8)) == (8, 0, 7)


def test_the_identity_stands_for_itself():
    assert IndexTransform.taking((0, 1)).is_identity()
    assert IndexTransform.taking(()).is_identity()
    for other in (IndexTransform.taking((1, 0)), IndexTransform((0, 1), (1, 1), (0, 1))):
        assert not other.is_identity()
    assert not IndexTransform.of_reshape((2, 3), (2, 3)).is_identity()


@pytest.mark.parametrize(("old", "new"), RESHAPES)
def test_a_reshape_reads_positions_in_c_order(old, new):
    transform = IndexTransform.of_reshape(old, new)
    assert not transform.is_affine
    assert [transform.apply(index) for index in all_indices(new)] == all_indices(old)


@pytest.mark.parametrize(("old", "new"), RESHAPES)
def test_reshaping_back_is_no_step_at_all(old, new):
    back = IndexTransform.of_reshape(old, new).reshaped(new, old)
    assert back.is_affine
    assert back.is_identity()


def test_digits_are_those_of_a_number_in_mixed_radix():
    radix = Radix(5, (20, 4, -1), (2, 3, 4))
    assert radix.digits((0, 0, 0)) == (0, 1, 1)
    assert radix.digits((0, 4, 1)) == np.unravel_index(20, (2, 3, 4)) == (1, 2, 0)


def test_digits_of_an_empty_shape_are_none():
    assert Radix(0, (0, 0), ()).digits((3, 4)) == ()


def test_dimensions_beyond_the_weights_do_not_count():
    assert Radix(1, (4,), (3, 4)).digits((1, 99)) == (1, 1)
    transform = IndexTransform((0, 0), (1, 1), (0, 1), Radix(1, (4,), (3, 4)))
    assert transform.after(IndexTransform.taking((0, 1))).apply((1, 7)) == (1, 1)
    assert transform.reshaped((3, 2), (6,)) is None
    assert transform.widened((0,), (2, 9)).apply((0, 8, 1)) == (1, 1)


def test_transforms_are_values():
    assert IndexTransform.of_reshape((6,), (2, 3)) == IndexTransform.of_reshape((6,), (2, 3))
    assert len({IndexTransform.taking((0,)), IndexTransform.taking((0,)), IndexTransform.taking((None,))}) == 2


@st.composite
def numbered(draw):
    """A transform with a mixed-radix step, and extents within which its numbers have digits."""
    shape = tuple(draw(st.lists(st.integers(1, 4), max_size=3)))
    extents = tuple(draw(st.lists(st.integers(1, 4), max_size=3)))
    unit = st.one_of(st.sampled_from([prod(shape[r:]) for r in range(len(shape) + 1)]), st.integers(0, 5))
    weights = draw(st.tuples(*[st.builds(lambda w, sign: w * sign, unit, st.sampled_from([1, 1, -1]))] * len(extents)))
    first = draw(st.integers(0, 5)) + sum([-w * (e - 1) for w, e in zip(weights, extents, strict=True) if w < 0])
    highest = first + sum([w * (e - 1) for w, e in zip(weights, extents, strict=True) if w > 0])
    shape = (max(1, -(-(highest + 1) // prod(shape[1:]))), *shape[1:]) if shape else shape
    rank = draw(st.integers(1, 3))
    source = st.one_of(st.none(), st.sampled_from(range(len(shape)))) if shape else st.none()
    rows = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(-2, 2), source), min_size=rank, max_size=rank))
    return IndexTransform(*zip(*rows, strict=True), Radix(first, weights, shape)), extents


@given(numbered())
def test_a_step_that_carries_nothing_is_affine(case):
    transform, extents = case
    images = {index: transform.apply(index) for index in all_indices(extents)}
    straight = transform.straightened(extents)
    if straight is not None:
        assert straight.is_affine
        assert {index: straight.apply(index) for index in images} == images
    low, high = map(tuple, zip(*transform.ranges(extents), strict=True))
    for image in images.values():
        assert all(a <= i <= b for a, i, b in zip(low, image, high, strict=True))
    if straight is not None:  # then the ranges are no wider than need be
        assert low == tuple(map(min, zip(*images.values(), strict=True)))
        assert high == tuple(map(max, zip(*images.values(), strict=True)))


@given(numbered(), st.data())
def test_a_step_over_strides_folds_into_strides(case, data):
    transform, extents = case
    step = st.one_of(st.sampled_from([prod(transform.radix.shape[r:]) for r in range(4)]), st.integers(-5, 5))
    strides = data.draw(st.tuples(*[step] * len(transform.offset)))
    offsets = {
        index: sum([s * i for s, i in zip(strides, transform.apply(index), strict=True)])
        for index in all_indices(extents)
    }
    folded = transform.folded(strides, extents)
    if folded is not None:
        start, along = folded
        for index, offset in offsets.items():
            assert start + sum([s * i for s, i in zip(along, index, strict=True)]) == offset


def test_what_carries_is_no_affine_step():
    radix = Radix(0, (4, 1), (3, 4))
    plain = IndexTransform.taking((0, 1))
    numbers = IndexTransform(plain.offset, plain.stride, plain.source, radix)
    assert numbers.straightened((3, 4)) == plain
    assert numbers.straightened((2, 5)) is None
    assert numbers.folded((4, 1), (2, 5)) == (0, [4, 1])
    assert numbers.folded((8, 1), (2, 5)) is None
    assert numbers.folded((8, 1), (3, 4)) == (0, [8, 1])
    assert numbers.ranges((2, 5)) == [(0, 2), (0, 3)]
    two = IndexTransform(plain.offset, plain.stride, plain.source, Radix(0, (4, 1, 4, 1), (3, 4)))
    assert two.straightened((2, 3, 2, 2)) is None  # each digit follows two indices
    assert two.straightened((2, 3, 1, 1)) == plain
    assert two.folded((100, 7), (2, 3, 2, 2)) == (0, [100, 7, 100, 7])
    assert two.folded((100, 7), (2, 3, 2, 3)) is None
