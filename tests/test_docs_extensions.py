"""The directives of the documentation, in a site of one page."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx")
pytest.importorskip("myst_parser")

pytestmark = pytest.mark.deep
ROOT = Path(__file__).parents[1]
CONFIGURATION = """
import sys
sys.path.insert(0, {extensions!r})
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "picture", "api_summary", "linked_names"]
autodoc_typehints = "none"
default_role = "py:obj"
"""


@pytest.fixture
def build(tmp_path):
    """Build a page of this text; what Sphinx says, and the HTML if it says nothing."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "conf.py").write_text(CONFIGURATION.format(extensions=str(ROOT / "docs" / "_extensions")), "utf-8")

    def run(text):
        (folder / "index.md").write_text("# Page\n\n" + text, encoding="utf-8")
        command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", str(folder), "html"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            command, check=False, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
        )
        page = tmp_path / "html" / "index.html"
        return done.stderr, page.read_text(encoding="utf-8") if done.returncode == 0 else ""

    return run


def test_a_picture_is_in_the_page_with_its_caption_and_a_link_to_the_explorer(build):
    said, page = build("```{picture} tiled(2, 3) (4, 6)\n:caption: Of *two* kinds\nright (4, 6)\n```\n")
    assert said == ""
    assert page.count('<svg class="mdview"') == 2
    assert "Of <em>two</em> kinds" in page
    assert 'href="explorer.html#tiled%282%2C%203%29%20%284%2C%206%29"' in page
    assert "mdview-figure.js" in page


def test_before_and_after_are_one_picture(build):
    said, page = build("```{picture} right (4, 6)\n:after: right (4, 6) flip(1)\n```\n")
    assert said == ""
    assert page.count('<svg class="mdview"') == 1
    assert "<code>right (4, 6) flip(1)</code>" in page


@pytest.mark.parametrize("option", ["", ":after: right (4, 6) [9]\n"])
def test_an_expression_that_is_wrong_is_a_warning_with_its_place(build, option):
    said, page = build(f"Text.\n\n```{{picture}} right (4, {'6' if option else 'six'})\n{option}```\n")
    assert page == ""
    assert "index.md:5: WARNING: picture: line 1, column " in said


def test_a_summary_has_the_first_sentence_of_each_description(build):
    text = "```{api-summary}\n```\n\n```{eval-rst}\n.. py:module:: mdview\n.. autofunction:: flip(x, axis=None)\n```\n"
    said, page = build(text)
    assert said == ""
    table = page[page.index("<table") : page.index("</table>")]
    assert 'href="#mdview.flip"' in table
    assert "Reverse the order of the indices along" in table
    assert page.count('<dt class="sig') == 1


def test_classes_and_calls_in_prose_are_links_and_words_are_not(build):
    directives = ".. py:module:: mdview\n.. autofunction:: copy(source, target, *, threads=1, progress=False)\n"
    said, page = build(f"`copy(v, w)` and `copy`.\n\n```{{eval-rst}}\n{directives}```\n")
    assert said == ""
    assert page.count('href="#mdview.copy" title="mdview.copy"><code') == 1
