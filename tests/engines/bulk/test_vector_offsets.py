"""A layout's arithmetic on arrays of indices: the numbers of the layout, or no vectorised form at all.

A layout that compares indices computes both ways for all of them.
"""

import operator
from dataclasses import dataclass
from itertools import product
from typing import final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import MAPPINGS, LayoutMortonLike, LayoutOf, LayoutSymmetric, all_indices

from mdview import IndexTransform, Layout, LayoutComposed, LayoutRight, LayoutTiled, MDView, ReadOnlyAccessor
from mdview.engines.bulk.vector_offsets import vector_offset, vector_within
from mdview.expressions.tracing import MOST_WAYS


def same(layout, extents):
    """Vectorised form, after comparing it with the layout, in integers of the size that it asks for."""
    found = vector_offset(layout, extents)
    axes = np.meshgrid(*[np.arange(e, dtype=f"i{found.bits // 8}") for e in extents], indexing="ij")
    offsets = np.broadcast_to(found.offset(*axes), extents)
    expected = [layout.offset(extents, index) for index in all_indices(extents)]
    assert offsets.ravel().tolist() == expected
    assert [found.offset(*index) for index in all_indices(extents)] == expected
    assert found.low <= min(expected)
    assert max(expected) <= found.high
    return found


@pytest.mark.parametrize("name", MAPPINGS)
def test_the_vectorised_form_is_the_layout(name):
    mapping = MAPPINGS[name]
    if mapping.size:
        same(mapping.layout, mapping.extents)
    else:
        assert vector_offset(mapping.layout, mapping.extents) is None


def test_interleaved_bits_are_a_sum_of_terms_in_one_index():
    assert vector_offset(LayoutMortonLike(), (8, 8)).is_separable
    assert not vector_offset(LayoutOf(lambda i, j: i | j), (8, 8)).is_separable
    assert not vector_offset(LayoutOf(lambda i, j: (i ^ j) + i), (8, 8)).is_separable


@pytest.mark.parametrize(
    ("arithmetic", "bits"),
    [
        (lambda i, j: i * 4 + j, 32),
        (lambda i, j: i * 2**30 + j, 64),
        (lambda i, j: i // 8 * (2**31 - 1), 32),
        (lambda i, j: i // -8 * 2**30 * 2, 32),
        (lambda i, j: i // 8 * 2**31, 64),
        (lambda i, j: i // 8 * (2**63 - 1), 64),
        (lambda i, j: i // 8 * 2**63, None),
        (lambda i, j: (i << 40) >> 38, 64),
        (lambda i, j: i << 4 * j, 64),
        (lambda i, j: i * 2**61 % 7, None),
        (lambda i, j: 1 << 8 * j, None),
        (lambda i, j: i >> (j - 1), None),
        (lambda i, j: j // i, None),
        (lambda i, j: max(j, i), 32),
        (lambda i, j: i / 2, None),
    ],
)
def test_numbers_that_may_not_fit_have_no_vectorised_form(arithmetic, bits):
    found = vector_offset(LayoutOf(arithmetic), (9, 9))
    assert bits == (None if found is None else found.bits)


def test_an_empty_or_padded_index_space_has_none():
    padded = LayoutComposed(LayoutRight(), (4,), IndexTransform((0,), (1,), (0,)), ((1, 3),))
    assert vector_offset(LayoutTiled(2, 2), (0, 4)) is None
    assert vector_offset(padded, (4,)) is None


SPANS = st.tuples(*[st.integers(0, 9).flatmap(lambda low: st.tuples(st.just(low), st.integers(low, low + 8)))] * 2)


@given(st.sampled_from(["lt", "le", "gt", "ge", "eq", "ne"]), st.integers(-3, 3), SPANS)
def test_a_comparison_is_no_obstacle_where_it_has_one_answer(name, shift, within):
    compare = getattr(operator, name)
    layout = LayoutOf(lambda i, j: 7 * i + j if compare(i, j + shift) else i + 7 * j)
    indices = list(product(*[range(first, last + 1) for first, last in within]))
    answers = {compare(i, j + shift) for i, j in indices}
    found = vector_within(layout, (99, 99), within)
    assert found.is_separable or len(answers) > 1
    assert [found.offset(*index) for index in indices] == [layout.offset((99, 99), index) for index in indices]


@pytest.mark.parametrize("within", [((4, 7), (0, 3)), ((0, 3), (4, 7))])
def test_the_larger_of_two_indices_is_known_where_they_lie_apart(within):
    layout = LayoutOf(lambda i, j: max(i, j) * (max(i, j) + 1) // 2 + min(i, j))
    assert not vector_offset(layout, (8, 8)).is_separable
    assert vector_within(layout, (8, 8), within).is_separable


# --- comparisons


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


def test_one_way_of_a_comparison_that_is_settled_takes_fewer_bits():
    layout = LayoutOf(lambda i, j: i << 40 if i < j else j)
    assert vector_within(layout, (9, 9), ((4, 8), (0, 3))).bits == 32


# --- what is kept, and what is large


def test_equal_layouts_over_equal_boxes_share_their_form():
    found = vector_offset(LayoutTiled(2, 11), (22, 22))
    assert vector_offset(LayoutTiled(2, 11), (22, 22)) is found
    assert vector_within(LayoutTiled(2, 11), (22, 22), ((0, 21), (0, 21))) is found
    assert vector_within(LayoutTiled(2, 11), (22, 22), ((0, 21), (0, 20))) is not found
    assert found.offset is vector_offset(LayoutTiled(2, 11), (22, 22)).offset


def test_a_layout_without_a_hash_has_the_form_of_the_moment():
    @final
    @dataclass
    class LayoutScaled(Layout):
        factors: list
        __hash__ = None

        def offset(self, extents, index):
            return index[0] * self.factors[0]

        def required_span_size(self, extents):
            return 1000

    layout = LayoutScaled([3])
    assert vector_offset(layout, (9,)).offset(5) == 15
    layout.factors[0] = 7
    assert vector_offset(layout, (9,)).offset(5) == 35


def hashed(i, j):
    for _ in range(300):
        i, j = (i ^ (i >> 1) ^ j) & 1023, (j * 5 + 1) % 1021
    return i


def nested(i, j):
    for k in range(300):
        i = (i * 3 + (j ^ k)) % 997
    return i


@pytest.mark.parametrize("function", [hashed, nested, lambda i, j: hashed(i, j) if i < j else nested(j, i)])
def test_arithmetic_of_many_rounds_is_computed_at_once_and_read_as_a_whole(function):
    layout, extents = LayoutOf(function), (20, 30)
    same(layout, extents)
    data = np.arange(10**6)
    view = MDView(data, extents, layout)
    expected = [[data[function(i, j)] for j in range(30)] for i in range(20)]
    assert view.tolist() == expected
    assert [[view[i, j] for j in range(30)] for i in range(20)] == expected


def test_what_is_no_number_on_a_way_has_no_form_and_is_read_all_the_same():
    layout = LayoutOf(lambda i, j: i << -1 if i > 1000 else (i ^ j) * 3)
    assert vector_offset(layout, (20, 30)) is None or same(layout, (20, 30))
    view = MDView(range(10**6), (20, 30), layout, ReadOnlyAccessor())
    assert view.tolist() == [[(i ^ j) * 3 for j in range(30)] for i in range(20)]
