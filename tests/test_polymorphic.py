"""The polymorphic view: what its errors say, and what the document's cases do not reach."""

import pytest

from mdview import (
    Accessor,
    AtomicAccessor,
    AtomicRef,
    CheckedAccessor,
    DefaultAccessor,
    LayoutLeft,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    RestrictAccessor,
    UncheckedAccessor,
    dim,
    errors,
)
from mdview.polymorphic import (
    ViewType,
    combine_properties,
    dimension,
    fill_dimensions,
    flat_range,
    has_iterators,
    implicit_dimensions,
    is_assignable,
    is_isomorphic,
    polymorphic_view,
)


class Doubling(Accessor[int, int]):
    def load(self, data, offset):
        return 2 * data[offset]


def test_implicit_dimensions_are_filled_in_order_and_explicit_ones_are_static():
    assert Mapping(fill_dimensions((None, 3, None), 4, 5)).static_extents == (None, 3, None)
    assert fill_dimensions((None, 3, None), 4, 5) == (4, 3, 5)


def test_an_explicit_extent_of_zero_is_static():
    assert Mapping(fill_dimensions((0, None), 4)).static_extents == (0, None)


def test_surplus_extents_are_refused():
    with pytest.raises(errors.RankError, match=r"1 implicit dimension takes at most 1 extent, got 2: \(4, 3\)"):
        fill_dimensions((None, 3), 4, 3)


def test_dimension_reads_zero_as_implicit():
    assert dimension(0, 0, 3) == (*implicit_dimensions(2), 3)


def test_policies_wrap_those_that_come_after():
    combined = combine_properties(RestrictAccessor, None, LayoutLeft(), CheckedAccessor)
    assert combined.accessor == RestrictAccessor(CheckedAccessor())
    assert combined.layout == LayoutLeft()


def test_no_properties_are_default_access_and_no_layout():
    assert combine_properties() == combine_properties(None, None)
    assert combine_properties().accessor == DefaultAccessor()
    assert combine_properties().layout is None


def test_an_accessor_that_wraps_nothing_stands_for_itself():
    view = polymorphic_view([1, 2], (None,), 2, properties=(Doubling,))
    assert view.tolist() == [2, 4]


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ((LayoutRight(), LayoutLeft()), "a view has one layout, got 2"),
        ((CheckedAccessor, UncheckedAccessor), "a view has one index rule, got 2"),
        (("atomic",), "a property is a layout, the class of an accessor, or None; got 'atomic'"),
    ],
)
def test_properties_that_contradict_are_refused(properties, message):
    with pytest.raises(errors.PropertyError, match=message):
        combine_properties(*properties)


def test_an_atomic_view_gives_proxies_and_has_no_iterators():
    view = polymorphic_view([1, 2], (None,), 2, properties=(AtomicAccessor,))
    assert isinstance(view[0], AtomicRef)
    assert not has_iterators(view)


def test_a_null_view_has_no_data():
    assert polymorphic_view(None, (None, 3)).data is None


def test_assignment_adds_policies_and_never_removes_them():
    plain, safe = ViewType("int", (None,)), ViewType("int", (None,), policies=frozenset({"bounds_checking"}))
    assert is_assignable(safe, plain)
    assert not is_assignable(plain, safe)


@pytest.mark.parametrize("layout", [LayoutStride(), LayoutStrideRelaxed((3, 1))], ids=repr)
@pytest.mark.parametrize("dims", [(None, None), (None, 3), (2, None)])
def test_a_strided_target_with_some_implicit_dimension_takes_every_regular_layout(layout, dims):
    target = ViewType("int", dims, layout=layout)
    for source in (None, LayoutLeft(), LayoutRightPadded(4), LayoutStrideRelaxed((-3, 0), 3)):
        assert is_assignable(target, ViewType("int", (2, 3), layout=source))
        assert is_assignable(target, ViewType("int", dims, layout=source))
        assert is_assignable(target, ViewType("int", (None, None), layout=source)) == (dims == (None, None))
        assert not is_assignable(target, ViewType("int", (4, 5), layout=source)) or dims == (None, None)
        assert not is_assignable(target, ViewType("int", (2, 3, 1), layout=source))
    assert not is_assignable(target, ViewType("int", (2, 3), layout=LayoutTiled(2, 2)))
    assert not is_assignable(ViewType("int", (2, 3), layout=layout), ViewType("int", (2, 3)))


def test_an_irregular_layout_is_not_assignable_to_a_strided_one():
    tiled = ViewType("int", (None, None), layout=LayoutTiled(2, 2))
    assert not is_assignable(ViewType("int", (None, None), layout=LayoutLeft()), tiled)


def test_flat_ranges_are_positions_in_the_data():
    view = MDView(list(range(12)), (3, 4))
    assert flat_range(view[1]) == range(4, 8)
    with pytest.raises(errors.NotStridedError, match="begin and end need rank 1"):
        flat_range(view)


def test_size_equal_to_span_is_not_enough_for_a_flat_range():
    assert is_isomorphic(Mapping((2, dim(3))))
    assert not is_isomorphic(Mapping((3, 3), LayoutTiled(2, 2)))
