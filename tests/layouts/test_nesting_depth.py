"""Layouts within layouts: the cost of one element is linear in their number."""

import inspect
from copy import deepcopy

import pytest
from calls import calls_of
from samples.mappings import LayoutBy
from travels import pickled

import mdview as md
from mdview.layouts import LayoutTranspose

AROUND = {
    "tiles within tiles": lambda k, inner: md.LayoutTiled(4, 4, inner=inner),
    "swizzles": lambda k, inner: md.LayoutSwizzled(inner, 1, k % 3, 2),
    "transposes": lambda k, inner: LayoutTranspose(inner),
}


def nested(around, depth):
    layout = md.LayoutRight() if around != "tiles within tiles" else md.LayoutTiled(4, 4)
    for k in range(depth):
        layout = AROUND[around](k, layout)
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
def test_layouts_nested_deep_are_used_from_deep_in_a_program(around):
    layout = nested(around, 200)

    def use():
        view = md.MDView.from_mapping(bytearray(range(64)), md.Mapping((8, 8), layout))
        md.explain(view)
        assert view[7, 7] == view.tolist()[7][7]
        assert layout == nested(around, 200) == pickled(layout) == deepcopy(layout)
        assert len({layout, nested(around, 200)}) == 1
        return md.permute_dims(view, (1, 0)).tolist()

    assert below(200 - len(inspect.stack(0)), use)


def mixed(extents, index):
    """40 steps, each of which takes the one before twice."""
    x = index[0] * extents[1] + index[1]
    for _ in range(40):
        x = (x ^ (x >> 1)) & 255
    return x


def test_an_explanation_of_a_loop_gives_up_after_few_steps():
    mapping = md.Mapping((1 << 10, 1 << 10), LayoutBy(mixed, 256))
    assert calls_of(lambda: md.explain(mapping)) <= 2_500_000
