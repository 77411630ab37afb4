"""The explorer page in Chromium: what is typed and what the address says, by the Python in the page and without it."""

import sys
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from shutil import copy
from threading import Thread
from urllib.parse import quote

import pytest

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_extensions"))

explorer_answers = import_module("explorer_answers")
explorer_page = import_module("explorer_page")
vendor_pyodide = import_module("vendor_pyodide")

pytestmark = pytest.mark.deep

EXAMPLES = ["tiled(4, 4) (8, 12)", "right (4, 6)", "morton (1000, 1000)"]
SHELL = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Explorer</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="explorer.css">
<script defer src="explorer.js"></script><script defer src="index.js"></script></head>
<body><h1 id="explorer">Explorer</h1>{element}</body></html>"""
LAYOUTS = [
    *("right (4, 6)", "left (4, 6)", "right_padded(8) (4, 6)", "left_padded(8) (4, 6)", "stride((12, 2)) (4, 6)"),
    *("relaxed((-6, 0), offset=18) (4, 6)", "tiled(3, 4) (4, 6)", "tiled(2, 2, outer=left) (4, 6)", "morton (4, 6)"),
    *("packed(upper, row) (4, 4)", "swizzled(right, 1, 1, 1) (4, 6)", "transpose(right) (4, 6)", "right (dim(4), 6)"),
]
STEPS = ["", "[1:3]", "[::-1, 1:5:2]", "[2]", "flip(0)", "permute_dims((1, 0))", "pad(1)", "expand_dims(0)"]
LARGE = ["morton (1000000, 1000000)", "right (4294967296, 3)", "tiled(8, 8) (100000, 100000)", "right (0, 3)"]
WRONG = ["", "right", "right (2, 3", "rigth (2, 3)", "right (2, 3) [5]", "right (2, -3)", "tiled(0) (4,)"]
EXPRESSIONS = [*[f"{layout} {step}".strip() for layout in LAYOUTS for step in STEPS], *LARGE, *WRONG]
LONGEST = 60
"""Seconds until a page is given up."""


def built(folder, archive):
    errors = explorer_page.write(folder, EXAMPLES, archive)
    for name in ("explorer.js", "explorer.css"):
        copy(DOCS / "_static" / "explorer" / name, folder)
    folder.joinpath("page.html").write_text(SHELL.format(element=explorer_page.element(EXAMPLES)), encoding="utf-8")
    assert errors == []
    return folder


@pytest.fixture(scope="module")
def without_python(tmp_path_factory):
    return built(tmp_path_factory.mktemp("without"), None)


@pytest.fixture(scope="module")
def with_python(tmp_path_factory):
    archive = vendor_pyodide.kept()
    if archive is None:
        pytest.skip("Pyodide is not there: python docs/_extensions/vendor_pyodide.py fetches it by npm")
    return built(tmp_path_factory.mktemp("with"), archive)


@contextmanager
def served(folder):
    """Serve a folder on this machine."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/page.html"
        finally:
            server.shutdown()
            thread.join()


class Explorer:
    """The page in the browser."""

    def __init__(self, browser, address):
        self.browser, self.address = browser, address
        browser.set_script_timeout(LONGEST)

    def open(self, expression=""):
        self.browser.get("about:blank")  # a new fragment alone loads nothing again
        self.browser.get(f"{self.address}#{quote(expression, safe='')}" if expression else self.address)

    def wait(self, condition):
        support = import_module("selenium.webdriver.support.ui")  # where there is a browser
        support.WebDriverWait(self.browser, LONGEST, poll_frequency=0.05).until(lambda _: condition())

    def text(self, name):
        return self.browser.execute_script(
            "return document.querySelector(arguments[0]).textContent", f".explorer-{name}"
        )

    def wait_for(self, name, text):
        self.wait(lambda: text in self.text(name))

    @property
    def field(self):
        return self.browser.find_element("id", "explorer-text")

    @property
    def typed(self):
        return self.field.get_attribute("value")

    @property
    def fragment(self):
        return self.browser.execute_script("return location.hash")

    @property
    def error(self):
        return self.browser.find_element("class name", "explorer-error").text

    def write(self, expression):
        self.browser.execute_script("arguments[0].select()", self.field)
        self.field.send_keys(expression)


