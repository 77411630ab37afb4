"""Walks over one view: elements, indices, runs, and all as one run, in the order of indices and of memory."""

import itertools

import pytest
from brute_force import SHARE, dimensions, every, mapping_of, offsets
from hypothesis import given, settings
from samples import MAPPINGS, CountingAccessor

from mdview import (
    FillAccessor,
    LayoutLeft,
    LayoutRight,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    MultiIndex,
    ViewIndex,
    atomic,
    broadcast_to,
    elements,
    errors,
    flat,
    flip,
    indices,
    is_dense,
    pad,
    permute_dims,
    readonly,
    runs,
    shrink,
)


def on_numbers(mapping, before=0, accessor=None):
    """View whose element is its position in the data, some way into the data."""
    data = list(range(before + mapping.required_span_size))
    return MDView.from_mapping(data, mapping, *([] if accessor is None else [accessor]), origin=before)


def check(mapping, expected):
    """Compare every walk over a mapping with the offsets of its indices in index order."""
    view, every_index = on_numbers(mapping, before=3), every(mapping.extents)
    places = sorted(zip(expected, every_index, strict=True))
    assert list(elements(view)) == [3 + offset for offset in expected]
    assert list(elements(view, order="memory")) == [3 + offset for offset, _ in places]
    assert list(indices(view)) == list(indices(mapping)) == every_index
    assert list(indices(view, order="memory")) == [index for _, index in places]
    found = [run.tolist() for run in runs(view)]
    assert [element for run in found for element in run] == [3 + offset for offset in expected]
    assert all(a[-1] + 1 != b[0] for a, b in itertools.pairwise(found))
    found = [run.tolist() for run in runs(view, order="memory")]
    assert [element for run in found for element in run] == sorted({3 + offset for offset in expected})
    assert all(a[-1] + 1 < b[0] for a, b in itertools.pairwise(found))


