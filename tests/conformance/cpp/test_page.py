"""The page `docs/conformance.md` says what a run finds."""

import os
from pathlib import Path

import page
import pytest

PAGE = Path(__file__).parents[3] / "docs" / "conformance.md"


@pytest.mark.skipif("MDVIEW_SEED" in os.environ, reason="the page is about the questions of every run")
def test_the_page_is_that_of_a_run():
    written = PAGE.read_text(encoding="utf-8")
    unlike = [version for version in page.versions().values() if version not in written]
    if unlike:
        pytest.skip(f"docs/conformance.md is about other versions than {', '.join(unlike)}")
    assert page.text() == written, "run python docs/generate_conformance.py"
