"""The documentation: its examples run and give what they show."""

import doctest
import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("design/*.md")])
PARTNERS = {"kernels.md": "numba", "design/bulk.md": "numpy", "design/kernels.md": "numba"}
"""What the examples of a page need."""


def name_of(page):
    return page.relative_to(DOCS).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_examples_of_a_page_run(page):
    if name_of(page) in PARTNERS:
        pytest.importorskip(PARTNERS[name_of(page)])
    result = doctest.testfile(
        str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    )
    assert result.failed == 0


def test_some_pages_have_examples():
    parser = doctest.DocTestParser()
    assert sum(len(parser.get_examples(page.read_text(encoding="utf-8"))) for page in PAGES) > 10


def test_the_pictures_of_the_iteration_page_are_those_that_its_script_draws():
    script = runpy.run_path(str(DOCS / "draw_iteration.py"))
    for name, draw in script["PICTURES"].items():
        assert (DOCS / "_static" / name).read_text(encoding="utf-8") == draw()
