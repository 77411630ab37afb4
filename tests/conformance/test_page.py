"""The page `docs/conformance.md` says what the facts do, and the corpus is what its schemas say."""

import json
from pathlib import Path

import page
from recorded import DATA

PAGE = Path(__file__).parents[2] / "docs" / "conformance.md"


def test_the_page_is_that_of_the_facts():
    assert page.text() == PAGE.read_text(encoding="utf-8"), "run python docs/generate_conformance.py"


def test_each_file_has_facts_or_cases_and_a_source():
    for path in DATA.glob("*/*.json"):
        content = json.loads(path.read_text(encoding="utf-8"))
        assert ("facts" in content) != ("cases" in content), path
        assert all({"id", "in", "out", "impl"} <= fact.keys() for fact in content.get("facts", ())), path
        assert (path.parent / "SCHEMA.md").exists() or path.name in (DATA / "PROVENANCE.md").read_text(encoding="utf-8")
