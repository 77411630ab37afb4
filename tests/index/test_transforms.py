"""An index map says which base index an index stands for; two of them compose into one."""

from math import prod

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mdview import ALL, ExtentSlice
from mdview.index import IndexMap


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
