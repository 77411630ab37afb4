"""The page for NumPy users: what stands in one row of its tables is the same on both sides."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from public import PUBLIC

import mdview as md

np = pytest.importorskip("numpy")

PAGE = (Path(__file__).parents[1] / "docs" / "numpy_users.md").read_text(encoding="utf-8")
TABLES = {
    title: [[cell.strip() for cell in line.strip("|").split("|")] for line in body.splitlines() if line[:3] == "| `"]
    for title, body in re.findall(r"^### (.*)\n((?:.*\n)*?)(?=##)", PAGE, re.MULTILINE)
}
VALUES = [row for title, rows in TABLES.items() if title != "Storing" for row in rows]


def names():
    """An array of 4 × 6 and its elements in one row, both with views; all that the tables name."""
    line = np.arange(24.0)
    a = line.reshape(4, 6)
    stride_tricks = np.lib.stride_tricks
    found = PUBLIC | {"as_strided": stride_tricks.as_strided, "sliding_window_view": stride_tricks.sliding_window_view}
    return found | {"np": np, "line": line, "a": a, "v": md.asview(a), "w": md.asview(line)}


def plain(result):
    """The elements of a result as lists."""
    if isinstance(result, list):
        return [plain(each) for each in result]
    return result.tolist() if hasattr(result, "tolist") else result


def code_of(row):
    return [cell.removeprefix("`").removesuffix("`") for cell in row[:2]]


def test_the_tables_are_there():
    assert {title: len(rows) > 8 for title, rows in TABLES.items()} == dict.fromkeys(
        ("Parts and axes", "Facts", "Walks", "New memory", "Computing", "Storing"), True
    )


@pytest.mark.parametrize("row", VALUES, ids=lambda row: row[1])
def test_both_sides_of_a_row_give_the_same(row):
    given = names()
    numpys, ours = [eval(code, given) for code in code_of(row)]  # noqa: S307 - of the page
    assert plain(ours) == plain(numpys)


@pytest.mark.parametrize("row", [row for row in VALUES if row[2:] and row[2]], ids=lambda row: row[1])
def test_what_is_shared_changes_with_the_operand(row):
    given = names()
    results = [eval(code, given) for code in code_of(row)]  # noqa: S307 - of the page
    before = [plain(result) for result in results]
    given["line"] += 1000.0
    changed = [plain(result) != old for result, old in zip(results, before, strict=True)]
    assert changed == [says == "shared" for says in row[2:]]


@pytest.mark.parametrize("row", TABLES["Storing"], ids=lambda row: row[1])
def test_both_sides_of_a_row_store_the_same(row):
    given = names(), names()
    for code, each in zip(code_of(row), given, strict=True):
        exec(code, each)
    assert given[0]["a"].tolist() == given[1]["a"].tolist()
