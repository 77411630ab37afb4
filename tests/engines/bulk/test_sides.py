"""Sides: a padded operand has one type of elements, and each step of several operands reads one piece of each."""

from array import array

import numpy as np
import pytest

from mdview import LayoutTiled, MDView, ScaledAccessor, asview, pad, readonly, reduce, sliding_window, transform
from mdview.engines.bulk.arrays import transfers
from mdview.engines.bulk.arrays.sides import PaddedSide, StagedSide, common_type, side_of
from mdview.engines.bulk.boxes import Box, whole
from mdview.views.base import operand_of

MODES = ("constant", "edge", "reflect", "wrap")


def numbers(kind="f8", shape=(40, 30)):
    return np.arange(np.prod(shape)).reshape(shape).astype(kind)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["f8", "i4", ">f4", "c16", "?"])
def test_an_array_of_padding_is_that_of_numpy(kind, mode):
    held = numbers(kind)
    tiled = MDView(array("d", bytes(8 * 1600)), (40, 30), LayoutTiled(8, 8))
    tiled[...] = held.real.astype("f8")
    for view, wanted in ((asview(held), held), (tiled, held.real.astype("f8"))):
        found = np.asarray(pad(view, ((1, 2), (3, 0)), mode=mode))
        assert (found.dtype, found.tolist()) == (wanted.dtype, np.pad(wanted, ((1, 2), (3, 0)), mode).tolist())


@pytest.mark.parametrize(
    ("kind", "constant", "expected"),
    [
        ("f8", 0, "f8"),
        ("i4", 7, "i4"),
        ("i4", 0.5, "f8"),
        ("u1", 300, "i8"),
        ("u1", -1, "i8"),
        ("i8", 0.5, "f8"),
        ("f4", float("nan"), "f4"),
        ("?", 0, "?"),
        ("f8", "x", "O"),
        ("m8[s]", 0, "m8[s]"),
        ("m8[s]", np.int8(3), "m8[s]"),
        ("m8[s]", np.timedelta64(2, "m"), "m8[s]"),
        ("m8[s]", np.timedelta64(2, "ms"), "O"),
        ("m8[s]", 0.5, "O"),
        ("M8[s]", 0, "O"),
    ],
)
def test_a_constant_that_the_items_do_not_hold_is_kept(kind, constant, expected):
    assert common_type([np.dtype(kind)], [constant]) == np.dtype(expected)


def test_values_keep_the_type_of_the_constant_and_arrays_that_of_the_items():
    view = pad(asview(numbers()), 1, constant=0)
    assert {type(x) for x in (view.tolist()[0][0], view[0, 0])} == {int}
    assert type(view.tolist()[1][1]) is type(view[1, 1]) is float
    assert np.asarray(view).dtype == np.float64
    assert reduce(np.add, view) == numbers().sum()


@pytest.mark.parametrize("constant", [None, "x", 2**70])
def test_an_array_has_objects_where_a_constant_is_no_number_of_its_type(constant):
    found = np.asarray(pad(asview(numbers("i4", (3, 2))), 1, constant=constant))
    assert found.dtype == object
    assert found.tolist()[0] == [constant] * 4
    assert found[1:-1, 1:-1].tolist() == numbers("i4", (3, 2)).tolist()


def test_padding_of_durations_is_so_many_units():
    held = numbers("m8[s]", (3, 2))
    assert np.asarray(pad(asview(held), 1)).tolist() == np.pad(held, 1).tolist()
    assert reduce(np.add, pad(asview(held), 1), initial=2) == np.timedelta64(17, "s")


def test_steps_of_padded_operands_cut_where_pieces_end():
    first, second = (pad(asview(numbers()), 1), pad(asview(numbers()), ((0, 2), (2, 0))))
    sides = [side_of(operand_of(view)) for view in (first, second)]
    assert all(isinstance(side, PaddedSide) for side in sides)
    found = list(transfers.steps(*sides))
    assert Box((1, 2), (39, 29)) in found
    assert sum(box.size for box in found) == first.size
    whole_arrays = [side.read(whole(first.extents)) for side in sides]
    for box in found:
        for side, everything in zip(sides, whole_arrays, strict=True):
            assert side.read(box).tolist() == everything[box.slices].tolist()
    assert transform(np.add, first, second).tolist() == np.add(*whole_arrays).tolist()


@pytest.mark.parametrize("mode", MODES)
def test_windows_over_padding_are_read_in_two_stages(mode):
    held = numbers()
    windows = sliding_window(pad(readonly(asview(held)), 1, mode=mode), (3, 3))
    side = side_of(operand_of(windows))
    assert isinstance(side, StagedSide)
    expected = np.lib.stride_tricks.sliding_window_view(np.pad(held, 1, mode), (3, 3))
    assert np.array_equal(side.read(whole(windows.extents)), expected)
    assert windows.tolist() == expected.tolist()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("step", [2, -1, 3])
def test_parts_of_windows_over_padding_of_items_apart_are_those_of_the_array(mode, step):
    held = numbers(shape=(24,))[::step]
    windows = sliding_window(pad(readonly(asview(held)), 1, mode=mode), (2,))
    expected = np.lib.stride_tricks.sliding_window_view(np.pad(held, 1, mode), 2)
    for key in [(slice(1, 3), 0), (slice(2, 5), slice(None, None, -1)), (slice(None), 1), (2, slice(None))]:
        assert np.asarray(windows[key]).tolist() == windows[key].tolist() == expected[key].tolist()


def test_padding_is_scaled_with_the_elements():
    view = pad(MDView(array("d", range(6)), (2, 3)), 1, constant=4.0)
    scaled = MDView.from_mapping(view.data, view.mapping, ScaledAccessor(0.5, view.accessor))
    expected = np.pad(np.arange(6.0).reshape(2, 3), 1, constant_values=4.0) * 0.5
    assert np.asarray(scaled).tolist() == scaled.tolist() == expected.tolist()
