"""Small views: what is remembered of where elements lie is right for every view of the mapping, whatever it is."""

from array import array
from dataclasses import dataclass
from itertools import product
from typing import final

import numpy as np
import pytest
from samples import MAPPINGS, all_indices

from mdview import (
    Layout,
    LayoutLeft,
    LayoutMorton,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    copy,
    equal,
    fill,
)
from mdview.engines.bulk import small_views
from mdview.errors import IndexOutOfRangeError
from mdview.views.base import operand_of

SMALL = {name: mapping for name, mapping in MAPPINGS.items() if 0 < mapping.size <= small_views.MOST}


@pytest.mark.parametrize("name", SMALL)
def test_places_are_the_offsets_of_the_mapping(name):
    mapping = SMALL[name]
    view = MDView.from_mapping(array("q", range(mapping.required_span_size + 3)), mapping, origin=3)
    for _ in range(2):  # found, and remembered
        found = small_views.places_of(operand_of(view))
        if not mapping.layout.is_total():
            assert found is None
            return
        assert [found.first + place for place in found.places] == list(mapping.offsets())
        assert small_views.values(operand_of(view)) == tuple(view[i] for i in all_indices(mapping.extents))


@pytest.mark.parametrize("item_format", ["f", "d", "?", "b", "H", "Q"])
@pytest.mark.parametrize("layout", [LayoutLeft(), LayoutTiled(2, 2), LayoutMorton(), LayoutStrideRelaxed((-4, 1), 12)])
def test_every_bit_of_an_item_is_copied(layout, item_format):
    size = np.dtype(item_format).itemsize
    held = np.random.default_rng(7).integers(0, 256, 16 * size, np.uint8)
    held[:size], held[size : 2 * size] = 255, [1] * (size - 1) + [127]  # no numbers, one of them with a payload
    source = MDView(memoryview(held).cast(item_format), (4, 4))
    there = bytearray(16 * size)
    copy(source, MDView(memoryview(there).cast(item_format), (4, 4), layout))
    back = bytearray(16 * size)
    copy(
        MDView(memoryview(there).cast(item_format), (4, 4), layout), MDView(memoryview(back).cast(item_format), (4, 4))
    )
    assert bytes(back) == held.tobytes()


@pytest.mark.parametrize("shift", range(-5, 6))
def test_what_overlaps_is_read_before_it_is_written(shift):
    data = array("d", range(40))
    before = list(data)
    mapping = Mapping((4, 4), LayoutTiled(2, 2))
    rows = MDView.from_mapping(data, Mapping((4, 4)), origin=10)
    copy(rows, MDView.from_mapping(data, mapping, origin=10 + shift))
    for index in product(range(4), repeat=2):
        assert data[10 + shift + mapping(*index)] == before[10 + 4 * index[0] + index[1]]


def test_of_several_elements_in_one_place_the_last_one_stays():
    data = array("d", bytes(32))
    copy(MDView(array("d", range(16)), (4, 4)), MDView(data, (4, 4), LayoutStrideRelaxed((0, 1))))
    assert list(data) == [12, 13, 14, 15]


def test_objects_are_compared_one_by_one():
    nan = float("nan")
    assert not equal(MDView([nan, 1], (2,)), MDView([nan, 1], (2,)))
    assert equal(MDView([1, True], (2,)), MDView([1.0, 1], (2,)))


@pytest.mark.parametrize("value", [1.5, "x", 300, -1])
def test_a_value_that_does_not_fit_changes_nothing(value):
    data = array("B", range(16))
    with pytest.raises((TypeError, ValueError)):
        fill(MDView(data, (4, 4), LayoutTiled(2, 2)), value)
    assert list(data) == list(range(16))


@final
@dataclass(frozen=True)
class LayoutBefore(Layout):
    """Begins before its data, whatever its span says."""

    def offset(self, extents, index):
        return index[0] * index[0] - 3

    def required_span_size(self, extents):
        return 4


def test_places_outside_of_the_data_are_refused():
    data = array("d", range(8))
    view = MDView.from_mapping(data, Mapping((3,), LayoutBefore()), origin=1)
    for act in (view.tolist, lambda: fill(view, 1.0), lambda: copy(view, MDView(array("d", bytes(24)), (3,)))):
        for _ in range(2):
            with pytest.raises(IndexOutOfRangeError, match="the layout has positions from -2"):
                act()
    assert list(data) == list(range(8))
