"""What the strategies draw is valid, of every kind, and agrees with NumPy."""

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

import mdview as md
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
    part = md.subview(view, *slices)
    whole = np.array(view.tolist(), dtype=float).reshape(view.shape)
    places = [np.arange(e)[_as_range(s)] for e, s in zip(view.extents, slices, strict=True)]
    expected = whole[np.ix_(*map(np.atleast_1d, places))] if places else whole
    assert np.array_equal(np.ravel(_elements(part)), expected.ravel())


def _as_range(spec):
    if isinstance(spec, int):
        return spec
    return slice(None) if not hasattr(spec, "stride") else [spec.offset + k * spec.stride for k in range(spec.extent)]


def _elements(part):
    return np.array(part.tolist() if isinstance(part, md.MDView) and part.rank else part[()], dtype=float)


@given(st.data())
def test_a_chain_of_operations_keeps_elements_of_the_view(data):
    view = data.draw(strategies.views(3, 3))
    result = view
    for operation in data.draw(strategies.operation_chains(tuple(view.extents))):
        result = operation(result)
    assert set(np.ravel(np.asarray(result))) <= set(np.ravel(np.asarray(view)))


# --- nothing is left out: each kind of thing is drawn --------------------------------------------------

SEARCH = settings(max_examples=5000, database=None, derandomize=True, phases=[Phase.generate])
MOST_OFFSETS = 3


def drawn(strategy, condition, search=SEARCH):
    """Return what is drawn with this property; `find` raises where nothing is."""
    return find(strategy, condition, settings=search)


def assert_drawn(strategy, kinds):
    """Something of each kind is drawn, in one search for all."""
    missing = dict(kinds)

    def note(one):
        for name in [name for name, is_one in missing.items() if is_one(one)]:
            del missing[name]
        return not missing

    find(strategy, note, settings=SEARCH)


LAYOUTS = {
    "right": lambda one: one == md.LayoutRight(),
    "left": lambda one: one == md.LayoutLeft(),
    "nested strides out of order": lambda one: isinstance(one, md.LayoutStride) and one.given[0] < one.given[1],
    "nested strides in order": lambda one: isinstance(one, md.LayoutStride) and one.given[0] > one.given[1],
    "nested strides with gaps": lambda one: isinstance(one, md.LayoutStride) and min(one.given) == MOST_OFFSETS,
    "strides backwards": lambda one: isinstance(one, md.LayoutStrideRelaxed) and max(one.given) == -MOST_OFFSETS,
    "strides of 0": lambda one: isinstance(one, md.LayoutStrideRelaxed) and one.given == (0, 0),
    "strides that begin later": lambda one: (
        isinstance(one, md.LayoutStrideRelaxed) and one.given > (0, 0) and one.first == 2
    ),
    "right padded": lambda one: one == md.LayoutRightPadded(4),
    "left padded": lambda one: one == md.LayoutLeftPadded(4),
    "tiled, left outside": lambda one: _is_tiled(one, md.LayoutLeft(), md.LayoutRight()),
    "tiled, left inside": lambda one: _is_tiled(one, md.LayoutRight(), md.LayoutLeft()),
    "large tiles": lambda one: isinstance(one, md.LayoutTiled) and one.tile == (3, 3),
    "Morton": lambda one: isinstance(one, md.LayoutMorton) and not one.compact,
    "compact Morton": lambda one: isinstance(one, md.LayoutMorton) and one.compact,
    "transposed": lambda one: isinstance(one, md.layouts.LayoutTranspose) and isinstance(one.nested, md.LayoutTiled),
    "packed, upper": lambda one: isinstance(one, md.LayoutBlasPacked) and one.triangle == "upper",
    "packed, lower": lambda one: isinstance(one, md.LayoutBlasPacked) and one.triangle == "lower",
    "swizzled by a bit": lambda one: (
        isinstance(one, md.LayoutSwizzled) and (one.bits, one.base, one.shift) == (1, 0, 2)
    ),
    "swizzled by two": lambda one: isinstance(one, md.LayoutSwizzled) and (one.bits, one.base, one.shift) == (2, 0, 3),
}


def _is_tiled(one, outer, inner):
    return isinstance(one, md.LayoutTiled) and (one.outer, one.inner) == (outer, inner)


