"""Pictures in characters: the same as in SVG, in lines of equal columns."""

import os
import re
from pathlib import Path

import pytest

from mdview import Mapping, parse
from mdview.drawing import to_text
from mdview.drawing.scene import scene_of
from mdview.testing.samples import layouts as samples

GOLDEN = Path(__file__).parent / "golden" / "pictures.txt"
PICTURES = [
    ["tiled(2, 3) (4, 6)"],
    ["right_padded(8) (2, 6)"],
    ["packed(lower, row) (3, 3)"],
    ["tiled(2, 2) (2, 4) pad(1)"],
    ["tiled(2, 2) (4, 4)", "tiled(2, 2) (4, 4) [::-1, 1:3]"],
    ["right (2, 2, 3)"],
    ["right (5)"],
    ["right ()"],
    ["right (0, 2)"],
    ["right (100, 100)"],
]


def test_pictures_are_what_they_were():
    """After a change that is meant: ``MDVIEW_GOLDEN=1 python -m pytest tests/drawing``."""
    text = "\n\n".join([to_text(*map(parse, expressions), cells=60) for expressions in PICTURES]) + "\n"
    if os.environ.get("MDVIEW_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", samples.LAYOUTS)
@pytest.mark.parametrize("shape", [(), (5,), (4, 6), (0, 3), (3, 4, 5), (500, 500)], ids=str)
def test_every_offset_of_the_scene_is_in_the_text(name, shape):
    mapping = samples.bound(name, shape)
    if mapping is None:
        return
    text = to_text(mapping)
    grid = text.partition("\nmemory\n")[0]
    numbers = set(map(int, re.findall(r"\d+", grid)))
    assert {cell.offset for cell in scene_of(mapping, cells=300).grids[0].cells if cell.offset is not None} <= numbers
    assert text.isascii()
    assert len(text) < 50_000


def test_colours_are_escape_sequences_and_nothing_else_changes():
    mapping = parse("tiled(2, 2) (4, 4)")
    coloured = to_text(mapping, colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == to_text(mapping)


def test_a_row_of_memory_has_as_many_places_as_asked_for():
    text = to_text(Mapping((4, 4)), line=4, memory=range(-4, 20))
    rows = text.partition("memory\n")[2].splitlines()
    assert [len(row.split()) - 1 for row in rows[:6]] == [4] * 6
    assert rows[0].split() == ["-4", "..", "..", "..", ".."]
