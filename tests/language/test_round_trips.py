"""What is written is read as the same mapping: of every layout, and after every operation."""

import itertools

import pytest
from samples import MAPPINGS, LayoutBanded

import mdview as md
from mdview import LayoutTiled, LayoutTranspose, Mapping, dim
from mdview.errors import MDViewError
from mdview.layouts.shipped import SHIPPED
from mdview.testing.samples.layouts import EXAMPLES, LayoutEvensFirst

SHAPES = ((), (0,), (1,), (5,), (4, 4), (dim(6), 5), (3, 0), (3, 3, 2))


def assert_round_trip(mapping):
    text = md.format(mapping)
    again = md.parse(text)
    assert again == mapping
    assert repr(again) == repr(mapping)  # static where it is
    assert md.format(again) == text
    return text


@pytest.mark.parametrize("name", MAPPINGS)
def test_sample_mappings(name):
    assert_round_trip(MAPPINGS[name])


@pytest.mark.parametrize("kind", EXAMPLES)
def test_examples_of_every_layout_over_small_extents(kind):
    bound = 0
    for make, shape in itertools.product(EXAMPLES[kind].values(), SHAPES):
        try:
            mapping = Mapping(shape, make(shape))
        except MDViewError:  # no layout of such extents
            continue
        assert_round_trip(mapping)
        bound += 1
    assert bound


def test_every_shipped_layout_has_a_name_and_an_example():
    assert {kind.__name__ for kind in SHIPPED} == {*EXAMPLES}
    assert len({kind.short_name for kind in SHIPPED}) == len(SHIPPED)
    assert all(kind.short_name for kind in SHIPPED)


def test_layouts_of_users_within_shipped_ones():
    assert assert_round_trip(Mapping((4, 4), LayoutTranspose(LayoutBanded(1, 2)))) == (
        "transpose(samples:LayoutBanded(1, 2)) (4, 4)"
    )
    layout = md.LayoutSwizzled(LayoutEvensFirst(), 1, 0, 1)
    assert "LayoutEvensFirst" in assert_round_trip(Mapping((4, 4), layout))


def test_views_are_written_as_their_mappings():
    view = md.MDView(list(range(24)), (4, 6))
    assert md.format(view) == "right (4, 6)"
    assert md.format(view[1:3, 2:5]) == "right_padded(dim(6)) (2, 3)" or md.parse(md.format(view[1:3, 2:5]))
    assert md.parse(md.format(view[1:3, 2:5])) == view[1:3, 2:5].mapping


def test_tiles_within_tiles_and_static_sizes():
    layout = LayoutTiled(4, dim(4), inner=LayoutTiled(2, 2))
    assert assert_round_trip(Mapping((10, dim(12)), layout)) == "tiled(4, dim(4), inner=tiled(2, 2)) (10, dim(12))"
