"""Large views as NumPy arrays: blocks, transpositions, repeated places, conversions, at the limits as they are."""

import operator
from array import array

import numpy as np
import pytest
from samples import LayoutSymmetric

from mdview import (
    Layout,
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    asview,
    broadcast_to,
    copy,
    equal,
    permute_dims,
    reduce,
    submapping,
)
from mdview.engines.bulk.arrays.convert import converted
from mdview.engines.bulk.arrays.gather import scatter
from mdview.engines.bulk.arrays.strided_blocks import Block, common_blocks, parts
from mdview.engines.bulk.boxes import boxes, whole
from mdview.errors import IndexOutOfRangeError


def view(layout, extents, numbers=None, dtype=float):
    mapping = Mapping(extents, layout)
    data = np.zeros(mapping.required_span_size, dtype)
    made = MDView.from_mapping(data, mapping)
    if numbers is not None:
        for index in np.ndindex(*extents):
            made[index] = numbers[index].item()
    return made


def shapes(*mappings):
    found = common_blocks(tuple((m, 0) for m in mappings), whole(mappings[0].extents))
    return None if found is None else [block.shape for block in found]


def test_equal_layouts_fall_apart_into_few_long_blocks():
    tiled = Mapping((64, 96), LayoutTiled(16, 32))
    assert shapes(tiled, tiled) == [(64 * 96,)]
    assert shapes(tiled, Mapping((64, 96))) == [(4, 3, 16, 32)]
    ragged = Mapping((60, 96), LayoutTiled(16, 32))
    assert shapes(ragged, ragged) == [(3 * 16 * 96,), (3, 12 * 32)]


def test_a_slice_of_tiles_begins_and_ends_with_parts_of_them():
    cut, _ = submapping(Mapping((80, 80), LayoutTiled(32, 32)), (8, 72), (8, 72))
    found = common_blocks(((cut, 0),), whole(cut.extents))
    assert sum(block.size for block in found) == cut.size
    assert len(found) == 9


def test_what_repeats_nowhere_has_no_blocks():
    assert shapes(Mapping((64, 64), LayoutMorton()), Mapping((64, 64))) is None
    assert shapes(Mapping((64, 64), LayoutMorton()), Mapping((64, 64), LayoutMorton())) == [(64 * 64,)]
    assert shapes(Mapping((64, 64), LayoutTiled(3, 5)), Mapping((64, 64), LayoutTiled(4, 7))) is None
    assert shapes(Mapping((64, 64), LayoutSymmetric())) is None
    assert shapes(Mapping((5, 5), LayoutTiled(4, 4))) is None


@pytest.mark.parametrize("shape", [(300, 257), (2, 260, 200), (3, 5, 400)])
@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.float64, np.complex128])
def test_a_transposition_moves_every_element(shape, dtype):
    numbers = (np.arange(np.prod(shape)) % 101).reshape(shape).astype(dtype)
    source = MDView(np.ascontiguousarray(numbers), shape)
    target = view(LayoutLeft(), shape, dtype=dtype)
    copy(source, target)
    assert np.array_equal(np.asarray(target), numbers)
    order = tuple(range(len(shape)))[::-1]
    copy(permute_dims(target, order), permute_dims(source, order))
    assert np.array_equal(np.asarray(source), numbers)


def test_long_rows_and_short_ones_are_copied_alike():
    for length in (3, 600, 5000):
        numbers = np.arange(20.0 * length).reshape(20, length)
        padded = view(LayoutRightPadded(length + 3), (20, length))
        copy(MDView(numbers, (20, length)), padded)
        assert np.array_equal(np.asarray(padded), numbers)


def test_a_target_stored_to_twice_keeps_what_comes_last():
    row, offsets = np.zeros(5), np.array([3, 1, 3, 0, 1])
    scatter(row, offsets, np.array([1.0, 2.0, 3.0, 4.0, 5.0]), distinct=False)
    assert row.tolist() == [4, 5, 0, 3, 0]
    side = 50
    symmetric = view(LayoutSymmetric(), (side, side))
    numbers = np.arange(side * side, dtype=float).reshape(side, side)
    copy(MDView(numbers.copy(), (side, side)), symmetric)
    assert all(symmetric[i, j] == numbers[max(i, j), min(i, j)] for i in range(side) for j in range(side))


def test_broadcast_rows_keep_the_last():
    data = array("d", bytes(8 * 100))
    copy(MDView(array("d", range(5000)), (50, 100)), broadcast_to(MDView(data, (100,)), (50, 100)))
    assert data.tolist() == list(range(4900, 5000))


def test_a_layout_whose_span_is_too_small_is_caught():
    class Lying(Layout):
        def offset(self, extents, index):
            return index[0] * 64 + (index[1] ^ index[0])

        def required_span_size(self, extents):
            return 1000

    lying = MDView.from_mapping(array("d", range(1000)), Mapping((64, 64), Lying()))
    with pytest.raises(IndexOutOfRangeError, match="positions from 0 to 4095, the data has 1000 elements"):
        copy(lying, MDView(array("d", bytes(8 * 64 * 64)), (64, 64)))


def test_boxes_are_runs_of_indices_in_order():
    extents = (3, 4, 5)
    for limit in (1, 2, 5, 7, 20, 21, 60):
        found = list(boxes(whole(extents), limit))
        indices = [
            tuple(f + k for f, k in zip(box.first, i, strict=True)) for box in found for i in np.ndindex(*box.counts)
        ]
        assert indices == list(np.ndindex(*extents))
        assert all(box.size <= limit for box in found)


