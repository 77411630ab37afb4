"""Pages around a picture: one file, safe text, a small script."""

import os
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest

import mdview
from mdview import LayoutMorton, LayoutRightPadded, LayoutTiled, Mapping, MDView, flip, pad
from mdview.drawing.figure import figure, script, style
from mdview.drawing.page import to_html
from mdview.errors import OperandError

GOLDEN = Path(__file__).parent / "golden" / "tiled.html"

TARGETS = {
    "tiled": Mapping((4, 6), LayoutTiled(2, 2)),
    "view": MDView(bytearray(24), (4, 6)),
    "halo": pad(Mapping((2, 3)), 1),
    "scalar": Mapping(()),
    "empty": Mapping((0, 3)),
    "rank 5": Mapping((2, 2, 2, 2, 2), LayoutMorton()),
    "million": Mapping((1000, 1000), LayoutRightPadded(1024)),
    "enormous": Mapping((10**9, 10**9)),
}


class Read(HTMLParser):
    """What a page consists of; open tags must be closed."""

    EMPTY = {"meta", "br", "rect", "line", "path", "circle", "polygon", "polyline", "use"}  # noqa: RUF012

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes = [], [], []
        self.feed(text)
        self.close()

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.EMPTY:
            assert self.open.pop() == tag


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("page", [True, False], ids=["page", "fragment"])
def test_a_page_is_whole_and_small_and_points_nowhere(name, page):
    text = to_html(TARGETS[name], page=page)
    read = Read(text)
    assert read.open == []
    assert len(text.encode()) < 300_000
    assert {"svg", "script", "style", "figure"} <= set(read.tags)
    assert not {"link", "img", "iframe", "image", "object", "base"} & set(read.tags)
    assert not [(key, value) for key, value in read.attributes if key in {"src", "href", "xlink:href", "id"}]
    assert not [key for key, _ in read.attributes if key.startswith("on")]
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    assert "@import" not in text
    assert "url(" not in text.replace("url(#", "")


def test_the_policy_of_a_page_is_that_of_its_script():
    text = to_html(TARGETS["tiled"])
    (ran,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = b64encode(sha256(ran.encode()).digest()).decode()
    assert f"""content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'">""" in text
    assert len(ran.encode()) < 8192


def test_script_and_style_come_once_however_many_figures_there_are():
    text = to_html(TARGETS["tiled"], page=False)
    assert text == f"<style>{style()}</style>{figure(TARGETS['tiled'])}<script>{script()}</script>"
    assert "<script" not in figure(TARGETS["tiled"])


def test_titles_are_text():
    text = to_html(TARGETS["tiled"], title="</title><b>{figure} & more")
    assert text.count("&lt;/title&gt;&lt;b&gt;{figure} &amp; more") >= 2
    assert "<b>" not in text
    assert "<title>right (4, 6)</title>" in to_html(TARGETS["view"])


def test_the_title_names_both_of_an_operation():
    after = flip(Mapping((4, 6)), (0,))
    text = to_html(Mapping((4, 6)), after)
    assert f"<title>{mdview.format(Mapping((4, 6)))} → {mdview.format(after)}</title>" in text
    before, _, after = text.partition("<h2>After</h2>")
    assert "<td>(6, 1)</td>" in before
    assert "<td>(-6, 1)</td>" in after


@pytest.mark.parametrize("given", [3, LayoutMorton(), (4, 6), "tiled(2, 2) (4, 6)"], ids=repr)
def test_what_is_neither_a_view_nor_a_mapping_is_refused(given):
    for operands in [(given,), (Mapping((4, 6)), given)]:
        with pytest.raises(OperandError, match="what is drawn must be a Mapping"):
            to_html(*operands)


def test_figures_tell_the_script_about_bytes_and_tiles():
    head = figure(MDView(bytearray(8 * 24), (4, 6), LayoutTiled(2, 3))).partition(">")[0]
    assert head == '<figure class="mdview-figure" data-itemsize="1" data-line="64" data-tile="2,3"'
    assert figure(Mapping((2, 2))).partition(">")[0] == '<figure class="mdview-figure"'


@pytest.mark.parametrize("name", ["figure.js", "figure.css", "page.js", "page.css"])
def test_the_files_beside_the_modules_are_plain(name):
    text = (Path(mdview.__file__).parent / "drawing" / name).read_text(encoding="utf-8")
    assert text.startswith("/* ")
    assert max(map(len, text.splitlines())) <= 120
    assert not re.search(r"</(script|style)", text, re.IGNORECASE)


def test_a_page_is_what_it_was():
    """But for script and styles. After a change that is meant: ``MDVIEW_GOLDEN=1 python -m pytest tests/drawing``."""
    text = re.sub(r"(?s)(<(style|script)>).*?(</\2>)", r"\1\3", to_html(TARGETS["tiled"]))
    text = re.sub(r"'sha256-[^']*'", "'sha256-…'", text)
    if os.environ.get("MDVIEW_GOLDEN"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")
