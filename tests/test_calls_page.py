"""The page of everyday calls: its tables are those of today, and where a call is refused, its way out works."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")

SCRIPT = runpy.run_path(str(Path(__file__).parents[1] / "docs" / "generate_calls.py"))
TABLES = SCRIPT["tables"]()
CALLS = [call for calls in TABLES.values() for call in calls]
OPERAND = re.compile(r"asview\(np\.array\(rows\)\)|(?<![\w.])[avt](?!\w)")
"""What stands for the 24 numbers in a call."""


def cases(calls):
    """The calls as parameters; those that ask a partner are deep."""
    deep = [[pytest.mark.deep] * bool(SCRIPT["partners"](call) - {"numpy"}) for call in calls]
    return [pytest.param(call, marks=marks, id=call.code) for call, marks in zip(calls, deep, strict=True)]


def need_partners(call):
    for partner in SCRIPT["partners"](call):
        pytest.importorskip(partner)


def values(result):
    """The numbers of a result as lists; None of what has none."""
    if isinstance(result, list):
        return [values(each) for each in result]
    return np.asarray(result).tolist() if isinstance(result, int | float) or hasattr(result, "dtype") else None


@pytest.mark.deep
def test_the_page_is_current():
    text = SCRIPT["FILE"].read_text(encoding="utf-8")
    assert SCRIPT["page"](text) == text, "run: python docs/generate_calls.py"


def test_there_are_many_calls_and_none_twice():
    assert len({call.code for call in CALLS}) == len(CALLS) >= 60


@pytest.mark.parametrize("call", cases(CALLS))
def test_a_call_works_or_is_refused_by_an_error_of_ours(call):
    need_partners(call)
    error = SCRIPT["refusal"](call.code)  # errors of others are not caught
    assert (error is not None) == bool(call.instead), error


@pytest.mark.parametrize("call", cases([call for call in CALLS if call.instead]))
def test_the_way_out_of_a_refusal_works(call):
    """The call that works is one that the message names."""
    need_partners(call)
    ways = re.findall(r"[\w.]+\(|(?<=')\w+(?=')", SCRIPT["way_out"](SCRIPT["refusal"](call.code)))
    assert not ways or any(way.removeprefix("view") in call.instead for way in ways), ways
    SCRIPT["run"](call.instead)


def test_arrays_lists_and_views_of_equal_numbers_give_equal_numbers():
    results = {}
    for call in CALLS:
        code = call.instead or call.code
        if OPERAND.search(code) and not SCRIPT["partners"](call) - {"numpy"}:
            results.setdefault(OPERAND.sub("x", code), []).append(values(SCRIPT["run"](code)))
    compared = {code: each for code, each in results.items() if len(each) > 1 and each[0] is not None}
    assert len(compared) > 8
    assert [code for code, each in compared.items() if each.count(each[0]) != len(each)] == []
