"""Events in bins, through views that begin, step and turn anywhere: each cell reads and stores its own events."""

import random

import numpy as np
import pytest

import mdview as md
from mdview.iteration import Binned
from mdview.operations import accumulate

COUNT = 12
VIEWS = {
    "whole": lambda events: (md.asview(events)[:COUNT], events[:COUNT]),
    "part": lambda events: (md.asview(events)[5 : 5 + COUNT], events[5 : 5 + COUNT]),
    "every other": lambda events: (md.asview(events)[: 2 * COUNT : 2], events[: 2 * COUNT : 2]),
    "backwards": lambda events: (md.asview(events)[COUNT - 1 :: -1], events[COUNT - 1 :: -1]),
    "flipped": lambda events: (md.flip(md.asview(events)[2 : 2 + COUNT]), events[2 : 2 + COUNT][::-1]),
    "row of tiles": lambda events: (
        md.MDView(events, (4, COUNT), md.LayoutTiled(2, COUNT))[1],
        events[COUNT : 2 * COUNT],
    ),
}
RANGES = {
    "in turn": [(0, 3), (3, 3), (3, 8), (8, 12)],
    "gaps": [(1, 3), (3, 3), (5, 8), (11, 12)],
    "any order": [(8, 12), (3, 5), (0, 0), (1, 3)],
    "overlapping": [(0, 7), (2, 5), (2, 9), (12, 12)],
}
FUNCTIONS = {"add": np.add, "multiply": np.multiply, "maximum": np.maximum, "subtract": np.subtract}


def events_and_array(view, dtype):
    pick = random.Random(1)  # noqa: S311 - reproducible events, no secrets
    return VIEWS[view](np.array([pick.randint(-5, 9) for _ in range(4 * COUNT)], dtype))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("ranges", RANGES)
@pytest.mark.parametrize("view", VIEWS)
def test_a_dense_target_meets_the_events_of_its_cell_in_turn(view, ranges, function):
    events, array = events_and_array(view, "f8")
    total = np.array([1.0, 2.0, 3.0, 4.0])
    expected = total.copy()
    for k, (begin, end) in enumerate(RANGES[ranges]):
        for event in array[begin:end]:
            expected[k] = FUNCTIONS[function](expected[k], event)
    accumulate(FUNCTIONS[function], md.asview(total), Binned(events, RANGES[ranges]))
    assert total.tolist() == expected.tolist()


@pytest.mark.parametrize("ranges", [name for name in RANGES if name != "overlapping"])
@pytest.mark.parametrize("view", VIEWS)
def test_events_are_scaled_by_the_factor_of_their_cell(view, ranges):
    events, array = events_and_array(view, "i8")
    factors, expected = [2, 3, 5, 7], array.copy()
    for factor, (begin, end) in zip(factors, RANGES[ranges], strict=True):
        expected[begin:end] *= factor
    binned = Binned(events, RANGES[ranges])
    result = md.transform(np.multiply, binned, md.MDView(factors, (4,)))
    assert [result[k].tolist() for k in range(4)] == [expected[begin:end].tolist() for begin, end in RANGES[ranges]]
    md.transform(np.multiply, binned, md.MDView(factors, (4,)), out=binned)
    assert events.tolist() == expected.tolist()


def test_cells_that_share_an_element_of_the_target_are_combined_there():
    total = md.asview(np.array([100]))
    accumulate(np.add, md.broadcast_to(total, (3,)), Binned(md.asview(np.arange(6)), [(0, 2), (2, 2), (2, 6)]))
    assert total.tolist() == [115]
