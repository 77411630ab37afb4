"""Pictures in SVG, in characters and on pages: where a mapping puts each index, within bounds, and as they were."""

import os
import re
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from reading import Read
from samples import layouts as samples
from samples.drawn import mappings

import mdview as md
from mdview.drawing import side_by_side, to_html, to_svg, to_text

GOLDEN = Path(__file__).parent / "golden"
SVG = "{http://www.w3.org/2000/svg}"
MOST = 600


def same(name, text):
    """Compare with a file. After a change that is meant: ``MDVIEW_GOLDEN=1 python -m pytest tests/drawing``."""
    if os.environ.get("MDVIEW_GOLDEN"):
        (GOLDEN / name).write_text(text, encoding="utf-8")
    assert text == (GOLDEN / name).read_text(encoding="utf-8")


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
TEXTS = [
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
TILED = md.Mapping((4, 6), md.LayoutTiled(2, 2))


def test_pictures_are_what_they_were():
    for name, expressions in PICTURES.items():
        svg = to_svg(*map(md.parse, expressions), walk=name == "tiled", cells=30)
        same(f"{name}.svg.txt", svg.partition("</style>")[2].replace("><g", ">\n<g") + "\n")
    same("pictures.txt", "\n\n".join([to_text(*map(md.parse, texts), cells=60) for texts in TEXTS]) + "\n")
    page = re.sub(r"(?s)(<(style|script)>).*?(</\2>)", r"\1\3", to_html(TILED))
    same("tiled.html", re.sub(r"'sha256-[^']*'", "'sha256-…'", page))


@pytest.mark.parametrize("kind", ["mapping", "view"])
def test_what_is_drawn_at_the_top_shows_itself(kind):
    target = TILED if kind == "mapping" else md.MDView(bytearray(6), (2, 3))
    for after, look in ((None, {"line": 4}), (md.flip(target), {"title": "T", "walk": True, "cells": 8})):
        picture = md.draw(target, after, **look)
        in_text = {name: given for name, given in look.items() if name != "walk"}
        assert str(picture) == repr(picture) == to_text(target, after, **in_text)
        assert picture._repr_svg_() == to_svg(target, after, **look)
    for wrong in ((3,), (target, "right (2,)")):
        with pytest.raises(md.errors.OperandError):
            md.draw(*wrong)


def elements(svg, look=None):
    root = ET.fromstring(svg)  # noqa: S314 - our own text
    return [e for e in root.iter() if look is None or look in e.get("class", "").split()]


def offsets_of(cells):
    return {tuple(map(int, filter(None, cell.get("data-index").split(",")))): cell.get("data-offset") for cell in cells}


def kinds(svg):
    """How many slots there are of each kind, which are all that they do not share."""
    return Counter(slot.get("class").removeprefix("slot").strip() or "used" for slot in elements(svg, "slot"))


def agrees(mapping, **options):
    """Each cell lies where the mapping puts it, and memory names an index of each place and how many there are."""
    svg = to_svg(mapping, **options)
    cells, slots = elements(svg, "cell"), elements(svg, "slot")
    drawn = offsets_of(cells)
    for index, offset in drawn.items():
        assert offset == (str(mapping(*index)) if mapping.is_valid(*index) else None)
    counts = Counter(offset for offset in drawn.values() if offset is not None)
    for cell, offset in zip(cells, drawn.values(), strict=True):
        assert ("halo" in cell.get("class")) == (offset is None)
        assert cell.find(f"{SVG}rect") is not None
        assert any("corner" in part.get("class", "") for part in cell) == (counts[offset] > 1 and offset is not None)
    for slot in slots:
        offset, text = slot.get("data-offset"), slot.findtext(f"{SVG}text") or ""
        assert (slot.get("class") == "slot") == (offset in counts)
        if offset in counts:
            index, _, count = text.partition(" x")
            assert drawn[tuple(map(int, filter(None, index.strip("()").split(","))))] == offset
            assert int(count or 1) == counts[offset]
    assert max(len(cells), len(slots)) <= MOST
    assert len(svg.encode()) < 300_000
    assert elements(svg)[0].get("aria-label")
    assert not [e for e in elements(svg) if e.get("id")]
    is_whole = "places are drawn" not in svg  # the memory of the base may be too large
    if len(cells) == mapping.size <= MOST // 2 >= mapping.required_span_size and is_whole:
        found = [int(slot.get("data-offset")) for slot in slots]
        assert found == list(range(max(len(found), mapping.required_span_size)))
    else:
        assert len(drawn) == mapping.size or "indices are drawn" in svg
    text = to_text(mapping)
    numbers = {*re.findall(r"\d+", text.partition("\nmemory\n")[0])}
    assert {offset for offset in offsets_of(elements(to_svg(mapping, cells=300), "cell")).values() if offset} <= numbers
    assert text.replace("…", "").isascii()  # a long title is cut
    assert len(text) < 50_000


@pytest.mark.parametrize(
    "expression",
    [
        *("right (3, 4)", "left (2, 3, 4)", "right (5)", "right ()", "right (0, 3)", "right_padded(8) (3, 5)"),
        *("tiled(2, 3) (5, 7)", "tiled(2, 2) (4, 4) [1:4, ::-1]", "morton (4, 6)", "packed(lower, row) (4, 4)"),
        *("swizzled(right, 2, 0, 2) (4, 4)", "relaxed((0, 1)) (3, 4)", "tiled(2, 2) (4, 4) pad(1)"),
        *("right (6) sliding_window(3)", "right (2, 3, 2, 2, 2)"),
    ],
)
def test_few_indices_are_all_drawn_where_they_lie(expression):
    mapping = md.parse(expression)
    agrees(mapping, walk=True)
    assert len(elements(to_svg(mapping), "cell")) == mapping.size


@given(mappings())
def test_any_mapping_is_drawn_where_it_lies(mapping):
    agrees(mapping)


@pytest.mark.parametrize("name", samples.LAYOUTS)
@pytest.mark.parametrize("shape", [(), (5,), (4, 4), (0, 4), (2, 3, 4), (500, 500)], ids=str)
def test_every_layout_of_the_samples_is_drawn(name, shape):
    mapping = samples.bound(name, shape)
    if mapping is not None:
        agrees(mapping)


MANY = {
    "tiled": ((10**9, 10**9), md.LayoutTiled(64, 64)),
    "Morton": ((2**31, 2**31), md.LayoutMorton()),
    "rank 40": ((2,) * 40,),
    "rank 19": ((9,) * 19,),
    "rank 1": ((10**18,),),
    "rank 4": ((3, 10**6, 2, 2),),
}


@pytest.mark.parametrize("name", MANY)
def test_of_many_indices_few_are_drawn_both_ends_among_them_and_the_notes_say_so(name):
    mapping = md.Mapping(*MANY[name])
    agrees(mapping)
    assert "places are drawn" in to_svg(mapping)
    for cells in (1, 2, 10, MOST):
        svg = to_svg(mapping, mapping, cells=cells)
        assert len(svg) < 300_000
        drawn = [*offsets_of(elements(to_svg(mapping, cells=cells), "cell"))]
        assert len(drawn) <= cells
        assert drawn[0] == (0,) * mapping.rank
        assert cells < 2**mapping.rank or drawn[-1] == tuple([extent - 1 for extent in mapping.extents])


@pytest.mark.parametrize(("extents", "cells"), [((32, 1), 32), ((33, 1), 12), ((1, 30), 30), ((20, 1, 1), 6)])
def test_long_dimensions_are_cut_even_where_there_is_room(extents, cells):
    assert len(elements(to_svg(md.Mapping(extents)), "cell")) == cells


def test_places_without_an_index_are_holes_between_those_with_one_and_outside_elsewhere():
    for expression, options, expected in (
        ("right_padded(8) (2, 6)", {}, {"used": 12, "hole": 2}),
        ("right (4, 6) [1:3, 2:4]", {}, {"used": 4, "hole": 4, "outside": 8}),
        ("right (2, 2)", {"memory": 6}, {"used": 4, "outside": 2}),
        ("right (2, 2)", {"memory": range(-3, 6)}, {"used": 4, "outside": 5}),
        ("tiled(2, 2) (4, 4) [1:, 1:]", {}, {"used": 9, "outside": 7}),
    ):
        assert kinds(to_svg(md.parse(expression), **options)) == expected
    view = md.MDView(list(range(24)), (4, 6))
    around = to_svg(view[1:3, 2:4])
    assert kinds(around) == {"used": 4, "hole": 4, "outside": 16}
    assert [slot.get("data-offset") for slot in elements(around, "slot")] == list(map(str, range(-8, 16)))
    assert to_svg(view) == to_svg(view.mapping)
    assert to_svg(view[1:3], memory=12) == to_svg(view[1:3].mapping, memory=12)
    view.release()
    assert to_svg(view) == to_svg(view.mapping)


@pytest.mark.parametrize("rows", ["", " [::-1]"])
def test_a_heavy_line_goes_around_each_tile(rows):
    [line] = elements(to_svg(md.parse(f"tiled(2, 3) (5, 7){rows}")), "tile")
    blocks = {(i, j): ((4 - i if rows else i) // 2, j // 3) for i in range(5) for j in range(7)}
    sides = [((i, j), (i + k, j + m)) for i, j in blocks for k, m in ((0, 1), (1, 0), (0, -1), (-1, 0))]
    edges = {frozenset((here, there)) for here, there in sides if blocks[here] != blocks.get(there)}
    assert line.get("d").count("M") == len(edges)


def test_what_an_operation_loses_is_said_on_both_sides():
    svg = to_svg(md.parse("right (3, 4)"), md.parse("right (3, 4) [1:, ::2]"))
    lost = {int(cell.get("data-offset")) for cell in elements(svg, "cell") if "lost" in cell.get("class")}
    assert lost == {0, 1, 2, 3, 5, 7, 9, 11}
    kept = [slot for slot in elements(svg, "slot") if "lost" not in slot.get("class")]
    labels = {int(slot.get("data-offset")): slot.findtext(f"{SVG}text") for slot in kept}
    assert labels == {4: "0,0", 6: "0,1", 8: "1,0", 10: "1,1"}


def test_looks_titles_walks_and_rows_of_memory():
    svg = to_svg(md.parse("tiled(2, 2) (5, 5)"), walk=True)
    for look in ("cell", "slot", "hole", "tile", "walk", "end", "title", "note", "tick"):
        assert elements(svg, look), look
        assert f".{look}" in svg.partition("</style>")[0], look
    [line] = elements(to_svg(md.parse("left (2, 2)"), walk=True), "walk")
    (x, y), (below, lower), (right, upper), _ = [tuple(map(float, p.split())) for p in line.get("d")[1:].split("L")]
    assert (x, y, lower > y, right > x) == (below, upper, True, True)
    svg = side_by_side(md.parse("right (2, 2)"), md.parse("left (2, 2)"), md.parse("right (3)"), titles=["a"], across=2)
    titles = [e.text for e in elements(svg, "title")]
    assert (titles, len(elements(svg, "slot"))) == (
        ["a", "memory", "left (2, 2)", "memory", "right (3,)", "memory"],
        11,
    )
    rows = to_text(md.Mapping((4, 4)), line=4, memory=range(-4, 20)).partition("memory\n")[2].splitlines()
    assert [len(row.split()) - 1 for row in rows[:6]] == [4] * 6
    assert rows[0].split() == ["-4", "..", "..", "..", ".."]


@pytest.mark.parametrize("title", ["<b>&\"'", "]]>", "\x00\x1b\ud800", "x" * 10_000, "", "</title>{figure} & more"])
def test_any_title_is_text(title):
    assert ET.fromstring(to_svg(TILED, title=title)) is not None  # noqa: S314 - our own text
    page = to_html(TILED, title=title.encode("utf-8", "replace").decode())
    assert "<b>" not in page
    assert page.count("</title>") == page.count("<title>")


# Pages.

TARGETS = {
    "tiled": lambda: TILED,
    "view": lambda: md.MDView(bytearray(24), (4, 6)),
    "halo": lambda: md.pad(md.Mapping((2, 3)), 1),
    "scalar": lambda: md.Mapping(()),
    "empty": lambda: md.Mapping((0, 3)),
    "rank 5": lambda: md.Mapping((2, 2, 2, 2, 2), md.LayoutMorton()),
    "million": lambda: md.Mapping((1000, 1000), md.LayoutRightPadded(1024)),
    "enormous": lambda: md.Mapping((10**9, 10**9)),
}


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("page", [True, False], ids=["page", "fragment"])
def test_a_page_is_whole_and_small_points_nowhere_and_has_one_script_that_its_policy_names(name, page):
    text = to_html(TARGETS[name](), page=page)
    read = Read(text)
    assert read.open == []
    assert len(text.encode()) < 300_000
    assert {"svg", "script", "style", "figure"} <= set(read.tags)
    assert not {"link", "img", "iframe", "image", "object", "base"} & set(read.tags)
    assert not [key for key, _ in read.attributes if key in {"src", "href", "xlink:href", "id"} or key.startswith("on")]
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    assert "@import" not in text
    assert "url(" not in text.replace("url(#", "")
    (ran,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = b64encode(sha256(ran.encode()).digest()).decode()
    policy = f"""content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'">"""
    assert (policy in text) == page
    assert len(ran.encode()) < 8192


def test_a_page_names_both_of_an_operation_and_tells_its_script_about_bytes_and_tiles():
    before, after = md.Mapping((4, 6)), md.flip(md.Mapping((4, 6)), (0,))
    text = to_html(before, after)
    assert f"<title>{md.format(before)} → {md.format(after)}</title>" in text
    first, _, second = text.partition("<h2>After</h2>")
    assert ("<td>(6, 1)</td>" in first, "<td>(-6, 1)</td>" in second) == (True, True)
    for target, expected in (
        (md.MDView(bytearray(192), (4, 6), md.LayoutTiled(2, 3)), ' data-itemsize="1" data-line="64" data-tile="2,3"'),
        (md.Mapping((2, 2)), ""),
    ):
        assert f'<figure class="mdview-figure"{expected}' in to_html(target, page=False)


@pytest.mark.parametrize("name", ["figure.js", "figure.css", "page.js", "page.css", "picture.css"])
def test_the_files_beside_the_modules_are_plain(name):
    text = (Path(md.__file__).parent / "drawing" / name).read_text(encoding="utf-8")
    assert text.startswith("/* ")
    assert max(map(len, text.splitlines())) <= 120
    assert not re.search(r"</(script|style)", text, re.IGNORECASE)
