"""Elements read one by one through row buffers: the right ones, each when it is asked for."""

from array import array
from dataclasses import dataclass
from itertools import islice
from typing import final
from unittest import mock

import pytest
from samples import all_indices

from mdview import (
    Layout,
    LayoutLeft,
    LayoutMorton,
    LayoutRightPadded,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    broadcast_to,
    elements,
    flip,
)
from mdview.engines.bulk import row_buffers, runs
from mdview.errors import IndexOutOfRangeError

MAPPINGS = {
    "rows": Mapping((4, 200)),
    "columns": Mapping((40, 30), LayoutLeft()),
    "padded": Mapping((40, 30), LayoutRightPadded(33)),
    "backwards": Mapping((40, 30), LayoutStrideRelaxed((-31, -1), 39 * 31 + 29)),
    "short rows": Mapping((300, 3), LayoutRightPadded(4)),
    "repeated": Mapping((30, 40), LayoutStrideRelaxed((1, 0))),
    "tiles": Mapping((30, 40), LayoutTiled(8, 8)),
    "small tiles": Mapping((30, 40), LayoutTiled(2, 2)),
    "tiles within tiles": Mapping((3, 30, 40), LayoutTiled(2, 16, 16, inner=LayoutTiled(1, 4, 4))),
    "Morton": Mapping((32, 32), LayoutMorton()),
}


def view_of(mapping):
    """View of numbers that tell their positions; the first three are none of its elements."""
    return MDView.from_mapping(array("q", range(mapping.required_span_size + 3)), mapping, origin=3)


@pytest.mark.parametrize("name", MAPPINGS)
def test_elements_come_in_index_order(name):
    view = view_of(MAPPINGS[name])
    for part in (view, flip(view), view[1::2], view[..., ::-2]):
        assert list(elements(part)) == [part[index] for index in all_indices(part.extents)]


@pytest.mark.parametrize("name", MAPPINGS)
def test_what_is_stored_during_a_walk_is_read_if_it_is_ahead(name):
    view = view_of(MAPPINGS[name])
    walk = elements(view)
    for index in islice(all_indices(view.extents), 100):
        view[index] = -1 - view[index]
        assert next(walk) == view[index]


def test_more_short_runs_than_are_kept_are_walked_all_the_same():
    view = view_of(MAPPINGS["Morton"])
    with mock.patch.object(row_buffers, "MOST", 20):
        assert list(elements(view)) == [view[index] for index in all_indices(view.extents)]


def test_runs_repeat_from_each_start_on():
    for mapping in MAPPINGS.values():
        starts, pattern = runs.repeated(mapping, 7, 1 << 40)
        places = [start + first + k * step for start in starts for first, n, step in pattern for k in range(n)]
        assert places == [7 + offset for offset in mapping.offsets()]


def test_an_element_that_is_repeated_without_end_takes_no_memory():
    view = broadcast_to(MDView(array("q", [5]), (1, 1)), (10**9, 10**9))
    assert list(islice(elements(view), 3)) == [5, 5, 5]


@final
@dataclass(frozen=True)
class Lying(Layout):
    """Reaches further than it says."""

    first: int

    def offset(self, extents, index):
        return self.first + index[0] * 40 + index[1] // 20 * 800 + index[1] % 20

    def required_span_size(self, extents):
        return 1000


@pytest.mark.parametrize("first", [0, -1])
def test_a_layout_that_leaves_the_data_is_caught(first):
    view = MDView.from_mapping(array("q", range(1000)), Mapping((20, 40), Lying(first)))
    with pytest.raises(IndexOutOfRangeError, match="the data has 1000 elements"):
        list(elements(view))
