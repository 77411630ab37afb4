"""A subview is found in its store by its place in memory, whatever has been done to it."""

import operator
from array import array
from dataclasses import dataclass
from typing import final

import pytest

import mdview as md
from mdview import errors

LAYOUTS = {
    "tiled": md.LayoutTiled(4, 5),
    "nested": md.LayoutTiled(4, 6, inner=md.LayoutTiled(3, 4)),
    "left tiles": md.LayoutTiled(3, 4, outer=md.LayoutLeft(), inner=md.LayoutLeft()),
    "right": md.LayoutRight(),
    "morton": md.LayoutMorton(),
}
KEYS = {
    "all": (...,),
    "a block": (slice(2, 7), slice(3, 9)),
    "a tile": (slice(4, 8), slice(5, 10)),
    "inside a tile": (slice(1, 3), slice(1, 4)),
    "steps": (slice(1, 9, 3), slice(0, 9, 2)),
    "backwards": (slice(8, 1, -2), slice(None, None, -1)),
    "a row": (3,),
    "a column": (..., 4),
    "an element": (slice(5, 6), slice(7, 8)),
    "new axis": (None, slice(2, 4), slice(2, 5)),
}


def store_of(layout):
    mapping = md.Mapping((9, 11), layout)
    return md.MDView.from_mapping(array("q", range(mapping.required_span_size)), mapping)


def place_of(part, store):
    """The indices at which a part lies, as the units of one element that its writer has."""
    ((*keys,),) = md.aligned([part], store, unit=(1,) * store.rank)
    return keys


def selected(store, keys):
    return sorted(element for key in keys for element in md.elements(store[key]))


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_part_is_found(layout, key):
    store = store_of(layout)
    part = store[key]
    for made in (part, md.readonly(part), md.flip(part), md.permute_dims(part, range(part.rank)[::-1])):
        assert selected(store, place_of(made, store)) == sorted(md.elements(part))


def test_a_part_of_a_part_is_found_in_either():
    store = store_of(LAYOUTS["tiled"])
    part = store[1:8, 2:]
    assert place_of(part[2:5, 1:3], store) == [(slice(3, 6, 1), slice(3, 5, 1))]
    assert place_of(part[2:5, 1:3], part) == [(slice(2, 5, 1), slice(1, 3, 1))]


def test_views_of_one_buffer_are_parts_of_each_other():
    data = array("q", range(200))
    store = md.MDView(data, (9, 11), md.LayoutTiled(4, 5))
    again = md.MDView(data, (9, 11), md.LayoutTiled(4, 5))
    assert place_of(again[4:8], store) == [(slice(4, 8, 1), slice(0, 11, 1))]
    assert md.conflicts([store[:4], again[4:]], store) is None
    assert md.conflicts([store[:5], again[5:]], store).unit == (1, 0)


def test_objects_of_one_list_are_found():
    data = [*range(200)]
    store = md.MDView(data, (9, 11), md.LayoutTiled(4, 5))
    assert place_of(md.MDView(data, (9, 11), md.LayoutTiled(4, 5))[3], store) == [(slice(3, 4, 1), slice(0, 11, 1))]


def test_padding_and_nothing_are_no_part():
    store = store_of(LAYOUTS["tiled"])
    assert place_of(store[3:3], store) == []
    assert place_of(md.pad(store[2:4, 3:5], 2, constant=0), store) == [(slice(2, 4, 1), slice(3, 5, 1))]
    assert md.conflicts([md.pad(store[:4], 1, constant=0), md.pad(store[4:], 1, constant=0)], store) is None


def test_a_large_store_is_not_searched_element_by_element():
    layout = md.LayoutTiled(100, 7)
    mapping = md.Mapping((3000, 1003), layout)
    store = md.MDView.from_mapping(bytearray(mapping.required_span_size), mapping)
    assert place_of(store[1234:2345:5, 17:1000:3], store) == [(slice(1234, 2345, 5), slice(17, 999, 3))]


def test_other_layouts_of_the_same_places_are_the_same_part():
    data = array("q", range(200))
    store = md.MDView(data, (8, 10), md.LayoutTiled(4, 5))
    same = md.MDView(data, (8, 10), md.LayoutTiled(4, 5, outer=md.LayoutStride((2, 1))))
    assert place_of(same, store) == [(slice(0, 8, 1), slice(0, 10, 1))]
    with pytest.raises(errors.OperandError):
        place_of(md.MDView(data, (8, 10), md.LayoutTiled(4, 5, outer=md.LayoutLeft())), store)


def test_items_of_another_size_and_other_objects_are_no_part():
    data = array("q", range(200))
    store, objects = md.MDView(data, (8, 10), md.LayoutTiled(4, 5)), [0] * 200
    with pytest.raises(errors.OperandError):
        place_of(md.MDView(memoryview(data).cast("B").cast("i"), (8, 10)), store)
    with pytest.raises(errors.OperandError):
        place_of(md.MDView(objects, (8, 10)), md.MDView([*objects], (8, 10)))


@final
@dataclass(frozen=True)
class LayoutListed(md.Layout):
    """Rows in the order of a list, which nothing can trace."""

    rows: tuple[int, ...]

    def offset(self, extents, index):
        return self.rows[operator.index(index[0])] * extents[1] + index[1]

    def required_span_size(self, extents):
        return extents[0] * extents[1]


def test_a_layout_whose_arithmetic_is_not_known_is_looked_up():
    store = md.MDView([*range(12)], (3, 4), LayoutListed((2, 0, 1)))
    assert place_of(store[1, 1:3], store) == [(slice(1, 2, 1), slice(1, 3, 1))]
    assert md.conflicts([store[:1], store[1:]], store, unit=(1, 4)) is None
    long = md.MDView([0] * (3 << 16), (3, 1 << 16), LayoutListed((2, 0, 1)))
    with pytest.raises(errors.UndecidedError):
        place_of(long[1:, 1:3], long)
