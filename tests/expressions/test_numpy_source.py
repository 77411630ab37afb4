"""On arrays an expression is the same numbers; of a choice both ways are computed, and shared parts once."""

import sys

import numpy as np
from expression_trees import BOXES, EXPRESSIONS, I, J, numbers_over, places, spans_of
from hypothesis import given

from mdview.expressions import numpy_source
from mdview.expressions.nodes import Const, Op, Select
from mdview.expressions.numpy_source import function
from mdview.expressions.python_source import Source, Writer
from mdview.expressions.ranges import RangeError, expression_range, within


def arrays_of(box):
    return [np.arange(count) * step + first for first, count, step in box]


@given(EXPRESSIONS, BOXES)
def test_arrays_of_indices_give_the_numbers_of_the_expression(root, box):
    try:
        expression_range(root, within(spans_of(box)), 64)
    except RangeError:
        return
    grid = np.meshgrid(*arrays_of(box), indexing="ij")
    found = np.broadcast_to(function(root, 2)(*grid), grid[0].shape)
    expected = numbers_over(root, box)
    assert {steps: found[steps] for steps, _ in places(box)} == expected


@given(EXPRESSIONS, BOXES)
def test_arrays_broadcast(root, box):
    try:
        expression_range(root, within(spans_of(box)), 64)
    except RangeError:
        return
    rows, columns = arrays_of(box)
    grid = np.meshgrid(rows, columns, indexing="ij")
    found = function(root, 2)(rows[:, None], columns[None, :])
    assert np.array_equal(
        np.broadcast_to(found, grid[0].shape), np.broadcast_to(function(root, 2)(*grid), grid[0].shape)
    )


def test_both_ways_are_computed_and_the_right_one_is_taken():
    root = Select(Op("lt", I, J), Select(Op("eq", I, 1), 7, I * 10), Op("sub", J, 100))
    rows, columns = np.arange(4)[:, None], np.arange(3)
    assert function(root, 2)(rows, columns).tolist() == [
        [7 if i == 1 and i < j else i * 10 if i < j else j - 100 for j in range(3)] for i in range(4)
    ]


def test_parts_that_tests_and_ways_share_are_computed_once():
    low = I // 3
    root = Select(Op("lt", low, J), low * 5, Select(Op("eq", low, 2), low, J))
    assert Writer().source(root) == Source(("t0 = (i0 // 3)",), "where((t0 < i1), (t0 * 5), where((t0 == 2), t0, i1))")


def test_many_choices_stand_within_one_another():
    root = Const(-1)
    for k in range(200):
        root = Select(Op("eq", I, k), k * 10, root)
    assert function(root, 1)(np.arange(202)).tolist() == [*range(0, 2000, 10), -1, -1]


def test_an_expression_of_ints_needs_no_numpy(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    monkeypatch.setattr(numpy_source, "_functions", {})
    assert function(I * 7 + J // 2, 2)(3, 5) == 23
    smaller = function(Select(Op("lt", I, J), I, J), 2)
    assert [smaller(3, 5), smaller(5, 3)] == [3, 3]


def test_small_integers_stay_small():
    indices = np.arange(5, dtype=np.int32)
    assert function(I * 7 // 2 + 3, 1)(indices).dtype == np.int32
    assert function(Select(Op("lt", I, 3), I * 7, I), 1)(indices).dtype == np.int32


def test_equal_expressions_share_their_function():
    assert function((I + J) * 91, 2) is function((I + J) * 91, 2)
    assert function((I + J) * 91, 2) is not function((I + J) * 92, 2)
