"""A layout's arithmetic on arrays of indices: the numbers of the layout, or no vectorised form at all."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any, final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import MAPPINGS, LayoutMortonLike, LayoutSymmetric, all_indices

from mdview import IndexTransform, Layout, LayoutComposed, LayoutRight, LayoutTiled
from mdview.engines.bulk.vector_offsets import vector_offset, vector_within


@final
@dataclass(frozen=True)
class LayoutOf(Layout):
    """Whatever arithmetic a test asks for."""

    arithmetic: Callable[[Any, Any], Any]

    def offset(self, extents, index):
        return self.arithmetic(*index)

    def required_span_size(self, extents):
        return 10**6


@pytest.mark.parametrize("name", MAPPINGS)
def test_the_vectorised_form_is_the_layout(name):
    mapping = MAPPINGS[name]
    found = vector_offset(mapping.layout, mapping.extents)
    if found is None:
        assert not mapping.size or isinstance(getattr(mapping.layout, "base", mapping.layout), LayoutSymmetric)
        return
    grid = np.meshgrid(*[np.arange(e) for e in mapping.extents], indexing="ij")
    offsets = np.broadcast_to(found.offset(*grid), mapping.extents)
    assert offsets.ravel().tolist() == [mapping(*index) for index in all_indices(mapping.extents)]
    assert found.low <= offsets.min()
    assert offsets.max() <= found.high


def test_interleaved_bits_are_a_sum_of_terms_in_one_index():
    assert vector_offset(LayoutMortonLike(), (8, 8)).is_separable
    assert not vector_offset(LayoutOf(lambda i, j: i | j), (8, 8)).is_separable
    assert not vector_offset(LayoutOf(lambda i, j: (i ^ j) + i), (8, 8)).is_separable


@pytest.mark.parametrize(
    ("arithmetic", "bits"),
    [
        (lambda i, j: i * 4 + j, 32),
        (lambda i, j: i * 2**30 + j, 64),
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
