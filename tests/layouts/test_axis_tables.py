"""Axis tables add up to the offset of every index, and there are none where no such tables can be."""

from dataclasses import dataclass
from typing import final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import MAPPINGS, LayoutMortonLike, LayoutOf, LayoutSymmetric, all_indices, name_of

from mdview import (
    Layout,
    LayoutBlasPacked,
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutStrideRelaxed,
    LayoutSwizzled,
    LayoutTiled,
    LayoutTranspose,
    dim,
)
from mdview.layouts.axis_tables import TABLE_LIMIT, axis_tables


def check_tables(layout, extents):
    tables = axis_tables(layout, extents)
    assert [len(table) for table in tables] == [*extents]
    for index in all_indices(extents):
        assert sum(table[i] for table, i in zip(tables, index, strict=True)) == layout.offset(extents, index)


@pytest.mark.parametrize(
    "layout",
    [
        LayoutRight(),
        LayoutLeft(),
        LayoutStrideRelaxed((-7, 2), 50),
        LayoutTiled(2, 3),
        LayoutTiled(4, 4, inner=LayoutTiled(2, 2, inner=LayoutLeft())),
        LayoutTranspose(LayoutTiled(3, 2)),
        LayoutMorton(),
        LayoutMortonLike(),
        LayoutOf(lambda i, j: i * i - 3 * (j ^ 5) + 8),
        LayoutOf(lambda i, j: i if j < 1000 else i * j),
        LayoutOf(lambda i, j: (i + j) // 1000 + i),
        LayoutOf(lambda i, j: max(i, j - 1000)),
        LayoutOf(lambda i, j: 7),
    ],
    ids=name_of,
)
@pytest.mark.parametrize("extents", [(1, 1), (5, 9), (8, 8), (dim(3), 4)])
def test_the_entries_of_an_index_add_up_to_its_offset(layout, extents):
    check_tables(layout, extents)


@given(st.sampled_from(sorted(MAPPINGS)))
def test_tables_of_every_kind_of_layout_are_right_or_there_are_none(name):
    mapping = MAPPINGS[name]
    if axis_tables(mapping.layout, mapping.extents) is not None:
        check_tables(mapping.layout, mapping.extents)


@pytest.mark.parametrize(
    "layout",
    [
        LayoutBlasPacked("upper", "row"),
        LayoutSwizzled(LayoutRight(), 2, 0, 3),
        LayoutSymmetric(),
        LayoutOf(lambda i, j: i * j),
        LayoutOf(lambda i, j: (i + j) // 2),
        LayoutOf(lambda i, j: i | j),
        LayoutOf(lambda i, j: i if i > j else 2 * j),
        LayoutOf(lambda i, j: [0, 3, 1, 4, 1, 5, 9, 2][i] + 10 * j),
        LayoutOf(lambda i, j: i.bit_length() + j),
    ],
    ids=name_of,
)
def test_other_layouts_have_none(layout):
    assert axis_tables(layout, (8, 8)) is None


def test_a_layout_without_dimensions_or_indices_has_none():
    assert axis_tables(LayoutRight(), ()) is None
    assert axis_tables(LayoutRight(), (0, 4)) is None
    assert axis_tables(LayoutTiled(2, 2), (4, 0)) is None


def test_tables_have_a_bound():
    assert axis_tables(LayoutRight(), (TABLE_LIMIT,)) == ([*range(TABLE_LIMIT)],)
    assert axis_tables(LayoutRight(), (TABLE_LIMIT, 1)) is None
    assert axis_tables(LayoutTiled(4, 4), (TABLE_LIMIT - 8, 9)) is None


def test_equal_layouts_over_equal_extents_share_their_tables():
    found = axis_tables(LayoutTiled(2, 7), (14, 14))
    assert axis_tables(LayoutTiled(2, 7), (14, dim(14))) is found
    assert axis_tables(LayoutTiled(2, 7), (14, 15)) is not found
    assert axis_tables(LayoutBlasPacked("upper", "row"), (5, 5)) is axis_tables(LayoutSymmetric(), (5, 5)) is None


def test_a_layout_without_a_hash_has_tables_of_the_moment():
    @final
    @dataclass
    class LayoutScaled(Layout):
        factors: list
        __hash__ = None

        def offset(self, extents, index):
            return index[0] * self.factors[0]

        def required_span_size(self, extents):
            return 100

    layout = LayoutScaled([3])
    assert axis_tables(layout, (3,)) == ([0, 3, 6],)
    layout.factors[0] = 5
    assert axis_tables(layout, (3,)) == ([0, 5, 10],)
