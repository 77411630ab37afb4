"""What the strategies draw is valid, of every kind, and agrees with NumPy."""

import numpy as np
from hypothesis import find, given
from hypothesis import strategies as st

from mdview import LayoutBlasPacked, LayoutSwizzled, MDView, subview
from mdview.testing import strategies


@given(strategies.extents(3, 4).flatmap(lambda shape: st.tuples(st.just(shape), strategies.layouts(shape))))
def test_layouts_can_be_bound_to_the_extents_they_are_drawn_for(drawn):
    shape, layout = drawn
    layout.check(shape)
    assert all(layout.offset(shape, index) >= 0 for index in np.ndindex(*shape))


@given(st.data())
def test_slices_fit_the_shape_they_are_drawn_for(data):
    view = data.draw(strategies.views(3, 4))
    slices = data.draw(strategies.slices(tuple(view.extents)))
    part = subview(view, *slices)
    whole = np.array(view.tolist(), dtype=float).reshape(view.shape)
    places = [np.arange(e)[_as_range(s)] for e, s in zip(view.extents, slices, strict=True)]
    expected = whole[np.ix_(*map(np.atleast_1d, places))] if places else whole
    assert np.array_equal(np.ravel(_elements(part)), expected.ravel())


def _as_range(spec):
    if isinstance(spec, int):
        return spec
    return slice(None) if not hasattr(spec, "stride") else [spec.offset + k * spec.stride for k in range(spec.extent)]


def _elements(part):
    return np.array(part.tolist() if isinstance(part, MDView) and part.rank else part[()], dtype=float)


@given(st.data())
def test_a_chain_of_operations_keeps_elements_of_the_view(data):
    view = data.draw(strategies.views(3, 3))
    result = view
    for operation in data.draw(strategies.operation_chains(tuple(view.extents))):
        result = operation(result)
    assert set(np.ravel(np.asarray(result))) <= set(np.ravel(np.asarray(view)))


def test_layouts_of_rare_kinds_are_drawn():
    for kind in (LayoutSwizzled, LayoutBlasPacked):
        find(strategies.layouts((2, 2)), lambda layout, kind=kind: isinstance(layout, kind))
