"""The tables of the page `docs/interop.md` are those that the tests hold against the partners."""

from pathlib import Path

import matrix_page

PAGE = Path(__file__).parents[3] / "docs" / "interop.md"


def test_the_tables_are_those_of_the_rules():
    written = PAGE.read_text(encoding="utf-8")
    assert matrix_page.with_tables(written) == written, "run python docs/generate_interop.py"
