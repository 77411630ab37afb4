"""The laws: each has a name of its own, and the page that lists them lists what is checked."""

from pathlib import Path

import pytest

from mdview.testing import accessors, layouts

PAGE = (Path(__file__).parents[2] / "docs" / "reliability.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("laws", [layouts.LAWS, accessors.LAWS], ids=["layouts", "accessors"])
def test_the_page_lists_the_laws_in_their_order(laws):
    rows = [f"| {law.name} | {law.statement} |" for law in laws]
    assert "\n".join(rows) in PAGE
    assert len({law.name for law in laws}) == len(laws)


def test_the_page_counts_the_planted_bugs():
    from planted import ACCESSORS, LAYOUTS  # noqa: PLC0415 - for this count only

    assert f"holds {len(LAYOUTS)} layouts and {len(ACCESSORS)} accessors" in PAGE
