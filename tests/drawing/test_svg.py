"""Pictures in SVG: well formed, bounded, by the contract that scripts rely on, and as they were."""

import os
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from mdview import Mapping, parse
from mdview.drawing import side_by_side, to_svg
from mdview.testing.samples import layouts as samples

GOLDEN = Path(__file__).parent / "golden"
SVG = "{http://www.w3.org/2000/svg}"
PICTURES = {
    "tiled": ["tiled(2, 3) (3, 4)"],
    "holes": ["right_padded(4) (2, 3)"],
    "shared": ["packed(lower, row) (2, 2)"],
    "halo": ["right (1, 2) pad(1)"],
    "flipped": ["right (2, 3)", "right (2, 3) [::-1, 1:]"],
    "panels": ["left (2, 1, 2)"],
    "empty": ["right (0, 2)"],
    "one": ["right ()"],
    "cut": ["right (40, 40)"],
}


def elements(svg, look=None):
    root = ET.fromstring(svg)  # noqa: S314 - our own text
    return [e for e in root.iter() if look is None or look in e.get("class", "").split()]


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_what_it_was(name):
    """After a change that is meant: ``MDVIEW_GOLDEN=1 python -m pytest tests/drawing``."""
    svg = to_svg(*map(parse, PICTURES[name]), walk=name == "tiled", cells=30)
    body = svg.partition("</style>")[2].replace("><g", ">\n<g") + "\n"
    file = GOLDEN / f"{name}.svg.txt"
    if os.environ.get("MDVIEW_GOLDEN"):
        file.write_text(body, encoding="utf-8")
    assert body == file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "expression", ["right (3, 4)", "tiled(2, 2) (5, 5) [::-1]", "packed(upper, column) (4, 4)", "right (2, 3) pad(1)"]
)
def test_cells_and_slots_name_their_index_and_offset(expression):
    mapping = parse(expression)
    svg = to_svg(mapping)
    for cell in elements(svg, "cell"):
        index = tuple(map(int, cell.get("data-index").split(",")))
        offset = cell.get("data-offset")
        assert offset == (str(mapping(*index)) if mapping.is_valid(*index) else None)
        assert ("halo" in cell.get("class")) == (offset is None)
        assert cell.find(f"{SVG}rect") is not None
    assert [int(slot.get("data-offset")) for slot in elements(svg, "slot")] == list(range(mapping.required_span_size))


@pytest.mark.parametrize("name", samples.LAYOUTS)
@pytest.mark.parametrize("shape", [(), (5,), (1000, 1000), (0, 3), (3, 4, 5), (2, 2, 2, 2, 2)], ids=str)
def test_any_layout_gives_a_small_picture_without_ids(name, shape):
    mapping = samples.bound(name, shape)
    if mapping is None:
        return
    svg = to_svg(mapping, walk=True)
    assert len(svg.encode()) < 300_000
    assert not [e for e in elements(svg) if e.get("id")]
    assert ET.fromstring(svg).get("aria-label")  # noqa: S314 - our own text


@pytest.mark.parametrize("cells", [1, 2, 10, 600])
def test_the_largest_pictures_are_small(cells):
    for mapping in (Mapping((10**9, 10**9)), Mapping((9,) * 19), Mapping((10**18,))):
        assert len(to_svg(mapping, mapping, cells=cells)) < 300_000


@pytest.mark.parametrize("title", ["<b>&\"'", "]]>", "\x00\x1b\ud800", "x" * 10_000, ""])
def test_any_title_is_text(title):
    assert ET.fromstring(to_svg(parse("right (2, 2)"), title=title)) is not None  # noqa: S314 - our own text


def test_every_look_has_a_style_and_none_is_for_nothing():
    svg = to_svg(parse("tiled(2, 2) (5, 5)"), walk=True)
    for look in ("cell", "slot", "hole", "tile", "walk", "end", "title", "note", "tick"):
        assert elements(svg, look), look
        assert f".{look}" in svg.partition("</style>")[0], look


def test_the_line_of_a_walk_goes_through_the_cells_in_the_order_of_memory():
    [line] = elements(to_svg(parse("left (2, 2)"), walk=True), "walk")
    points = [tuple(map(float, point.split())) for point in line.get("d")[1:].split("L")]
    (x, y), (below, lower), (right, upper), _ = points
    assert (x, y) == (below, upper)
    assert lower > y
    assert right > x


def test_pictures_side_by_side_keep_their_titles_and_their_own_memory():
    svg = side_by_side(parse("right (2, 2)"), parse("left (2, 2)"), parse("right (3)"), titles=["first"], across=2)
    titles = [e.text for e in elements(svg, "title")]
    assert titles == ["first", "memory", "left (2, 2)", "memory", "right (3,)", "memory"]
    assert len(elements(svg, "slot")) == 11
