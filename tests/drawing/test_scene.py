"""The scene: what a picture says of each index and of each place is what the mapping says."""

from collections import Counter

import pytest
from hypothesis import given

from mdview import LayoutMorton, LayoutTiled, Mapping, MDView, parse
from mdview.drawing.scene import MOST_CELLS, scene_of, title_of
from mdview.errors import OperandError
from mdview.testing.samples import layouts as samples
from mdview.testing.strategies import mappings

EXPRESSIONS = [
    "right (3, 4)",
    "left (2, 3, 4)",
    "right (5)",
    "right ()",
    "right (0, 3)",
    "right_padded(8) (3, 5)",
    "tiled(2, 3) (5, 7)",
    "tiled(2, 2) (4, 4) [1:4, ::-1]",
    "morton (4, 6)",
    "packed(lower, row) (4, 4)",
    "swizzled(right, 2, 0, 2) (4, 4)",
    "relaxed((0, 1)) (3, 4)",
    "tiled(2, 2) (4, 4) pad(1)",
    "right (6) sliding_window(3)",
    "right (2, 3, 2, 2, 2)",
]


def slots(scene):
    return [slot for row in scene.memory if row for slot in row]


def agrees(mapping, scene):
    """Each cell lies where the mapping puts it, and memory names an index of each place and how many there are."""
    indices = {cell.index: cell.offset for grid in scene.grids for cell in grid.cells}
    for index, offset in indices.items():
        assert offset == (mapping(*index) if mapping.is_valid(*index) else None)
    counts = Counter(offset for offset in indices.values() if offset is not None)
    for slot in slots(scene):
        assert slot.count == counts[slot.offset]
        assert (slot.kind == "used") == (slot.offset in counts)
        if slot.label is not None:
            assert indices[slot.label] == slot.offset
    assert all(
        cell.shared == counts[cell.offset] for grid in scene.grids for cell in grid.cells if cell.offset is not None
    )


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_few_indices_are_all_drawn_where_they_lie(expression):
    mapping = parse(expression)
    scene = scene_of(mapping)
    assert sum(1 for grid in scene.grids for _ in grid.cells) == mapping.size
    agrees(mapping, scene)
    assert [slot.offset for slot in slots(scene)] == list(range(len(slots(scene))))
    assert len(slots(scene)) >= mapping.required_span_size


@given(mappings())
def test_any_mapping_is_drawn_where_it_lies(mapping):
    agrees(mapping, scene_of(mapping))


def kinds(expression, **options):
    return Counter(slot.kind for slot in slots(scene_of(parse(expression), **options)))


def test_places_without_an_index_are_holes_between_those_with_one_and_outside_elsewhere():
    assert kinds("right_padded(8) (2, 6)") == {"used": 12, "hole": 2}
    assert kinds("right (4, 6) [1:3, 2:4]") == {"used": 4, "hole": 4, "outside": 8}
    assert kinds("right (2, 2)", memory=6) == {"used": 4, "outside": 2}
    assert kinds("right (2, 2)", memory=range(-3, 6)) == {"used": 4, "outside": 5}


def test_the_data_around_a_view_is_drawn_by_itself():
    view = MDView(list(range(24)), (4, 6))
    scene = scene_of(view[1:3, 2:4])
    assert Counter(slot.kind for slot in slots(scene)) == {"used": 4, "hole": 4, "outside": 16}
    assert [slot.offset for slot in slots(scene)] == list(range(-8, 16))
    assert scene_of(view[1:3], memory=12) == scene_of(view[1:3].mapping, memory=12)
    view.release()
    assert slots(scene_of(view)) == slots(scene_of(view.mapping))


def test_a_part_of_tiles_lies_among_the_memory_of_all_tiles():
    assert kinds("tiled(2, 2) (4, 4) [1:, 1:]") == {"used": 9, "outside": 7}


def test_neighbours_in_one_tile_have_one_block():
    blocks = {cell.index: cell.block for cell in scene_of(parse("tiled(2, 3) (4, 6)")).grids[0].cells}
    assert all(block == (i // 2, j // 3) for (i, j), block in blocks.items())
    flipped = {cell.index: cell.block for cell in scene_of(parse("tiled(2, 3) (4, 6) [::-1]")).grids[0].cells}
    assert all(block == ((3 - i) // 2, j // 3) for (i, j), block in flipped.items())


def test_what_an_operation_loses_is_said_on_both_sides():
    before, after = parse("right (3, 4)"), parse("right (3, 4) [1:, ::2]")
    scene = scene_of(before, after)
    assert {c.offset for c in scene.grids[0].cells if c.is_lost} == {0, 1, 2, 3, 5, 7, 9, 11}
    assert not any(c.is_lost for c in scene.grids[1].cells)
    labels = {slot.offset: slot.label for slot in slots(scene) if not slot.is_lost}
    assert labels == {4: (0, 0), 6: (0, 1), 8: (1, 0), 10: (1, 1)}


@pytest.mark.parametrize(
    "mapping",
    [
        Mapping((1000, 1000)),
        Mapping((10**9, 10**9), LayoutTiled(64, 64)),
        Mapping((2**31, 2**31), LayoutMorton()),
        Mapping((2,) * 40),
        Mapping((10**18,)),
        Mapping((3, 10**6, 2, 2)),
    ],
    ids=str,
)
def test_of_many_indices_few_are_drawn_and_the_notes_say_so(mapping):
    scene = scene_of(mapping)
    agrees(mapping, scene)
    assert sum(1 for _ in scene.grids[0].cells) <= MOST_CELLS
    assert len(slots(scene)) <= MOST_CELLS
    assert "indices are drawn" in "".join(scene.notes)
    assert "places are drawn" in "".join(scene.notes)


def test_a_view_is_drawn_as_its_mapping():
    view = MDView(list(range(6)), (2, 3))
    assert scene_of(view) == scene_of(view.mapping)


@pytest.mark.parametrize("name", samples.LAYOUTS)
@pytest.mark.parametrize("shape", [(6,), (4, 4), (2, 3, 4), (0, 4), (64, 64)], ids=str)
def test_every_layout_of_the_samples_is_drawn(name, shape):
    mapping = samples.bound(name, shape)
    if mapping is not None:
        agrees(mapping, scene_of(mapping))


@pytest.mark.parametrize(
    "wrong",
    [
        {"line": 0},
        {"line": "8"},
        {"cells": 0},
        {"cells": True},
        {"memory": -1},
        {"memory": range(0, 8, 2)},
        {"memory": range(1, 4)},
        {"memory": 2.0},
    ],
    ids=str,
)
def test_options_that_draw_nothing_are_refused(wrong):
    with pytest.raises(OperandError, match=rf"^{next(iter(wrong))} is "):
        scene_of(Mapping((2, 3)), **wrong)


@pytest.mark.parametrize("wrong", [None, 3, (2, 3), "right (2, 3)"])
def test_what_has_no_mapping_is_refused(wrong):
    with pytest.raises(OperandError, match="what is drawn"):
        scene_of(wrong)


def test_a_title_is_the_expression():
    assert title_of(parse("tiled(2, 3) (4, 6) [::-1]")) == "tiled(2, 3) (4, 6) [::-1]"
