"""The polymorphic view: what its errors say, and what the document's cases do not reach."""

import pytest

import mdview as md
from mdview import errors
from mdview.polymorphic import ViewType, combine_properties, flat_range, is_assignable, is_isomorphic, polymorphic_view


class Doubling(md.Accessor[int, int]):
    def load(self, data, offset):
        return 2 * data[offset]


def test_policies_wrap_those_that_come_after():
    combined = combine_properties(md.accessors.RestrictAccessor, None, "left", md.CheckedAccessor)
    assert combined.accessor == md.accessors.RestrictAccessor(md.CheckedAccessor())
    assert combined.layout == md.LayoutLeft()


def test_an_accessor_that_wraps_nothing_stands_for_itself():
    view = polymorphic_view([1, 2], (None,), 2, properties=(Doubling,))
    assert view.tolist() == [2, 4]


@pytest.mark.parametrize("layout", [md.LayoutStride(), md.LayoutStrideRelaxed((3, 1))], ids=repr)
@pytest.mark.parametrize("dims", [(None, None), (None, 3), (2, None)])
def test_a_strided_target_with_some_implicit_dimension_takes_every_regular_layout(layout, dims):
    target = ViewType("int", dims, layout=layout)
    for source in (None, md.LayoutLeft(), md.LayoutRightPadded(4), md.LayoutStrideRelaxed((-3, 0), 3)):
        assert is_assignable(target, ViewType("int", (2, 3), layout=source))
        assert is_assignable(target, ViewType("int", dims, layout=source))
        assert is_assignable(target, ViewType("int", (None, None), layout=source)) == (dims == (None, None))
        assert not is_assignable(target, ViewType("int", (4, 5), layout=source)) or dims == (None, None)
        assert not is_assignable(target, ViewType("int", (2, 3, 1), layout=source))
    assert not is_assignable(ViewType("int", (2, 3), layout=layout), ViewType("int", (2, 3)))
    assert not is_assignable(target, ViewType("int", (2, 3), layout="tiled(2, 2)"))


def test_flat_ranges_are_positions_in_the_data():
    view = md.MDView(list(range(12)), (3, 4))
    assert flat_range(view[1]) == range(4, 8)
    with pytest.raises(errors.NotStridedError):
        flat_range(view)


def test_size_equal_to_span_is_not_enough_for_a_flat_range():
    assert is_isomorphic(md.Mapping((2, md.dim(3))))
    assert not is_isomorphic(md.Mapping((3, 3), md.LayoutTiled(2, 2)))