def test_layouts_of_each_kind_are_drawn():
    assert_drawn(strategies.layouts((2, 2)), LAYOUTS)


EXTENTS = {
    "no dimension": lambda shape: shape == (),
    "as many as may be": lambda shape: len(shape) == 3,
    "as long as may be": lambda shape: 4 in shape,
    "no index": lambda shape: 0 in shape,
    "static": lambda shape: any(isinstance(e, md.Dim) for e in shape),
    "dynamic": lambda shape: any(not isinstance(e, md.Dim) for e in shape),
    "both": lambda shape: {type(e) for e in shape} == {int, md.Dim},
}


def test_extents_of_each_kind_are_drawn():
    assert_drawn(strategies.extents(3, 4), EXTENTS)


@given(strategies.extents(3, 4), strategies.extents(3, 4, min_rank=2, min_extent=1))
def test_extents_keep_to_the_limits_that_are_asked_for(any_rank, limited):
    assert len(any_rank) <= 3
    assert max(any_rank, default=0) <= 4
    assert 2 <= len(limited) <= 3
    assert all(1 <= e <= 4 for e in limited)


def test_the_least_extents_are_what_others_shrink_to():
    shrinks = settings(SEARCH, phases=[Phase.generate, Phase.shrink])
    assert drawn(strategies.extents(3, 4, min_rank=2, min_extent=1), lambda shape: True, shrinks) == (1, 1)


SLICES = {
    "all": lambda s: s is md.ALL,
    "an index": lambda s: s == 4,
    "forwards": lambda s: isinstance(s, md.ExtentSlice) and s == md.ExtentSlice(0, 5, 1),
    "in steps": lambda s: isinstance(s, md.ExtentSlice) and s == md.ExtentSlice(0, 3, 2),
    "backwards": lambda s: isinstance(s, md.ExtentSlice) and s == md.ExtentSlice(4, 5, -1),
    "backwards in steps": lambda s: isinstance(s, md.ExtentSlice) and s == md.ExtentSlice(4, 3, -2),
    "nothing": lambda s: isinstance(s, md.ExtentSlice) and s.extent == 0,
}


def test_slices_of_each_kind_are_drawn():
    assert_drawn(strategies.one_slice(5), SLICES)


def test_views_are_drawn_amid_other_elements():
    def around(v):
        return v.origin, len(v.data) - v.origin - v.required_span_size

    places = [(origin, rest) for origin in range(3) for rest in range(3)]
    assert_drawn(
        strategies.views(2, 3), {place: lambda v, place=place: v.size > 1 and around(v) == place for place in places}
    )
    view = drawn(strategies.views(2, 3), lambda v: v.size > 1)
    assert view.data.tolist() == list(range(len(view.data)))


def result_of(chain):
    view = md.MDView(list(range(6)), (2, 3))
    for operation in chain:
        view = operation(view)
    return view.tolist() if isinstance(view, md.MDView) else view


OPERATIONS = {
    "nothing": [[0, 1, 2], [3, 4, 5]],
    "flip": [[5, 4, 3], [2, 1, 0]],
    "permute_dims": [[0, 3], [1, 4], [2, 5]],
    "expand_dims": [[[0, 1, 2], [3, 4, 5]]],
    "ravel": [0, 1, 2, 3, 4, 5],
    "a row": [3, 4, 5],
    "a part": [[4, 5]],
    "steps": [[0, 2], [3, 5]],
    "flip, then ravel": [5, 4, 3, 2, 1, 0],
    "ravel, then expand_dims": [[0, 1, 2, 3, 4, 5]],
    "permute_dims, then ravel": [0, 3, 1, 4, 2, 5],
    "ravel, then a part": [1, 2, 3],
}


@pytest.mark.deep
def test_chains_of_each_operation_are_drawn():
    kinds = {name: lambda chain, result=result: result_of(chain) == result for name, result in OPERATIONS.items()}
    assert_drawn(strategies.operation_chains((2, 3), 2), kinds)


def test_chains_are_as_long_as_is_asked_for():
    assert len(drawn(strategies.operation_chains((2, 3), 3), lambda chain: len(chain) > 2)) == 3
    assert drawn(strategies.operation_chains((2, 3)), lambda chain: not chain) == []