def test_examples_are_answered_without_python(chromium, without_python):
    page = Explorer(chromium, (without_python / "page.html").as_uri())
    page.open()
    page.wait_for("explained", "LayoutTiled(4, 4")
    assert page.typed == EXAMPLES[0]
    assert "built without Python" in page.text("state")
    chromium.find_element("link text", EXAMPLES[1]).click()
    page.wait_for("explained", "LayoutRight()")
    assert page.typed == EXAMPLES[1]
    assert len(chromium.find_elements("css selector", ".explorer-figure svg g.cell")) == 24
    chromium.back()
    page.wait_for("explained", "LayoutTiled(4, 4")
    assert page.typed == EXAMPLES[0]
    page.open("explorer")  # a place of the page is no expression
    page.wait_for("explained", "LayoutTiled(4, 4")
    page.open("right (7,)")
    page.wait(lambda: page.error == "These pages were built without Python: they answer the examples and links only.")


def test_what_is_typed_is_answered_from_a_disk(chromium, with_python):
    page = Explorer(chromium, (with_python / "page.html").as_uri())
    page.open("left (2, 3) [::-1]")
    page.wait_for("explained", "LayoutStrideRelaxed")
    assert page.text("written") == "relaxed((-1, 2), offset=1) (2, 3)"
    page.write("right (3, 5)")
    page.wait_for("explained", "over extents (3, 5)")
    assert page.fragment == "#right%20%283%2C%205%29"
    assert page.text("cpp").startswith("std::layout_right::mapping<")
    assert "((i * INT64_C(5)) + j)" in page.text("c")
    assert page.text("python") == "from mdview import Mapping, LayoutRight\n\nmapping = Mapping((3, 5), LayoutRight())"
    page.write("right (3, 5")
    page.wait(lambda: page.error)
    message, line, caret = page.error.split("\n")
    assert message.startswith("line 1, column 12: ")
    assert caret.index("^") == line.index("right") + 11
    assert "explorer-stale" in chromium.find_element("class name", "explorer-answer").get_attribute("class")
    chromium.back()
    page.wait_for("explained", "over extents (2, 3)")
    assert page.typed == "left (2, 3) [::-1]"
    assert page.error == ""


@pytest.fixture(scope="module")
def ready(chromium, with_python):
    """The page from a server, with Python running in it."""
    with served(with_python) as address:
        page = Explorer(chromium, address)
        page.open()
        page.wait_for("state", "Ready")
        yield page


def test_python_in_the_page_answers_as_python_here(ready):
    asked = """
    const [expressions, done] = arguments;
    Promise.all(expressions.map(mdviewExplorer.ask)).then(done, (error) => done(String(error)));
    """
    answers = ready.browser.execute_async_script(asked, EXPRESSIONS)
    assert answers == [explorer_answers.answer(text) for text in EXPRESSIONS]
    assert sum("error" in answer for answer in answers) == len(WRONG)


def test_an_answer_that_takes_too_long_is_stopped_and_the_next_one_comes(ready):
    asked = """
    const [slow, quick, done] = arguments;
    mdviewExplorer.patience(1);
    const late = mdviewExplorer.ask(slow);
    const next = late.then(() => mdviewExplorer.patience(60000)).then(() => mdviewExplorer.ask(quick));
    Promise.all([late, next]).then(done, (error) => done(String(error)));
    """
    late, following = ready.browser.execute_async_script(asked, "morton (1000000, 1000000)", "right (2)")
    assert late["error"] == "No answer: it took more than 0.001 seconds and was stopped."
    assert following == explorer_answers.answer("right (2)")