def test_parts_of_a_block_are_short_and_together_the_block():
    block = Block((3, 4, 5), (7, 100), ((20, 5, 1), (1, 3, 12)))
    rows = [np.arange(300), np.arange(300)]
    for limit in (1, 2, 5, 7, 10, 20, 21, 40, 60, 61):
        found = list(parts(block, limit))
        assert all(part.size <= limit for part in found)
        for k, row in enumerate(rows):
            together = np.concatenate([part.of(k, row).ravel() for part in found])
            assert np.array_equal(together, block.of(k, row).ravel())


@pytest.mark.parametrize("target", "bBhHiIqQfd?")
@pytest.mark.parametrize("source", "bBhHiIqQfd?")
def test_conversion_is_that_of_storing_each(source, target):
    numbers = np.array([0, 1, 3, 100]).astype(source)
    if converted(numbers, np.dtype(target)) is None:
        with pytest.raises(TypeError):
            memoryview(bytearray(8)).cast(target)[0] = numbers[0].item()
        return
    expected = memoryview(bytearray(4 * np.dtype(target).itemsize)).cast(target)
    for k, number in enumerate(numbers.tolist()):
        expected[k] = number
    assert converted(numbers, np.dtype(target)).tobytes() == expected.tobytes()


def test_reductions_by_ufuncs_are_those_of_numpy():
    numbers = np.arange(60 * 50).reshape(60, 50) % 97
    tiled = view(LayoutTiled(16, 16), (60, 50), numbers, np.int8)
    morton = view(LayoutMorton(), (60, 50), numbers, np.int8)
    for one in (tiled, morton):
        for function in (np.add, np.maximum, np.bitwise_xor, np.logical_and):
            found, expected = reduce(function, one), function.reduce(numbers.astype(np.int8), axis=None)
            assert (found, type(found)) == (expected, type(expected))
        assert reduce(np.subtract, one) == np.subtract.reduce(numbers.astype(np.int8).ravel())
        assert reduce(np.add, one, initial=1000) == 1000 + numbers.sum()
        assert reduce(operator.add, one) == numbers.sum()


def reduced(attempt, *arguments, initial):
    """What a reduction gives, and its type, or the type of its error."""
    try:
        found = attempt(*arguments, initial=initial)
    except (TypeError, ValueError) as error:
        return type(error)
    return found.astype("f8"), type(found)


@pytest.mark.parametrize("initial", [10, -3, 2.5, np.timedelta64(4, "s")])
@pytest.mark.parametrize("function", [np.add, np.subtract, np.multiply, np.divide, np.maximum])
@pytest.mark.parametrize("kind", ["i4", "f8", "m8[s]"])
@pytest.mark.parametrize("shape", [(0,), (0, 3), (1,), (4, 6), (3000,)])
def test_an_initial_value_is_that_of_the_reduce_of_numpy(shape, kind, function, initial):
    numbers = (np.arange(np.prod(shape)).reshape(shape) % 4 // 3 + 1).astype(kind)
    found = reduced(reduce, function, asview(numbers), initial=initial)
    with np.errstate(all="ignore"):
        assert found == reduced(function.reduce, numbers.ravel(), initial=initial)


def test_an_initial_value_is_one_of_the_values_of_a_list():
    numbers = MDView([1, 2, 3], (3,))
    assert reduce(np.add, numbers, initial=2.5) == 8.5
    assert reduce(np.subtract, numbers, initial=10) == 4
    assert reduce(np.maximum, MDView([], (0,)), initial=3) == 3


def test_reductions_of_nothing_and_of_objects():
    assert reduce(np.add, MDView(array("q"), (0, 3))) == 0
    assert reduce(np.add, MDView([1, 2, 3], (3,))) == 6
    assert reduce(operator.add, MDView([], (0,)), initial=4) == 4
    with pytest.raises(ValueError, match="no identity"):
        reduce(np.maximum, MDView(array("q"), (0,)))
    with pytest.raises(TypeError, match="empty"):
        reduce(operator.add, MDView([], (0,)))


@pytest.mark.parametrize("extents", [(0,), (2, 0), (0, 2000)])
def test_a_ufunc_without_an_identity_starts_from_the_initial_value(extents):
    assert reduce(np.maximum, MDView(array("d", [9.0]), extents), initial=-2.0) == -2.0
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum which has no identity"):
        reduce(np.maximum, MDView(array("d", [9.0]), extents))


def test_integers_and_floats_are_compared_exactly():
    large = 2**53
    first, second = array("q", [large + 1] * 2000), array("d", [float(large)] * 2000)
    assert not equal(MDView(first, (2000,)), MDView(second, (2000,)))
    assert not equal(MDView(first, (2000,)), MDView(array("Q", [large] * 2000), (2000,)))
    assert equal(MDView(first, (2000,)), MDView(array("Q", first), (2000,), LayoutStrideRelaxed((-1,), 1999)))


def test_arrays_are_stored_through_a_slice_as_they_are():
    numbers = np.arange(6000.0).reshape(60, 100)
    tiled = view(LayoutTiled(8, 8), (60, 100))
    for source in (numbers, np.asfortranarray(numbers), numbers[::-1], numbers.astype(">f8"), numbers.tolist()):
        tiled[:] = 0.0
        tiled[:] = source
        assert np.array_equal(np.asarray(tiled), np.asarray(source))
    right = view(LayoutRight(), (60, 100))
    right[:] = numbers
    assert equal(right, tiled)
