"""The explorer page as files: what an answer holds, what is written, and the archive that is fetched."""

import json
import sys
from importlib import import_module
from pathlib import Path

import pytest

import mdview

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS / "_extensions"))

explorer_answers = import_module("explorer_answers")
explorer_page = import_module("explorer_page")
vendor_pyodide = import_module("vendor_pyodide")

EXPRESSIONS = [
    "right (2, 3)",
    "right (dim(2), 3)",
    "tiled(4, 4) (10, 12) [1:6:2, ::-1]",
    "left (4, 6) [::-1]",
    "right (3, 4) pad(1)",
    "morton (8, 8) reshape((64,))",
    "packed(upper, row) (5, 5)",
    "nChw4c (1, 6, 2, 2)",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_the_code_of_an_answer_makes_the_mapping(expression):
    names = {}
    exec(explorer_answers.answer(expression)["python"], names)
    assert names["mapping"] == mdview.parse(expression)


def test_what_a_mapping_lacks_is_told():
    answer = explorer_answers.answer("morton (4, 4)")
    assert answer["cpp"].startswith("None: C++ has no layout type for LayoutMorton")
    assert answer["c"].startswith("static inline int64_t offset(int64_t i, int64_t j) {")


def test_an_expression_is_escaped_in_the_page():
    element = explorer_page.element(['right (2) "><script>', "right (2)"])
    assert "<script>" not in element
    assert "#right%20%282%29%20%22%3E%3Cscript%3E" in element


def test_files_are_scripts_that_hand_over_values(tmp_path):
    errors = explorer_page.write(tmp_path, ["right (2, 3)", "right (2"], None)
    assert [error.partition(":")[0] for error in errors] == ["line 1, column 9"]
    text = tmp_path.joinpath("answer0.js").read_text(encoding="utf-8")
    given = json.loads(text.removeprefix("mdviewExplorer.keep(").removesuffix(");\n"))
    assert given == explorer_answers.answer("right (2, 3)")
    begin = 'mdviewExplorer.start({"python": false, "answers": {"right (2, 3)": 0, "right (2": 1}});'
    assert begin in tmp_path.joinpath("index.js").read_text(encoding="utf-8")
    assert not tmp_path.joinpath("python.js").exists()


def test_nothing_is_kept_before_it_is_fetched(tmp_path):
    assert vendor_pyodide.kept(tmp_path) is None


def test_an_archive_that_is_not_as_published_is_refused(tmp_path):
    tmp_path.joinpath(vendor_pyodide.ARCHIVE).write_bytes(b"something else")
    with pytest.raises(vendor_pyodide.VendoringError, match=r"not Pyodide .* as published: its SHA-512 is"):
        vendor_pyodide.kept(tmp_path)
