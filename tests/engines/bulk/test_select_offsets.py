"""A layout that compares indices, computed for all of them at once, is the layout."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import LayoutSymmetric, all_indices

from mdview import Layout, LayoutTiled, MDView, ReadOnlyAccessor
from mdview.engines.bulk.vector_offsets import vector_offset
from mdview.expressions.tracing import MOST_WAYS


@final
@dataclass(frozen=True)
class LayoutOf(Layout):
    """Whatever a test asks for."""

    function: Callable[[Any, Any], Any]

    def offset(self, extents, index):
        return self.function(*index)

    def required_span_size(self, extents):
        return 10**6


def same(layout, extents):
    found = vector_offset(layout, extents)
    axes = np.meshgrid(*[np.arange(e) for e in extents], indexing="ij")
    offsets = np.broadcast_to(found.offset(*axes), extents)
    expected = [layout.offset(extents, index) for index in all_indices(extents)]
    assert offsets.ravel().tolist() == expected
    assert found.low <= min(expected)
    assert max(expected) <= found.high
    return found


def banded(i, j):
    if i > j + 2:
        return 0
    if j > i + 3:
        return 1 if (i + j) % 2 == 1 else 2
    return 3 + i * 7 + j


@pytest.mark.parametrize("extents", [(5, 5), (4, 7), (1, 6), (9, 2)])
@pytest.mark.parametrize(
    "function", [min, max, banded, lambda i, j: i - j if i > j else j - i, lambda i, j: (i if i == j else j) * 3]
)
def test_both_ways_are_computed_and_the_right_one_is_taken(function, extents):
    same(LayoutOf(function), extents)


def test_the_truth_of_a_number_is_a_comparison_with_0():
    same(LayoutOf(lambda i, j: i if (i + j) % 2 else j), (3, 3))


def test_a_symmetric_layout_is_no_sum_of_terms_in_one_index_and_a_tiled_one_is():
    assert not same(LayoutSymmetric(), (6, 6)).is_separable
    assert same(LayoutTiled(2, 3), (6, 7)).is_separable


@given(st.sampled_from(["lt", "le", "gt", "ge", "eq", "ne"]), st.integers(-3, 9), st.integers(1, 6), st.integers(1, 6))
def test_every_comparison(name, number, rows, columns):
    compare = getattr(operator, name)

    def offset(i, j):
        if compare(i, number):
            return 100 + j
        return 200 + 10 * i + (j if compare(j, i) else 50)

    same(LayoutOf(offset), (rows, columns))


def test_numbers_of_a_way_that_is_not_taken_do_no_harm():
    same(LayoutOf(lambda i, j: i - 1000 if i > 1000 else j), (5, 5))
    assert vector_offset(LayoutOf(lambda i, j: 12 // (i - 2) if i > 2 else j), (5, 5)) is None


def test_what_compares_too_often_has_no_such_form():
    def offset(i, j):
        return sum(1 if i > k else 0 for k in range(MOST_WAYS)) + j

    assert vector_offset(LayoutOf(offset), (9, 9)) is None


def test_a_loop_that_a_comparison_ends_is_given_up_and_called():
    def offset(i, j):
        while j > 0:
            i, j = i + 3, j - 1
        return i

    layout = LayoutOf(offset)
    assert vector_offset(layout, (3, 4)) is None
    view = MDView(range(10**6), (3, 4), layout, ReadOnlyAccessor())
    assert [view[index] for index in all_indices((3, 4))] == [i + 3 * j for i in range(3) for j in range(4)]


def test_large_numbers_take_64_bits():
    assert same(LayoutOf(lambda i, j: i << 40 if i < j else j), (4, 4)).bits == 64
