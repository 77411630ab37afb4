"""Dense mappings: no holes, and the dimensions in the order asked for, as NumPy has it."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided
from samples import MAPPINGS, LayoutSymmetric, all_indices

from mdview import LayoutLeft, LayoutRight, LayoutStride, LayoutStrideRelaxed, LayoutTiled, Mapping, dim
from mdview.errors import AxisError, ExtentsTypeError, LayoutError, RankError
from mdview.mappings.dense import dense_like


@pytest.mark.parametrize("order", ["K", "C", "F"])
@pytest.mark.parametrize("name", MAPPINGS)
def test_every_offset_of_a_dense_mapping_is_one_index(name, order):
    dense = dense_like(MAPPINGS[name], order)
    assert dense.extents == MAPPINGS[name].extents
    assert dense.static_extents == MAPPINGS[name].static_extents
    assert sorted(dense.offsets()) == list(range(dense.size))


@given(st.lists(st.integers(0, 4), max_size=4).map(tuple), st.data())
def test_strides_are_those_of_numpy(extents, data):
    strides = data.draw(st.tuples(*[st.integers(-9, 9)] * len(extents)))
    reach = sum([-s * (e - 1) for e, s in zip(extents, strides, strict=True) if s < 0 < e])
    mapping = Mapping(extents, LayoutStrideRelaxed(strides, reach))
    array = as_strided(np.zeros(200)[100:], extents, [8 * s for s in strides])
    for order in ("K", "C", "F"):
        expected = [s // 8 for s in np.empty_like(array, order=order).strides]
        dense = dense_like(mapping, order)
        if mapping.size:
            assert [s for s, e in zip(dense.strides, extents, strict=True) if e > 1] == [
                s for s, e in zip(expected, extents, strict=True) if e > 1
            ]


@pytest.mark.parametrize("axes", list(permutations(range(4))))
def test_axes_are_named_from_slowest_to_fastest(axes):
    mapping = dense_like(Mapping((2, 3, 4, 5)), axes)
    expected = np.empty([mapping.extents[axis] for axis in axes]).transpose(np.argsort(axes))
    assert mapping.strides == tuple([s // 8 for s in expected.strides])


@pytest.mark.parametrize(
    ("mapping", "order", "layout"),
    [
        (Mapping((2, 3), LayoutStride((9, 2))), "K", LayoutRight()),
        (Mapping((2, 3), LayoutStride((1, 9))), "K", LayoutLeft()),
        (Mapping((2, 3), LayoutLeft()), "C", LayoutRight()),
        (Mapping((2, 3)), "F", LayoutLeft()),
        (Mapping((2, 3)), (0, 1), LayoutRight()),
        (Mapping((2, 3)), [1, 0], LayoutLeft()),
        (Mapping((2, 3, 4)), (1, 0, 2), LayoutStride((4, 8, 1))),
        (Mapping((2, 0, 4), LayoutLeft()), "K", LayoutLeft()),
        (Mapping((2, 0, 4)), (2, 1, 0), LayoutRight()),
        (Mapping((4, 4), LayoutTiled(2, 2, outer=LayoutLeft(), inner=LayoutLeft())), "K", LayoutRight()),
        (Mapping((4, 4), LayoutSymmetric()), "K", LayoutRight()),
        (Mapping(()), "K", LayoutRight()),
        (Mapping(()), (), LayoutRight()),
    ],
)
def test_the_layout_is_the_narrowest_one(mapping, order, layout):
    assert dense_like(mapping, order).layout == layout


def test_static_extents_stay_static():
    assert dense_like(Mapping((dim(2), 3, dim(4))), (1, 2, 0)).static_extents == (2, None, 4)


def test_indices_count_up_along_the_order():
    mapping = dense_like(Mapping((2, 3, 2)), (1, 2, 0))
    counted = sorted(all_indices(mapping.extents), key=lambda index: (index[1], index[2], index[0]))
    assert [mapping(*index) for index in counted] == list(range(12))


@pytest.mark.parametrize(
    ("order", "error", "message"),
    [
        ("A", LayoutError, "an order is 'K', 'C', 'F' or all axes from slowest to fastest, got 'A'"),
        (None, LayoutError, "an order is .*, got None"),
        ((0,), RankError, r"an order of rank 2 names 2 axes, got 1: \(0,\)"),
        ((0, 2), AxisError, r"axis 2 of order \(0, 2\) is out of range for rank 2"),
        ((-1, 0), AxisError, "axis -1 of order"),
        ((1, 1), LayoutError, r"order \(1, 1\) names an axis twice; name each of the 2 axes once"),
        ((0, 1.0), ExtentsTypeError, r"an axis must be an integer, got 1\.0"),
    ],
)
def test_an_order_that_is_none_says_why(order, error, message):
    with pytest.raises(error, match=message):
        dense_like(Mapping((2, 3)), order)
