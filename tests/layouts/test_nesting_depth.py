"""Layouts within layouts: what one element costs is linear in how many there are, and too many are refused by name."""

import inspect
from copy import deepcopy
from dataclasses import dataclass

import pytest
from calls import calls_of
from travels import pickled

import mdview as md
from mdview.accessors import FillAccessor
from mdview.errors import AccessorError, LayoutError
from mdview.index.index_map import IndexMap
from mdview.layouts import LayoutComposed, LayoutTranspose


@dataclass(frozen=True)
class Within(md.Layout):
    inner: object

    def offset(self, extents, index):
        return self.inner.offset(extents, index)

    def required_span_size(self, extents):
        return self.inner.required_span_size(extents)


AROUND = {
    "tiles within tiles": lambda k, inner: md.LayoutTiled(4, 4, inner=inner),
    "swizzles": lambda k, inner: md.LayoutSwizzled(inner, 1, k % 3, 2),
    "transposes": lambda k, inner: LayoutTranspose(inner),
}
HELD = {
    "compositions": lambda k, inner: LayoutComposed(inner, (8, 8), IndexMap.taking((1, 0))),
    "a user's": lambda k, inner: Within(inner),
    "a user's tuple": lambda k, inner: Within(inner) if k % 2 else Within((inner,)),
    "a user's within swizzles": lambda k, inner: Within(inner) if k % 2 else md.LayoutSwizzled(inner, 1, 0, 2),
}
ACCESSORS = {
    "read-only": md.ReadOnlyAccessor,
    "filling": lambda inner: FillAccessor("edge", 0, inner),
}


def nested(around, depth):
    layout = md.LayoutRight() if around != "tiles within tiles" else md.LayoutTiled(4, 4)
    for k in range(depth):
        layout = (AROUND | HELD)[around](k, layout)
    return layout


def below(frames, function):
    return function() if not frames else below(frames - 1, function)


@pytest.mark.parametrize("around", AROUND)
def test_the_offset_of_an_index_costs_a_few_calls_for_each_layout(around):
    calls = []
    for depth in (60, 120, 240):
        mapping = md.Mapping((8, 8), nested(around, depth))
        mapping(3, 3)
        calls.append(calls_of(lambda mapping=mapping: mapping(3, 5)))
    assert calls[2] <= 2.2 * calls[1] <= 2.2 * 2.2 * calls[0]
    assert calls_of(lambda: nested(around, 240)) <= 3.2 * calls_of(lambda: nested(around, 80))


@pytest.mark.parametrize("around", AROUND)
def test_layouts_nested_as_deep_as_they_may_be_are_used_from_deep_in_a_program(around):
    layout = nested(around, 255)

    def use():
        view = md.MDView.from_mapping(bytearray(range(64)), md.Mapping((8, 8), layout))
        md.explain(view)
        assert view[7, 7] == view.tolist()[7][7]
        assert layout == nested(around, 255) == pickled(layout) == deepcopy(layout)
        assert len({layout, nested(around, 255)}) == 1
        return md.permute_dims(view, (1, 0)).tolist()

    assert below(200 - len(inspect.stack(0)), use)


@pytest.mark.parametrize("depth", [258, 1024, 5000])
@pytest.mark.parametrize("around", AROUND | HELD)
def test_layouts_nested_deeper_are_refused(around, depth):
    with pytest.raises(LayoutError, match="at most 256 deep"):
        md.Mapping((8, 8), nested(around, depth))


@pytest.mark.parametrize("around", ["compositions", "a user's"])
def test_layouts_that_hold_layouts_are_used_as_deep_as_they_may_be(around):
    view = md.MDView(bytearray(range(64)), (8, 8), nested(around, 254))
    assert view[1:3, 2].tolist() == [view[1, 2], view[2, 2]]
    assert hash(view.mapping) == hash(md.Mapping((8, 8), nested(around, 254)))


@pytest.mark.parametrize("kind", ACCESSORS)
def test_accessors_that_wrap_each_other_are_used_or_refused_by_name(kind):
    def wrapped(depth):
        accessor = md.DefaultAccessor()
        for _ in range(depth):
            accessor = ACCESSORS[kind](accessor)
        return accessor

    view = md.MDView(bytearray(range(64)), (8, 8), accessor=wrapped(99))
    assert (view[1, 2], view[7].tolist(), "Accessor" in repr(view)) == (10, [*range(56, 64)], True)
    with pytest.raises(AccessorError, match="at most 200 deep"):
        md.MDView(bytearray(64), (8, 8), accessor=wrapped(1000))


def test_an_explanation_of_a_loop_gives_up_after_few_steps():
    class Rounds(md.Layout):
        def offset(self, extents, index):
            x = index[0] * extents[1] + index[1]
            for _ in range(40):
                x = (x ^ (x >> 1)) & 255
            return x

        def required_span_size(self, extents):
            return 256

    mapping = md.Mapping((1 << 10, 1 << 10), Rounds())
    assert calls_of(lambda: md.explain(mapping)) <= 2_500_000
