"""Each refusal is necessary, or a listed limit; the page of operations shows how many there are."""

from pathlib import Path

import pytest
from necessary import LAWS, NEEDED, counted

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"


@pytest.mark.parametrize("name", LAWS)
def test_only_a_listed_limit_refuses_what_has_an_answer(name):
    if name in NEEDED:
        pytest.importorskip(NEEDED[name], reason=f"{NEEDED[name]} is not installed")
    cases, limit = LAWS[name]
    found = counted(cases)
    assert found[2] == 0 or limit
    row = f"| {name} | {' | '.join(f'{n:,}' for n in found)} | {limit} |"
    assert row in PAGE.read_text(encoding="utf-8"), f"tests/algebra/necessary.py prints the table: {row}"
