"""Morton: the bits of the indices interleaved, plain and compact, over any extents."""

import pickle
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import all_indices

from mdview import Mapping, MDView, ReadOnlyAccessor, dim, submapping
from mdview.engines.axis_tables import TABLE_LIMIT, offset_tables
from mdview.errors import LayoutError
from mdview.expressions.separability import is_separable
from mdview.expressions.tracing import trace
from mdview.layouts.linear import linear_over
from mdview.layouts.morton import LayoutMorton

KINDS = [LayoutMorton(compact=c, fastest=f) for c, f in product((False, True), ("last", "first"))]
EXTENTS = st.lists(st.integers(0, 9), max_size=3).map(tuple)


def brute_force(layout, extents, index):
    """Offset written as a string of bits, the highest first."""
    order = range(len(extents)) if layout.fastest == "first" else reversed(range(len(extents)))
    order = list(order)
    bits = [max(e - 1, 0).bit_length() for e in extents]
    text = ""
    for level in range(max(bits, default=0)):
        for r in order:
            if level < bits[r] or not layout.compact:
                text = str(index[r] >> level & 1) + text
    return int(text or "0", 2)


@given(st.sampled_from(KINDS), EXTENTS)
def test_the_offset_is_the_indices_bit_by_bit(layout, extents):
    mapping = Mapping(extents, layout)
    image = [mapping(*index) for index in all_indices(extents)]
    assert image == [brute_force(layout, extents, index) for index in all_indices(extents)]
    assert mapping.required_span_size == max(image, default=-1) + 1
    assert len(set(image)) == len(image)
    assert mapping.is_unique
    assert mapping.is_always_unique
    assert mapping.is_exhaustive == (len(image) == mapping.required_span_size)


@given(st.sampled_from(KINDS), EXTENTS)
def test_strides_are_found_exactly_where_there_are_any(layout, extents):
    mapping = Mapping(extents, layout)
    if 0 in extents:
        assert mapping.is_strided
        return
    rank = len(extents)
    units = [tuple([int(k == r) for k in range(rank)]) for r in range(rank)]
    strides = [layout.offset(extents, u) if e > 1 else 0 for u, e in zip(units, extents, strict=True)]
    linear = all(
        mapping(*index) == sum(i * s for i, s in zip(index, strides, strict=True)) for index in all_indices(extents)
    )
    assert mapping.is_strided == linear
    if linear:
        assert [s for s, e in zip(mapping.strides, extents, strict=True) if e > 1] == [s for s in strides if s]


@given(st.sampled_from(KINDS), EXTENTS)
def test_static_extents_tell_what_holds_for_all_of_their_kind(layout, extents):
    static, dynamic = Mapping(tuple(map(dim, extents)), layout), Mapping(extents, layout)
    for fact in ("unique", "exhaustive", "strided"):
        assert getattr(static, f"is_always_{fact}") == getattr(static, f"is_{fact}")
    assert dynamic.is_always_exhaustive == dynamic.is_always_strided == (len(extents) <= 1)


@pytest.mark.parametrize("layout", KINDS, ids=repr)
@pytest.mark.parametrize("extents", [(16, 3), (2, 16), (16, 2), (4, 9)])
def test_a_grid_of_indices_is_strided_exactly_where_its_offsets_are(layout, extents):
    for r, extent in enumerate(extents):
        steps = (-5, -3, -2, -1, 1, 2, 3, 4, 5, 6, 8)
        for first, count, step in product(range(extent), range(1, extent + 1), steps):
            if not 0 <= first + (count - 1) * step < extent:
                continue
            points = [tuple([first + k * step if d == r else 1 for d in range(2)]) for k in range(count)]
            offsets = [layout.offset(extents, point) for point in points]
            counts, by = ([count if d == r else 1 for d in range(2)], [step if d == r else 1 for d in range(2)])
            found = linear_over(layout, extents, list(zip(points[0], counts, by, strict=True)))
            linear = len({b - a for a, b in pairwise(offsets)}) <= 1
            assert (found is not None) == linear
            if found is not None:
                assert offsets == [found[0] + k * found[1][r] for k in range(count)]


def test_an_aligned_block_of_a_line_is_strided():
    mapping = Mapping((2, 64), LayoutMorton(compact=True))
    line, offset = submapping(mapping, 1, slice(0, 64, 2))
    assert repr(line) == "Mapping((32,), LayoutStride((4,)))"
    assert offset == mapping(1, 0)


@pytest.mark.parametrize("layout", KINDS, ids=repr)
@pytest.mark.parametrize("extents", [(5, 9), (4, 1, 7), (dim(3), 8)])
def test_the_offset_is_a_sum_over_the_dimensions_so_views_use_tables(layout, extents):
    assert is_separable(trace(layout, extents).root)
    mapping = Mapping(extents, layout)
    assert offset_tables(mapping) is not None
    view = MDView.from_mapping(range(mapping.required_span_size), mapping, ReadOnlyAccessor())
    assert [view[index] for index in all_indices(extents)] == list(mapping.offsets())


@given(st.sampled_from(KINDS), st.data())
def test_views_too_large_for_tables_compute_the_same(layout, data):
    mapping = Mapping((3, TABLE_LIMIT), layout)
    view = MDView.from_mapping(range(mapping.required_span_size), mapping, ReadOnlyAccessor())
    i, j = data.draw(st.integers(0, 2)), data.draw(st.integers(0, TABLE_LIMIT - 1))
    assert view[i, j] == mapping(i, j) == brute_force(layout, mapping.extents, (i, j))


def test_a_layout_shows_what_makes_it_and_travels():
    for layout in KINDS:
        assert eval(repr(layout)) == layout  # noqa: S307 - of our own making
        assert pickle.loads(pickle.dumps(layout)) == layout  # noqa: S301 - of our own making
    assert repr(LayoutMorton()) == "LayoutMorton(compact=False, fastest='last')"
    assert LayoutMorton().is_monotone()


def test_offsets_beyond_all_memory_are_refused():
    with pytest.raises(
        LayoutError, match=r"spans \d+ elements, more than 2\*\*63 - 1; use LayoutMorton\(compact=True\)"
    ):
        Mapping((2**50, 2), LayoutMorton())
    assert Mapping((2**50, 2), LayoutMorton(compact=True)).required_span_size == 2**51
    with pytest.raises(LayoutError, match=r"more than 2\*\*63 - 1$"):
        Mapping((2**61 + 1, 3), LayoutMorton(compact=True))


def test_the_fastest_dimension_is_the_first_or_the_last():
    with pytest.raises(LayoutError, match="the fastest dimension of LayoutMorton is 'first' or 'last', got 0"):
        LayoutMorton(fastest=0)


@pytest.mark.parametrize("layout", KINDS)
def test_the_longest_row_is_allowed(layout):
    assert Mapping((2**63 - 1,), layout)(2**63 - 2) == 2**63 - 2
