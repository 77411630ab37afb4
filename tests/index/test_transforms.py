"""An index map says which base index an index stands for; two of them compose into one."""

from math import prod

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from samples.variants import indices_of

from mdview import ALL, ExtentSlice
from mdview.index import IndexMap
from mdview.index.index_map import Radix


def rows_of(rank, inputs, step=3):
    """Affine rows of a transform to ``rank`` indices from some of ``inputs`` ones."""
    source = st.one_of(st.none(), st.sampled_from(range(inputs))) if inputs else st.none()
    row = st.tuples(st.integers(0, 9), st.integers(-step, step), source)
    return st.lists(row, min_size=rank, max_size=rank).map(lambda rows: list(zip(*rows, strict=True)) or [(), (), ()])


@st.composite
def transforms(draw, rank):
    """Transform from indices of some rank to indices of ``rank``; and the rank of the former."""
    inputs = draw(st.integers(0, 3))
    return IndexMap(*draw(rows_of(rank, inputs))), inputs


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


def images(transform, extents):
    return [tuple(transform.apply(index)) for index in indices_of(extents)]


@given(st.data(), st.booleans())
def test_after_is_one_transform_for_two_steps(data, reshapes):
    if reshapes:
        old, new = data.draw(shapes_of_one_size(2))
        inner, rank = IndexMap.of_reshape(old, new), len(new)
    else:
        inner, rank = data.draw(transforms(data.draw(st.integers(0, 3))))
    first, inputs = data.draw(transforms(rank))
    index = data.draw(st.tuples(*[st.integers(-5, 5)] * inputs))
    composed = inner.after(first)
    position = np.dot(first.apply(index), inner.radix.weights) if reshapes and new else 0
    if not reshapes:
        assert composed.apply(index) == inner.apply(first.apply(index))
    elif 0 <= position < prod(old):
        assert composed.apply(index) == tuple(np.unravel_index(position, old) if old else ())
    else:
        assert composed.apply(index) == inner.radix.digits(first.apply(index))


@given(st.data())
def test_a_permuted_reshape_reshapes_again_exactly_where_its_number_stays_linear(data):
    old, new, last = data.draw(shapes_of_one_size(3))
    axes = data.draw(st.one_of(st.just([*range(len(new))]), st.permutations(range(len(new)))))
    reshape = IndexMap.of_reshape(old, new)
    assert not reshape.is_affine
    assert images(reshape, new) == indices_of(old)
    assert reshape.reshaped(new, old).is_identity()
    places = np.arange(prod(old)).reshape(new).transpose(axes)
    transform = reshape.after(IndexMap.taking([axes.index(r) for r in range(len(new))]))
    again = transform.reshaped(places.shape, last)
    try:
        expected = np.reshape(places, last, copy=False)
    except ValueError:
        assert again is None
    else:
        found = [np.ravel_multi_index(image, old) if old else 0 for image in images(again, last)]
        assert found == expected.ravel().tolist()


@st.composite
def numbered(draw):
    """A transform with a mixed-radix step, and extents within which its numbers have digits."""
    shape = tuple(draw(st.lists(st.integers(1, 4), max_size=3)))
    extents = tuple(draw(st.lists(st.integers(1, 4), max_size=3)))
    unit = st.one_of(st.sampled_from([prod(shape[r:]) for r in range(len(shape) + 1)]), st.integers(0, 5))
    weights = draw(st.tuples(*[st.builds(lambda w, sign: w * sign, unit, st.sampled_from([1, 1, -1]))] * len(extents)))
    ends = [w * (e - 1) for w, e in zip(weights, extents, strict=True)]
    first = draw(st.integers(0, 5)) - sum([end for end in ends if end < 0])
    highest = first + sum([end for end in ends if end > 0])
    shape = (max(1, -(-(highest + 1) // prod(shape[1:]))), *shape[1:]) if shape else shape
    rows = draw(rows_of(draw(st.integers(1, 3)), len(shape), 2))
    return IndexMap(*rows, Radix(first, weights, shape)), extents


@given(numbered(), st.data())
def test_a_step_that_carries_nothing_is_affine_and_folds_into_strides(case, data):
    transform, extents = case
    found = images(transform, extents)
    straight = transform.straightened(extents)
    low, high = map(tuple, zip(*transform.ranges(extents), strict=True))
    assert all(a <= i <= b for image in found for a, i, b in zip(low, image, high, strict=True))
    if straight is not None:  # then the ranges are no wider than need be
        assert straight.is_affine
        assert images(straight, extents) == found
        assert (low, high) == (tuple(map(min, zip(*found, strict=True))), tuple(map(max, zip(*found, strict=True))))
    step = st.one_of(st.sampled_from([prod(transform.radix.shape[r:]) for r in range(4)]), st.integers(-5, 5))
    strides = data.draw(st.tuples(*[step] * len(transform.offset)))
    folded = transform.folded(strides, extents)
    if folded is not None:
        start, along = folded
        at = [start + sum([s * i for s, i in zip(along, index, strict=True)]) for index in indices_of(extents)]
        assert at == [sum([s * i for s, i in zip(strides, image, strict=True)]) for image in found]


def test_what_carries_is_no_affine_step():
    plain = IndexMap.taking((0, 1))
    numbers = IndexMap(plain.offset, plain.stride, plain.source, Radix(0, (4, 1), (3, 4)))
    assert [numbers.straightened((3, 4)), numbers.straightened((2, 5))] == [plain, None]
    assert numbers.folded((4, 1), (2, 5)) == (0, [4, 1])
    assert [numbers.folded((8, 1), (2, 5)), numbers.folded((8, 1), (3, 4))] == [None, (0, [8, 1])]
    assert numbers.ranges((2, 5)) == [(0, 2), (0, 3)]
    two = IndexMap(plain.offset, plain.stride, plain.source, Radix(0, (4, 1, 4, 1), (3, 4)))
    assert two.straightened((2, 3, 2, 2)) is None  # each digit follows two indices
    assert two.straightened((2, 3, 1, 1)) == plain
    assert two.folded((100, 7), (2, 3, 2, 2)) == (0, [100, 7, 100, 7])
    assert two.folded((100, 7), (2, 3, 2, 3)) is None


def test_transforms_have_one_form_and_are_values():
    rows = IndexMap.from_slices((ALL, ExtentSlice(2, 3, 2)))
    constant = IndexMap((1, 0), (0, 1), (None, 0))
    first = IndexMap.from_slices((1, ALL))
    assert rows.after(first) == IndexMap((1, 2), (0, 2), (None, 0))
    assert len({first, first.after(IndexMap.taking((0,))), constant, IndexMap.taking((None, 0))}) == 2
    mixed = IndexMap.from_slices([2, ALL, ExtentSlice(5, 3, -2)])
    assert mixed == IndexMap((2, 0, 5), (0, 1, -2), (None, 0, 1))
    assert [mixed.apply((7, 2)), IndexMap.taking((1, None, 0)).apply((7, 8))] == [(2, 7, 1), (8, 0, 7)]
    reshape, moved = IndexMap.of_reshape((6,), (6,)), IndexMap((0, 1), (1, 1), (0, 1))
    one, *others = (IndexMap.taking(range(2)), IndexMap.taking((1, 0)), moved, reshape)
    assert one.is_identity()
    assert not any(other.is_identity() for other in others)
