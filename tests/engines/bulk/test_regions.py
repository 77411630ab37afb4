"""Boxes in which a layout becomes a sum of terms in one index each, and reading them a window at a time."""

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any, final
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import LayoutSymmetric

from mdview import (
    Layout,
    LayoutBlasPacked,
    LayoutLeft,
    LayoutMorton,
    LayoutSwizzled,
    LayoutTiled,
    Mapping,
    MDView,
    copy,
    flip,
    submapping,
)
from mdview.engines.bulk import boxes
from mdview.engines.bulk.arrays import progressions, regions, tables
from mdview.errors import IndexOutOfRangeError
from mdview.views.base import parts_of


@final
@dataclass(frozen=True)
class LayoutOf(Layout):
    """Whatever arithmetic a test asks for."""

    arithmetic: Callable[..., Any]
    span: int = 10**4

    def offset(self, extents, index):
        return self.arithmetic(*index)

    def required_span_size(self, extents):
        return self.span


def signed(i, j):
    """Position in a lower triangle, without a comparison."""
    below = (j - i) & ((j - i) >> 63)
    return (j - below) * (j - below + 1) // 2 + i + below


SIDE = 40
LAYOUTS = {
    "by comparison": LayoutSymmetric(),
    "by max and min": LayoutOf(lambda i, j: max(i, j) * (max(i, j) + 1) // 2 + min(i, j)),
    "by signs": LayoutOf(signed),
    "packed": LayoutBlasPacked("upper", "column"),
    "bent": LayoutOf(lambda i, j: i * 50 + (j if i + j < 40 else 60 - j)),
    "of steps": LayoutOf(lambda i, j: i * 90 + 2 * j + (30 if i >= 20 else 0) * (1 if j != 7 else 0)),
    "by Morton order on one side": LayoutOf(lambda i, j: i * 64 + (j ^ 5) if i > j else 5000 + j * 64 + i),
}
MAPPINGS = {name: Mapping((SIDE, SIDE), layout) for name, layout in LAYOUTS.items()}
MAPPINGS["a part"] = submapping(Mapping((SIDE, SIDE), LayoutSymmetric()), (3, 37), (0, 29))[0]
MAPPINGS["mirrored"] = flip(Mapping((SIDE, SIDE), LayoutSymmetric()))
MAPPINGS["of rank 3"] = Mapping(
    (6, 20, 20), LayoutOf(lambda k, i, j: k * 210 + (i * (i + 1) // 2 + j if i > j else j * (j + 1) // 2 + i))
)


@pytest.fixture(autouse=True)
def small_limits():
    regions.regions.cache_clear()
    with (
        mock.patch.multiple(regions, SMALLEST=30, SMALLEST_CALLED=9, PAYS_FROM=4),
        mock.patch.multiple(progressions, SHORTEST=3, LONGEST=7, CHUNK=40),
    ):
        yield
    regions.regions.cache_clear()


def all_of(mapping):
    return [mapping(*index) for index in product(*map(range, mapping.extents))]


@pytest.mark.parametrize("name", MAPPINGS)
def test_boxes_hold_each_index_once_and_regions_are_sums(name):
    mapping = MAPPINGS[name]
    found = regions.regions(mapping)
    places = [
        index
        for box, _ in found
        for index in product(*[range(f, f + n) for f, n in zip(box.first, box.counts, strict=True)])
    ]
    assert sorted(places) == list(product(*map(range, mapping.extents)))
    assert any(is_region for _, is_region in found)
    for box, is_region in found:
        if is_region:
            along = tables.tables(mapping, 2, 10**4, box)
            expected = [2 + mapping(*index) for index in places[: box.size]]
            assert tables.summed(along, box, box).ravel().tolist() == expected
        places = places[box.size :]


@pytest.mark.parametrize("target_layout", [None, LayoutLeft(), LayoutTiled(7, 9), LayoutMorton()])
@pytest.mark.parametrize("item_format", ["d", "q"])
@pytest.mark.parametrize("name", MAPPINGS)
def test_copies_are_those_of_each_element(name, item_format, target_layout):
    mapping = MAPPINGS[name]
    data = array("q", range(3, 3 + mapping.required_span_size + 2))
    source = MDView.from_mapping(data, mapping, origin=2)
    if target_layout is None:
        into = Mapping(mapping.extents)
    elif isinstance(target_layout, LayoutTiled) and mapping.rank != 2:
        into = Mapping(mapping.extents, LayoutTiled(2, 7, 9))
    else:
        into = Mapping(mapping.extents, target_layout)
    target = MDView.from_mapping(np.zeros(into.required_span_size, item_format), into)
    told = []
    copy(source, target, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (mapping.size, mapping.size)
    assert list(map(int, parts_of(target).values())) == [data[2 + offset] for offset in all_of(mapping)]


@pytest.mark.parametrize(
    "mapping",
    [
        Mapping((64, 64)),
        Mapping((64, 64), LayoutTiled(7, 9)),
        Mapping((64, 64), LayoutSwizzled(LayoutTiled(7, 9), 1, 0, 2)),
        Mapping((64, 64), LayoutOf(lambda i, j: (i * i + j * j) % 77)),
        Mapping((5, 5), LayoutSymmetric()),
        Mapping((0, 64), LayoutSymmetric()),
    ],
)
def test_no_regions_are_looked_for_in_vain(mapping):
    assert regions.regions(mapping) is None


def test_a_region_that_leaves_the_data_is_caught():
    layout = LayoutOf(lambda i, j: i * 40 + j if i < j else 1000 + j * 40 + i, 1600)
    view = MDView.from_mapping(array("d", range(1600)), Mapping((SIDE, SIDE), layout))
    target = MDView(array("d", bytes(8 * SIDE * SIDE)), (SIDE, SIDE))
    with pytest.raises(IndexOutOfRangeError, match="the data has 1600 elements"):
        copy(view, target)


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(-6, 6), st.booleans()), min_size=1, max_size=3),
    st.integers(0, 3),
)
def test_windows_read_what_lookups_read(dimensions, behind):
    along = [np.arange(n) * step if even else np.arange(n) ** 2 * step for n, step, even in dimensions]
    box = boxes.Box(tuple(range(len(along))), tuple(len(line) for line in along))
    total = np.zeros((1,) * len(along), int)
    for r, line in enumerate(along):
        total = total + line.reshape((1,) * r + (-1,) + (1,) * (len(along) - r - 1))
    tables = int(behind - total.min()), along
    row = np.arange(behind + total.max() - total.min() + 1) * 3
    found = progressions.progression_of(tables, box)
    if found is None:
        return
    read = np.full(box.counts, -1)
    for part in found.parts():
        place = tuple(slice(f - b, f - b + n) for f, b, n in zip(part.first, box.first, part.counts, strict=True))
        read[place] = found.read(row, part)
    assert np.array_equal(read, row[tables[0] + total])
