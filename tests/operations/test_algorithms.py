"""copy, fill and equal, whatever the layouts and accessors."""

from array import array

import pytest
from samples import MAPPINGS, all_indices

from mdview import (
    AtomicAccessor,
    LayoutLeft,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    ScaledAccessor,
    copy,
    equal,
    fill,
    readonly,
)
from mdview.errors import NullViewError, ReadOnlyError, ShapeError


def counting(mapping):
    """View whose elements are 1, 2, 3 ... in index order as far as the mapping is unique; and its data."""
    data = array("d", [0.0] * (mapping.required_span_size + 2))
    for k, offset in enumerate(mapping.offsets(), 1):
        data[offset + 1] = k
    return MDView.from_mapping(data, mapping, origin=1), data


@pytest.mark.parametrize("name", MAPPINGS)
def test_a_copy_into_any_layout_is_equal_and_touches_nothing_else(name):
    mapping = MAPPINGS[name]
    source = MDView([1000.0 + k for k in range(mapping.size)], mapping.extents, LayoutLeft())
    target, data = counting(mapping)
    before = data[:]
    copy(source, target)
    assert equal(source, target) == mapping.is_unique
    reached = {1 + offset for offset in mapping.offsets()}
    assert [k for k in range(len(data)) if data[k] != before[k]] == sorted(reached)
    if mapping.is_unique:
        assert [data[1 + mapping(*i)] for i in all_indices(mapping.extents)] == [
            source[i] for i in all_indices(mapping.extents)
        ]


@pytest.mark.parametrize("name", MAPPINGS)
def test_a_copy_out_of_any_layout_is_equal(name):
    source, _ = counting(MAPPINGS[name])
    target = MDView([0.0] * source.size, source.extents)
    copy(source, target)
    assert equal(source, target)
    assert target.tolist() == source.tolist()


@pytest.mark.parametrize("name", MAPPINGS)
def test_filling_reaches_the_elements_and_nothing_else(name):
    view, data = counting(MAPPINGS[name])
    before = data[:]
    fill(view, -3.0)
    reached = {1 + offset for offset in view.mapping.offsets()}
    assert list(data) == [-3.0 if k in reached else before[k] for k in range(len(data))]


def test_source_and_target_may_overlap():
    data = array("q", range(9))
    whole = MDView(data, (9,))
    copy(whole[:-1], whole[1:])
    assert data.tolist() == [0, 0, 1, 2, 3, 4, 5, 6, 7]
    copy(whole[::-1], whole)
    assert data.tolist() == [7, 6, 5, 4, 3, 2, 1, 0, 0]


def test_a_copy_goes_through_both_accessors():
    source = MDView([1, 2], (2,), accessor=ScaledAccessor(3))
    target = MDView(array("q", [0, 0]), (2,), accessor=AtomicAccessor())
    copy(source, target)
    assert target.tolist() == [3, 6]


def test_views_are_equal_when_extents_and_elements_are():
    first = MDView(list(range(6)), (2, 3))
    assert equal(first, MDView([0.0, 3.0, 1.0, 4.0, 2.0, 5.0], (2, 3), LayoutLeft()))
    assert not equal(first, MDView(list(range(6)), (3, 2)))
    assert not equal(first, MDView([0, 1, 2, 3, 4, 6], (2, 3)))
    assert equal(MDView([], (0, 3)), MDView([1], (0, 3)))
    assert not equal(MDView([float("nan")], (1,)), MDView([float("nan")], (1,)))


@pytest.mark.parametrize("act", [lambda view: fill(view, 1), lambda view: copy(MDView([1, 2], (2,)), view)])
def test_what_is_read_only_is_refused_with_its_accessor(act):
    with pytest.raises(
        ReadOnlyError, match=r"the target is read-only: its accessor ReadOnlyAccessor\(.*\) has no store"
    ):
        act(readonly(MDView([1, 2], (2,))))


def test_shapes_must_agree():
    with pytest.raises(ShapeError, match=r"cannot store shape \(2,\) into shape \(3,\): they must agree"):
        copy(MDView([1, 2], (2,)), MDView([1, 2, 3], (3,)))


def test_a_value_that_does_not_fit_leaves_everything_as_it_was():
    data = array("b", [1, 2, 3])
    with pytest.raises(ValueError, match="items of format 'b' take integers from -128 to 127"):
        copy(MDView([5, 6, 700], (3,)), MDView(data, (3,), LayoutStrideRelaxed((-1,), 2)))
    assert data.tolist() == [1, 2, 3]


def test_the_null_view_has_nothing_to_copy_fill_or_compare():
    null, view = MDView(None, (2,)), MDView([], (0,))
    for act in (lambda: fill(null, 1), lambda: copy(null, view), lambda: equal(view, null)):
        with pytest.raises(NullViewError, match="null view"):
            act()


def test_a_tiled_view_is_filled_through_a_slice():
    view = MDView([0] * Mapping((4, 4), LayoutTiled(2, 2)).required_span_size, (4, 4), LayoutTiled(2, 2))
    fill(view[1:3, ::2], 1)
    assert view.tolist() == [[0] * 4, [1, 0, 1, 0], [1, 0, 1, 0], [0] * 4]
