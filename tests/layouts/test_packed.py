"""BLAS packed: one triangle is stored, its lines one after the other, and serves both halves of the matrix."""

import pickle
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import all_indices

from mdview import Mapping, MDView, dim, submapping
from mdview.errors import LayoutError, RankError
from mdview.expressions.nodes import Select
from mdview.expressions.tracing import trace
from mdview.layouts.linear import linear_over
from mdview.layouts.packed import LayoutBlasPacked

KINDS = [LayoutBlasPacked(*kind) for kind in product(("upper", "lower"), ("column", "row"))]


def stored(layout, n):
    """Indices of the stored triangle, in the order in which BLAS stores them."""
    lines = [(i, j) for i in range(n) for j in range(n)]
    if layout.order == "column":
        lines = [(i, j) for j, i in lines]
    return [(i, j) for i, j in lines if (i <= j if layout.triangle == "upper" else i >= j)]


def brute_force(layout, n):
    places = {index: offset for offset, index in enumerate(stored(layout, n))}
    return {(i, j): places[i, j] if (i, j) in places else places[j, i] for i, j in all_indices((n, n))}


@pytest.mark.parametrize("layout", KINDS, ids=repr)
@pytest.mark.parametrize("n", range(9))
def test_the_stored_triangle_is_counted_through_and_the_other_one_folds_onto_it(layout, n):
    mapping, expected = Mapping((n, n), layout), brute_force(layout, n)
    assert {index: mapping(*index) for index in all_indices((n, n))} == expected
    assert mapping.required_span_size == n * (n + 1) // 2
    assert mapping.is_unique == (n < 2)
    assert mapping.is_exhaustive
    assert mapping.is_always_exhaustive
    assert [index for index in expected if layout.is_stored(index)] == sorted(stored(layout, n))


@pytest.mark.parametrize("layout", KINDS, ids=repr)
def test_an_index_that_is_not_stored_has_a_mirror_that_is(layout):
    for i, j in all_indices((4, 4)):
        assert layout.is_stored((i, j)) or layout.is_stored((j, i))
        assert (layout.is_stored((i, j)) and layout.is_stored((j, i))) == (i == j)


@pytest.mark.parametrize("layout", KINDS, ids=repr)
@pytest.mark.parametrize("n", range(5))
def test_static_extents_tell_what_holds_for_all_of_their_kind(layout, n):
    static, dynamic = Mapping((dim(n), dim(n)), layout), Mapping((n, n), layout)
    for fact in ("unique", "exhaustive", "strided"):
        assert getattr(static, f"is_always_{fact}") == getattr(static, f"is_{fact}")
    assert Mapping((n, dim(n)), layout).is_always_unique == (n < 2)
    assert not dynamic.is_always_unique
    assert not dynamic.is_always_strided


@pytest.mark.parametrize("layout", KINDS, ids=repr)
def test_a_grid_of_indices_is_strided_exactly_where_its_offsets_are(layout):
    n = 6
    ranges = [(f, c, s) for f, c, s in product(range(n), range(1, n + 1), (-3, -1, 1, 2)) if 0 <= f + (c - 1) * s < n]
    for rows, columns in product(ranges, ranges):
        first, count, step = zip(rows, columns, strict=True)
        found = linear_over(layout, (n, n), list(zip(first, count, step, strict=True)))
        grid = {
            (a, b): layout.offset((n, n), (first[0] + a * step[0], first[1] + b * step[1]))
            for a, b in all_indices(count)
        }
        origin = grid[0, 0]
        down, right = grid.get((1, 0), origin) - origin, grid.get((0, 1), origin) - origin
        linear = all(offset == origin + a * down + b * right for (a, b), offset in grid.items())
        assert (found is not None) == linear
        if found is not None:
            assert all(offset == found[0] + a * found[1][0] + b * found[1][1] for (a, b), offset in grid.items())


def test_a_stored_line_is_strided_and_a_crossed_one_is_composed():
    mapping = Mapping((5, 5), LayoutBlasPacked("upper", "column"))
    line, offset = submapping(mapping, (0, 4), 3)
    assert repr(line) == "Mapping((4,), LayoutRight())"
    assert offset == 6
    assert submapping(mapping, 1, (0, 5))[0].layout.base == mapping.layout


@given(st.sampled_from(KINDS), st.data())
def test_large_matrices_fold_as_well(layout, data):
    n = data.draw(st.integers(1, 3_000_000_000))
    i, j = data.draw(st.tuples(*[st.integers(0, n - 1)] * 2))
    low, high = min(i, j), max(i, j)
    grows = low + high * (high + 1) // 2
    expected = grows if layout in {KINDS[0], KINDS[3]} else high + n * low - low * (low + 1) // 2
    assert Mapping((n, n), layout)(i, j) == expected


@pytest.mark.parametrize("layout", KINDS, ids=repr)
def test_the_offset_is_arithmetic_that_an_engine_can_trace(layout):
    root = trace(layout, (None, None)).root
    assert root is not None
    assert not isinstance(root, Select)
    view = MDView.from_mapping(list(range(10)), Mapping((4, 4), layout))
    assert [view[index] for index in all_indices((4, 4))] == list(brute_force(layout, 4).values())


def test_storing_an_element_stores_its_mirror():
    view = MDView([0] * 6, (3, 3), LayoutBlasPacked("lower", "row"))
    view[0, 2] = 7
    assert view[2, 0] == 7
    assert view.tolist() == [[0, 0, 7], [0, 0, 0], [7, 0, 0]]


def test_a_layout_travels():
    for layout in KINDS:
        again = pickle.loads(pickle.dumps(layout))  # noqa: S301 - of our own making
        assert again == layout
        assert hash(again) == hash(layout)
    assert repr(KINDS[0]) == "LayoutBlasPacked(triangle='upper', order='column')"


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: LayoutBlasPacked("middle", "row"), LayoutError, "triangle of .* is 'upper' or 'lower', got 'middle'"),
        (lambda: LayoutBlasPacked("upper", "right"), LayoutError, "order of .* is 'column' or 'row', got 'right'"),
        (lambda: Mapping((3,), KINDS[0]), RankError, "LayoutBlasPacked needs rank 2, got rank 1"),
        (
            lambda: Mapping((3, 4), KINDS[0]),
            LayoutError,
            r"needs a square matrix, got extents \(3, 4\); make a subview",
        ),
    ],
)
def test_what_is_no_packed_matrix_says_why(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize("layout", KINDS)
def test_the_span_of_a_large_part_takes_no_look_at_each_element(layout):
    part, _ = submapping(Mapping((2**20, 2**20), layout), (0, 2**19), (0, 2**19))
    assert part.required_span_size == 1 + part(2**19 - 1, 2**19 - 1)
