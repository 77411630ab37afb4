"""The built documentation: it needs no network, its links lead somewhere, its pages are small, its pictures have words.

`MDVIEW_SITE` names a folder in which it stands; without it, it is built here where Sphinx is installed.
"""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytestmark = pytest.mark.deep
ROOT = Path(__file__).parents[1]
LARGEST = 150_000
"""Bytes of an API page."""
RESOURCES = {"script": "src", "img": "src", "iframe": "src", "source": "src", "embed": "src", "object": "data"}
LOADED_LINKS = {"stylesheet", "icon", "preload", "prefetch", "modulepreload", "manifest"}
REMOTE = re.compile(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//")


class Page(HTMLParser):
    """What a page loads, where it leads, which places it has, and which pictures have no words."""

    def __init__(self, path):
        super().__init__()
        self.path, self.loads, self.leads, self.places, self.mute, self.signatures = path, [], [], set(), [], []
        self.before, self.is_named = None, False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places |= {given[name] for name in ("id", "name") if given.get(name)}
        self.note_addresses(tag, given)
        self.note_words(tag, given)
        classes = given.get("class", "").split()
        if tag == "dl" and "py" in classes:
            self.signatures.append(0)
        if tag == "dt" and "sig" in classes and given.get("id"):
            self.signatures[-1] += 1

    def note_addresses(self, tag, given):
        if given.get(RESOURCES.get(tag, "")):
            self.loads.append(given[RESOURCES[tag]])
        if tag == "link" and LOADED_LINKS & set(given.get("rel", "").split()):
            self.loads.append(given["href"])
        if tag == "a" and "href" in given:
            self.leads.append(given["href"])

    def note_words(self, tag, given):
        if tag == "img" and "alt" not in given:
            self.mute.append(given.get("src"))
        if self.before == "svg" and tag != "title" and not self.is_named:
            self.mute.append(f"an SVG that begins with {tag}")
        if given.get("class") == "mdview-panel":
            self.is_named = bool(given.get("aria-label"))
        is_told = {"aria-label", "aria-labelledby", "aria-hidden"} & set(given)
        self.before = None if is_told else tag

    def handle_endtag(self, tag):
        if tag == "svg":
            self.is_named = False


def is_remote(address):
    return bool(urlsplit(address).netloc)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    if "MDVIEW_SITE" in os.environ:
        return Path(os.environ["MDVIEW_SITE"])
    missing = [name for name in ("sphinx", "myst_parser", "pydata_sphinx_theme") if find_spec(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} of the extra dev not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-b",
        "html",
        str(ROOT / "docs"),
        str(folder),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, timeout=600)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    found = {path: Page(path) for path in site.rglob("*.html") if "_static" not in path.parts}
    assert found
    return found


def test_no_page_loads_anything_from_elsewhere(pages):
    assert {path.name: far for path, page in pages.items() if (far := [*filter(is_remote, page.loads)])} == {}


def test_no_style_sheet_loads_anything_from_elsewhere(site):
    sheets = [*site.rglob("*.css"), *site.rglob("*.html")]
    assert [path.name for path in sheets if REMOTE.search(path.read_text(encoding="utf-8"))] == []


def test_every_link_within_the_site_leads_to_a_place(pages):
    assert [(path.name, to) for path, page in pages.items() for to in page.leads if not leads(path, to, pages)] == []


def leads(path, address, pages):
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.suffix != ".html" or target not in pages:
        return target.exists()
    is_expression = target.stem == "explorer"  # there a fragment is what it draws
    return is_expression or not parts.fragment or unquote(parts.fragment) in pages[target].places


def test_pictures_have_words(pages):
    assert {path.name: page.mute for path, page in pages.items() if page.mute} == {}


def test_api_pages_are_small(site):
    large = {path.name: path.stat().st_size for path in (site / "api").glob("*.html")}
    assert {name: size for name, size in large.items() if size > LARGEST} == {}


def test_a_name_has_one_signature(pages):
    for path, page in pages.items():
        if path.parent.name == "api" and path.stem != "extents":  # whose `Dims1` to `Dims6` share their text
            assert [count for count in page.signatures if count > 1] == [], path.name


@pytest.mark.parametrize("word", ["subview", "jupyt", "thread", "einsum", "fsspec", "progress", "changelog"])
def test_the_search_finds_a_word_by_its_stem(site, word):
    assert word in (site / "searchindex.js").read_text(encoding="utf-8")


def test_the_api_page_leads_to_the_index_of_names_and_to_each_of_its_pages(site, pages):
    leads = {lead.partition("#")[0] for lead in pages[site / "api.html"].leads}
    assert {"genindex.html", *[f"api/{path.name}" for path in (site / "api").glob("*.html")]} <= leads


def test_each_page_has_an_icon(pages):
    assert [path for path, page in pages.items() if not any("favicon" in load for load in page.loads)] == []
