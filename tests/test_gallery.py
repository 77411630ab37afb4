"""The gallery: what its texts count is so."""

from pathlib import Path

import pytest

import mdview as md

GALLERY = (Path(__file__).parents[1] / "docs" / "gallery.md").read_text(encoding="utf-8")


def offsets(expression):
    assert expression in GALLERY
    return list(md.parse(expression).offsets())


@pytest.mark.parametrize(("expression", "lines"), [("right (8, 8) [:, 2]", 8), ("tiled(2, 4) (8, 8) [:, 2]", 4)])
def test_lines_of_a_column(expression, lines):
    assert len({offset // 8 for offset in offsets(expression)}) == lines


@pytest.mark.parametrize(
    ("expression", "banks"),
    [("right (8, 8) [:, 0]", 1), ("stride((9, 1)) (8, 8) [:, 0]", 8), ("swizzled(right, 3, 0, 3) (8, 8) [:, 0]", 8)],
)
def test_banks_of_a_column(expression, banks):
    assert len({offset % 8 for offset in offsets(expression)}) == banks


def test_places_that_indices_share_or_that_nobody_has():
    assert [offsets("relaxed((0, 1)) (4, 6)").count(place) for place in range(6)] == [4] * 6
    assert set(range(30)) - set(offsets("right_padded(8) (4, 6)")) == {6, 7, 14, 15, 22, 23}
    assert len(set(offsets("packed(lower, row) (5, 5)"))) == 15