@settings(max_examples=3 * SHARE // 4)
@given(dimensions(1))
def test_strided_views_are_walked_in_both_orders(dims):
    mapping = mapping_of(dims)
    check(mapping, offsets(mapping))


@pytest.mark.parametrize("mapping", MAPPINGS.values(), ids=MAPPINGS)
def test_views_of_any_layout_are_walked_in_both_orders(mapping):
    check(mapping, [mapping(*index) for index in every(mapping.extents)])


@pytest.mark.parametrize("mapping", MAPPINGS.values(), ids=MAPPINGS)
def test_a_flat_range_is_all_elements_in_memory_order_or_an_error(mapping):
    view = on_numbers(mapping, before=2)
    if is_dense(mapping):
        run = flat(view)
        assert run.layout == LayoutRight()
        assert run.tolist() == list(elements(view, order="memory"))
    else:
        with pytest.raises(errors.NotContiguousError, match="is not one run of memory in memory order; walk its runs"):
            flat(view)


def test_a_flat_range_of_no_elements_begins_where_its_view_does():
    for layout in (LayoutLeft(), LayoutTiled(2, 2)):
        found = flat(MDView([1, 2], (0, 3), layout))
        assert (found.origin, found.shape) == (0, (0,))


def test_a_flat_range_in_index_order_asks_for_more():
    left = on_numbers(Mapping((2, 3), LayoutLeft()))
    assert flat(permute_dims(left, (1, 0)), order="index").tolist() == list(range(6))
    for view in (left, flip(on_numbers(Mapping((4,))))):
        assert flat(view).tolist() == list(range(view.size))
        with pytest.raises(errors.NotContiguousError, match="in index order"):
            flat(view, order="index")


def test_a_flat_range_is_the_memory_itself_so_it_stores_and_is_refused_where_access_is_more():
    data = [1, 2, 3, 4]
    view = MDView(data, (2, 2), LayoutLeft())
    flat(view)[1] = 20
    assert data == [1, 20, 3, 4]
    assert flat(readonly(view)).tolist() == data
    with pytest.raises(errors.ReadOnlyError):
        flat(readonly(view))[0] = 1
    for accessor in (atomic(view), MDView.from_mapping([1.0], Mapping((1,)), CountingAccessor())):
        with pytest.raises(errors.NotContiguousError, match=r"not as .*Accessor.* gives them"):
            flat(accessor)


def test_elements_are_what_a_load_gives():
    view = atomic(MDView([1, 2, 3, 4], (2, 2), LayoutLeft()))
    for order in ("index", "memory"):
        for element in elements(view, order=order):
            element += 10  # noqa: PLW2901 - a proxy adds to its element
    assert view.data == [21, 22, 23, 24]
    counted = MDView.from_mapping([1.0, 2.0], Mapping((2,), LayoutStrideRelaxed((-1,), 1)), CountingAccessor())
    assert (list(elements(counted)), list(elements(counted, order="memory"))) == ([-2.0, -1.0], [-1.0, -2.0])
    assert counted.accessor.loads == [1, 0, 0, 1]


def test_a_halo_is_walked_in_index_order_and_has_no_memory():
    view = pad(MDView([1, 2, 3, 4], (2, 2)), 1, constant=9)
    assert isinstance(view.accessor, FillAccessor)
    assert list(elements(view)) == [9] * 5 + [1, 2, 9, 9, 3, 4] + [9] * 5
    assert list(indices(view)) == every((4, 4))
    assert list(elements(view, order="memory")) == [1, 2, 3, 4]
    assert list(indices(view, order="memory")) == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert [run.tolist() for run in runs(view, order="memory")] == [[1, 2, 3, 4]]
    assert [run.tolist() for run in runs(view)] == [[1, 2], [3, 4]]
    with pytest.raises(errors.NotContiguousError):
        flat(view, order="index")
    assert flat(shrink(view, view.valid_box)).tolist() == [1, 2, 3, 4]


def test_the_null_view_has_no_elements_to_walk_over():
    null = MDView.null((2, 3))
    for walk in (elements, runs, flat):
        for order in ("index", "memory"):
            with pytest.raises(errors.NullViewError, match="the null view has no elements to walk over"):
                walk(null, order=order)
    assert list(indices(null)) == list(indices(null, order="memory")) == []


@pytest.mark.parametrize("walk", [elements, indices, runs, flat])
def test_an_unknown_order_is_refused_at_once(walk):
    with pytest.raises(errors.LayoutError, match="the order of a walk is 'index' or 'memory', got 'C'"):
        walk(MDView([1], (1,)), order="C")


def test_repeated_elements_are_in_one_run_of_memory_and_walked_each_time():
    view = broadcast_to(MDView([1, 2, 3], (3,)), (2, 3))
    assert [run.tolist() for run in runs(view)] == [[1, 2, 3], [1, 2, 3]]
    assert [run.tolist() for run in runs(view, order="memory")] == [[1, 2, 3]]
    assert list(elements(view, order="memory")) == [1, 1, 2, 2, 3, 3]


def test_runs_store_into_the_data_of_the_view():
    data = list(range(16))
    for run in runs(MDView(data, (4, 4), LayoutTiled(2, 2)), order="memory"):
        run[0] = -1
    for run in runs(MDView(data, (2, 3), LayoutTiled(2, 2))):
        run[0] = -2
    assert data == [-2, 1, -2, 3, -2, 5, -2, *range(7, 16)]


def test_long_dimensions_are_not_kept_in_memory():
    mapping = Mapping((10**12, 2), LayoutLeft())
    assert next(indices(mapping)) == next(indices(mapping, order="memory")) == (0, 0)
    assert next(mapping.offsets()) == next(iter(ViewIndex(mapping))) == 0
    assert next(iter(MultiIndex(mapping, Mapping((2,))))) == (0, 0)
    assert next(MultiIndex(mapping).chunks()) == ((0,), 2)


@pytest.mark.parametrize("order", ["index", "memory"])
def test_padding_is_no_part_of_one_run(order):
    view = pad(MDView(list(range(8)), (8,))[1:4], 1)
    with pytest.raises(errors.NotContiguousError):
        flat(view, order=order)
    assert flat(view[1:4], order=order).tolist() == [1, 2, 3]
